"""Does an import load only what everybody needs?"""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("module", ["llmend", "llmend.compat.json_repair"])
def test_an_import_loads_nothing_that_may_not_be_used(module: str):
    code = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}; {code}"], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert module in loaded
    assert not loaded & {"asyncio", "pydantic", "pyarrow", "ssl", "urllib.request"}
