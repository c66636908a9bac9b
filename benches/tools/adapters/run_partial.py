"""Parsers of JSON that is cut off, which start anew with each piece. The whole text is read by the same parser."""

import sys

from protocol import serve


def jiter():
    import jiter

    return lambda text, whole: jiter.from_json(text.encode(), partial_mode=not whole and "trailing-strings")


def pydantic_core():
    from pydantic_core import from_json

    return lambda text, whole: from_json(text, allow_partial=not whole and "trailing-strings")


def partial_json_parser():
    import json

    from partial_json_parser import Allow, loads

    # What can be shown without being taken back: neither parts of numbers nor parts of words.
    allowed = Allow.STR | Allow.OBJ | Allow.ARR
    return lambda text, whole: json.loads(text) if whole else loads(text, allowed)


def partialjson():
    import json

    from partialjson.json_parser import JSONParser

    return lambda text, whole: json.loads(text) if whole else JSONParser(strict=False).parse(text)


parse = globals()[sys.argv[1]]()
serve(stream=lambda _: (lambda _, so_far: parse(so_far, False), lambda text: parse(text, True)))
