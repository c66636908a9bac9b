"""Writes the texts in the tests of published packages as cases for `agreement`, one a line.

Takes folders. Every string literal in a test file that begins like an object or a list is a text. What was meant by it
is not known, so no case says.
"""

import json
import re
import sys
from pathlib import Path

RAW = r'r(?P<mark>#*)"(?P<raw>.*?)"(?P=mark)'
DOUBLE = r'"(?P<double>(?:\\.|[^"\\])*)"'
OTHERS = r"'(?P<single>(?:\\.|[^'\\\n])*)'|`(?P<tick>(?:\\.|[^`\\])*)`"
LITERALS = {
    ".rs": re.compile(f"{RAW}|{DOUBLE}", re.DOTALL),
    ".js": re.compile(f"{DOUBLE}|{OTHERS}", re.DOTALL),
    ".ts": re.compile(f"{DOUBLE}|{OTHERS}", re.DOTALL),
}
ESCAPE = re.compile(r"\\(?:u\{([0-9A-Fa-f]+)\}|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|\n\s*|(.))", re.DOTALL)
LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0"}


def unescape(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    if code:
        return chr(int(code, 16))
    return LETTERS.get(found[4], found[4] or "")


def texts(file: Path) -> list[str]:
    """The texts of a file, as the program in it has them."""
    written = LITERALS[file.suffix].finditer(file.read_text("utf-8"))
    made = []
    for found in written:
        raw = found.groupdict().get("raw")
        text = raw if raw is not None else ESCAPE.sub(unescape, found[found.lastindex or 0])
        made.append(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    return [text for text in made if re.match(r"\s*[{[]", text) and len(text) > 2 and not re.search(r"\$\{|:\?\}", text)]


seen: set[str] = set()
for folder in map(Path, sys.argv[1:]):
    files = [file for file in sorted(folder.rglob("*")) if file.suffix in LITERALS]
    for text in (text for file in files if "test" in str(file) or ".spec." in file.name for text in texts(file)):
        if text not in seen:
            seen.add(text)
            case = {"id": f"{folder.name}-{len(seen)}", "shape": folder.name, "input": text}
            print(json.dumps({**case, "verdict": "value", "expected": None, "accept": []}))
