"""What `json_repair` refuses with `strict=True`."""

from __future__ import annotations

import json
import re
from typing import Any

# In the words of `json_repair`, which programs look for.
_SEVERAL = "Multiple top-level JSON elements found in strict mode."
_COLON = "Missing ':' after key in strict mode while parsing object."
_OPENER = "Missing opening object brace in strict mode."
_EMPTY_VALUE = "Parsed value is empty in strict mode while parsing object."
_EMPTY_KEY = "Empty key found in strict mode while parsing object."
_NO_OBJECT = "Parsed object is empty but contains extra characters in strict mode."
_DUPLICATE = "Duplicate key found in strict mode while parsing object."
_DOUBLED = "Found doubled quotes followed by another quote."
_DOUBLED_APART = "Found doubled quotes followed by another quote while parsing a string."

# Repairs of what `json_repair` calls a structural problem.
_RULES = {
    "missing-colon": _COLON,
    "missing-value": _EMPTY_VALUE,
    "missing-opener": _OPENER,
    "missing-braces": _OPENER,
    "set": _NO_OBJECT,
    "several-documents": _SEVERAL,
    "stray-closer": _SEVERAL,
}

# Two quotes where a value begins, and what opens another.
_QUOTES = re.compile(r"""(?<=[\[{,:])\s*""\s*(?=["'“‘{\[])""")
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
# Braces around something that is no member.
_NO_MEMBER = re.compile(r"\{[^{}:]*[^{}:\s][^{}:]*\}")


def problem(text: str, value: Any, report: dict[str, Any]) -> str | None:
    """Returns the structural problem of a text that was read; `None` if there is none."""
    repairs = report["repairs"]
    found = next((_RULES[repair["rule"]] for repair in repairs if repair["rule"] in _RULES), None)
    if found is not None:
        return found
    for repair in repairs:
        start, end = repair["start"], repair["end"]
        if repair["replacement"].strip() == ":" and start < end:
            return _COLON
        if repair["rule"] == "cut-member" and text[start:end].rstrip().endswith(":"):
            return _EMPTY_VALUE
    for quotes in _QUOTES.finditer(text):
        if any(quotes.start() <= repair["start"] <= quotes.end() for repair in repairs):
            return _DOUBLED if quotes[0].endswith('"') else _DOUBLED_APART
    if _has_empty_key(value):
        return _EMPTY_KEY
    paths = (row["path"] for row in report["diagnostics"] if row["code"] == "value/duplicate-key")
    if any(_is_in_list(value, path) for path in paths):
        return _DUPLICATE
    before, after = text[: report["start"]], text[report["end"] :]
    is_alone = not re.search(r"[\[{]", before) and not after.strip().removeprefix(",").strip()
    return None if is_alone else _SEVERAL


def problem_of_refused(text: str, code: str) -> str | None:
    """Returns the structural problem of a text that is refused with this code; `None` if it is another."""
    if code == "syntax/part" or _is_one_of_several(text.strip()):
        return _SEVERAL
    is_without_member = re.fullmatch(r"\s*\{[^:]*\}\s*", text) or _NO_MEMBER.search(_STRING.sub('""', text))
    return _NO_OBJECT if is_without_member else None


def _is_one_of_several(text: str) -> bool:
    """Returns whether a text begins with JSON and goes on."""
    try:
        return json.JSONDecoder().raw_decode(text)[1] < len(text)
    except (ValueError, RecursionError):
        return False


def _has_empty_key(value: Any) -> bool:
    parts = [value]
    while parts:
        part = parts.pop()
        if isinstance(part, dict):
            if "" in part:
                return True
            parts.extend(part.values())
        elif isinstance(part, list):
            parts.extend(part)
    return False


def _is_in_list(value: Any, path: str | None) -> bool:
    """Returns whether a list holds the part at `path`, at any level."""
    for token in (path or "").split("/")[1:]:
        if isinstance(value, list):
            return True
        value = value.get(token.replace("~1", "/").replace("~0", "~")) if isinstance(value, dict) else None
    return False
