"""Do the examples on the pages for Python run?"""

import importlib
import re
from pathlib import Path

import pytest
from conftest import REPOSITORY

PAGES = sorted((REPOSITORY / "docs" / "guide" / "python").glob("*.md")) + [REPOSITORY / "bindings" / "python" / "README.md"]
BLOCK = re.compile(r"^```python ?(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", [page for page in PAGES if page.stem != "on-spark"], ids=lambda page: page.stem)
def test_the_examples_run(page: Path):
    """Blocks without a name go on from each other; one with a name needs that package, and stands alone."""
    names: dict = {}
    blocks = BLOCK.findall(page.read_text("utf-8"))
    assert blocks
    for package, code in blocks:
        if package:
            importlib.import_module(package)
        exec(compile(code, str(page), "exec"), {} if package else names)


def test_the_readme():
    """A line `EXPRESSION  # VALUE` gives that value."""
    [(_, code)] = BLOCK.findall((REPOSITORY / "README.md").read_text("utf-8"))
    shown = re.compile(r"^(\S.*?)  # (.+)$", re.MULTILINE)
    assert len(shown.findall(code)) == 3
    checked = shown.sub(lambda line: f"assert repr({line[1]}) == {line[2]!r}, {line[1]}", code)
    exec(compile(checked, "README.md", "exec"), {})
