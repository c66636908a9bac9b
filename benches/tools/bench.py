#!/usr/bin/env python3
"""Scores tools on repair, tool calls, schemas and streams: what is right, refused and wrong, and how long it takes.

    python3 benches/tools/bench.py                                   # all tools, all tasks
    python3 benches/tools/bench.py --task repair --tool llmend --tool json_repair
    python3 benches/tools/bench.py --task repair --lines "mine=./my-adapter --fast"
    python3 benches/tools/bench.py --task repair --command "mine=./my-tool"
    python3 benches/tools/bench.py --task calls --server "mine=http://127.0.0.1:8000/read"
    python3 benches/tools/bench.py --publish                         # all, and the page of the book

docs/reference/benchmark.md says what a tool reads and writes. The tables are printed; they, the plots and the results
are written to the folder `--out`. What tools need is installed there, too. Every text is put to all tools in turn.
"""

from __future__ import annotations

import argparse
import collections
import datetime
import json
import os
import platform
import re
import shlex
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import judge
import page
from ask import Command, Lines, Server, Tools
from texts import ROOT, TASKS, Texts, request

NEED = ROOT / ".ci" / "need"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", action="append", choices=TASKS, help="only this task; repeatable")
    parser.add_argument("--tool", action="append", help="only this tool of tools.json; repeatable")
    for kind, what in [("lines", "a process for lines"), ("command", "a command for a text"), ("server", "an address")]:
        parser.add_argument(f"--{kind}", action="append", default=[], metavar="NAME=VALUE", help=f"a tool: {what}")
    parser.add_argument("--texts", type=float, default=1.0, help="how many texts, as a share of the usual number")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the generators")
    parser.add_argument("--show", type=int, default=0, help="print the shortest texts that each tool has wrong")
    parser.add_argument("--out", type=Path, help="the folder for results and packages (default: bench in the target folder)")
    parser.add_argument("--wheel", help="a wheel of llmend, for its Python package")
    parser.add_argument("--llmend", help="the command llmend (default: the one on the path)")
    parser.add_argument("--binaries", type=Path, help="a folder with `score` and `adapter`, built; else cargo builds them")
    parser.add_argument("--install", action="store_true", help="install the packages of the tools, and end")
    parser.add_argument("--publish", action="store_true", help="write the results and the page of the book, too")
    parser.add_argument("--results", type=Path, help="show these results instead of a run")
    return parser.parse_args()


