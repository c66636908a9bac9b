"""Does the drop-in for `json_repair` treat schemas and `strict` as it does?"""

import json
import random
from collections import Counter

import pytest
from conftest import REPOSITORY, cases
from damages import damaged
from llmend import json_repair as ours

theirs = pytest.importorskip("json_repair")
PAGE = (REPOSITORY / "docs" / "guide" / "python" / "from-json-repair.md").read_text("utf-8")


SCHEMA = {
    "type": "object",
    "properties": {
        "a": {"type": "integer"},
        "b": {"type": "string"},
        "l": {"type": "array", "items": {"type": "integer"}},
        "e": {"enum": ["red", "green"]},
    },
    "required": ["a"],
}

# Where a schema guides, and the results differ: the text, the mode, and what each gives.
GUIDED = [
    ("{'A': 1}", "standard", ValueError, {"a": 1}),
    ("{'a': '1,234'}", "standard", ValueError, {"a": 1234}),
    ("{'a': 1, 'b': true}", "standard", ValueError, {"a": 1, "b": "true"}),
    ("{'a': 1, 'e': 'RED'}", "standard", ValueError, {"a": 1, "e": "red"}),
    ("[{'a': 1}]", "standard", ValueError, {"a": 1}),
    ("{'a': '$5'}", "standard", ValueError, {"a": 5}),
    ("{'a': 12:30}", "standard", {"a": 12}, ValueError),
    ("{'a': 5 EUR}", "standard", {"a": 5}, ValueError),
    ("{'a': 1}{'a': 2}", "standard", {"a": 2}, ValueError),
    ("{'a': 1, 'b': true}", "salvage", ValueError, {"a": 1, "b": "true"}),
]


@pytest.mark.parametrize(("text", "mode", "one", "other"), GUIDED)
def test_where_a_schema_guides_the_differences_are_those_that_are_listed(text, mode, one, other):
    assert f"`` {text} `` | {mode} |" in PAGE
    for module, expected in [(theirs, one), (ours, other)]:
        if expected is ValueError:
            with pytest.raises(ValueError):
                module.loads(text, schema=SCHEMA, schema_repair_mode=mode)
        else:
            assert module.loads(text, schema=SCHEMA, schema_repair_mode=mode) == expected


def test_an_answer_without_json_does_not_fit():
    assert theirs.loads("hello", schema={"type": "string"}) == ""
    with pytest.raises(ValueError, match="no JSON"):
        ours.loads("hello", schema={"type": "string"})


@pytest.mark.parametrize("skip", [False, True])
@pytest.mark.parametrize(
    "text",
    ['{"a" 1}', '{"a": }', '{"a":1}{"b":2}', '{"a": 1 "b": 2}', "[1 2]", "[1,,2]", '{"a": "b', "hello", "", "{a: 1}", "[1, 2", '{"a": 1}', '{1}', '{"a"}', '{"": 1}', '{"": 1,}', '[{"a": {"": 1}},]',
     '{"a": 1}\n', '{"a": 1,},', "{'a': 1}}", "[{'a': 1}] and more", "So: {'a': 1}", '"a": 1}', '[{"a": 1, "a": 2},]', '{"b": 0, "a": 1, "a": 2,}',
     '{"a": """"}', '{"a": "" "b"}', '["" "b"]', '{"a": ""}', '["", "b",]', "{abc}", "{1, 2}", "{null}", "{#}", "{{}}", "{[1]}", "{,}", '{"a", "b"}', '{ "a" "b" }',
     '{"a": {"b"}}', '{"x": {1}}', "[1][2]", '{"a":1} [2]', '{"a": 1}, {"b": 2}'],
)
def test_strict_refuses_the_same_in_the_same_words(text, skip):
    def outcome(module):
        try:
            return module.repair_json(text, strict=True, skip_json_loads=skip)
        except ValueError as error:
            return error.args

    assert outcome(ours) == outcome(theirs)


@pytest.mark.parametrize("mode", ["standard", "salvage"])
@pytest.mark.parametrize("text", ["{'a': $5}", "{'a': 5$}", "{'a': €5.0}", "{'a': 50%}"])
def test_a_schema_makes_a_number_of_an_amount(text, mode):
    for module in [theirs, ours]:
        assert module.loads(text, schema={"properties": {"a": {"type": "number"}}}, schema_repair_mode=mode) in [{"a": 5}, {"a": 50}]


