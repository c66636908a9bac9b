"""Tests of the benchmark, without any tool to compare: `python3 benches/tools/test_bench.py`."""

from __future__ import annotations

import http.server
import json
import os
import sys
import threading
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path
from tempfile import TemporaryDirectory

import judge
import page
from ask import Command, Lines, Server
from bench import run

HERE = Path(__file__).resolve().parent

# A tool that does what its text says.
FAKE = """
import json, os, sys
sys.path.insert(0, sys.argv[1])
from protocol import Flagged, Skip, serve

def repair(request):
    what = request["text"]
    if what == "skip":
        raise Skip("not this")
    if what == "die":
        os._exit(1)
    return {"value": 1, "flag": Flagged(2, lambda: True), "wrong": 2, "nan": float("nan")}[what]

def stream(request):
    wrong = request["pieces"][0] == '{"a": 1'
    return (lambda piece, so_far: {"a": 1} if wrong else {}), json.loads

serve(repair=repair, stream=stream, calls=lambda request: [], schema=lambda request: lambda: request["ready"],
      prepare=lambda request: 1)
"""


def case(text, expected=1, **more):
    return {"id": text, "task": "repair", "corpus": "c", "input": text, "verdict": "value", "accept": [],
            "expected": expected, **more}


CASES = {
    "value": judge.RIGHT,
    "flag": judge.FLAGGED,
    "wrong": judge.UNFLAGGED,
    "refuse": judge.REFUSED,
    "die": judge.REFUSED,
    "skip": judge.SKIPPED,
}


class Judging(unittest.TestCase):
    def test_values_are_the_same_by_meaning(self):
        for a, b in [(5, 5.0), ({"a": 1, "b": [None]}, {"b": [None], "a": 1}), ("é", "é"), (0.0, -0.0), (True, True)]:
            self.assertTrue(judge.same(a, b), (a, b))
        for a, b in [(1, True), (0, False), (1, "1"), ([], {}), (None, False), ({"a": 1}, {"a": 1, "b": 1}), ([1], [1, 1]),
                     (12345678901234567890, 1.2345678901234567e19), ("a", "a ")]:
            self.assertFalse(judge.same(a, b), (a, b))
            self.assertFalse(judge.same(b, a), (a, b))

    def test_what_was_shown_must_begin_what_comes(self):
        whole = {"a": "text", "b": [12, {"c": None}], "d": 1}
        for part in [{}, {"a": ""}, {"a": "te"}, {"d": 1}, {"b": [12, {}]}, whole]:
            self.assertTrue(judge.begins(part, whole), part)
        for part in [{"a": "ex"}, {"b": [1]}, {"b": {}}, {"e": 1}, {"b": [12, {"c": None}, 1]}, {"a": None}, [], {"d": True}]:
            self.assertFalse(judge.begins(part, whole), part)

    def test_a_refusal_is_right_where_no_value_is_meant(self):
        refused, one = {"refused": "no"}, {"value": 1}
        for verdict, of_refusal, of_value in [("value", judge.REFUSED, judge.RIGHT), ("error", judge.RIGHT, judge.UNFLAGGED),
                                              ("ambiguous", judge.RIGHT, judge.RIGHT)]:
            self.assertEqual(judge.outcome(case("x", verdict=verdict), refused), of_refusal)
            self.assertEqual(judge.outcome(case("x", verdict=verdict), one), of_value)
        self.assertEqual(judge.outcome(case("x", verdict="error", accept=[1]), one), judge.RIGHT)
        self.assertEqual(judge.outcome(case("x"), {"broken": "no JSON"}), judge.UNFLAGGED)

    def test_a_call_that_is_left_in_the_text_is_refused_and_one_too_few_is_wrong(self):
        calls = [{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}]
        for found, outcome in [(calls, judge.RIGHT), ([], judge.REFUSED), (calls[:1], judge.UNFLAGGED)]:
            self.assertEqual(judge.outcome(case("x", calls, task="calls"), {"value": found}), outcome)
        self.assertEqual(judge.outcome(case("x", [], task="calls"), {"value": calls}), judge.UNFLAGGED)

    def test_what_is_shown_is_measured(self):
        told = case("x", {"a": "bcd"}, task="stream", pieces=["{'a': '", "bcd'}"], show=[0, 1])
        self.assertEqual(judge.shown(told, {"views": [None, {"a": "bcd"}]}), 0.5)
        self.assertEqual(judge.shown(told, {"refused": "no"}), 0)
        self.assertIsNone(judge.shown(case("x"), {"value": 1}))


