"""Which texts does a model write that are not JSON, besides those that the engine's own generators make?

A generator beside that of the repository, which the engine was not made with: values of other words, and
damage of other kinds. Its seed is fixed.
"""

import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

WORDS = (
    "harbour it's l'été \"so-called\" one, two note: this D:\\new\nline tab\tstop 日本語 🚀 #7 // see /* no */ "
    "{curly} [square] 80% €9 https://a.example/q?b=1&c=2 me@example.org 42 false nil - the of"
).split(" ")
KEYS = ["id", "full name", "x-y", "ñ", "a.b", "3rd", "meta", "items", "URL", "is_new", "$id", "@kind", "text"]
SHORT = ["", "ok", "n/a", "2025-11-02", "08:15", "3.1.4", "0042", "+41 44", "yes", "done"]


def _text(random: random.Random) -> str:
    if random.random() < 0.4:
        return random.choice(SHORT)
    return " ".join(random.choices(WORDS, k=random.randint(1, 7)))


def _value(random: random.Random, depth: int) -> Any:
    kind = random.random()
    if depth and kind < 0.25:
        return {random.choice(KEYS): _value(random, depth - 1) for _ in range(random.randint(0, 4))}
    if depth and kind < 0.5:
        return [_value(random, depth - 1) for _ in range(random.randint(0, 4))]
    if kind < 0.65:
        return random.choice([True, False, None])
    if kind < 0.8:
        return random.choice([0, -3, 1815, 2.5, -0.125, 1e21, 3e-7, 2**66])
    return _text(random)


def _once(old: str, new: str) -> Callable[[str, random.Random], str]:
    """Puts one thing in place of another, at one of the places where it stands."""

    def damage(text: str, random: random.Random) -> str:
        places = [found.start() for found in re.finditer(re.escape(old), text)]
        if not places:
            return text
        at = random.choice(places)
        return text[:at] + new + text[at + len(old) :]

    return damage


def _around(*pairs: tuple[str, str]) -> Callable[[str, random.Random], str]:
    """Puts words around the text."""

    def damage(text: str, random: random.Random) -> str:
        before, after = random.choice(pairs)
        return before + text + after

    return damage


def _python(text: str, random: random.Random) -> str:
    try:
        return repr(json.loads(text))
    except ValueError:
        return text


def _single_quotes(text: str, random: random.Random) -> str:
    return text if "'" in text or '\\"' in text else text.replace('"', "'")


DAMAGES: dict[str, Callable[[str, random.Random], str]] = {
    "python": _python,
    "single-quotes": _single_quotes,
    "bare-keys": lambda text, random: re.sub(r'"([A-Za-z_]\w*)":', r"\1:", text),
    "python-words": lambda text, random: text.replace("true", "True").replace("null", "None"),
    "fence": _around(("```json\n", "\n```"), ("```\n", "\n```"), ("~~~\n", "\n~~~")),
    "fence-in-fence": _around(("````\n```json\n", "\n```\n````"),),
    "prose": _around(("Here you go:\n", ""), ("Result => ", ""), ("Of course!\n\n", "\n\nAnything else?")),
    "note-after": _around(("", "\n\n(End of the answer.)"), ("", " -- finished")),
    "thought": _around(("<think>\nStep by step.\n</think>\n", ""),),
    "markup": _around(("<pre>", "</pre>"), ("<json>", "</json>")),
    "call": _around(("handle(", ");"), ("const data = ", ";")),
    "label": _around(("json\n", ""),),
    "trailing-comma": lambda text, random: f"{text[:-1]},{text[-1]}",
    "ellipsis": lambda text, random: f"{text[:-1]}, ...{text[-1]}",
    "no-end": lambda text, random: text.rstrip()[:-1],
    "end-twice": lambda text, random: text + text[-1],
    "no-begin": lambda text, random: text[1:],
    "comma-twice": _once(",", ",,"),
    "no-comma": _once(", ", " "),
    "semicolon": _once(", ", "; "),
    "no-colon": _once('": ', '" '),
    "equals": _once('": ', '" = '),
    "no-end-of-key": _once('": ', ": "),
    "no-end-of-text": _once('",', ","),
    "comment": _once(", ", ", /* as agreed */ "),
    "curly-quotes": lambda text, random: text.replace('"', "“", 1).replace('"', "”", 1),
    "raw-newline": lambda text, random: text.replace("\\n", "\n").replace("\\t", "\t"),
    "no-break-space": _once(": ", ":\u00a0"),
    "crlf": lambda text, random: text.replace("\n", "\r\n"),
    "as-text": lambda text, random: json.dumps(text),
    "no-zero": _once(" -0.", " -."),
}


def damaged(count: int, seed: int) -> Iterator[dict[str, Any]]:
    """So many cases, as `cases` has them, each with one kind of damage or two."""
    chance = random.Random(seed)
    kinds = list(DAMAGES)
    made = 0
    while made < count:
        value = _value(chance, 3)
        if not isinstance(value, (dict, list)) or not value:
            continue
        text = json.dumps(value, ensure_ascii=chance.random() < 0.3, indent=chance.choice([None, None, 2]))
        names = chance.choices(kinds, k=chance.randint(1, 2))
        for name in names:
            text = DAMAGES[name](text, chance)
        yield {"id": f"{made} {'+'.join(names)}", "input": text, "expected": value, "accept": [], "verdict": "value"}
        made += 1