def test_schemas_guide_the_same():
    from pydantic import BaseModel

    class Model(BaseModel):
        a: int
        b: list[str] = []

    number = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    step = {"type": "object", "properties": {"m": {"type": "integer"}, "k": {"type": "string", "default": "x"}}}
    defaults = {
        "type": "object",
        "properties": {
            "a": {"type": "integer"},
            "d": {"type": "array", "items": {}, "default": ["dd"]},
            "r": {"type": "string", "default": "no"},
            "l": {"type": "array", "items": {"$ref": "#/$defs/step"}},
        },
        "$defs": {"step": step},
        "required": ["a"],
    }
    numbers = {"properties": {"a": {"type": "array", "items": {"type": "integer"}}}}
    for text, schema, mode in [
        ("{'a': '3'}", number, "standard"),
        ("{'b': 3}", number, "standard"),
        ("{'a': 'x'}", number, "salvage"),
        ("{'a': 1, 'c': 2}", number, "standard"),
        ("{'a': [1, 'x']}", numbers, "standard"),
        ("{'a': [1, 'x']}", numbers, "salvage"),
        ("{'a': 1, 'z': 2}", {"properties": {"a": {}}, "additionalProperties": False}, "standard"),
        ("{'a': '3', 'b': 'x'}", Model, "standard"),
        ("[1, 2]", True, "standard"),
        ("{'a': 1}", defaults, "standard"),
        ('{"a": 1}', defaults, "standard"),
        ('{"a": 1, "z": 2, "l": [{}]}', defaults, "standard"),
        ("{'z': 1, 'l': [{'m': 1}, {}], 'a': '2'}", defaults, "standard"),
        ("{'a': 1.0}", number, "standard"),
        ("{'a': 1.5}", number, "standard"),
        ('{"a": 1.0}', number, "standard"),
        ("{'a': '1'}", Model, "standard"),
    ]:
        def outcome(module):
            try:
                # As text, which has the order of members and the kinds of numbers.
                return module.repair_json(text, schema=schema, schema_repair_mode=mode, skip_json_loads=skip)
            except ValueError:
                return ValueError

        for skip in [False, True]:
            assert outcome(ours) == outcome(theirs), (text, mode, skip)
    for wrong in [{"schema": True, "strict": True}, {"schema_repair_mode": "salvage"}]:
        for module in [ours, theirs]:
            with pytest.raises(ValueError):
                module.loads("{}", **wrong)


def member(**schema):
    return {"type": "object", "properties": {"a": schema}}


def items(**schema):
    return {"type": "array", "items": {"type": "object", **schema}}


NAMED = {"type": "object", "properties": {"a`b": {}}, "required": ["a`b"]}


@pytest.mark.parametrize("skip", [False, True])
@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("{}", {"schema_repair_mode": "x"}),
        ("{}", {"schema_repair_mode": 5, "schema": True, "strict": True}),
        ("{}", {"schema_repair_mode": "salvage"}),
        ("{}", {"schema_repair_mode": "salvage", "strict": True}),
        ("{}", {"schema": True, "strict": True}),
        ("{'a': 1}", {"schema": 5}),
        ("{'a': 1}", {"schema": "int"}),
        ("{'a': 1}", {"schema": [1]}),
        ("{'a': 1}", {"schema": False}),
        ("{'a': 1}", {"schema": {"properties": {"a": False}}}),
        ("{}", {"schema": NAMED}),
        ("[{}]", {"schema": items(**NAMED)}),
        ("{'a': {}}", {"schema": {**member(**{"$ref": "#/$defs/n"}), "$defs": {"n": NAMED}}}),
        ("[{}]", {"schema": items(properties={"b": {"default": 1}}, required=["b"])}),
        ("{'a': {}}", {"schema": member(type="integer")}),
        ("{'a': []}", {"schema": member(type="string")}),
        ("{'a': 'maybe'}", {"schema": member(type="boolean")}),
        ("{'a': 1}", {"schema": member(type="null")}),
        ("{'a': 'x'}", {"schema": member(type="number")}),
        ("{'a': 5}", {"schema": member(type="object")}),
        ("{'a': []}", {"schema": member(type="array", minItems=1)}),
        ("{'a': {}}", {"schema": member(type="object", minProperties=1)}),
        ("{'a': 5}", {"schema": member(enum=[1, 2])}),
        ("{'a': 5}", {"schema": member(const=1)}),
        ("{'a': [{'a': 'x'}]}", {"schema": member(**items(**member(type="integer")))}),
    ],
)
def test_errors_are_in_the_same_words(text, options, skip):
    for module in [theirs, ours]:
        with pytest.raises(ValueError) as caught:
            module.loads(text, skip_json_loads=skip, **options)
        if module is theirs:
            expected = str(caught.value)
    assert str(caught.value) == expected


