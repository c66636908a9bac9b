// Lists of findings and changes, linked to the text.

import { element, visible } from "./element.js";
import { CLASSES, replacementOf } from "./result.js";

const SIGNS = { error: "✕", warning: "!", info: "i" };
/** Number of rows added at once. */
const PAGE = 200;

/** Returns a function from a position to its line and column, both from 1. */
function linesOf(text) {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (place) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= place) low = middle;
      else high = middle - 1;
    }
    return `${low + 1}:${place - starts[low] + 1}`;
  };
}

/** Fills `list` with the rows of `make`, one page at a time. */
export function paged(list, count, make) {
  const more = (from) => {
    const to = Math.min(from + PAGE, count);
    const rows = [];
    for (let at = from; at < to; at += 1) rows.push(make(at));
    list.append(...rows);
    if (to < count) {
      const rest = element("li", {}, element("button", {
        class: "more",
        onclick: () => {
          rest.remove();
          more(to);
        },
      }, `${(count - to).toLocaleString("en")} more`));
      list.append(rest);
    }
  };
  list.replaceChildren();
  more(0);
}

/** Shows findings, most severe first. `go` shows the location of one. */
export function showFindings(list, rows, text, go) {
  const order = { error: 0, warning: 1, info: 2 };
  const sorted = [...rows].sort((a, b) => (order[a.severity] ?? 0) - (order[b.severity] ?? 0));
  if (sorted.length === 0) {
    list.replaceChildren(element("li", { class: "none" }, "No findings."));
    return;
  }
  const lineOf = linesOf(text);
  paged(list, sorted.length, (at) => {
    const row = sorted[at];
    const severity = row.severity ?? "error";
    const where = row.start === null || row.start === undefined ? null : lineOf(row.start);
    const isPlaced = where !== null || row.part > -1;
    return element(
      "li",
      { class: `finding ${severity}` },
      element("span", { class: "sign", "aria-hidden": "true" }, SIGNS[severity] ?? "✕"),
      element(
        "div",
        {},
        element(
          "p",
          { class: "head" },
          element("span", { class: "spoken" }, `${severity}: `),
          element("code", {}, row.code ?? ""),
          row.path ? element("code", { class: "path" }, visible(row.path, 80)) : null,
          isPlaced
            ? element("button", { class: "link", onclick: () => go(row) }, where === null ? "show in value" : `line ${where}`)
            : null,
        ),
        element("p", {}, row.message ?? ""),
        row.help ? element("p", { class: "help" }, row.help) : null,
      ),
    );
  });
}

/** Shows repairs, then coercions. `goToMark` and `go` show the location of one. */
export function showChanges(list, repairs, coercions, text, { goToMark, go, doc }) {
  const count = repairs.start.length;
  if (count + coercions.length === 0) {
    list.replaceChildren(element("li", { class: "none" }, "No changes."));
    return;
  }
  const lineOf = linesOf(text);
  paged(list, count + coercions.length, (at) => {
    if (at >= count) {
      const row = coercions[at - count];
      return element(
        "li",
        { class: `change ${row.class}` },
        element("button", { class: "link", onclick: () => go(row) }, row.kind),
        element("span", { class: "class" }, row.class),
        element("code", { class: "path" }, visible(row.path, 60)),
        element("span", { class: "what" }, visible(String(row.before ?? "")), " → ", visible(String(row.after ?? ""))),
        element("p", { class: "help" }, doc(row.kind)),
      );
    }
    const rule = repairs.names[repairs.rule[at]];
    const old = text.slice(repairs.start[at], repairs.end[at]);
    return element(
      "li",
      { class: `change ${CLASSES[repairs.class[at]]}`, "data-change": at },
      element("span", { class: "place" }, lineOf(repairs.start[at])),
      element("button", { class: "link", onclick: () => goToMark(at) }, rule),
      element("span", { class: "class" }, CLASSES[repairs.class[at]]),
      element("span", { class: "what" }, old === "" ? "" : element("del", {}, visible(old)), " → ", element("ins", {}, visible(replacementOf(repairs, at)) || "∅")),
    );
  });
}
