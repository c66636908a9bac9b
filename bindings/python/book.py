"""The chapters of the book that come from Python: notebooks, and the reference of the package.

mdBook runs this as a preprocessor, for the notebooks. With `--reference` it prints the reference, which
`docs/reference/python.md` keeps. That needs griffe (`pip install griffelib`), which reads the sources without running
them. A public name without a docstring is an error.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

try:
    import griffe
except ImportError:  # mdBook needs none.
    griffe = None

HERE = Path(__file__).parent
HEAD = """# The Python package

<!-- Written by `.ci/book --reference` from the sources. -->

All public names with their signatures and documentation, from the sources. In Python, `help(llmend)` and
`help(llmend.parse)` say the same, and editors show it. The guide starts at [Python](../guide/python/start.md).
"""
# The modules behind the package, in the order of the reference.
ORDER = "llmend answer outcome records partial stream calls tools plan asking models ledger batch errors".split()


def notebook(text: str) -> str:
    """Returns a notebook as Markdown, with its outputs as they are stored."""
    parts = []
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else fenced(source, "python"))
        parts += map(output, cell.get("outputs", []))
    return "\n\n".join(parts) + "\n"


def output(made: dict) -> str:
    data = made.get("data", {})
    if "text/html" in data:
        # As one block, which a line without anything in it would end.
        html = "".join(data["text/html"])
        # mdBook lets tables of Markdown scroll that are wider than the page.
        html = html.replace("<table", '<div class="table-wrapper"><table').replace("</table>", "</table></div>")
        lines = html.splitlines()
        return "\n".join(line if line.strip() else "&#32;" for line in lines)
    return fenced("".join(made.get("text", data.get("text/plain", ""))), "text")


def fenced(code: str, language: str) -> str:
    fence = "`" * max(3, *(len(found) + 1 for found in re.findall("`{3,}", code)), 3)
    return f"{fence}{language}\n{code.rstrip()}\n{fence}"


class Reference:
    """The reference, and the public names without a docstring."""

    def __init__(self, package: griffe.Module) -> None:
        self.package = package
        self.undocumented: list[str] = []
        self.written: list[str] = []

    def page(self) -> str:
        parts = [self.doc(self.package)]
        for module, names in self.groups().items():
            parts.append(f"## {self.title(module)}")
            parts += [part for name in names for part in self.name(self.package[name])]
        parts += ["## Types in signatures", *self.types("\n".join(parts))]
        for module in sorted(self.package.modules.values(), key=lambda module: module.name):
            if module.name.startswith("_"):
                continue
            parts += [f"## `{module.path}`", self.doc(module)]
            parts += [part for name in public(module) for part in self.name(module[name])]
        if self.undocumented:
            raise SystemExit(f"without a docstring: {', '.join(self.undocumented)}")
        return "\n\n".join(filter(None, parts)) + "\n"

    def groups(self) -> dict[str, list[str]]:
        """The public names of the package by the module that has them."""
        groups: dict[str, list[str]] = {}
        for name in public(self.package):
            thing = self.package[name]
            groups.setdefault(thing.final_target.parent.path, []).append(name)
        return dict(sorted(groups.items(), key=lambda group: ORDER.index(group[0].rpartition("._")[2])))

    def title(self, path: str) -> str:
        if path == f"{self.package.name}._llmend":
            return "Values and options"
        module = self.package.modules_collection[path]
        return (module.docstring.value.splitlines()[0] if module.docstring else module.name).rstrip(".")

    def types(self, text: str) -> list[str]:
        """The names of types that signatures use and that cannot be imported from the package."""
        found = {}
        for module in self.package.modules.values():
            for name, thing in module.members.items():
                is_type = not thing.is_alias and thing.is_attribute and re.search(r"Literal|Union|\||Mapping|dict", str(thing.value))
                if is_type and name[0].isupper() and name not in self.package.exports and re.search(rf"\b{name}\b", text):
                    told = examples(thing.docstring.value) if thing.docstring else ""
                    found[name] = f"{fenced(f'{name} = {plain(thing.value)}', 'python')}\n\n{told}".strip()
        return [found[name] for name in sorted(found)]

    def name(self, thing: griffe.Object | griffe.Alias, level: int = 3, owner: str = "") -> list[str]:
        """The heading of a public name, its signature, its documentation, and its members."""
        if thing.is_alias:
            thing = thing.final_target
        name = f"{owner}{thing.name}"
        self.written.append(name)
        parts = [f"{'#' * level} `{name}`", fenced("\n".join(signatures(thing)), "python"), self.doc(thing)]
        if not thing.is_class:
            return parts
        members = [thing[member] for member in public(thing)]
        if fields(thing):
            rows = [f"- `{field.name}: {annotation(field)}`: {self.doc(field)}" for field in fields(thing)]
            parts.append("\n".join(row.replace("\n", "\n  ") for row in rows))
        for member in members:
            if not member.is_attribute:
                parts += self.name(member, level + 1, f"{thing.name}.")
        return parts

    def doc(self, thing: griffe.Object | griffe.Alias) -> str:
        """Its documentation, or that of what it overrides."""
        for found in overridden(thing):
            if found.docstring:
                return examples(found.docstring.value)
        self.undocumented.append(thing.path)
        return ""


def public(thing: griffe.Object | griffe.Alias) -> list[str]:
    """The public names of a module or class, in their order."""
    if thing.is_module and thing.exports is not None:
        return [str(name) for name in thing.exports if not str(name).startswith("_")]
    own = [name for name, member in thing.members.items() if not name.startswith("_") and not is_imported(thing, member)]
    # What comes from a base of the package that is not public is told here, since that has no place of its own.
    for base in thing.resolved_bases if thing.is_class else []:
        if base.package.path == thing.package.path and base.name not in base.package.exports:
            inherited = {name: base.members[name] for name in public(base) if name not in own}
            thing.members |= inherited
            own = [*inherited, *own]
    return own


def is_imported(thing: griffe.Object | griffe.Alias, member: griffe.Object | griffe.Alias) -> bool:
    return thing.is_module and (member.is_alias or member.is_module or "TypeVar(" in str(getattr(member, "value", "")))


def fields(thing: griffe.Class) -> list[griffe.Attribute]:
    return [thing.members[name] for name in public(thing) if thing.members[name].is_attribute]


def annotation(field: griffe.Attribute) -> str:
    return next((plain(one.annotation) for one in overridden(field) if one.annotation), "Any")


def overridden(thing: griffe.Object) -> list[griffe.Object]:
    """A name, and what it overrides."""
    bases = thing.parent.mro() if thing.parent and thing.parent.is_class else []
    return [thing, *(base.members[thing.name] for base in bases if thing.name in base.members)]


def plain(type_: object) -> str:
    """A type in the words of those who use it."""
    return str(type_).replace("_Row", "dict[str, Any]").replace("_llmend.", "")


def signatures(thing: griffe.Object) -> list[str]:
    """The lines of Python that declare a name."""
    if thing.is_attribute:
        value = "" if thing.value is None else f" = {thing.value}"
        return [f"{thing.name}{f': {plain(thing.annotation)}' if thing.annotation else ''}{value}"]
    if thing.is_function:
        return [declared(overload, f"def {thing.name}") for overload in thing.overloads or [thing]]
    made = next((thing.all_members[name] for name in ("__new__", "__init__") if name in thing.members), None)
    bases = ", ".join(str(base) for base in thing.bases if not str(base).startswith("_"))
    head = f"class {thing.name}{f'({bases})' if bases else ''}"
    # What only the package makes has no constructor for others.
    inner = "_of" in thing.members or thing.path.startswith("llmend._errors.")
    if made is None or inner or any(re.search("Reviewed|LazyReport", str(part.annotation)) for part in made.parameters):
        return [head]
    return [head, *(declared(overload, thing.name) for overload in made.overloads or [made])]


def declared(function: griffe.Function, name: str) -> str:
    """A signature as it is written, on several lines where it is long."""
    made: list[str] = []
    kind = griffe.ParameterKind
    before = None
    for parameter in function.parameters:
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is kind.keyword_only and before not in (kind.keyword_only, kind.var_positional):
            made.append("*")
        star = {kind.var_positional: "*", kind.var_keyword: "**"}.get(parameter.kind, "")
        type_ = f": {plain(parameter.annotation)}" if parameter.annotation else ""
        default = "" if star or parameter.default is None else f" = {parameter.default}"
        made.append(f"{star}{parameter.name}{type_}{default if type_ else default.replace(' ', '')}")
        before = parameter.kind
    is_async = "async " if "async" in function.labels else ""
    returns = f" -> {plain(function.returns)}" if function.returns and name.startswith("def ") else ""
    line = f"{is_async}{name}({', '.join(made)}){returns}"
    return line if len(line) <= 100 else f"{is_async}{name}(\n    " + ",\n    ".join(made) + f",\n){returns}"


def examples(text: str) -> str:
    """Documentation with its examples as blocks of code."""
    parts = re.split(r"^(>>> (?:.+\n?)+)", text, flags=re.MULTILINE)
    return "".join(f"{fenced(part, 'python')}\n" if part.startswith(">>> ") else part for part in parts).strip()


def loaded() -> griffe.Module:
    sources = HERE / "python"
    return griffe.load("llmend", search_paths=[sources], allow_inspection=False, resolve_aliases=True)


def chapters(items: list):
    for item in items:
        if "Chapter" in item:
            yield item["Chapter"]
            yield from chapters(item["Chapter"]["sub_items"])


def main() -> None:
    if sys.argv[1:2] == ["--reference"]:
        print(HEAD, Reference(loaded()).page(), sep="\n", end="")
        return
    # mdBook leaves a preprocessor out, in silence, whose answer to this is an error.
    if sys.argv[1:2] == ["supports"]:
        return
    _, book = json.load(sys.stdin)
    for chapter in chapters(book["items"]):
        # mdBook does this for links to Markdown only, and has the notebook itself at its address.
        chapter["content"] = re.sub(r"(\]\((?![a-z]+:)[^()\s]+)\.ipynb(?=[)#])", r"\1.html", chapter["content"])
        if (chapter["source_path"] or "").endswith(".ipynb"):
            chapter["content"] = notebook(chapter["content"])
    json.dump(book, sys.stdout)


if __name__ == "__main__":
    main()
