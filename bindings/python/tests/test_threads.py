"""Do threads, interrupts and a million calls end well?"""

import json
import signal
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor

import llmend
from conftest import cases


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


def test_an_interrupt_ends_a_long_call():
    program = textwrap.dedent(
        """
        import llmend, sys
        text = "[" + "{'a': 'b \\\\'c\\\\' d', 'e': [1, 2,],}," * 2_500_000 + "]"
        try:
            print("ready", flush=True)
            while True:
                llmend.repair(text)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
            sys.exit(7)
        """
    )
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "ready\n"
        child.send_signal(signal.SIGINT)
        assert child.wait(60) == 7
        assert child.stdout.read() == "interrupted\n"


def test_a_million_calls_leave_nothing_behind():
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
        calls(100_000)
        before = resident()
        calls(1_000_000)
        print(resident() - before)
        """
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    # A leak of one object a call would be some fifty megabytes.
    assert int(done.stdout) < 4 << 20
