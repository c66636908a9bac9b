"""What plan does an answer hold, and what is to be said of it?"""

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
    """What a model can have written of all that is read here, in the canonical form."""

    kind: ClassVar[str]
    """The word for what it is."""
    data: _Row
    """The canonical form, as `dict`."""

    def _handed(self) -> tuple[str, str]:
        return self.kind, json.dumps(self.data)

    def write(self, dialect: DialectName, *, layout: _llmend.LayoutName = "compact") -> Written:
        """It in a dialect, with what that cannot carry; a `PlanError` if it cannot be written.

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
    """What the dialect cannot carry, each with its path in the canonical form."""


@dataclass(frozen=True, slots=True)
class _Drawn(Document):
    """A document that has a picture, and can be checked and changed."""

    @classmethod
    def read(
        cls: type[_D],
        text: Text,
        *,
        options: PlanOptions | None = None,
        policy: PolicyName | Options | None = None,
    ) -> _D:
        """What an answer holds, read and checked; a `PlanError` with all findings if one of them is an
        error, if the answer holds something else, or if it was cut off or lost something, so that the
        document may lack a part. `review` gives both.

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
        """Everything that is wrong with it, each with its path in the canonical form.

        >>> import llmend
        >>> plan = llmend.Plan({"steps": [{"id": "a", "depends_on": ["b"]}]})
        >>> [(found.code, found.path) for found in plan.check()]
        [('plan/unknown-dependency', '/steps/0/depends_on/0')]
        """
        return tuple(map(Diagnostic._of, _llmend.check(self._handed(), options=options)))

    def fix(self: _D, *, options: PlanOptions | None = None) -> _D:
        """The same with all that can safely be put right put right."""
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
        """What the patch in an answer makes of it: all of the patch, or a `PlanError` with every reason
        why not, also where the answer was cut off or lost something. With `gaps="bridge"`, what stood before a step that goes is joined to what stood after.

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
        """The patch that makes `after` of it.

        >>> import llmend
        >>> before = llmend.Plan({"steps": [{"id": "a"}]})
        >>> before.diff(llmend.Plan({"steps": [{"id": "a"}, {"id": "b"}]}))
        {'add_steps': [{'id': 'b'}]}
        """
        made: _Row = _llmend.diff(self._handed(), after._handed())
        return made

    def draw(self, format: FormatName = "svg", *, options: PlanOptions | None = None) -> str:
        """A picture of it, with what checks find on each node.

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


@dataclass(frozen=True, slots=True)
class Plan(_Drawn):
    """Steps with what they depend on.

    >>> import llmend
    >>> plan = llmend.Plan.read("Sure: {objective: 'Tea', steps: [{id: 'boil'}, {id: 'pour', depends_on: ['boil']}]}")
    >>> plan.objective, [step["id"] for step in plan.steps]
    ('Tea', ['boil', 'pour'])
    """

    kind = "plan"

    @property
    def steps(self) -> list[_Row]:
        """What is to be done."""
        steps: list[_Row] = self.data["steps"]
        return steps

    @property
    def objective(self) -> str | None:
        """What is to be reached."""
        return self.data.get("objective")

    def to_workflow(self) -> Workflow:
        """The same as a workflow: each step a node, each dependency an edge."""
        return Workflow(_llmend.convert(self._handed()))


@dataclass(frozen=True, slots=True)
class Workflow(_Drawn):
    """Nodes and edges, with branches and loops.

    >>> import llmend
    >>> llmend.Plan({"steps": [{"id": "a"}, {"id": "b", "depends_on": ["a"]}]}).to_workflow().edges
    [{'from': 'a', 'to': 'b'}]
    """

    kind = "workflow"

    @property
    def nodes(self) -> list[_Row]:
        """What is to be done."""
        nodes: list[_Row] = self.data.get("nodes", [])
        return nodes

    @property
    def edges(self) -> list[_Row]:
        """What comes after what."""
        edges: list[_Row] = self.data.get("edges", [])
        return edges

    def to_plan(self) -> Plan:
        """The same as a plan; a `PlanError` if it has branches or loops."""
        return Plan(_llmend.convert(self._handed()))


