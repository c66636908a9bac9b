"""Do the examples in the documentation of the package run?"""

import doctest
import functools
import importlib
import inspect
import pkgutil

import llmend
import pytest
from conftest import REPOSITORY

OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


def modules() -> list[str]:
    names = [module.name for module in pkgutil.walk_packages(llmend.__path__, "llmend.")]
    skipped = {"llmend.spark", "llmend.ray", "llmend.vllm_plugin", "llmend.sglang_plugin"}
    # A `__main__` is a command, which runs when it is imported.
    return ["llmend", *(name for name in names if name not in skipped and not name.endswith(".__main__"))]


@pytest.mark.parametrize("name", modules())
def test_examples_run(name):
    module = importlib.import_module(name)
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=OPTIONS)
    # Without what `from __future__` brought, which the examples are not written for.
    names = {name: thing for name, thing in vars(module).items() if name != "annotations"}
    for where, text in documented(module):
        test = parser.get_doctest(text, names.copy(), where, None, None)
        runner.run(test)
    assert runner.summarize(verbose=False).failed == 0


def documented(module):
    """Every text of documentation of a module, of its classes and functions, and of their members."""
    yield module.__name__, module.__doc__ or ""
    # An example may load more names.
    for name, thing in list(vars(module).items()):
        of_module = getattr(thing, "__module__", None) in (module.__name__, "builtins")
        if name.startswith("_") or not (inspect.isclass(thing) or inspect.isroutine(thing)) or not of_module:
            continue
        yield f"{module.__name__}.{name}", inspect.getdoc(thing) or ""
        if inspect.isclass(thing):
            for part, member in vars(thing).items():
                if not part.startswith("__") and getattr(member, "__doc__", None):
                    yield f"{module.__name__}.{name}.{part}", inspect.cleandoc(member.__doc__)


@pytest.fixture
def reference(monkeypatch):
    """The reference in the book, which is made from the sources alone."""
    monkeypatch.syspath_prepend(REPOSITORY / "bindings" / "python")
    book = importlib.import_module("book")
    return book.Reference(book.loaded())


def test_all_that_is_public_is_documented(reference):
    page = reference.page()
    assert {*llmend.__all__} - {"__version__"} <= {*reference.written}
    public = [name for name in modules()[1:] if "._" not in name and name.count(".") == 1]
    assert {f"## `{name}`" for name in public} <= {*page.splitlines()}
    members = ["Outcome.sure", "Plan.draw", "Stream.partials", "Catalog.nearest"]
    assert {*members} <= {*reference.written}


@pytest.mark.parametrize("name", ["_outcome.Outcome", "_records.Repair.rule", "_plan.Plan.steps", "pandas.parse", "spark"])
def test_what_is_public_and_not_documented_is_named(reference, name):
    reference.package[name].docstring = None
    with pytest.raises(SystemExit, match=rf"\b{name}\b"):
        reference.page()


def test_the_stub_documents_what_is_compiled(reference):
    """Editors show what a stub says."""
    stub = reference.package["_llmend"]
    for name in {*llmend.__all__} - {*llmend._MODULES, "__version__"}:
        members = [part for part in stub[name].members if not part.startswith("_")] if stub[name].is_class else []
        for path in [name, *(f"{name}.{part}" for part in members)]:
            thing = functools.reduce(getattr, path.split("."), llmend)
            assert stub[path].docstring.value == inspect.getdoc(thing), path


def test_what_is_compiled_has_examples():
    for name in ["loads", "repair_batch", "Options", "CoerceOptions", "Schema", "Catalog", "PlanOptions"]:
        assert ">>> " in getattr(llmend, name).__doc__, name
