"""Whether a result is right, refused, or wrong, and whether the tool gave a sign."""

from __future__ import annotations

from typing import Any

RIGHT, REFUSED, FLAGGED, UNFLAGGED, SKIPPED = "right", "refused", "wrong, flagged", "wrong, unflagged", "skipped"
OUTCOMES = [RIGHT, REFUSED, FLAGGED, UNFLAGGED]


def same(left: Any, right: Any) -> bool:
    """Whether two values mean the same: 5 is 5.0 and not true, and the order of members does not count."""
    pairs = [(left, right)]
    while pairs:
        a, b = pairs.pop()
        if isinstance(a, dict) and isinstance(b, dict):
            if a.keys() != b.keys():
                return False
            pairs += [(a[key], b[key]) for key in a]
        elif isinstance(a, list) and isinstance(b, list):
            if len(a) != len(b):
                return False
            pairs += zip(a, b)
        elif isinstance(a, bool) or isinstance(b, bool) or not isinstance(a, (int, float)):
            if type(a) is not type(b) or a != b:
                return False
        elif not isinstance(b, (int, float)) or a != b:
            return False
    return True


def begins(part: Any, whole: Any) -> bool:
    """Whether a value is what has arrived of another: strings and lists are beginnings, members are some of its own,
    and everything else is complete."""
    if isinstance(part, str) and isinstance(whole, str):
        return whole.startswith(part)
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) <= len(whole) and all(map(begins, part, whole))
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and begins(value, whole[key]) for key, value in part.items())
    return same(part, whole)


def size(value: Any) -> int:
    """The characters of all scalars and keys."""
    if isinstance(value, dict):
        return sum(len(key) + size(item) for key, item in value.items())
    if isinstance(value, list):
        return sum(map(size, value))
    return len(value) if isinstance(value, str) else len(str(value))


def good(case: dict, value: Any) -> bool:
    wanted = [] if case["verdict"] == "error" or "expected" not in case else [case["expected"]]
    return any(same(value, other) for other in [*wanted, *case["accept"]])


def outcome(case: dict, result: dict) -> str:
    """The outcome of a result, which has a `value`, is `refused`, `broken` (no value that can be read), or `skipped`."""
    if "skipped" in result:
        return SKIPPED
    if "refused" in result:
        must = case.get("valid_json") and case.get("shape") == "valid_tricky"
        is_right = case["verdict"] == "error" or (case["verdict"] == "ambiguous" and not must)
        return RIGHT if is_right else REFUSED
    is_right = "broken" not in result and good(case, result["value"])
    # What a client was shown and must take back is wrong, whatever comes in the end.
    if is_right and case["task"] == "stream":
        is_right = all(view is None or begins(view, case["expected"]) for view in result.get("views") or [])
    # No calls where some are meant: the client is left with the text.
    if not is_right and case["task"] == "calls" and result.get("value") == [] and case["expected"]:
        return REFUSED
    if is_right:
        return RIGHT
    return FLAGGED if result.get("flagged") else UNFLAGGED


def shown(case: dict, result: dict) -> float | None:
    """The share of what had arrived that a stream showed, on average."""
    if case["task"] != "stream" or not case["show"]:
        return None
    lengths = [len(piece) for piece in case["pieces"]]
    total, whole, shares = sum(lengths), size(case["expected"]), []
    views = result.get("views") or [None] * len(case["show"])
    for index, view in zip(case["show"], views):
        arrived = whole * sum(lengths[: index + 1]) / total
        shares.append(min(1.0, size(view) / arrived) if view is not None and arrived else 0.0)
    return sum(shares) / len(shares)