@dataclass(frozen=True, slots=True)
class Patch(Document):
    """A change of a workflow."""

    kind = "patch"


@dataclass(frozen=True, slots=True)
class TaskResult(Document):
    """The report of a task."""

    kind = "task_result"


_KINDS: dict[str, type[Document]] = {
    kind.kind: kind for kind in (Plan, Workflow, Patch, TaskResult)
}


@dataclass(frozen=True, slots=True)
class _Kept:
    """A review that came from another process."""

    told: _Row
    pictures: dict[str, str]
    """By format; none of a document that has no picture."""

    @classmethod
    def of(cls, reviewed: _llmend.Reviewed) -> _Kept:
        told = reviewed.rows()
        formats: tuple[FormatName, ...] = ("svg", "mermaid", "dot", "tree")
        has_picture = issubclass(_KINDS[told["kind"]], _Drawn)
        return cls(told, {name: reviewed.draw(name) for name in formats if has_picture})

    def rows(self) -> _Row:
        return copy.deepcopy(self.told)

    def draw(self, format: FormatName) -> str:
        if not self.pictures:
            raise ValueError(f"a {self.told['kind']} is no workflow")
        if format not in self.pictures:
            raise ValueError(f"unknown value `{format}`, expected one of: {', '.join(self.pictures)}")
        return self.pictures[format]


class Review:
    """A document that was read, inferred and checked, with every finding at once.

    >>> import llmend
    >>> answer = "{steps: [{id: 'a', tool: 'search'}, {id: 'b', depends_on: ['A', 'c']}]}"
    >>> review = llmend.review(answer)
    >>> review.has_errors
    True
    >>> [answer[slice(*found.span)] for found in review.diagnostics]
    ["'A'", "'c'"]
    """

    extent: Literal["whole", "part"]
    """How much of the answer could be read. Of a part, what could not be read is left out, as errors say:
    it is to be shown, and not to be used."""
    unsure: bool
    """Whether the document may lack something that the answer says or was about to say: `report` tells
    whether it was cut off, and what was dropped."""
    dialect: str
    """How it was read."""
    diagnostics: tuple[Diagnostic, ...]
    """Every finding, with its place in the answer."""
    fixes: int
    """How many of them could safely be put right."""
    report: Report
    """What was done to the text."""

    def __init__(self, reviewed: _llmend.Reviewed | _Kept) -> None:
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
        """What the answer says: a `Plan`, a `Workflow`, a `Patch` or a `TaskResult`. A `PlanError` with every
        finding where only a part of it could be read, since whoever changes a part loses the rest.

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
        """The word for what the answer says: `plan`, `workflow`, `patch` or `task_result`."""
        return self._document.kind

    @property
    def has_errors(self) -> bool:
        """Whether a finding is an error, so that the document is not to be used."""
        return any(row.severity == "error" for row in self.diagnostics)

    def draw(self, format: FormatName = "svg") -> str:
        """A picture of it, with what was found on each node."""
        return self._reviewed.draw(format)

    def _repr_svg_(self) -> str:
        return self.draw("svg")

    def __reduce__(self) -> tuple[type[Review], tuple[_Kept]]:
        """It is sent with its pictures, since they are not of the document alone."""
        return Review, (self._reviewed if isinstance(self._reviewed, _Kept) else _Kept.of(self._reviewed),)

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
    """Reads the plan or workflow that an answer holds, in any dialect, infers its control flow and checks
    it. A text that holds none is a `PlanError`.

    With `fixes="make"`, what can safely be put right is, and stays on record.

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
        message = f"the answer holds a {review_.kind}, and a {wanted} was asked for"
        return PlanError({**row, "message": message, "code": "plan/another-document", "start": None, "end": None})
    return PlanError({**row, **{name: first[name] for name in ("message", "code", "start", "end")}})