def test_all_that_is_missing_is_named():
    schema = {"properties": {"a": {}, "b": {}, "c": {}}, "required": ["a", "b", "c"], "type": "object"}
    with pytest.raises(ValueError, match=r"^Missing required properties at \$: b, c$"):
        ours.loads("{'a': 1}", schema=schema)


@pytest.mark.filterwarnings("ignore:Accessing the 'model_fields'")
def test_a_model_may_be_given_by_an_instance():
    from pydantic import BaseModel

    class Model(BaseModel):
        a: int

    for module in [theirs, ours]:
        assert module.loads("{'a': '2'}", schema=Model(a=1)) == {"a": 2}
        assert module.loads("{'a': '2'}", schema=Model, schema_repair_mode=None) == {"a": 2}


CARD = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "integer"}},
        "flag": {"type": "boolean"},
        "kind": {"enum": ["one", "two"]},
        "is": {"const": 7},
        "size": {"type": "number", "default": 2.5},
        "inner": {"$ref": "#/$defs/inner"},
    },
    "$defs": {"inner": {"type": "object", "properties": {"l": {"items": {"type": "integer"}}, "m": {"type": "integer"}}, "required": ["l"]}},
}
WHOLE = {**CARD, "required": ["name", "tags", "kind", "is", "size", "inner"]}


# What llmend reads without salvage too: see the page.
READ_MORE = ['[{"name": "x"}]', '{"name": "x", "tags": "[1, 2"}', '{"name": "x", "flag": 1.0}']


@pytest.mark.parametrize("mode", ["standard", "salvage"])
@pytest.mark.parametrize("schema", [CARD, WHOLE, {"type": "array", "items": CARD, "$defs": CARD["$defs"]}], ids=["card", "whole", "cards"])
@pytest.mark.parametrize(
    "text",
    [
        # A list for an object: by the order of properties, or as a wrapper around it.
        '["x", [1], true, "two", 7, 1, {"l": []}]',
        '["x", [1], true, "two", 7, 1]',
        '[[1], "x", true, "two", 7, 1, {"l": []}]',
        '[{"name": "x"}]',
        '[{"name": "x"}, {"name": "y"}]',
        # Members that are missing, and those that have no value.
        '{"name": "x"}',
        '{"tags": [1]}',
        '{"name": "x", "inner": {}}',
        '{"name": , "tags": , "flag": , "kind": , "is": , "size": , "inner": }',
        # What is no list, and items that do not fit.
        '{"name": "x", "tags": {}}',
        '{"name": "x", "tags": null}',
        '{"name": "x", "tags": "1,2"}',
        '{"name": "x", "tags": [1, "b", "3"]}',
        '{"name": "x", "tags": "[1, 2"}',
        '{"name": "x", "inner": [[1], 2]}',
        '{"name": "x", "flag": 1.0}',
        '{"name": "x", "flag": 0}',
        '{"name": [], "flag": "maybe"}',
    ],
)
def test_what_does_not_fit_is_changed_the_same(text, schema, mode):
    if mode == "standard" and text in READ_MORE:
        return
    def outcome(module):
        try:
            return module.repair_json(text, schema=schema, schema_repair_mode=mode, skip_json_loads=True)
        except ValueError:
            return ValueError

    assert outcome(ours) == outcome(theirs)


@pytest.mark.parametrize("text", ["{&}", "[&]", "[[[", "{'a'}"])
def test_salvage_drops_an_item_whose_text_cannot_be_read(text):
    schema = {"type": "array", "items": {"type": "object"}}
    answer = json.dumps([{"n": 1}, text])
    for package in (ours, theirs):
        made = package.loads(answer, schema=schema, schema_repair_mode="salvage", skip_json_loads=True)
        assert made == [{"n": 1}]


