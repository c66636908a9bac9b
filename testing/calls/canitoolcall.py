#!/usr/bin/env python3
"""How many recorded outputs of models does llmend read as the suite `canitoolcall` expects, whole and streamed?

    python3 testing/calls/canitoolcall.py                        # builds llmend, which takes some minutes
    python3 testing/calls/canitoolcall.py --llmend llmend.whl    # takes a wheel

The suite (https://pypi.org/project/canitoolcall) has the recorded outputs, the tools that were offered, and the scorer;
nothing of it is in this repository. It is installed with llmend in an environment that is removed at the end, unless
this Python has both.

Each output is read as a whole with `llmend.calls`, and in eight cuts with `llmend.CallStream`. A case passes if it
passes whole and in every cut. What a stream delivers is joined as a client of OpenAI's interface joins it: text is never
taken back, nor is the part of a call that is cut off. `--complete` delivers calls only when they are complete, for a
client that waits for them. The published rows beside the result are from the suite's own run of September 2026 over the servers'
parsers, each told which model wrote the text; llmend is not told.

The suite cuts streams between the tokens of each model. The tokenizers are on a hub that is not needed here: the pieces
are made of words and marks instead, with each mark in one piece, and are grouped as the suite groups tokens. `--chars`
adds cuts between characters, which also split marks; the suite never counts them.

`--prefill auto` puts what the chat template had already opened (`<think>`, say) before the text, as a server that knows
its prompt can.
"""

import argparse
import collections
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
SUITE = "canitoolcall==0.1.1"

# Passes, passes but for white space, and failures, as published with 0.1.1.
PUBLISHED = {"vLLM": (268, 86, 115), "SGLang": (189, 62, 197), "llama.cpp": (278, 46, 114)}

# What a chat template may end with.
OPENERS = re.compile(
    r"(<think>\s*|<seed:think>\s*|\[THINK\]|<\|channel>thought\n|<\|open\|>(?:think|response)<\|sep\|>)$"
)
# A text that opens its first block itself.
OPENED = re.compile(r"\s*(<\|open\|>|<think>)")
# A piece of ordinary text, and a mark that no table lists.
WORD = r" ?\w{1,8}|\s+|[^\w\s]{1,2}"
MARK = r"<[|｜][^<>\n]{1,40}[|｜]>"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--llmend", default=str(REPOSITORY / "bindings" / "python"), help="a wheel, or the folder to build")
    parser.add_argument("--prefill", choices=["none", "auto"], default="none")
    parser.add_argument("--complete", action="store_true", help="deliver a call only when it is complete")
    parser.add_argument("--chars", type=int, default=0, metavar="N", help="cuts between characters, besides the eight")
    parser.add_argument("--family", action="append", default=[], help="only this family of models; repeatable")
    parser.add_argument("--id", action="append", default=[], help="only this case; repeatable")
    parser.add_argument("--by-family", action="store_true", help="a table for each family, too")
    parser.add_argument("--failures", type=Path, metavar="FILE", help="write each case that does not pass, and why, as JSON Lines")
    return parser.parse_args()


def in_an_environment(llmend: str) -> int:
    """Runs this script again where the suite and llmend are installed."""
    with tempfile.TemporaryDirectory(prefix="canitoolcall-") as folder:
        venv.create(folder, with_pip=True)
        python = str(Path(folder, "bin", "python"))
        subprocess.run([python, "-m", "pip", "install", "--quiet", SUITE, llmend], check=True)
        return subprocess.run([python, __file__, *sys.argv[1:]]).returncode


class Reader:
    """Reads the cases with llmend, and gives what it reads to the scorer."""

    def __init__(self, complete: bool) -> None:
        import llmend
        from canitoolcall import results

        self.llmend, self.results, self.complete = llmend, results, complete

    def whole(self, text: str, tools):
        found = self.llmend.calls(text, tools)
        made = tuple(self.results.ParsedToolCall(call.name, call.arguments_json) for call in found)
        return self.results.ParseResult(
            content=found.text or None, reasoning_content=found.reasoning or None, tool_calls=made, exception=None
        )

    def streamed(self, pieces: list[str], tools):
        stream, client = self.llmend.CallStream(tools), self.results.StreamAccumulator()
        for piece in pieces:
            self.deliver(stream.push(piece), client)
        self.deliver(stream.end(), client)
        return client.result(exception=None)

    def deliver(self, events, client) -> None:
        for event in events:
            match event:
                case self.llmend.TextDelta(text):
                    client.add_content(text)
                case self.llmend.ReasoningDelta(text):
                    client.add_reasoning(text)
                case self.llmend.CallDone(index, call) if self.complete:
                    client.add_tool_call(index, name=call.name, arguments=call.arguments_json)
                # A name that was sent could not be taken back, so it is sent with the first arguments.
                case self.llmend.CallStarted(_, name, _):
                    self.name = name
                case self.llmend.ArgumentsDelta(index, delta) if not self.complete:
                    if self.name is not None:
                        client.add_tool_call(index, name=self.name)
                        self.name = None
                    client.add_tool_call(index, arguments=delta)

    name: str | None = None


def units(text: str, marks) -> tuple[list[str], set[int]]:
    """Returns the pieces of a text, and the indices of those that are marks."""
    known = [re.escape(mark) for mark in sorted(marks, key=len, reverse=True)]
    pieces: list[str] = []
    special: set[int] = set()
    at = 0
    for found in re.finditer("|".join([*known, MARK]), text):
        pieces += re.findall(WORD, text[at : found.start()])
        special.add(len(pieces))
        pieces.append(found.group())
        at = found.end()
    pieces += re.findall(WORD, text[at:])
    assert "".join(pieces) == text
    return pieces, special


