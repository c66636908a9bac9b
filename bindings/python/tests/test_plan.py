"""Is a plan read, checked, changed and drawn as the crates do it?"""

import copy
import json
import pickle
import threading
import time
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


@pytest.mark.parametrize(
    ("answer", "code", "span"),
    [
        ("{'steps': [{'id': '😀', 'inputs': {'path': '/home/u", "value/truncated", (50, 50)),
        ("{'steps': [{'id': 'a', 'inputs': {'x': NaN}}]}", "value/loss", (39, 42)),
    ],
)
def test_a_plan_that_may_lack_something_is_reported_and_not_read(answer, code, span):
    review = llmend.review(answer)
    assert (review.unsure, review.has_errors) == (True, False)
    assert pickle.loads(pickle.dumps(review)).unsure
    with pytest.raises(llmend.PlanError) as caught:
        llmend.Plan.read(answer)
    assert (caught.value.code, caught.value.span, caught.value.diagnostics[0].span) == (code, span, span)
    assert not llmend.review("{'steps': [{'id': 'a'}]").unsure, "but the last bracket, all is there"


@pytest.mark.parametrize("patch", ["{'remove_steps': ['a', 'b", "{'remove_steps': ['a']"])
def test_all_of_a_patch_is_made_or_nothing_of_it(patch):
    plan = llmend.Plan({"steps": [{"id": "a"}, {"id": "b"}, {"id": "c"}]})
    with pytest.raises(llmend.PlanError, match="cut off at character") as caught:
        plan.apply(patch)
    assert caught.value.code == "value/truncated"
    assert len(plan.apply(patch.split("[")[0] + "['a']}").document.steps) == 2


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


@pytest.mark.parametrize("number", [10**29 + 1, -(10**29), 10**400])
def test_a_number_that_a_plan_does_not_carry_is_refused(number):
    plan = llmend.Plan({"steps": [{"id": "a", "inputs": {"n": number}}]})
    other = llmend.Plan({"steps": [{"id": "a", "inputs": {"n": number + 1}}]})
    for change in [plan.fix, plan.check, plan.to_workflow, lambda: plan.write("canonical"), lambda: plan.diff(other)]:
        with pytest.raises(llmend.PlanError) as caught:
            change()
        assert caught.value.code == "plan/not-carried"


@pytest.mark.parametrize(
    "number", [str(10**29 + 1), "-9223372036854775809", "9007199254740993.0", "1e400", "1e-400"]
)
def test_a_number_in_an_answer_that_a_plan_does_not_carry_is_refused_where_it_stands(number):
    step = '{"id": "a", "inputs": {"n": %s}}' % number
    plan = llmend.Plan({"steps": [{"id": "a"}]})
    answers = {
        '{"steps": [%s]}' % step: llmend.Plan.read,
        '{"update_steps": [%s]}' % step: plan.apply,
        '[{"op": "replace", "path": "/steps/0", "value": %s}]' % step: plan.apply,
        '{"add_nodes": [{"id": "b", "type": "tool", "tool": "x", "inputs": {"n": %s}}]}'
        % number: plan.to_workflow().apply,
    }
    for answer, read in answers.items():
        with pytest.raises(llmend.PlanError) as caught:
            read(answer)
        rows = [row for row in caught.value.diagnostics if row.code == "plan/not-carried"]
        assert [answer[slice(*row.span)] for row in rows] == [number], answer
    answer = next(iter(answers))
    assert llmend.review(answer).has_errors
    with pytest.raises(llmend.AskError):
        llmend.Planner().run(lambda request: answer, "Do it.")


def test_numbers_of_64_bits_are_carried():
    for number in [2**63 - 1, 2**64 - 1, -(2**63), 0.1, 1e300, 1.0]:
        plan = llmend.Plan({"steps": [{"id": "a", "inputs": {"n": number}}]})
        assert plan.fix().steps[0]["inputs"]["n"] == number