def test_the_log_names_what_was_changed():
    value, log = ours.loads('[{"name": "x", "tags": [1, "b"]}]', schema=WHOLE, schema_repair_mode="salvage", logging=True)
    assert value == {"name": "x", "tags": [1], "kind": "one", "is": 7, "size": 2.5, "inner": {"l": []}}
    assert {row["context"] for row in log} == {"$", "$.kind", "$.is", "$.size", "$.inner", "$.inner.l", "$.tags.1"}
    _, log = ours.loads("{'a': , 'b': 'x'}", schema=SCHEMA, logging=True)
    assert {"text": "filled: null became 0", "context": "$.a"} in log


def test_defaults_that_are_made_are_filled_in():
    from pydantic import BaseModel, Field

    class Model(BaseModel):
        a: int
        l: list[str] = Field(default_factory=lambda: ["made"])

    for text in ["{'a': 1}", "{'a': '1', 'l': }", "{'a': 1, 'l': ['b']}"]:
        assert ours.loads(text, schema=Model) == theirs.loads(text, schema=Model)


def some_schema(chance: random.Random, depth: int = 0) -> dict:
    kinds = ["integer", "number", "string", "boolean", "enum", "null", "array", "object"]
    kind = "object" if depth == 0 else chance.choice(kinds[: 8 if depth < 3 else 5])
    if kind == "enum":
        return {"enum": ["red", "green"]}
    if kind == "array":
        return {"type": kind, "items": some_schema(chance, depth + 1)}
    if kind != "object":
        return {"type": kind}
    names = chance.sample("abcd", chance.randint(1, 3))
    made = {"type": kind, "properties": {name: some_schema(chance, depth + 1) for name in names}}
    return made if chance.random() < 0.4 else {**made, "required": chance.sample(names, chance.randint(1, len(names)))}


OTHERS = [1, 0, "1", "x", True, None, [], {}, [1, "x"], {"a": 1}, 1.0, 2.5, "yes", "red", ["red"], "[1]"]
SCALARS = {"integer": 3, "number": 2.5, "string": "s", "boolean": False, "null": None, None: "red"}


def some_value(chance: random.Random, schema: dict, wrong: float) -> object:
    """A value that fits, but for some parts."""
    if chance.random() < wrong:
        return chance.choice(OTHERS)
    kind = schema.get("type")
    if kind == "array":
        return [some_value(chance, schema["items"], wrong) for _ in range(chance.randint(0, 2))]
    if kind != "object":
        return SCALARS[kind]
    members = {name: some_value(chance, inner, wrong) for name, inner in schema["properties"].items() if chance.random() > wrong}
    return [*members.values()] if chance.random() < wrong / 2 else members


@pytest.mark.parametrize("mode", ["standard", "salvage"])
def test_values_and_schemas_of_a_generator_give_the_same_with_few_exceptions(mode):
    chance, counts = random.Random(5), Counter()
    for _ in range(3000):
        schema = some_schema(chance)
        text = json.dumps(some_value(chance, schema, 0.15))

        def outcome(module):
            try:
                return json.dumps(module.loads(text, schema=schema, schema_repair_mode=mode))
            except ValueError:
                return "refused"

        one, other = outcome(theirs), outcome(ours)
        counts["same" if one == other else "only ours" if one == "refused" else "only theirs" if other == "refused" else "another"] += 1
    print(mode, counts)
    assert counts["same"] >= counts.total() * 0.98, counts
    assert counts["another"] + counts["only theirs"] <= counts.total() * 0.01, counts


def test_strict_refuses_nearly_all_that_json_repair_refuses():
    """The rest is refused there since the notation is not known."""
    rows = cases("defects") + cases("dev") + list(damaged(5000, seed=20251122))
    counts = Counter()

    def refused(module, text):
        try:
            module.loads(text, strict=True)
        except (ValueError, RecursionError) as error:
            return str(error)
        return ""

    for row in rows:
        one, other = refused(theirs, row["input"]), refused(ours, row["input"])
        counts[one != "", other != ""] += 1
        counts["same words"] += one == other != ""
    print(counts)
    assert counts[True, False] <= counts[True, True] * 0.03, counts
    assert counts["same words"] >= counts[True, True] * 0.9, counts
