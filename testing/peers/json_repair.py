"""Answers one JSON string a line with {"ok": bool, "out": text}."""
import json
import math
import sys

import json_repair


def plain(value):
    """NaN and the infinities as strings, since JSON has no such numbers."""
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


sys.setrecursionlimit(20_000)
for line in sys.stdin:
    try:
        text = json.loads(line)
        value = json_repair.loads(text)
        # An empty string is how this library says that there is nothing.
        ok = value != "" or text.strip() == '""'
        row = {"ok": ok, "out": json.dumps(plain(value))}
    except Exception as error:  # noqa: BLE001
        row = {"ok": False, "out": str(error)}
    print(json.dumps(row))
