"""Are wrong options reported where they are given, by their names?"""

from importlib import import_module

import llmend
import pytest


def imported(name):
    """The module; skips the test if its package is not installed."""
    try:
        return import_module(name)
    except ImportError as error:
        pytest.skip(str(error))


def of_pandas(**options):
    return imported("llmend.pandas").parse(imported("pandas").Series(["{}"]), dict, **options)


def of_polars(**options):
    imported("llmend.polars").parse("answer", list[int], **options)


def of_openai(**options):
    return imported("llmend.openai").repairing(imported("openai").OpenAI(api_key="none"), **options)


def of_instructor(**options):
    return imported("llmend.instructor").from_openai(imported("openai").OpenAI(api_key="none"), **options)


def of_middleware(**options):
    return imported("llmend.langchain").RepairMiddleware(**options)


def of_tool_calls(**options):
    message = imported("langchain_core.messages").AIMessage("")
    return imported("llmend.langchain").repair_tool_calls(message, [], **options)


def of_parser(**options):
    return imported("llmend.langchain").LlmendOutputParser(dict, **options)


def of_capability(**options):
    return imported("llmend.pydantic_ai").RepairCapability(**options)


def of_text_output(**options):
    return imported("llmend.pydantic_ai").text_output(dict, **options)


def of_duckdb(**options):
    imported("llmend.duckdb").register(imported("duckdb").connect(), **options)


def of_duckdb_calls(**options):
    imported("llmend.duckdb").register_calls(imported("duckdb").connect(), **options)


REJECTING = [of_pandas, of_polars, of_openai, of_instructor, of_middleware, of_tool_calls, of_capability]
RAISING = [lambda **options: llmend.loads("{}", **options), of_text_output]
ALL = [*REJECTING, of_parser, of_text_output, of_duckdb, of_duckdb_calls]


@pytest.mark.parametrize("make", REJECTING)
def test_what_becomes_of_an_unsure_value_that_is_not_returned(make):
    with pytest.raises(ValueError, match="^unsure: unknown value `acept`, expected one of: reject, accept$"):
        make(unsure="acept")
    make(unsure="accept")


@pytest.mark.parametrize("make", RAISING)
def test_what_becomes_of_an_unsure_value_that_raises(make):
    with pytest.raises(ValueError, match="^unsure: unknown value `acept`, expected one of: raise, accept$"):
        make(unsure="acept")
    make(unsure="accept")


def test_the_options_of_an_output_parser():
    with pytest.raises(ValueError, match="unsure\n.*'raise' or 'accept'"):
        of_parser(unsure="acept")
    with pytest.raises(ValueError, match="polcy\n"):
        of_parser(polcy="strict")


@pytest.mark.parametrize("make", ALL)
def test_options_of_repair_are_checked_before_a_model_is_asked(make):
    with pytest.raises(ValueError, match="^policy: unknown value `strickt`, expected one of: strict, extract"):
        make(policy="strickt")
    with pytest.raises(TypeError, match="^policy: expected the name of a policy or Options, found int$"):
        make(policy=1)
    if make is not of_parser:
        with pytest.raises(TypeError, match="^coerce: expected CoerceOptions, found str$"):
            make(coerce="off")
    make(policy="strict", coerce=llmend.CoerceOptions("off"))


@pytest.mark.parametrize(
    ("kind", "given", "error"),
    [
        (llmend.Options, {"policy": "strickt"}, "policy: unknown value `strickt`, expected one of: strict, "),
        (llmend.Options, {"forbid": "x"}, "forbid: expected a list of rule names, found str"),
        (llmend.Options, {"allow": ["trailing-coma"]}, "allow: unknown rule `trailing-coma`; did you mean `trailing-comma`?"),
        (llmend.Options, {"keys": 1}, "keys: expected a list of strings, found int"),
        (llmend.Options, {"choice": "frist"}, "choice: unknown value `frist`, expected one of: best, first, last"),
        (llmend.Options, {"max_depth": -1}, "max_depth: expected 0 or more, found -1"),
        (llmend.Options, {"max_bytes": 2**70}, f"max_bytes: expected a smaller number, found {2**70}"),
        (llmend.Options, {"max_repairs": "1"}, "max_repairs: expected an integer, found str"),
        (llmend.CoerceOptions, {"mode": "of"}, "mode: unknown value `of`, expected one of: on, off"),
        (llmend.CoerceOptions, {"on_extra": "dorp"}, "on_extra: unknown value `dorp`, expected one of: keep, "),
        (llmend.AskOptions, {"preset": "x"}, "preset: unknown value `x`, expected one of: standard, gomind, "),
        (llmend.AskOptions, {"ladder": ["x"]}, "ladder: unknown value `x`, expected one of: fields, patch, "),
        (llmend.AskOptions, {"ladder": "patch"}, "ladder: expected a list of strategies, found str"),
        (llmend.AskOptions, {"on_cut": "x"}, "on_cut: unknown value `x`, expected one of: fields, "),
        (llmend.AskOptions, {"retries": -1}, "retries: expected 0 or more, found -1"),
        (llmend.AskOptions, {"seconds": -1}, "seconds: expected 0 or more, found -1"),
        (llmend.AskOptions, {"cost": -1}, "cost: expected 0 or more, found -1"),
        (llmend.PlanOptions, {"dialect": "x"}, "dialect: unknown value `x`, expected one of: auto, canonical, "),
        (llmend.PlanOptions, {"disabled": ["x"]}, "disabled: unknown value `x`, expected one of: "),
        (llmend.PlanOptions, {"max_items": -1}, "max_items: expected 0 or more, found -1"),
    ],
)
def test_an_option_is_named(kind, given, error):
    with pytest.raises((ValueError, TypeError)) as caught:
        kind(**given)
    assert str(caught.value).startswith(error)
