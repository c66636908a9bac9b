"""Is a plan read, checked, changed and drawn as the crates do it?"""

import json
import xml.etree.ElementTree as xml

import llmend
import pytest
from conftest import REPOSITORY

ANSWER = """Here is the plan:
```json
{"objective": "Tea 😀", "steps": [
  {"id": "boil", "tool": "kettle"},
  {"id": "pour", "tool": "hand", "depends_on": ["Boil"]},
]}
```"""


def test_a_plan_is_read_or_refused_with_every_reason():
    good = ANSWER.replace("Boil", "boil")
    plan = llmend.Plan.read(good)
    assert (plan.objective, [step["id"] for step in plan.steps]) == ("Tea 😀", ["boil", "pour"])
    assert plan == llmend.Plan(plan.data)
    with pytest.raises(llmend.PlanError) as caught:
        llmend.Plan.read(ANSWER)
    assert ANSWER[slice(*caught.value.span)] == '"Boil"'
    with pytest.raises(llmend.PlanError):
        llmend.Plan.read("no plan at all")


def test_a_review_has_the_findings_with_their_places_and_fixes():
    review = llmend.review(ANSWER)
    assert review.has_errors and review.fixes == 1
    assert review.dialect == "canonical"
    assert review.report.class_ == "notation"
    fixed = llmend.review(ANSWER, fixes="make")
    assert not fixed.has_errors
    assert fixed.document.steps[1]["depends_on"] == ["boil"]
    assert llmend.Plan(review.document.data).fix() == fixed.document


def test_a_catalog_says_which_tools_there_are():
    catalog = llmend.Catalog({"tools": [{"name": "kettle", "inputSchema": {"type": "object"}}]})
    assert catalog.names == ["kettle"] and catalog.nearest("ketle") == "kettle"
    options = llmend.PlanOptions(catalog=catalog)
    review = llmend.review(ANSWER, options=options)
    assert [row.code for row in review.diagnostics] == ["plan/unknown-tool", "plan/unknown-dependency"]
    assert [ANSWER[slice(*row.span)] for row in review.diagnostics] == ['"hand"', '"Boil"']
    rows = llmend.Plan({"steps": [{"id": "a", "tool": "hand"}]}).check(options=options)
    assert [(row.code, row.path) for row in rows] == [("plan/unknown-tool", "/steps/0/tool")]
    with pytest.raises(llmend.PlanError):
        llmend.Catalog({"tools": [{"nome": "kettle"}]})


def test_a_patch_is_applied_as_a_whole_or_not_at_all():
    plan = llmend.Plan({"steps": [{"id": "a"}, {"id": "b", "depends_on": ["a"]}]})
    review = plan.apply("{'remove_steps': ['a']}")
    assert review.document == llmend.Plan({"steps": [{"id": "b"}]})
    with pytest.raises(llmend.PlanError) as caught:
        plan.apply("{'remove_steps': ['c']}")
    assert caught.value.diagnostics[0].code == "patch/unknown"
    after = llmend.Plan({"steps": [{"id": "b"}, {"id": "c"}]})
    assert plan.apply(json.dumps(plan.diff(after))).document.data["steps"] == after.steps


def test_a_document_is_written_and_converted():
    steps = [{"id": "a", "title": "A", "tool": "x"}, {"id": "b", "title": "B", "tool": "y", "depends_on": ["a"]}]
    plan = llmend.Plan({"steps": steps})
    workflow = plan.to_workflow()
    assert workflow.edges == [{"from": "a", "to": "b"}]
    assert workflow.to_plan() == plan
    assert plan.write("markdown").text == "1. A\n2. B\n"
    with pytest.raises(ValueError, match="no-such-dialect"):
        plan.write("no-such-dialect")
    with pytest.raises(ValueError):
        llmend.Plan({"steps": "none"}).check()


def test_pictures_are_drawn():
    review = llmend.review(ANSWER)
    picture = xml.fromstring(review._repr_svg_())
    assert picture.tag.endswith("svg")
    assert "kettle" in review.draw("mermaid")
    assert xml.fromstring(review.document._repr_svg_()).tag.endswith("svg")
    assert review.document.draw("dot").startswith("digraph")


def test_the_examples_of_the_repository_are_read():
    read = 0
    for path in sorted((REPOSITORY / "examples" / "workflows").glob("*.json")):
        text = path.read_text("utf-8")
        try:
            review = llmend.review(text)
        except llmend.PlanError:
            continue
        assert review.document.kind in ("plan", "workflow", "patch")
        read += 1
    assert read > 0


PARTS = [
    "{steps: [{id: 'a'}, {tool: 'x'}]}",
    '{"nodes": [{"id": "a", "type": "tool", "tool": "x"}, {"id": "b", "type": "toll"}], "edges": [{"from": "a", "to": "b"}]}',
]


@pytest.mark.parametrize("text", PARTS)
def test_what_was_read_only_in_part_is_shown_and_never_changed_in_silence(text):
    review = llmend.review(text)
    assert review.extent == "part" and review.has_errors
    assert xml.fromstring(review.draw("svg")).tag.endswith("svg")
    assert "has_errors=True" in repr(review)
    with pytest.raises(llmend.PlanError) as caught:
        review.document.apply("{'remove_steps': ['a']}")
    assert caught.value.diagnostics == review.diagnostics
    for kind in [llmend.Plan, llmend.Workflow]:
        with pytest.raises(llmend.PlanError):
            kind.read(text)
    with pytest.raises(llmend.PlanError):
        llmend.review(text, fixes="make").document.fix()


def test_what_was_read_as_a_whole_can_be_changed_although_it_has_errors():
    review = llmend.review(ANSWER)
    assert review.has_errors and review.extent == "whole"
    patched = review.document.apply("{'remove_steps': ['pour']}")
    assert not patched.has_errors and [step["id"] for step in patched.document.steps] == ["boil"]
