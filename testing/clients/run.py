"""Do real clients get through the gateway what they do not get without it?

Starts the scripted server and the gateway before it, has each client ask both for every scenario, prints
both side by side, and judges: straight, a valid answer has to arrive, and most of the others fail; through
the gateway each comes to what EXPECTED says of its scenario, and the model was asked as often as it says.
"""

import argparse
import collections
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.request

import written
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).parent
TRIPS = [
    {"city": "Tromsø", "days": 3, "sights": ["Polaria", "Arctic Cathedral"]},
    {"city": "Bergen", "days": 2, "sights": ["Bryggen"]},
]
# What is left of an answer that was closed where it breaks off.
CLOSED = {"city": "Tromsø", "days": 3, "sights": ["Polaria", "Arctic Cath"]}

# What a client has to come to through the gateway, and how often the model is asked for it. What becomes
# of an answer that was cut off is said in `judge`.
#   value: what was asked for
#   refused: the SDK raises an error of its own with the gateway's message, and does not try again
#   closed: what there is of an answer that broke off, which is still told to be cut off: the SDK says so,
#           raises its own error for that, or hands over what there is because it does not look
EXPECTED = {
    "valid": {"value": 1},
    "fenced": {"value": 1},
    "broken": {"value": 1},
    "wrong-type": {"value": 1},
    "truncated": {},
    "truncated-again": {"value": 2},
    "two-calls": {"value": 1},
    "unrepairable": {"refused": 1},
    "unrepairable-again": {"value": 2},
}
# SDKs that print the body as Python does escape the apostrophe where the message has quotation marks, too.
OURS = re.compile(r"the model\\?'s (answer|call of)")
CUT = re.compile(r"length|max_tokens|incomplete|truncat|`response.completed`", re.IGNORECASE)


def outcome(row):
    """One word for what a client came to."""
    if "error" in row:
        text = row["error"] + " " + row["message"]
        if OURS.search(row["message"]):
            return "refused"
        return "closed" if CUT.search(text) and row["scenario"] == "truncated" else "error"
    wanted = TRIPS if row["scenario"] == "two-calls" else TRIPS[:1]
    value = row["value"] if row["kind"] == "calls" else [row["value"]]
    if value == wanted and not row["cut_off"]:
        return "value"
    if value == [CLOSED] or (row["cut_off"] and value == [None]):
        return "closed"
    # Something that looks like an answer, and is not: nobody is told.
    return "wrong"


def judge(rows, asked):
    """What is not as it has to be, in words, and how much was looked at."""
    problems = []
    broken = collections.defaultdict(list)
    for row in rows:
        came = row["outcome"]
        name = f"{row['client']}, {row['way']}, {row['scenario']}, {row['via']}"
        said = row.get("error", "") + " " + str(row.get("message", row.get("value")))
        if row["via"] == "direct":
            if row["scenario"] != "valid":
                broken[row["client"]].append(came)
            elif came != "value":
                problems.append(f"{name}: {came}: {said}")
            continue
        expected = EXPECTED[row["scenario"]]
        if row["scenario"] == "truncated":
            # A call that was cut off is never closed: half a list of commands would be carried out.
            expected = {"refused": 1} if row["kind"].startswith("call") else {"closed": 1}
        elif row["scenario"] == "wrong-type" and row["kind"] == "json":
            # The gateway was not told of the types. What the client makes of it is as without.
            expected = {"error": 1, "wrong": 1}
        if came not in expected:
            problems.append(f"{name}: {came} and not {' or '.join(expected)}: {said}")
        elif asked.get(row["model"]) != expected[came]:
            problems.append(f"{name}: the model was asked {asked.get(row['model'])} times")
    for client, came in broken.items():
        if came.count("value") * 2 >= len(came):
            problems.append(f"{client}: most of what is broken arrives without the gateway too")
    return problems


def table(rows):
    """Both ways side by side."""
    cells = {}
    for row in rows:
        cells.setdefault((row["client"], row["way"]), {})[(row["scenario"], row["via"])] = row["outcome"]
    width = max(len(f"{client}: {way}") for client, way in cells) + 2
    head = "".join(f"{scenario:<20}" for scenario in EXPECTED)
    lines = [f"{'straight → through the gateway':<{width}}{head}"]
    for (client, way), cell in cells.items():
        line = f"{client + ': ' + way:<{width}}"
        for scenario in EXPECTED:
            pair = [cell.get((scenario, via)) for via in ("direct", "gateway")]
            line += f"{'–' if pair == [None, None] else ' → '.join(str(one) for one in pair):<20}"
        lines.append(line.rstrip())
    return "\n".join(lines)


