"""Tools that are asked: a process that reads lines, a command that is run for each text, and a server."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
# A text that takes longer counts as refused.
PATIENCE = 60.0


def read(row: dict) -> dict:
    """A result as it was written, with the value of its `text`."""
    if not isinstance(row, dict):
        return {"broken": "no object"}
    if "text" in row and "value" not in row:
        try:
            return {**row, "value": json.loads(row["text"])}
        except (ValueError, RecursionError):
            return {**row, "broken": "no JSON"}
    return row if {"value", "refused", "skipped"} & row.keys() else {**row, "refused": "no value"}


class Lines:
    """A process that reads a request a line and writes a result a line."""

    def __init__(self, command: list[str], folder: Path, environment: dict[str, str]) -> None:
        self.command, self.folder, self.environment = command, folder, environment
        self.process: subprocess.Popen | None = None

    def start(self) -> None:
        self.process = subprocess.Popen(
            self.command, cwd=self.folder, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, encoding="utf-8", errors="replace",
        )
        self.lines: queue.Queue[str] = queue.Queue()
        self.told: list[str] = []
        for pipe, keep in [(self.process.stdout, self.lines.put), (self.process.stderr, self.told.append)]:
            threading.Thread(target=self.copy, args=(pipe, keep), daemon=True).start()

    @staticmethod
    def copy(pipe, keep) -> None:
        with pipe:
            for line in pipe:
                keep(line)
        keep("")

    def ask(self, request: dict) -> dict:
        if self.process is None:
            self.start()
        line = json.dumps(request) + "\n"
        start = time.perf_counter()
        try:
            self.process.stdin.write(line)
            self.process.stdin.flush()
            answer = self.lines.get(timeout=PATIENCE)
        except (queue.Empty, OSError):
            answer = ""
        seconds = time.perf_counter() - start
        if not answer:
            self.close()
            return {"refused": "died or too slow: " + "".join(self.told)[-300:], "seconds": seconds}
        try:
            return {"seconds": seconds, **read(json.loads(answer))}
        except ValueError:
            return {"broken": answer[:200], "seconds": seconds}

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            with contextlib.suppress(OSError):
                self.process.stdin.close()
            self.process = None


class Command:
    """A command that is run for each text: the text comes in, JSON goes out, and another status than 0 is a refusal.
    Its time has that of the process."""

    def __init__(self, command: list[str]) -> None:
        self.command = command

    def ask(self, request: dict) -> dict:
        start = time.perf_counter()
        try:
            text = request["text"].encode("utf-8", "surrogatepass")
            ended = subprocess.run(self.command, input=text, capture_output=True, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return {"refused": "too slow", "seconds": PATIENCE}
        seconds = time.perf_counter() - start
        if ended.returncode != 0:
            return {"refused": ended.stderr.decode("utf-8", "replace")[:200], "seconds": seconds}
        return {"seconds": seconds, **read({"text": ended.stdout.decode("utf-8", "replace")})}

    def close(self) -> None:
        pass


class Server:
    """A server: a request is sent as JSON, and a result comes back. Another status than 200 is a refusal. Its time has
    that of the connection."""

    def __init__(self, url: str) -> None:
        self.url = url

    def ask(self, request: dict) -> dict:
        body = json.dumps(request).encode()
        posted = urllib.request.Request(self.url, body, {"Content-Type": "application/json"})
        start = time.perf_counter()
        try:
            with urllib.request.urlopen(posted, timeout=PATIENCE) as reply:
                answer = reply.read()
        except urllib.error.HTTPError as error:
            return {"refused": f"status {error.code}", "seconds": time.perf_counter() - start}
        except OSError as error:
            return {"refused": str(error), "seconds": time.perf_counter() - start}
        seconds = time.perf_counter() - start
        try:
            return {"seconds": seconds, **read(json.loads(answer))}
        except ValueError:
            return {"broken": "no JSON", "seconds": seconds}

    def close(self) -> None:
        pass


class Tools:
    """The tools of `tools.json`, and the environments that their packages are installed in."""

    def __init__(self, folder: Path, given: dict[str, str]) -> None:
        self.folder, self.given = folder, given
        self.known: dict[str, dict] = json.loads((HERE / "tools.json").read_text("utf-8"))

    def install(self, names: list[str]) -> None:
        """Installs the packages of the tools, in one environment for Python and one for Node."""
        packages = {kind: [row for name in names for row in self.known[name].get(kind, [])] for kind in ("pip", "npm")}
        if wheel := self.given.get("wheel"):
            packages["pip"].append(wheel)
        stamp, wanted = self.folder / "installed.json", json.dumps(packages)
        if stamp.exists() and stamp.read_text() == wanted:
            return
        environment = self.folder / "venv"
        if not self.python.exists():
            subprocess.run([self.given["base"], "-m", "venv", str(environment)], check=True)
        if packages["pip"]:
            pip = [str(self.python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            subprocess.run([*pip, *packages["pip"]], check=True)
        if packages["npm"]:
            if not (self.folder / "package.json").exists():
                (self.folder / "package.json").write_text('{"private": true}\n')
            npm = [self.given["npm"], "install", "--prefix", str(self.folder), "--no-audit", "--no-fund"]
            subprocess.run([*npm, "--ignore-scripts", "--loglevel", "error", *packages["npm"]], check=True)
        stamp.write_text(wanted)

    @property
    def python(self) -> Path:
        return self.folder / "venv" / "bin" / "python"

    def missing(self, name: str) -> str | None:
        """What a tool needs that is not there."""
        words = " ".join(self.known[name].get("run") or self.known[name]["command"])
        needs = [self.known[name].get("needs"), *(key for key in ("adapter", "node", "llmend") if f"{{{key}}}" in words)]
        return next((need for need in needs if need and not self.given.get(need)), None)

    def start(self, name: str) -> Lines | Command:
        given = {**self.given, "python": str(self.python)}
        if command := self.known[name].get("command"):
            return Command([word.format_map(given) for word in command])
        words = [word.format_map(given) for word in self.known[name]["run"]]
        words = [str(HERE / "adapters" / word) if word.endswith((".py", ".mjs")) else word for word in words]
        return Lines(words, self.folder, {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
