"""Is `python -m llmend` the command?"""

import json
import shutil
import subprocess
import sys


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


def test_the_command_is_installed_under_its_name():
    path = shutil.which("llmend", path=str(__import__("pathlib").Path(sys.executable).parent))
    done = subprocess.run([path, "repair"], input="[1,]", capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, "[1]")
