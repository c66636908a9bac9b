"""Plans, workflows, and their reviews."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

from llmend import _llmend
from llmend._errors import PlanError, of_doubt
from llmend._llmend import Options, PlanOptions
from llmend._records import Diagnostic, Report

if TYPE_CHECKING:
    from llmend._answer import Text
    from llmend._llmend import DialectName, FormatName, PolicyName

_Row = dict[str, Any]
_D = TypeVar("_D", bound="_Drawn")


@dataclass(frozen=True, slots=True)
class Document:
    """A document in the canonical form: a plan, workflow, patch or task result."""

    kind: ClassVar[str]
    """The kind of document."""
    data: _Row
    """The canonical form."""

    def _handed(self) -> tuple[str, str]:
        return self.kind, json.dumps(self.data)

    def write(self, dialect: DialectName, *, layout: _llmend.LayoutName = "compact") -> Written:
        """Writes the document in a dialect, and lists what is lost. Raises `PlanError` if that is not possible.

        >>> import llmend
        >>> plan = llmend.Plan({"steps": [{"id": "s1", "tool": "weather", "title": "Look"}]})
        >>> written = plan.write("gomind")
        >>> written.text, written.lost[0].path
        ('{"steps":[{"step_id":"s1","agent_name":"weather"}]}', '/steps/0/title')
        """
        text, lost = _llmend.write(self._handed(), dialect, layout=layout)
        return Written(text, tuple(map(Diagnostic._of, lost)))


@dataclass(frozen=True, slots=True)
class Written:
    """A document in a dialect."""

    text: str
    """The text."""
    lost: tuple[Diagnostic, ...]
    """What the dialect cannot express, with paths into the canonical form."""


@dataclass(frozen=True, slots=True)
class _Drawn(Document):
    """A document that can be drawn, checked and patched."""

    @classmethod
    def read(
        cls: type[_D],
        text: Text,
        *,
        options: PlanOptions | None = None,
        policy: PolicyName | Options | None = None,
    ) -> _D:
        """Reads and checks the document in an answer. Raises `PlanError` with all findings if one of them is an
        error, if the answer contains another kind of document, or if the document may be incomplete. Use `review`
        to get both the document and the findings.

        >>> import llmend
        >>> llmend.Plan.read("{steps: [{id: 'a', tool: 'delete', inputs: {path: '/home/u")
        Traceback (most recent call last):
        llmend.PlanError: answer cut off at character 58: the value may be incomplete
        """
        review_ = review(text, options=options, policy=policy)
        document = review_.document
        if isinstance(document, Plan) and cls is Workflow:
            document = document.to_workflow()
        elif isinstance(document, Workflow) and cls is Plan:
            document = document.to_plan()
        if review_.has_errors or not isinstance(document, cls):
            raise _refused(review_, cls.kind)
        if review_.unsure:
            raise of_doubt(review_.report)
        return document

    def check(self, *, options: PlanOptions | None = None) -> tuple[Diagnostic, ...]:
        """Checks the document and returns all findings, with paths into the canonical form.

        >>> import llmend
        >>> plan = llmend.Plan({"steps": [{"id": "a", "depends_on": ["b"]}]})
        >>> [(found.code, found.path) for found in plan.check()]
        [('plan/unknown-dependency', '/steps/0/depends_on/0')]
        """
        return tuple(map(Diagnostic._of, _llmend.check(self._handed(), options=options)))

    def fix(self: _D, *, options: PlanOptions | None = None) -> _D:
        """Returns the document with all safe fixes applied."""
        return type(self)(_llmend.fix(self._handed(), options=options)[0])

    def apply(
        self,
        text: Text,
        *,
        gaps: _llmend.GapsName = "leave",
        options: PlanOptions | None = None,
        policy: PolicyName | Options | None = None,
        fixes: _llmend.FixesName = "offer",
    ) -> Review:
        """Applies the patch in an answer and reviews the result. Raises `PlanError` with all reasons if any part of
        the patch is invalid, or the patch may be incomplete. With `gaps="bridge"`, the predecessors of a removed
        step are connected to its successors.

        >>> import llmend
        >>> plan = llmend.Plan({"steps": [{"id": "a"}, {"id": "b", "depends_on": ["a"]}]})
        >>> plan.apply("Drop the first: {'remove_steps': ['a']}").document.data
        {'steps': [{'id': 'b'}]}
        """
        handed = self._handed()
        made = Review(
            _llmend.apply(handed, text, gaps=gaps, options=options, policy=policy, fixes=fixes)
        )
        if made.unsure:
            raise of_doubt(made.report)
        return made

    def diff(self: _D, after: _D) -> _Row:
        """Returns the patch that turns this document into `after`.

        >>> import llmend
        >>> before = llmend.Plan({"steps": [{"id": "a"}]})
        >>> before.diff(llmend.Plan({"steps": [{"id": "a"}, {"id": "b"}]}))
        {'add_steps': [{'id': 'b'}]}
        """
        made: _Row = _llmend.diff(self._handed(), after._handed())
        return made

    def draw(self, format: FormatName = "svg", *, options: PlanOptions | None = None) -> str:
        """Draws the document, with the findings on each node.

        >>> import llmend
        >>> plan = llmend.Plan({"objective": "Tea", "steps": [
        ...     {"id": "boil", "tool": "kettle"}, {"id": "pour", "tool": "hand", "depends_on": ["boil"]}]})
        >>> print(plan.draw("tree"), end="")
        Tea
        ├─ boil · kettle
        └─ pour · hand
        """
        return _llmend.draw(self._handed(), format, options=options)

    def _repr_svg_(self) -> str:
        return self.draw("svg")

    def _repr_html_(self) -> str:
        from llmend import _html

        return _html.of_document(self.draw("svg"), self.check())


@dataclass(frozen=True, slots=True)
class Plan(_Drawn):
    """A plan: steps with dependencies.

    >>> import llmend
    >>> plan = llmend.Plan.read("Sure: {objective: 'Tea', steps: [{id: 'boil'}, {id: 'pour', depends_on: ['boil']}]}")
    >>> plan.objective, [step["id"] for step in plan.steps]
    ('Tea', ['boil', 'pour'])
    """

    kind = "plan"

    @property
    def steps(self) -> list[_Row]:
        """The steps."""
        steps: list[_Row] = self.data["steps"]
        return steps

    @property
    def objective(self) -> str | None:
        """The goal."""
        return self.data.get("objective")

    def to_workflow(self) -> Workflow:
        """Converts the plan to a workflow: each step becomes a node, each dependency an edge."""
        return Workflow(_llmend.convert(self._handed()))


@dataclass(frozen=True, slots=True)
class Workflow(_Drawn):
    """A workflow: nodes and edges, with branches and loops.

    >>> import llmend
    >>> llmend.Plan({"steps": [{"id": "a"}, {"id": "b", "depends_on": ["a"]}]}).to_workflow().edges
    [{'from': 'a', 'to': 'b'}]
    """

    kind = "workflow"

    @property
    def nodes(self) -> list[_Row]:
        """The nodes."""
        nodes: list[_Row] = self.data.get("nodes", [])
        return nodes

    @property
    def edges(self) -> list[_Row]:
        """The edges."""
        edges: list[_Row] = self.data.get("edges", [])
        return edges

    def to_plan(self) -> Plan:
        """Converts the workflow to a plan. Raises `PlanError` if it has branches or loops."""
        return Plan(_llmend.convert(self._handed()))


@dataclass(frozen=True, slots=True)
class Patch(Document):
    """A patch of a workflow."""

    kind = "patch"


@dataclass(frozen=True, slots=True)
class TaskResult(Document):
    """A task result."""

    kind = "task_result"


_KINDS: dict[str, type[Document]] = {
    kind.kind: kind for kind in (Plan, Workflow, Patch, TaskResult)
}


@dataclass(frozen=True, slots=True)
class _UnpickledReview:
    """The data of a review from another process."""

    data: _Row
    drawings: dict[str, str]
    """Drawings by format; empty for a document that cannot be drawn."""

    @classmethod
    def of(cls, reviewed: _llmend.Reviewed) -> _UnpickledReview:
        data = reviewed.rows()
        formats: tuple[FormatName, ...] = ("svg", "mermaid", "dot", "tree")
        can_draw = issubclass(_KINDS[data["kind"]], _Drawn)
        return cls(data, {name: reviewed.draw(name) for name in formats if can_draw})

    def rows(self) -> _Row:
        return copy.deepcopy(self.data)

    def draw(self, format: FormatName) -> str:
        if not self.drawings:
            raise ValueError(f"expected a plan or workflow, found a {self.data['kind'].replace('_', ' ')}")
        if format not in self.drawings:
            raise ValueError(f"unknown value `{format}`, expected one of: {', '.join(self.drawings)}")
        return self.drawings[format]


class Review:
    """A document that was read, inferred and checked, with all findings.

    >>> import llmend
    >>> answer = "{steps: [{id: 'a', tool: 'search'}, {id: 'b', depends_on: ['A', 'c']}]}"
    >>> review = llmend.review(answer)
    >>> review.has_errors
    True
    >>> [answer[slice(*found.span)] for found in review.diagnostics]
    ["'A'", "'c'"]
    """

    extent: Literal["whole", "part"]
    """Whether all of the answer could be read. A partial document omits what could not be read, as the errors say;
    it may be shown, but not used."""
    unsure: bool
    """Whether the document may be incomplete: `report` says whether the answer was truncated and what was dropped."""
    dialect: str
    """The dialect."""
    diagnostics: tuple[Diagnostic, ...]
    """All findings, located in the answer."""
    fixes: int
    """Number of safe fixes."""
    report: Report
    """Report of the repairs."""

    def __init__(self, reviewed: _llmend.Reviewed | _UnpickledReview) -> None:
        row = reviewed.rows()
        self._reviewed = reviewed
        self._document = _KINDS[row["kind"]](row["document"])
        self.extent = row["extent"]
        self.unsure = row["unsure"]
        self.dialect = row["dialect"]
        self.diagnostics = tuple(map(Diagnostic._of, row["diagnostics"]))
        self.fixes = row["fixes"]
        self.report = Report._of(row["report"])

    @property
    def document(self) -> Document:
        """The document: a `Plan`, `Workflow`, `Patch` or `TaskResult`. Raises `PlanError` with all findings if it
        is partial, since changing a partial document would lose the rest.

        >>> import llmend
        >>> review = llmend.review("{steps: [{id: 'a'}, {tool: 'x'}]}")
        >>> review.extent, review.diagnostics[0].path
        ('part', '/steps/1/id')
        >>> review.document
        Traceback (most recent call last):
        llmend.PlanError: the field `id` is missing
        """
        if self.extent == "part":
            raise _refused(self, self._document.kind)
        return self._document

    @property
    def kind(self) -> str:
        """The kind of document: `plan`, `workflow`, `patch` or `task_result`."""
        return self._document.kind

    @property
    def has_errors(self) -> bool:
        """Whether any finding is an error, so that the document must not be used."""
        return any(row.severity == "error" for row in self.diagnostics)

    def draw(self, format: FormatName = "svg") -> str:
        """Draws the document, with the findings on each node."""
        return self._reviewed.draw(format)

    def _repr_svg_(self) -> str | None:
        return self.draw("svg") if isinstance(self._document, _Drawn) else None

    def _repr_html_(self) -> str:
        from llmend import _html

        return _html.of_review(self.kind, self._repr_svg_() or self._document.data, self.diagnostics)

    def __reduce__(self) -> tuple[type[Review], tuple[_UnpickledReview]]:
        """Pickles the review with its drawings, which cannot be recreated from the document alone."""
        return Review, (self._reviewed if isinstance(self._reviewed, _UnpickledReview) else _UnpickledReview.of(self._reviewed),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Review) and self._reviewed.rows() == other._reviewed.rows()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        kind, found = self.kind, len(self.diagnostics)
        return f"Review({kind}, dialect={self.dialect!r}, has_errors={self.has_errors}, {found} findings)"


def review(
    text: Text,
    *,
    options: PlanOptions | None = None,
    policy: PolicyName | Options | None = None,
    fixes: _llmend.FixesName = "offer",
) -> Review:
    """Reads the plan or workflow in an answer, in any dialect, infers its control flow and checks it. Raises
    `PlanError` if there is none.

    With `fixes="make"`, safe fixes are applied and recorded.

    >>> import llmend
    >>> tools = llmend.Catalog({"search": {"type": "object", "properties": {"q": {"type": "string"}}}})
    >>> options = llmend.PlanOptions(catalog=tools)
    >>> llmend.review("{steps: [{id: 'a', tool: 'search', inputs: {q: 7}}]}", options=options).diagnostics[0].path
    '/steps/0/inputs/q'
    """
    return Review(_llmend.review(text, options=options, policy=policy, fixes=fixes))


def _refused(review_: Review, wanted: str) -> PlanError:
    rows = review_._reviewed.rows()["diagnostics"]
    first = next((row for row in rows if row["severity"] == "error"), None)
    row: _Row = {"line": None, "column": None, "diagnostics": rows}
    if first is None:
        message = f"expected a {wanted}, found a {review_.kind}"
        return PlanError({**row, "message": message, "code": "plan/another-document", "start": None, "end": None})
    return PlanError({**row, **{name: first[name] for name in ("message", "code", "start", "end")}})