def test_what_plans_are_read_with_and_what_comes_of_it_can_be_sent_and_shown():
    catalog = llmend.Catalog({"kettle": {"type": "object"}, "hand": None})
    options = llmend.PlanOptions(catalog=catalog, disabled=["loop"], strictness="lenient", max_items=7)
    for made in [catalog, options, llmend.AskOptions(retries=2, keep="hash")]:
        for again in [pickle.loads(pickle.dumps(made)), copy.copy(made), copy.deepcopy(made)]:
            assert again == made and repr(again) == repr(made)
        assert type(made).__name__ in repr(made)
    assert "kettle" in repr(catalog) and "kettle" in repr(options)
    assert options != llmend.PlanOptions(catalog=catalog) and repr(options) != repr(llmend.PlanOptions(catalog=catalog))


def test_a_review_can_be_sent_with_its_pictures():
    patch = llmend.Plan({"steps": [{"id": "a"}]}).apply("{'add_steps': [{'id': 'b'}]}")
    for review in [llmend.review(ANSWER), llmend.review("{steps: [{id: 'a'}, {tool: 'x'}]}"), patch]:
        for again in [pickle.loads(pickle.dumps(review)), copy.copy(review), copy.deepcopy(review)]:
            # Also of one that was sent already.
            again = pickle.loads(pickle.dumps(again))
            assert again == review and repr(again) == repr(review)
            assert (again.kind, again.extent, again.diagnostics) == (review.kind, review.extent, review.diagnostics)
            assert again.report == review.report
            for format in ["svg", "mermaid", "dot", "tree"]:
                assert again.draw(format) == review.draw(format)
            with pytest.raises(ValueError, match="paper"):
                again.draw("paper")
    assert llmend.review(ANSWER) != patch
    # What has no picture says so, here and there.
    result = llmend.review('{"status": "failed", "changes": []}', options=llmend.PlanOptions(dialect="anton-result"))
    again = pickle.loads(pickle.dumps(result))
    assert again == result and again.kind == "task_result"
    for one in [again, result]:
        with pytest.raises(ValueError, match="workflow"):
            one.draw()


def test_a_plan_that_was_asked_for_can_be_sent():
    planned = llmend.Planner().run(lambda request: "{steps: [{id: 'a'}]}", "Tea")
    for again in [pickle.loads(pickle.dumps(planned)), copy.copy(planned), copy.deepcopy(planned)]:
        assert again == planned and repr(again) == repr(planned)
        assert again.document.data == {"steps": [{"id": "a"}]}
        assert again.review.draw("tree") == planned.review.draw("tree")


def handed(count: int) -> tuple[str, str]:
    """A plan of so many steps, as the compiled module takes it."""
    steps = [{"id": f"s{n}", "depends_on": [f"s{n - 1}"] if n else []} for n in range(count)]
    return llmend.Plan({"steps": steps})._handed()


@pytest.mark.parametrize(
    "work",
    [
        lambda plan, other: llmend._llmend.check(plan),
        lambda plan, other: llmend._llmend.fix(plan),
        lambda plan, other: llmend._llmend.diff(plan, other),
        lambda plan, other: llmend._llmend.draw(plan, "mermaid"),
        lambda plan, other: llmend.Schema(json.dumps({"enum": [{"n": n} for n in range(20_000)]})),
    ],
)
def test_other_threads_go_on_while_a_plan_is_worked_on_or_a_schema_compiled(work):
    plan, other = handed(10_000), handed(10_001)
    is_over, longest = threading.Event(), 0.0

    def watch() -> None:
        nonlocal longest
        before = time.perf_counter()
        while not is_over.is_set():
            now = time.perf_counter()
            longest, before = max(longest, now - before), now

    watcher = threading.Thread(target=watch)
    watcher.start()
    start = time.perf_counter()
    work(plan, other)
    took = time.perf_counter() - start
    is_over.set()
    watcher.join()
    # What they wait for is what is handed in and out, as Python's objects.
    assert longest < took / 2


def test_an_error_says_what_is_wrong_and_no_name_of_its_own():
    for text, message in [("Hello.", "no JSON value found"), ("{'steps': [{}]}", "not a valid plan")]:
        with pytest.raises(llmend.PlanError) as caught:
            llmend.Plan.read(text)
        assert "JSON" not in str(caught.value).removeprefix("no JSON value"), str(caught.value)
        assert message in str(caught.value)
