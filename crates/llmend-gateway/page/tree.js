// Tree view of the value, linked to the text.
//
// Rows are created when their parent is expanded. Large containers show groups, so that no step creates more
// than a hundred rows.

import { element, visible } from "./element.js";
import { childrenOf, isContainer, KIND, keyOf, pointerOf, textOf } from "./tape.js";
import { tipsIn } from "./tip.js";

const MAX_ROWS = 100;
const PREVIEW = 160;
const KINDS = ["null", "boolean", "boolean", "number", "string", "array", "object", "key"];

/** Returns the size of the groups of a container with `count` children. */
function groupSize(count) {
  let size = 1;
  while (count / size > MAX_ROWS) size *= MAX_ROWS;
  return size;
}

/** Creates a tree in `root`. `pointed` receives the part under the pointer, and whether to scroll to it. */
export function treeView(root, { pointed }) {
  let json = "";
  let tape = null;
  let notes = new Map();
  const lists = new Map();
  const entries = new WeakMap();

  const listOf = (part) => {
    if (!lists.has(part)) lists.set(part, childrenOf(tape, part));
    return lists.get(part);
  };

  function preview(part) {
    const raw = () => json.slice(tape.start[part], tape.end[part]);
    switch (tape.kind[part]) {
      case KIND.string: return JSON.stringify(textOf(json, tape, part, PREVIEW))
        + (tape.end[part] - tape.start[part] > PREVIEW ? "…" : "");
      case KIND.array: return `[${tape.count[part]}]`;
      case KIND.object: return `{${tape.count[part]}}`;
      default: return raw().slice(0, PREVIEW);
    }
  }

  function rowOf(entry, level) {
    const { part } = entry;
    const isGroup = entry.to !== undefined;
    const canOpen = isGroup || (isContainer(tape, part) && tape.count[part] > 0);
    const label = element("div", { class: "label" }, canOpen ? element("span", { class: "turn", "aria-hidden": "true" }) : null);
    if (isGroup) label.append(element("span", { class: "group" }, `${entry.from} … ${entry.to - 1}`));
    else {
      const key = keyOf(json, tape, part, PREVIEW);
      const name = key ?? (entry.index === undefined ? null : String(entry.index));
      if (name !== null) label.append(element("span", { class: key === null ? "index" : "name" }, visible(name, PREVIEW)), ": ");
      label.append(element("span", { class: `value ${KINDS[tape.kind[part]]}` }, preview(part)));
      for (const note of notes.get(part) ?? []) {
        label.append(element("span", { class: `note ${note.kind}` }, note.sign, element("span", { class: "spoken" }, note.text)));
      }
    }
    const row = element("li", {
      role: "treeitem", tabindex: -1, "aria-level": level, "aria-selected": "false",
      "aria-expanded": canOpen ? "false" : null,
    }, label);
    entries.set(row, { ...entry, level });
    return row;
  }

  /** Returns the rows of an entry's children. */
  function inside({ part, from = 0, to, level }) {
    const list = listOf(part);
    const end = to ?? list.length;
    const size = groupSize(end - from);
    const isArray = tape.kind[part] === KIND.array;
    const rows = [];
    for (let at = from; at < end; at += size) {
      const entry = size === 1
        ? { part: list[at], index: isArray ? at : undefined }
        : { part, from: at, to: Math.min(at + size, end) };
      rows.push(rowOf(entry, level + 1));
    }
    return rows;
  }

  function open(row) {
    if (row.getAttribute("aria-expanded") !== "false") return;
    row.setAttribute("aria-expanded", "true");
    row.append(element("ul", { role: "group" }, ...inside(entries.get(row))));
  }

  function close(row) {
    if (row.getAttribute("aria-expanded") !== "true") return;
    row.setAttribute("aria-expanded", "false");
    row.querySelector(":scope > ul")?.remove();
  }

  const rows = () => [...root.querySelectorAll("[role=treeitem]")];

  function select(row, options) {
    for (const other of root.querySelectorAll("[aria-selected=true]")) {
      other.setAttribute("aria-selected", "false");
      other.tabIndex = -1;
    }
    row.setAttribute("aria-selected", "true");
    row.tabIndex = 0;
    if (options.focus) row.focus({ preventScroll: true });
    row.querySelector(".label").scrollIntoView({ block: "nearest" });
    pointed(entries.get(row).part, options.scroll);
  }

  /** Expands the tree down to a part, and selects it. */
  function reveal(part, options) {
    if (tape === null || part < 0 || part >= tape.length) return;
    const way = [];
    let at = tape.kind[part] === KIND.key ? part + 1 : part;
    for (; at !== -1; at = tape.parent[at]) way.unshift(at);
    let row = root.firstElementChild;
    for (const next of way.slice(1)) {
      for (;;) {
        open(row);
        const here = [...row.querySelector(":scope > ul").children];
        const found = here.find((one) => entries.get(one).to === undefined && entries.get(one).part === next);
        if (found) {
          row = found;
          break;
        }
        const list = listOf(entries.get(row).part);
        row = here.find((one) => {
          const group = entries.get(one);
          return group.to !== undefined && list[group.from] <= next && list[group.to - 1] >= next;
        });
        if (!row) return;
      }
    }
    select(row, options);
  }

  root.addEventListener("click", ({ target }) => {
    const row = target.closest("[role=treeitem]");
    if (!row) return;
    if (target.closest(".turn") || entries.get(row).to !== undefined) {
      if (row.getAttribute("aria-expanded") === "true") close(row);
      else open(row);
    }
    select(row, { focus: true, scroll: true });
  });
  root.addEventListener("dblclick", ({ target }) => {
    const row = target.closest("[role=treeitem]");
    if (row) (row.getAttribute("aria-expanded") === "true" ? close : open)(row);
  });

  let resting = 0;
  root.addEventListener("pointerover", ({ target }) => {
    const row = target.closest("[role=treeitem]");
    clearTimeout(resting);
    if (!row) return;
    const { part } = entries.get(row);
    pointed(part, false);
    // Do not scroll the text while the pointer only moves across rows.
    resting = setTimeout(() => pointed(part, true), 300);
  });
  root.addEventListener("pointerleave", () => {
    clearTimeout(resting);
    const row = root.querySelector("[aria-selected=true]");
    pointed(row ? entries.get(row).part : -1, false);
  });

  root.addEventListener("keydown", (event) => {
    const row = event.target.closest("[role=treeitem]");
    if (!row) return;
    const all = rows();
    const at = all.indexOf(row);
    const isOpen = row.getAttribute("aria-expanded") === "true";
    let next = null;
    switch (event.key) {
      case "ArrowDown": next = all[at + 1]; break;
      case "ArrowUp": next = all[at - 1]; break;
      case "Home": next = all[0]; break;
      case "End": next = all[all.length - 1]; break;
      case "ArrowRight":
        if (isOpen) next = all[at + 1];
        else open(row);
        break;
      case "ArrowLeft":
        if (isOpen) close(row);
        else next = row.parentElement.closest("[role=treeitem]");
        break;
      case "Enter":
      case " ": next = row; break;
      default: return;
    }
    event.preventDefault();
    if (next) select(next, { focus: true, scroll: true });
  });

  tipsIn(root, "[role=treeitem]", (row) => {
    const entry = entries.get(row);
    if (entry.to !== undefined) return [`${entry.from} … ${entry.to - 1}`];
    const texts = (notes.get(entry.part) ?? []).map((note) => note.text);
    return [pointerOf(json, tape, entry.part) || "(root)", ...texts];
  });

  return {
    /** Shows a value. `marked` maps parts to their notes. */
    show(nextJson, nextTape, marked) {
      json = nextJson;
      tape = nextTape;
      notes = marked;
      lists.clear();
      root.replaceChildren();
      if (tape === null || tape.length === 0) return;
      const row = rowOf({ part: 0 }, 1);
      root.append(row);
      row.tabIndex = 0;
      open(row);
      // Expand small values completely.
      if (tape.length <= 60) rows().forEach(open);
      if (tape.length <= 60) rows().forEach(open);
    },
    reveal,
  };
}