def cut(text: str, marks, strategies) -> dict[str, list[str]]:
    """Returns the pieces of a text in each of the ways to cut it."""
    from canitoolcall import chunking

    pieces, special = units(text, marks)
    made = {}
    for strategy in strategies:
        if strategy.kind == "char":
            made[strategy.id] = chunking.split_text(text, strategy)
        else:
            groups = chunking.split(list(range(len(pieces))), strategy, special=frozenset(special))
            made[strategy.id] = ["".join(pieces[index] for index in group) for group in groups]
    return made


def opened(case, family) -> str:
    """Returns what the chat template had opened before the text."""
    from canitoolcall.adapters.base import ReplayInput

    found = OPENERS.search(ReplayInput.from_fixture(case, family).generation_prompt or "")
    return found.group(1) if found and not OPENED.match(case.raw_output) else ""


class Scores:
    """The scored cases."""

    def __init__(self, told: argparse.Namespace) -> None:
        from canitoolcall import checks, chunking, fixtures, results, runner

        self.checks, self.status = checks, results.Status
        self.cases = [
            case
            for case in fixtures.load_fixtures(None, families=told.family or None)
            if not told.id or case.id in told.id
        ]
        if not self.cases:
            sys.exit("no case is selected")
        characters = [chunking.ChunkStrategy("char", seed=seed) for seed in range(told.chars)]
        self.strategies = [*chunking.DEFAULT_STRATEGIES, *characters]
        reader, known = Reader(told.complete), {}
        self.texts, self.results = [], []
        for case in self.cases:
            family, tools = runner.family_for(case, known), list(case.tools)
            text = (opened(case, family) if told.prefill == "auto" else "") + case.raw_output
            cuts = cut(text, family.markers if family else (), self.strategies)
            streams = {name: reader.streamed(pieces, tools).to_dict() for name, pieces in cuts.items()}
            reply = {"supported": True, "nonstream": reader.whole(text, tools).to_dict(), "streams": streams}
            self.texts.append(text)
            self.results.append(runner.evaluate(case, family, reply, include_observed="all"))

    def counted(self, statuses) -> tuple[int, int, int]:
        """Returns the numbers of passes, of passes but for white space, and of failures."""
        count = collections.Counter(statuses)
        return count[self.status.PASS], count[self.status.SOFT_PASS], count[self.status.FAIL] + count[self.status.ERROR]

    def table(self, title: str, indices, published: bool = False) -> None:
        from canitoolcall.results import worst_status

        print(f"\n{title}: {len(indices)} cases\n  {'':<14}{'pass':>6}{'soft':>6}{'fail':>6}")

        def line(name: str, counts, note: str = "") -> None:
            print(f"  {name:<14}" + "".join(f"{count:>6}" for count in counts) + note)

        for label in [self.checks.NONSTREAM, *(strategy.id for strategy in self.strategies)]:
            rows = [[row.status for row in self.results[index].checks if row.strategy == label] for index in indices]
            counts = self.counted(worst_status(row) for row in rows)
            uncounted = label != self.checks.NONSTREAM and self.checks.is_synthetic(label)
            line("whole" if label == self.checks.NONSTREAM else label, counts, "   not counted" * uncounted)
        invariant = [
            row.status for index in indices for row in self.results[index].checks if row.check == "split_invariance"
        ]
        line("same in all", self.counted(invariant))
        line("CASES", self.counted(self.results[index].status for index in indices))
        if published:
            for server, counts in PUBLISHED.items():
                line(server, counts, f"   of {sum(counts)}, published")

    def reasons(self) -> None:
        good = (self.status.PASS, self.status.SOFT_PASS)
        failed = [{row.check for row in result.checks if row.status not in good} for result in self.results]
        count = collections.Counter(check for checks in failed for check in checks)
        print("\nFailing checks: " + (", ".join(f"{check} {number}" for check, number in count.most_common()) or "none"))

    def write(self, path: Path) -> None:
        with path.open("w", encoding="utf-8") as out:
            for case, text, result in zip(self.cases, self.texts, self.results, strict=True):
                if result.status is self.status.PASS:
                    continue
                rows = [row.to_dict() for row in result.checks if row.status is not self.status.PASS]
                row = {"id": case.id, "status": result.status.value, "tags": list(case.tags), "text": text, "checks": rows}
                out.write(json.dumps(row, ensure_ascii=False) + "\n")


def main() -> int:
    told = arguments()
    here = Path(__file__).resolve().parent
    # This file has the name of the suite.
    sys.path[:] = [folder for folder in sys.path if Path(folder or ".").resolve() != here]
    if not all(importlib.util.find_spec(name) for name in ["canitoolcall", "llmend"]):
        return in_an_environment(told.llmend)
    scores = Scores(told)
    print("Pieces of streams: words and marks, not the tokens of the models.")
    if told.prefill == "auto":
        print("Before each text: what its chat template had opened.")
    if told.by_family:
        for family in sorted({case.family for case in scores.cases}):
            scores.table(family, [index for index, case in enumerate(scores.cases) if case.family == family])
    scores.table("All", range(len(scores.cases)), published=not (told.family or told.id))
    scores.reasons()
    if told.failures:
        scores.write(told.failures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
