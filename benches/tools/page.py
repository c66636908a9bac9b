"""Tables in Markdown and plots in SVG, of the results of a run, and the page of the book that has them."""

from __future__ import annotations

import json
import math
from html import escape
from pathlib import Path

from judge import OUTCOMES

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RESULTS = HERE / "results.json"
PICTURES = ROOT / "docs" / "reference" / "pictures"
# The pages with figures: the name in the mark, and what stands between it and the end.
PAGES = {"docs/reference/benchmark.md": "bench", "README.md": "score"}
END = "<!-- end of figures -->"

TITLES = {"repair": "Repair", "calls": "Tool calls", "schema": "Schemas", "stream": "Streams"}
IN_README = ["dev", "defects", "damage", "unescaped", "valid"]


def written(results: dict) -> str:
    return json.dumps(results, indent=1) + "\n"


def share(row: dict) -> list[float]:
    """The percentage of each outcome."""
    asked = sum(row["counts"])
    return [100 * count / asked if asked else 0.0 for count in row["counts"]]


def time(seconds: float) -> str:
    for unit, size in [("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)]:
        if seconds >= size:
            number = seconds / size
            return f"{number:.0f} {unit}" if number >= 100 else f"{number:.1f} {unit}" if number >= 10 else f"{number:.2f} {unit}"
    return f"{seconds * 1e6:.2f} µs"


def table(header: list[str], rows: list[list[str]]) -> str:
    rule = f"|---|{'---:|' * (len(header) - 1)}\n"
    head, *lines = [f"| {' | '.join(line)} |\n" for line in [header, *rows]]
    return head.replace("|  |", "| |") + rule + "".join(lines)


def grid(found: dict, names: list[str], cell) -> str:
    """A row for each corpus, a column for each tool."""
    rows = []
    for corpus, count in found["corpora"].items():
        asked = [found["tools"][name].get(corpus) for name in names]
        rows.append([f"{corpus} ({count:,})", *[cell(row, count) if row else "–" for row in asked]])
    return table(["", *names], rows)


def outcomes(row: dict, count: int) -> str:
    asked = sum(row["counts"])
    part = f" ({asked:,})" if asked != count else ""
    return " / ".join(f"{value:.1f}" for value in share(row)) + part


def wins(found: dict, names: list[str]) -> list[str]:
    """Where another tool is better than llmend: more is right, less is wrong without a sign, or it is faster."""
    rows = []
    for corpus in found["corpora"]:
        ours = found["tools"].get("llmend", {}).get(corpus)
        others = {name: found["tools"][name].get(corpus) for name in names if not name.startswith("llmend")}
        others = {name: row for name, row in others.items() if row and ours and sum(row["counts"]) == sum(ours["counts"])}
        measures = [
            ("more right", lambda row: -share(row)[0], lambda row: f"{share(row)[0]:.1f} %"),
            ("less wrong and unflagged", lambda row: share(row)[3], lambda row: f"{share(row)[3]:.1f} %"),
            ("faster", lambda row: row["median"], lambda row: time(row["median"])),
        ]
        if corpus in found.get("shown", {}):
            measures.append(("shows more", lambda row: -row["shown"], lambda row: f"{100 * row['shown']:.0f} %"))
        for what, measure, said in measures:
            ahead = [name for name in others if measure(others[name]) < measure(ours) and said(others[name]) != said(ours)]
            better = sorted(ahead, key=lambda name: measure(others[name]))
            if better:
                list_ = ", ".join(f"{name} {said(others[name])}" for name in better)
                rows.append(f"- {corpus}, {what}: {list_} (llmend {said(ours)})")
    return rows


def tables(results: dict) -> str:
    """Everything between the marks of the page."""
    machine = results["machine"]
    parts = [
        f"Measured on {machine['date']} at commit `{machine['commit']}`, on {machine['cpu']} with {machine['cores']} "
        f"cores, {machine['system']}, Python {machine['python']}, Node {machine['node']}, rustc {machine['rustc']}; "
        f"seed {results['seed']}.\n"
    ]
    rows = [[name, row["version"], row["about"]] for name, row in results["tools"].items()]
    parts.append(table(["tool", "version", "asked as"], rows).replace("---:", "---"))
    for task, found in results["tasks"].items():
        names = list(found["tools"])
        parts.append(f"### {TITLES[task]}\n")
        parts.append(f"![{TITLES[task]}: outcomes of each tool on each corpus](pictures/{task}.svg)\n")
        parts.append(f"{' / '.join(outcome.replace(',', ' and') for outcome in OUTCOMES)}, in percent:\n")
        parts.append(grid(found, names, outcomes))
        if any("shown" in row for tool in found["tools"].values() for row in tool.values()):
            parts.append("Shown of what had arrived, on average:\n")
            parts.append(grid(found, names, lambda row, _: f"{100 * row['shown']:.0f} %" if "shown" in row else "–"))
        parts.append("Median time per text:\n")
        parts.append(grid(found, names, lambda row, _: time(row["median"])))
        better = wins({**found, "shown": found["corpora"] if task == "stream" else {}}, names)
        if better:
            parts.append("Where others are ahead of llmend:\n")
            parts.append("\n".join(better) + "\n")
    if results["tasks"]:
        parts.append("### Time\n\n![Median time per text of each tool, a dot for each corpus](pictures/time.svg)\n")
    return "\n".join(parts)


def readme(results: dict) -> str:
    found = results["tasks"]["repair"]
    corpora = [corpus for corpus in IN_README if corpus in found["corpora"]]
    rows = []
    for name, tool in found["tools"].items():
        # Its packages are in the book only.
        if not name.startswith("llmend,") and all(corpus in tool for corpus in corpora):
            rows.append([name, *[outcomes(tool[corpus], found["corpora"][corpus]) for corpus in corpora]])
    return table(["", *[f"{corpus} ({found['corpora'][corpus]:,})" for corpus in corpora]], rows)


# Plots. The colors are told apart by people who see no red or green, and by their place.
STYLE = """<style>
text { font: 12px system-ui, sans-serif; fill: #222; }
.head { font-weight: 600; } .dim { fill: #666; } .back { fill: #fff; } .line { stroke: #ddd; }
.o0 { fill: #2a78b5; } .o1 { fill: #b9bec4; } .o2 { fill: #f2b134; } .o3 { fill: #c8372d; } .dot { fill: #2a78b5; }
@media (prefers-color-scheme: dark) {
text { fill: #e4e4e4; } .dim { fill: #a0a0a0; } .back { fill: #16181d; } .line { stroke: #3a3d44; }
.o0 { fill: #4f9fdc; } .o1 { fill: #5d636b; } .o2 { fill: #d99a1c; } .o3 { fill: #ee5a4f; } .dot { fill: #4f9fdc; }
}
</style>"""


def svg(width: int, height: int, title: str, about: str, parts: list[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-labelledby="t d">'
    named = f'<title id="t">{escape(title)}</title>\n<desc id="d">{escape(about)}</desc>'
    return "\n".join([head, named, STYLE, f'<rect class="back" width="{width}" height="{height}"/>', *parts, "</svg>", ""])


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>'


def bars(task: str, found: dict) -> str:
    """A panel for each corpus, in it a bar for each tool."""
    names, corpora = list(found["tools"]), list(found["corpora"])
    columns, left, wide, bar, gap = min(3, len(corpora)), 170, 210, 14, 26
    high = 34 + len(names) * (bar + 4)
    parts, x = [], 16.0
    for index, outcome in enumerate(OUTCOMES):
        words = outcome.replace(",", " and")
        parts += [f'<rect class="o{index}" x="{x:g}" y="12" width="12" height="12"/>', text(x + 18, 23, words)]
        x += 40 + 6.6 * len(words)
    told = []
    for place, corpus in enumerate(corpora):
        row, column = divmod(place, columns)
        at, top = left + column * (wide + gap), 46 + row * (high + 10)
        parts.append(text(at, top + 12, f"{corpus} ({found['corpora'][corpus]:,})", "head"))
        for line, name in enumerate(names):
            y = top + 22 + line * (bar + 4)
            if column == 0:
                parts.append(text(left - 8, y + bar - 3, name, anchor="end"))
            result = found["tools"][name].get(corpus)
            if not result:
                parts.append(text(at, y + bar - 3, "not asked", "dim"))
                continue
            x = at
            for index, value in enumerate(share(result)):
                if value:
                    parts.append(f'<rect class="o{index}" x="{x:.2f}" y="{y}" width="{value * wide / 100:.2f}" height="{bar}"/>')
                    x += value * wide / 100
            told.append(f"{corpus}, {name}: {outcomes(result, found['corpora'][corpus])}")
    rows = -(-len(corpora) // columns)
    about = "Percentages right / refused / wrong and flagged / wrong and unflagged. " + "; ".join(told) + "."
    return svg(left + columns * (wide + gap), 46 + rows * (high + 10), f"{TITLES[task]}: outcomes", about, parts)


def dots(results: dict) -> str:
    """A line for each tool of each task, on it a dot for each corpus."""
    left, wide, line = 220, 560, 20
    medians = [row["median"] for found in results["tasks"].values() for tool in found["tools"].values() for row in tool.values()]
    low, high = math.floor(math.log10(max(min(medians), 1e-9))), math.ceil(math.log10(max(*medians, 1e-8)))

    def place(seconds: float) -> float:
        return left + wide * (math.log10(max(seconds, 1e-9)) - low) / (high - low)

    parts, told, y = [], [], 30
    for task, found in results["tasks"].items():
        parts.append(text(16, y + 12, TITLES[task], "head"))
        y += 20
        for name, tool in found["tools"].items():
            y += line
            parts.append(text(left - 12, y + 4, name, anchor="end"))
            parts.append(f'<line class="line" x1="{left}" x2="{left + wide}" y1="{y}" y2="{y}"/>')
            for corpus, row in tool.items():
                what = f"{name}, {corpus}: {time(row['median'])}"
                parts.append(f'<circle class="dot" cx="{place(row["median"]):.1f}" cy="{y}" r="4" fill-opacity="0.7"><title>{escape(what)}</title></circle>')
                told.append(what)
        y += line + 10
    scale = []
    for power in range(low, high + 1):
        x = place(10.0**power)
        scale += [f'<line class="line" x1="{x:.1f}" x2="{x:.1f}" y1="28" y2="{y - 14}"/>', text(x, 20, time(1.0001 * 10.0**power).replace(".00", "").replace(".0", ""), "dim", "middle")]
    return svg(left + wide + 40, y, "Median time per text", "; ".join(told) + ".", scale + parts)


def plots(results: dict) -> dict[str, str]:
    made = {f"{task}.svg": bars(task, found) for task, found in results["tasks"].items()}
    return made | ({"time.svg": dots(results)} if results["tasks"] else {})


def filled(path: str, results: dict) -> str:
    """A page with the figures of these results between its marks."""
    page, mark = (ROOT / path).read_text("utf-8"), f"<!-- figures: {PAGES[path]} -->\n"
    before, _, rest = page.partition(mark)
    _, end, after = rest.partition(END)
    assert end, f"{path} has no marks"
    made = readme(results) if path == "README.md" else "\n" + tables(results) + "\n"
    return before + mark + made + end + after


def files(results: dict) -> dict[Path, str]:
    pages = {ROOT / path: filled(path, results) for path in PAGES}
    return pages | {PICTURES / name: made for name, made in plots(results).items()}


def publish(results: dict) -> None:
    PICTURES.mkdir(exist_ok=True)
    RESULTS.write_text(written(results), "utf-8")
    for path, made in files(results).items():
        path.write_text(made, "utf-8")


def check() -> int:
    """Is every page and plot what the published results make?"""
    made = files(json.loads(RESULTS.read_text("utf-8")))
    others = [path for path, text in made.items() if not path.exists() or path.read_text("utf-8") != text]
    for path in others:
        print(f"{path.relative_to(ROOT)} is not what {RESULTS.relative_to(ROOT)} makes: run bench.py --results {RESULTS.relative_to(ROOT)} --publish")
    return 1 if others else 0