def needed(name: str) -> str:
    """A program that `.ci/need` finds or installs."""
    return subprocess.run([NEED, name], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def built(told: argparse.Namespace) -> Path:
    """The folder of `score` and `adapter`, which cargo builds."""
    if told.binaries:
        return told.binaries.resolve()
    cargo = ["cargo", "build", "--quiet", "--locked", "--release", "-p", "llmend-testing", "--features", "peers"]
    subprocess.run([*cargo, "--bin", "score", "--bin", "adapter"], cwd=ROOT, check=True)
    return target() / "release"


def target() -> Path:
    return Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target").resolve()


def others(told: argparse.Namespace) -> dict[str, tuple]:
    """The tools that are named on the command line."""
    made = {}
    kinds = {
        "lines": lambda words: Lines(shlex.split(words), Path.cwd(), dict(os.environ)),
        "command": lambda words: Command(shlex.split(words)),
        "server": Server,
    }
    for kind, make in kinds.items():
        for name, _, words in (given.partition("=") for given in getattr(told, kind)):
            made[name] = (make(words), {"about": kind, "tasks": TASKS if kind != "command" else ["repair"]})
    return made


def version(name: str, row: dict) -> str:
    """The version of a tool that was asked."""
    for kind, mark in [("pip", "=="), ("npm", "@")]:
        if kind in row:
            return row[kind][0].rsplit(mark, 1)[1]
    if crate := row.get("crate"):
        locked = (ROOT / "Cargo.lock").read_text("utf-8")
        return re.search(rf'name = "{re.escape(crate)}"\nversion = "(.+)"', locked)[1]
    if name.startswith("llmend"):
        return re.search(r'^version = "(.+)"', (ROOT / "Cargo.toml").read_text("utf-8"), re.MULTILINE)[1]
    return "?"


def machine() -> dict[str, str]:
    def first(pattern: str, path: str) -> str:
        try:
            found = re.search(pattern, Path(path).read_text("utf-8"), re.MULTILINE)
        except OSError:
            found = None
        return found[1].strip() if found else "unknown"

    def told(*command: str) -> str:
        try:
            return subprocess.run(command, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout.strip()
        except OSError:
            return "unknown"

    commit = told("git", "rev-parse", "--short=12", "HEAD")
    changed = told("git", "status", "--porcelain", "--untracked-files=no")
    return {
        "date": datetime.date.today().isoformat(),
        "commit": commit + (" with changes" if changed else ""),
        "cpu": first(r"^model name\s*:\s*(.+)$", "/proc/cpuinfo"),
        "cores": str(os.cpu_count()),
        "system": first(r'^PRETTY_NAME="?(.+?)"?$', "/etc/os-release"),
        "python": platform.python_version(),
        "node": told("node", "--version").lstrip("v"),
        "rustc": (told("rustc", "--version").split() + ["?", "?"])[1],
    }


def run(task: str, cases: list[dict], asked: dict[str, tuple], show: int) -> dict:
    """Puts each text to all tools in turn."""
    counts: dict = collections.defaultdict(collections.Counter)
    times, shares, wrong = collections.defaultdict(list), collections.defaultdict(list), collections.defaultdict(list)
    names = list(asked)
    for number, case in enumerate(cases):
        told = request(case)
        # Nobody is always the first after a pause.
        for name in names[number % len(names) :] + names[: number % len(names)]:
            tool, row = asked[name]
            if case["corpus"] not in row.get("texts", [case["corpus"]]):
                continue
            result = tool.ask(told)
            outcome = judge.outcome(case, result)
            counts[name, case["corpus"]][outcome] += 1
            if outcome == judge.SKIPPED:
                continue
            times[name, case["corpus"]].append(result.get("seconds", 0.0))
            if (share := judge.shown(case, result)) is not None:
                shares[name, case["corpus"]].append(share)
            if outcome != judge.RIGHT and (show or not wrong[name]):
                wrong[name].append((len(case["input"]), outcome, case, result))
        if sys.stderr.isatty():
            print(f"\r{task}: {number + 1} of {len(cases)} texts ", end="", file=sys.stderr)
    for name in wrong if show else []:
        for _, outcome, case, result in sorted(wrong[name], key=lambda row: row[0])[:show]:
            got = {key: value for key, value in result.items() if key not in ("views", "seconds", "text")}
            print(f"\n{name}: {outcome}, {case['corpus']}, {case['id']}\n  {case['input'][:600]!r}")
            print(f"  wanted: {json.dumps(case.get('expected'))[:600]}\n  got: {json.dumps(got)[:600]}")
    corpora = dict.fromkeys(case["corpus"] for case in cases)
    for name in names:
        # An adapter that does not work looks like a tool that refuses everything.
        if wrong[name] and not any(counts[name, corpus][judge.RIGHT] for corpus in corpora):
            print(f"{task}: nothing is right of {name}, such as: {wrong[name][0][3]}", file=sys.stderr)
    return {
        "corpora": {corpus: sum(case["corpus"] == corpus for case in cases) for corpus in corpora},
        "tools": {
            name: {
                corpus: {
                    "counts": [counts[name, corpus][outcome] for outcome in judge.OUTCOMES],
                    "median": statistics.median(times[name, corpus]),
                    **({"shown": statistics.mean(shares[name, corpus])} if shares[name, corpus] else {}),
                }
                for corpus in corpora
                if times[name, corpus]
            }
            for name in names
        },
    }


def measured(told: argparse.Namespace, folder: Path) -> dict:
    given = {"base": needed("python"), "npm": needed("npm"), "node": needed("node"), "wheel": told.wheel}
    tools = Tools(folder, given)
    unknown = set(told.tool or []) - tools.known.keys()
    if unknown:
        sys.exit(f"tools.json has no {', '.join(sorted(unknown))}")
    names = [name for name in tools.known if not told.tool or name in told.tool]
    named = others(told)
    if not told.tool and named:
        names = ["llmend"]
    if told.install:
        tools.install(names)
        return {}
    binaries = built(told)
    given |= {"adapter": str(binaries / "adapter"), "llmend": told.llmend or shutil.which("llmend")}
    for name in [name for name in names if tools.missing(name)]:
        print(f"left out: {name}, which needs {tools.missing(name)}", file=sys.stderr)
        names.remove(name)
    tools.install(names)
    texts = Texts(str(binaries / "score"), folder, told.seed, told.texts)
    asked = {name: (tools.start(name), tools.known[name]) for name in names} | named
    results = {"machine": machine(), "seed": told.seed, "tools": {}, "tasks": {}}
    for name, (_, row) in asked.items():
        results["tools"][name] = {"about": row["about"], "version": version(name, row)}
    try:
        for task in told.task or TASKS:
            of_task = {name: tool for name, tool in asked.items() if task in tool[1]["tasks"]}
            if of_task:
                results["tasks"][task] = run(task, texts.of(task), of_task, told.show)
    finally:
        for tool, _ in asked.values():
            tool.close()
    return results


def main() -> int:
    told = arguments()
    if told.publish and not told.results and (told.task or told.tool or told.texts != 1.0):
        sys.exit("--publish writes the page of all tasks, tools and texts: leave out --task, --tool and --texts")
    folder = (told.out or target() / "bench").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    results = json.loads(told.results.read_text("utf-8")) if told.results else measured(told, folder)
    if not results:
        return 0
    (folder / "results.json").write_text(page.written(results), "utf-8")
    for name, svg in page.plots(results).items():
        (folder / name).write_text(svg, "utf-8")
    tables = page.tables(results)
    (folder / "tables.md").write_text(tables, "utf-8")
    print(tables)
    if told.publish:
        page.publish(results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
