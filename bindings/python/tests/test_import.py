"""Does an import load only what everybody needs?"""

import subprocess
import sys

import llmend
import pytest

NOBODY = {"asyncio", "pydantic", "pyarrow", "ssl", "urllib.request", "inspect", "decimal", "dataclasses"}


def loaded(code: str) -> set[str]:
    """The modules that are loaded after this code."""
    program = f"import sys; sys.path[:] = {sys.path!r}; {code}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_an_import_loads_what_loads_needs():
    modules = loaded("import llmend; llmend.loads('{a: 1}')")
    assert not modules & {*NOBODY, "json", "re", "typing"}
    assert {name for name in modules if name.startswith("llmend")} == {"llmend", "llmend._llmend"}


def test_the_drop_in_loads_what_its_functions_need():
    modules = loaded("import llmend.json_repair as drop_in; drop_in.loads('{a: 1}')")
    assert not modules & {*NOBODY, "argparse", "pathlib"}
    assert "json" in modules


@pytest.mark.parametrize("name", ["parse", "repair", "Stream", "calls", "Plan", "ask"])
def test_what_is_used_loads_no_event_loop_and_no_pydantic(name: str):
    modules = loaded(f"import llmend; llmend.{name}")
    assert not modules & {"pydantic", "pyarrow", "ssl", "asyncio"}


def test_all_names_are_there():
    assert len(set(llmend.__all__)) == len(llmend.__all__)
    assert set(llmend.__all__) <= set(dir(llmend))
    assert all(getattr(llmend, name) is not None for name in llmend.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        llmend.nothing  # noqa: B018