@contextlib.contextmanager
def started(command, stream, pattern):
    """A program that runs until it is left, and what it says when it is ready."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, text=True, **{stream: subprocess.PIPE})
    try:
        for line in getattr(process, stream):
            if found := re.search(pattern, line):
                yield found.group(1)
                return
        raise SystemExit(f"{command[0]} ended before it was ready")
    finally:
        process.stdin.close()
        process.terminate()
        process.wait()


def ask(name, command, environment):
    """All that one client came to."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240)
    rows = [json.loads(line) for line in done.stdout.split("\n") if line.startswith("{")]
    if done.returncode != 0 or not rows:
        raise SystemExit(f"{name} ended with {done.returncode}:\n{done.stderr[-4000:]}")
    return [row if row["kind"] in written.KINDS else row | {"outcome": outcome(row)} for row in rows]


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--llmend", required=True, help="the program whose gateway is asked")
    arguments.add_argument("--model-server", required=True, help="the scripted server")
    arguments.add_argument("--environments", required=True, type=pathlib.Path, help="a folder a client")
    arguments.add_argument("--node", required=True)
    arguments.add_argument("--details", action="store_true", help="print what was said, too")
    arguments.add_argument("clients", nargs="*", help="the folders of the clients; else all")
    arguments = arguments.parse_args()
    clients = arguments.clients or sorted(path.parent.name for path in HERE.glob("*/client.*"))

    with contextlib.ExitStack() as stack:
        says, told = written.tables()
        says |= json.loads((HERE / "scenarios.json").read_text("utf-8"))
        said_where, told_where = (arguments.environments / name for name in ("says.json", "told.json"))
        said_where.write_text(json.dumps(says), "utf-8")
        told_where.write_text(json.dumps(told), "utf-8")
        scripted = [arguments.model_server, str(said_where)]
        upstream = stack.enter_context(started(scripted, "stdout", r"(http://\S+)"))
        config = arguments.environments / "gateway.toml"
        text = (HERE / "gateway.toml").read_text("utf-8").replace("UPSTREAM", upstream).replace("EMULATE", written.EMULATE)
        config.write_text(text, "utf-8")
        serve = [arguments.llmend, "serve", "--config", str(config)]
        gateway = stack.enter_context(started(serve, "stderr", r"serving (http://\S+)/v1"))
        environment = os.environ | {
            "LLMEND_DIRECT": upstream,
            "LLMEND_GATEWAY": gateway,
            "LLMEND_WRITTEN": str(told_where),
            "PYTHONPATH": str(HERE),
            "PYTHONDONTWRITEBYTECODE": "1",
            "NO_PROXY": "127.0.0.1",
        }

        def of(client):
            place = arguments.environments / client
            if (HERE / client / "client.py").exists():
                command = [place / "bin" / "python", HERE / client / "client.py"]
            else:
                # A module of Node's finds its packages above itself, and nowhere else.
                for name in ("scenarios.mjs", "scenarios.json", f"{client}/client.mjs"):
                    shutil.copy(HERE / name, arguments.environments / name)
                command = [arguments.node, place / "client.mjs"]
            return ask(client, command, environment)

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            rows = [row for rows in pool.map(of, clients) for row in rows]
        with urllib.request.urlopen(f"{upstream}/asked") as answer:
            asked = json.load(answer)

    of_text = [row for row in rows if row["kind"] in written.KINDS]
    rows = [row for row in rows if row["kind"] not in written.KINDS]
    if rows:
        print(table(rows))
    if arguments.details:
        for row in rows + of_text:
            print(json.dumps(row, ensure_ascii=False))
    problems, counts = written.judge(of_text, asked)
    print("\n".join(counts))
    problems += judge(rows, asked)
    for problem in problems:
        print(f"FAILED {problem}")
    failed = len(problems)
    print(f"{len(rows) + len(of_text) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