class Asking(unittest.TestCase):
    def setUp(self):
        self.folder = TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        fake = Path(self.folder.name, "fake.py")
        fake.write_text(FAKE, "utf-8")
        self.tool = Lines([sys.executable, str(fake), str(HERE / "adapters")], Path(self.folder.name), dict(os.environ))
        self.addCleanup(self.tool.close)

    def test_each_outcome_is_counted_and_a_dead_tool_is_started_again(self):
        results = run("repair", [case(text) for text in [*CASES, *CASES]], {"fake": (self.tool, {})}, 0)
        found = results["tools"]["fake"]["c"]
        self.assertEqual(found["counts"], [2 * list(CASES.values()).count(outcome) for outcome in judge.OUTCOMES])
        self.assertEqual(results["corpora"], {"c": 12})
        self.assertGreater(found["median"], 0)

    def test_numbers_that_json_has_not_are_strings(self):
        self.assertEqual(self.tool.ask({"task": "repair", "text": "nan"})["value"], "NaN")

    def test_what_a_stream_shows_and_takes_back_is_wrong(self):
        for pieces, expected, outcome in [(['{"b": 1', "2}"], {"b": 12}, judge.RIGHT), (['{"a": 1', "2}"], {"a": 12}, judge.UNFLAGGED)]:
            told = case("x", expected, task="stream", pieces=pieces, show=[0])
            result = self.tool.ask({"task": "stream", "pieces": pieces, "show": [0]})
            self.assertEqual((result["value"], judge.outcome(told, result)), (expected, outcome))

    def test_what_is_made_before_and_after_is_not_timed(self):
        result = self.tool.ask({"task": "schema", "text": "", "schema": {}})
        self.assertEqual(result["value"], 1)
        self.assertLess(result["seconds"], 0.1)

    def test_a_command_reads_a_text(self):
        echo = [sys.executable, "-c", "import sys; text = sys.stdin.read(); print(text); sys.exit(text == 'no')"]
        for text, outcome in [("1", judge.RIGHT), ("2", judge.UNFLAGGED), ("[", judge.UNFLAGGED), ("no", judge.REFUSED)]:
            self.assertEqual(judge.outcome(case(text), Command(echo).ask({"text": text})), outcome, text)

    def test_a_server_answers_requests(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(500 if asked["text"] == "no" else 200)
                self.end_headers()
                self.wfile.write(json.dumps({"value": int(asked["text"] == "1"), "flagged": True}).encode())

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        tool = Server(f"http://127.0.0.1:{server.server_port}/")
        for text, outcome in [("1", judge.RIGHT), ("2", judge.FLAGGED), ("no", judge.REFUSED)]:
            self.assertEqual(judge.outcome(case(text), tool.ask({"task": "repair", "text": text})), outcome, text)


def results():
    def row(counts, median):
        return {"counts": counts, "median": median}

    machine = dict.fromkeys(["date", "commit", "cpu", "cores", "system", "python", "node", "rustc"], "x")
    tools = {"llmend": {"c": row([6, 2, 1, 1], 2e-6)}, "<other>": {"c": row([9, 0, 0, 1], 3e-3)}, "third": {}}
    told = {name: {"about": "a", "version": "1"} for name in tools}
    return {"machine": machine, "seed": 1, "tools": told, "tasks": {"repair": {"corpora": {"c": 10}, "tools": tools}}}


class Showing(unittest.TestCase):
    def test_the_tables_have_the_shares_and_say_who_is_ahead(self):
        made = page.tables(results())
        self.assertIn("| c (10) | 60.0 / 20.0 / 10.0 / 10.0 | 90.0 / 0.0 / 0.0 / 10.0 | – |", made)
        self.assertIn("| c (10) | 2.00 µs | 3.00 ms | – |", made)
        self.assertIn("- c, more right: <other> 90.0 % (llmend 60.0 %)", made)
        self.assertNotIn("faster", made)

    def test_a_plot_is_well_formed_and_tells_what_it_shows(self):
        for name, made in page.plots(results()).items():
            root = xml.fromstring(made)
            mark = "{http://www.w3.org/2000/svg}"
            self.assertTrue(root.find(f"{mark}title").text and "<other>" in root.find(f"{mark}desc").text, name)
            self.assertIn("prefers-color-scheme: dark", made)
        bars = [float(rect.get("width")) for rect in xml.fromstring(page.plots(results())["repair.svg"]).iter(f"{mark}rect")]
        self.assertIn(round(0.9 * 210, 2), bars)

    def test_the_page_is_what_the_published_results_make(self):
        self.assertEqual(page.check(), 0)


if __name__ == "__main__":
    unittest.main()
