"""Is `python -m llmend` the command?"""

import json
import shutil
import subprocess
import sys

import llmend
import pytest


def run(*arguments: str, text: str = "", module: str = "llmend") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(command, input=text, capture_output=True, text=True, encoding="utf-8")


def test_the_command_repairs_and_says_how_it_went():
    done = run("repair", text="Sure: {'a': 1,}")
    assert (done.returncode, json.loads(done.stdout)) == (0, {"a": 1})
    assert run("repair", text="nothing").returncode == 1
    assert run("no-such-command").returncode == 2
    assert run("repair", "no-such-file.txt").returncode == 3
    assert "llmend" in run("--version").stdout


def test_without_the_command_it_says_how_to_get_it(monkeypatch, capsys):
    from llmend import __main__ as module

    monkeypatch.setattr(module.sysconfig, "get_path", lambda *_, **__: "/nowhere")
    assert module.command() is None
    assert module.main() == 127
    assert "pip install 'llmend[cli]'" in capsys.readouterr().err


def test_the_command_is_installed_under_its_name():
    path = shutil.which("llmend", path=str(__import__("pathlib").Path(sys.executable).parent))
    done = subprocess.run([path, "repair"], input="[1,]", capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, "[1]")


@pytest.mark.parametrize("options", [{}, {"write_page_index": True}, {"write_statistics": False}])
def test_a_file_of_pyarrow_gets_its_column(options, tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    answers = pa.table({"id": [1, 2, 3], "answer": ["{'a': 1,}", None, "nothing"]})
    pq.write_table(answers, tmp_path / "in.parquet", row_group_size=2, **options)
    paths = [str(tmp_path / name) for name in ("in.parquet", "out.parquet")]
    done = run("batch", paths[0], "--column", "answer", "-o", paths[1])
    assert done.returncode == 0, done.stderr
    made = pq.read_table(paths[1])
    assert made.select(["id", "answer"]) == answers
    expected = pa.array(llmend.repair_batch(answers["answer"].combine_chunks()))
    assert made["llmend"].combine_chunks().to_pylist() == expected.to_pylist()
