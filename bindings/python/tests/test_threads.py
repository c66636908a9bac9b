"""Do threads, interrupts and many calls end well?"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor

import llmend
import pytest
from conftest import cases
from llmend._records import Coercion


def test_eight_threads_get_the_right_values():
    texts = [case["input"] for case in cases("dev") if case["verdict"] == "value"]
    # Long enough that the lock is let go.
    texts += [json.dumps([{"n": n, "text": "é" * n, "list": list(range(50))}] * 40)[:-1] + ",]" for n in range(20)]

    def read(text: str) -> object:
        try:
            return llmend.loads(text, unsure="accept")
        except llmend.LlmendError as error:
            return error.code

    expected = [read(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(8):
            assert list(pool.map(read, texts * 4)) == expected * 4


def test_no_thread_sees_a_report_without_its_coercions(monkeypatch):
    outcome = llmend.parse("{'n': '3'}", {"properties": {"n": {"type": "integer"}}})
    made, reports = Coercion._of, []
    monkeypatch.setattr(Coercion, "_of", lambda row: reports.append(outcome._report) or made(row))
    assert len(outcome.coercions) == 1
    assert reports == [None]


# What a program does that is interrupted: first what it needs, then the long call.
LONG = """text = "[" + "{'a': 'b \\\\'c\\\\' d', 'e': [1, 2,],}," * 700_000 + "]\""""
# For what takes several times as long.
SHORTER = LONG.replace("700_000", "150_000")
INTERRUPTED = {
    "repair": (LONG, "llmend.repair(text)"),
    "push": (LONG, "llmend.Stream().push(text)"),
    "items": (SHORTER, "llmend.Items('', {}).push(text)"),
    "ask": ("import time", "llmend.ask(lambda request: time.sleep(600) or '{}', 'What?', {'type': 'object'})"),
    "answer": (SHORTER, "llmend.ask(lambda request: text, 'What?', {'type': 'array'})"),
}


@pytest.mark.parametrize("name", INTERRUPTED)
def test_an_interrupt_ends_a_long_call(name):
    """Long before it would have ended: how long it takes is measured in another process of its kind."""
    needed, call = INTERRUPTED[name]
    program = f"""
import llmend, signal, sys, time
# Whoever starts the tests in the background may have told them not to hear it.
signal.signal(signal.SIGINT, signal.default_int_handler)
{needed}
start = time.perf_counter()
try:
    print("ready", flush=True)
    {call}
except KeyboardInterrupt:
    print("interrupted")
except llmend.LlmendError as error:
    assert error.code.startswith(("limit/", "ask/")), error.code
print(time.perf_counter() - start)
"""
    command = [sys.executable, "-c", program]
    whole = 600.0
    if name != "ask":
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        whole = float(done.stdout.splitlines()[-1])
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "ready\n"
        child.send_signal(signal.SIGINT)
        interrupted, took = child.communicate(timeout=60)[0].split()
    assert interrupted == "interrupted"
    assert float(took) < whole / 2


def test_of_threads_that_use_one_stream_each_waits_for_the_others():
    text = json.dumps([{"n": n, "text": "é" * 40} for n in range(20_000)])
    stream = llmend.Stream()
    seen: list[int] = []
    is_over = threading.Event()

    def show() -> None:
        while not is_over.is_set():
            seen.append(len(stream.view().value or []))
            stream.state("/0")
            stream.events()

    with ThreadPoolExecutor(3) as pool:
        shown = [pool.submit(show) for _ in range(3)]
        for start in range(0, len(text), 200_000):
            stream.push(text[start : start + 200_000])
        is_over.set()
        for thread in shown:
            thread.result()
    assert stream.finish().value == json.loads(text)
    assert seen and max(seen) > 0


def test_threads_share_the_items_of_one_list():
    rows = [{"n": n} for n in range(3000)]
    items = llmend.Items("", {"type": "object"})
    items.push("[")
    with ThreadPoolExecutor(4) as pool:
        given = list(pool.map(lambda row: items.push(json.dumps(row) + ", " + " " * 2_000), rows))
    rest, _ = items.finish()
    found = [item.value["n"] for piece in [*given, rest] for item in piece]
    assert sorted(found) == [row["n"] for row in rows]


