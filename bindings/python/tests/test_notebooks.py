"""How results show themselves in notebooks, and whether the notebooks of the book are what a run gives.

`python tests/test_notebooks.py` runs them and writes what they give.
"""

import re
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

import llmend
import pytest
from conftest import REPOSITORY

NOTEBOOKS = sorted((REPOSITORY / "docs" / "guide" / "python" / "notebooks").glob("*.ipynb"))
EVIL = "<script>alert(1)</script>"
TOOLS = {"add": {"properties": {"a": {"type": "integer"}}}}
ADD = "<tool_call>{{'name': 'add', 'arguments': {{'a': '{0}'}}}}</tool_call>"
PLAN = llmend.Plan({"objective": EVIL, "steps": [{"id": "a", "tool": EVIL, "depends_on": [EVIL]}]})
FOUND = llmend.Diagnostic("value/x", "info", None, EVIL, llmend.Span(0, 1), EVIL, EVIL, None)
EDIT = llmend.Repair("x", "loss", llmend.Span(2, 3), EVIL)
REPORT = llmend.Report("repaired", "loss", 7, llmend.Span(0, 9), "whole", (EDIT,), (FOUND,))

SHOWN = {
    "outcome": llmend.parse(f"Here: {{'{EVIL}': '{EVIL}', 'n': [1, 2,"),
    "coerced": llmend.parse(f"{{'N': '{EVIL}', 'm': '7'}}", {"properties": {"n": {}, "m": {"type": "integer"}}}),
    "repaired": llmend.repair(f"{{'a': '{EVIL}',}}"),
    "report": REPORT,
    "calls": llmend.calls(f"{EVIL} {ADD.format(EVIL)} {EVIL}", TOOLS),
    "refused": llmend.calls(ADD.format(1).replace("add", EVIL), TOOLS),
    "plan": PLAN,
    "workflow": PLAN.to_workflow(),
    "review": llmend.review(f"{{objective: '{EVIL}', steps: [{{id: 'a', tool: '{EVIL}', depends_on: ['{EVIL}']}}]}}"),
    "patch": llmend.review(
        f"{{'add_nodes': [{{'id': 'b', 'type': 'tool', 'tool': '{EVIL}'}}]}}", options=llmend.PlanOptions(dialect="patch")
    ),
}


def html(thing) -> tuple[xml.Element, str]:
    """What a notebook shows, as elements and as text. It is well-formed, so that it stays within its cell."""
    root = xml.fromstring(thing._repr_html_().encode())
    return root, " ".join("".join(root.itertext()).split())


@pytest.mark.parametrize("name", SHOWN)
def test_nothing_that_a_model_wrote_becomes_markup(name):
    root, text = html(SHOWN[name])
    assert "alert(1)" in text
    used = {part.tag.rpartition("}")[2] for part in root.iter()}
    plain = {"b", "code", "div", "pre", "table", "tbody", "td", "th", "thead", "tr"}
    drawn = {"circle", "desc", "g", "path", "rect", "style", "svg", "text", "title"}
    assert used <= (plain | drawn if "svg" in used else plain)
    # The colors are those of the page.
    attributes = {(key, value) for part in root.iter() if "svg" not in part.tag for key, value in part.attrib.items()}
    assert "svg" in used or {key for key, value in attributes} <= {"style"} and "color" not in str(attributes)


def test_what_is_shown_says_everything_that_matters():
    _, text = html(llmend.parse("Sure: {'n': '7', 'm': [1, 2,", {"properties": {"n": {"type": "integer"}}}))
    for part in ["may be incomplete", "worst class: completion", "{'n': 7, 'm': [1, 2]}", "number-from-text", "cut off at character 28"]:
        assert part in text, part
    assert re.search(r"missing-closer\s*completion\s*1\s*28\s*\]\}", text)
    _, text = html(llmend.calls(ADD.format("one"), TOOLS))
    for part in ["not usable as they are", '{"a":"one"}', "/0/arguments/a", "expected integer, found string"]:
        assert part in text, part
    _, text = html(SHOWN["review"])
    assert "plan/unknown-dependency" in text and "dependency on unknown step" in text
    root, text = html(SHOWN["patch"])
    assert "add_nodes" in text and SHOWN["patch"]._repr_svg_() is None


def test_what_is_long_is_cut_and_says_so():
    numbers = str([str(number) for number in range(2000)])
    root, text = html(llmend.parse(numbers, {"items": {"type": "integer"}}))
    assert "… and 1,950 more" in text and len(root.findall(".//tr")) < 60
    assert re.search(r"single-quotesnotation4,000[\d, –]+, … and 3,990 more", text)
    assert re.search(r"… and [\d,]+ more characters", text)
    assert len(text) < 20_000


def run(path: Path):
    """The notebook as it is kept, and as a run leaves it."""
    import nbclient
    import nbformat

    kept, made = nbformat.read(path, 4), nbformat.read(path, 4)
    for cell in made.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    resources = {"metadata": {"path": path.parent}}
    nbclient.NotebookClient(made, timeout=300, startup_timeout=300, kernel_name="python3", resources=resources).execute()
    # When it ran, and by which version of Python.
    made.metadata = kept.metadata
    for cell in made.cells:
        cell.metadata.clear()
    return kept, made


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_outputs_of_a_notebook_are_those_of_a_run(path):
    kept, made = run(path)
    assert [cell.outputs for cell in kept.cells if cell.cell_type == "code"] == [
        cell.outputs for cell in made.cells if cell.cell_type == "code"
    ], f"run `python tests/test_notebooks.py` to write {path.name}"
    assert not [cell for cell in kept.cells if cell.cell_type == "code" and not cell.execution_count]


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 3


if __name__ == "__main__":
    import nbformat

    for written in NOTEBOOKS:
        nbformat.write(run(written)[1], written)
        print(written, file=sys.stderr)