def test_a_program_that_runs_on_does_not_grow():
    program = textwrap.dedent(
        """
        import llmend, pyarrow
        def resident():
            with open("/proc/self/statm") as numbers:
                return int(numbers.read().split()[1]) * 4096
        texts = ["{'a': %d, 'b': ['x', 1.5, null], 'é': '%d',}" % (n, n) for n in range(100)]
        stream_text = "{'a': ['x'"
        column = pyarrow.array(texts)
        def calls(count):
            for n in range(count):
                llmend.loads(texts[n % 100])
                if n % 10 == 0:
                    try:
                        llmend.loads("[1 * 2]")
                    except llmend.LlmendError:
                        pass
                if n % 100 == 0:
                    llmend.parse(texts[n % 100])
                    stream = llmend.Stream()
                    stream.push(stream_text)
                    stream.view()
                    stream.events()
                if n % 1000 == 0:
                    llmend.ask(lambda request: texts[n % 100], "What?", {"type": "object"})
                    llmend.repair_batch(column)
        calls(20_000)
        before = resident()
        calls(250_000)
        print(resident() - before)
        """
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    # A leak of one object a call would be some twelve megabytes.
    assert int(done.stdout) < 1 << 20


# What is called often, as expressions.
CALLS = [
    "llmend.loads('{a: 1,}')",
    "llmend.parse('{a: 1}', Model).report",
    "refused('{a: q}', Model)",
    "refused('{a: 1, l: [0, x]}', Model)",
    "items()",
    "llmend.ask(lambda request: '{a: 1}', 'What?', Model)",
    "stream()",
    "llmend.calls('[add(a=1)]', tools)",
    "llmend.Plan.read(text)",
    "plan.check()",
    "plan.draw('svg')",
    "pyarrow.array(llmend.repair_batch(column))",
    "json_repair.loads('{a: 1,}')",
    "json_repair.loads('{a: 1,}', schema=Model)",
]
# How often each is called, and the bytes that all of that may leave behind. What is allocated is counted to the byte,
# so this is four bytes a call, and the smallest object is sixteen.
COUNT = 200
BOUND = 4 * COUNT


def growth(calls: list[str]) -> dict[str, int]:
    """Bytes that are allocated and not freed by `COUNT` calls, after as many that fill what is kept for later ones."""
    program = """
import ctypes, gc, json, sys
import llmend, pyarrow, pydantic
from llmend import json_repair

class Model(pydantic.BaseModel):
    a: int
    l: list[int] = []

# What glibc says: the fields of its `mallinfo2`.
class Allocated(ctypes.Structure):
    names = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
    _fields_ = [(name, ctypes.c_size_t) for name in names.split()]

libc = ctypes.CDLL(None)
libc.mallinfo2.restype = Allocated

def allocated():
    gc.collect()
    told = libc.mallinfo2()
    return told.uordblks + told.hblkhd + pyarrow.total_allocated_bytes()

def refused(text, type):
    try:
        llmend.parse(text, type)
    except llmend.UnfitError as error:
        return str(error)
    raise AssertionError(text)

def stream():
    stream = llmend.Stream(Model)
    for chunk in ["{'a': '1", "2', 'l': [1", ", 2]}"]:
        stream.push(chunk)
        stream.view(), stream.events(), stream.partial()
    stream.finish()
    stream.events()

def items():
    items = llmend.Items("/l", {"type": "integer"})
    given = [*items.push("{'l': [1, '2', 'x',"), *items.push(" 3]}"), *items.finish()[0]]
    assert [type(item) for item in given].count(llmend.UnfitError) == 1

column = pyarrow.array(["{'a': 1,}", "x", None] * 10)
text = "{steps: [{id: 'a', tool: 'x'}, {id: 'b', depends_on: ['a']}]}"
plan = llmend.Plan.read(text)
tools = llmend.Tools({"add": {"properties": {"a": {"type": "integer"}}}})
grown, kept = {}, []
# It is collected where it is counted, and not in the middle of a call.
gc.disable()
for call in json.loads(sys.argv[1]):
    code = compile(call, call, "eval")
    for _ in range(COUNT):
        eval(code)
    before = allocated()
    for _ in range(COUNT):
        eval(code)
    grown[call] = allocated() - before
print(json.dumps(grown))
""".replace("COUNT", str(COUNT))
    # Python takes each object from glibc, which holds nothing back for a thread.
    direct = {"PYTHONMALLOC": "malloc", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}
    command = [sys.executable, "-c", program, json.dumps(calls)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, **direct})
    return json.loads(done.stdout)


counts_allocations = pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="only glibc says how much is allocated"
)


@counts_allocations
def test_no_kind_of_call_leaves_anything_behind():
    grown = growth(CALLS)
    assert list(grown) == CALLS
    assert max(grown.values()) < BOUND, grown


@counts_allocations
def test_one_small_object_that_a_call_leaves_behind_is_found():
    grown = growth(["kept.append(object())", "kept.append(bytes(17))", "kept.append(llmend.Stream())"])
    assert min(grown.values()) > BOUND, grown
