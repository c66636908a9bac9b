// Text view with marks for repairs.
//
// Only the blocks near the viewport are laid out. The others are empty elements with an estimated height.
// Spans are highlighted with CSS highlights, which do not change the elements.

import { blockAt, blocksOf, heightOf } from "./blocks.js";
import { element, visible } from "./element.js";
import { firstFrom, stretches } from "./marks.js";
import { CLASSES, replacementOf } from "./result.js";
import { hideTip, tipsIn } from "./tip.js";

const NO_MARKS = { start: [], end: [] };
/** Maximum number of underlined findings, since each is located again on every paint. */
const MAX_FAULTS = 200;
const painted = (name) => {
  // Some browsers do not support highlights.
  if (!("highlights" in CSS)) return new Set();
  const highlight = new Highlight();
  CSS.highlights.set(name, highlight);
  return highlight;
};

/**
 * Creates a view of a text in `root`. `name` prefixes the names of its highlights, `doc` returns the description
 * of a rule, and `chosenMark` and `chosenPlace` receive the clicked mark or position.
 */
export function textView(root, { name, doc = () => "", chosenMark = () => {}, chosenPlace = () => {} }) {
  const place = painted(`${name}-place`);
  const ahead = painted(`${name}-ahead`);
  const wrong = painted(`${name}-wrong`);
  let text = "";
  let blocks = [];
  let shown = [];
  let marks = NO_MARKS;
  let spans = [];
  let pointed = null;
  let faults = [];
  let arrived = Infinity;
  let current = -1;
  let unsure = () => false;
  const isAhead = (mark) => marks.start[mark] >= arrived;

  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const at = Number(entry.target.dataset.block);
      if (shown[at]?.root !== entry.target) continue;
      if (entry.isIntersecting) fill(at);
      else empty(at);
    }
  }, { root, rootMargin: "500px 0px" });

  const nameOf = (mark) => {
    const rule = marks.names[marks.rule[mark]];
    const old = text.slice(marks.start[mark], marks.end[mark]);
    return { rule, class: CLASSES[marks.class[mark]], old, now: replacementOf(marks, mark) };
  };

  const change = ({ old, now }) => {
    if (old === "") return `insert ${visible(now)}`;
    return now === "" ? `remove ${visible(old)}` : `${visible(old)} → ${visible(now)}`;
  };

  function markElement(stretch, nodes) {
    const what = nameOf(stretch.mark);
    const isWhole = stretch.from === marks.start[stretch.mark];
    const made = element("span", {
      class: `mark ${what.class}${what.old === "" ? " insertion" : ""}${unsure(stretch.mark) ? " unsure" : ""}${isAhead(stretch.mark) ? " ahead" : ""}`,
      role: isWhole ? "button" : null,
      tabindex: isWhole ? (stretch.mark === current ? 0 : -1) : null,
      "aria-label": isWhole ? `${what.rule}, ${what.class}: ${change(what)}` : null,
      "data-mark": stretch.mark,
      "data-now": stretch.to === marks.end[stretch.mark] ? visible(what.now, 24) : null,
    });
    const inside = text.slice(stretch.from, stretch.to);
    // Show repaired line ends as signs that do not break the row.
    for (const piece of inside.split(/(\r?\n|\r|\t)/)) {
      if (piece === "") continue;
      if (/^[\r\n\t]/.test(piece)) made.append(element("span", { class: "sign", "data-sign": visible(piece) }));
      else made.append(own(piece, stretch.from + inside.indexOf(piece), nodes));
    }
    return made;
  }

  function own(piece, from, nodes) {
    const node = document.createTextNode(piece);
    nodes.push({ from, to: from + piece.length, node });
    return node;
  }

  function fill(at) {
    const block = shown[at];
    if (block.nodes !== null) return;
    const nodes = [];
    const rows = blocks[at].rows.map((row, index) => {
      const isLast = at === blocks.length - 1 && index === blocks[at].rows.length - 1;
      const line = element("div", { class: "row", "data-line": row.line || null });
      for (const stretch of stretches(row.from, row.next, marks, spans, isLast)) {
        if (stretch.mark !== -1) line.append(markElement(stretch, nodes));
        else {
          const piece = text.slice(stretch.from, Math.min(stretch.to, row.to));
          const node = own(piece, stretch.from, nodes);
          line.append(stretch.outside ? element("span", { class: "outside" }, node) : node);
        }
      }
      return line;
    });
    block.root.style.height = "";
    block.root.replaceChildren(...rows);
    block.nodes = nodes;
    paint();
  }

  function empty(at) {
    const block = shown[at];
    if (block.nodes === null || block.root.contains(document.activeElement)) return;
    block.root.style.height = `${block.root.offsetHeight}px`;
    block.root.replaceChildren();
    block.nodes = null;
    paint();
  }

  /** Returns the laid out ranges between two positions, one per block, since the cost of a range grows with its length. */
  function ranges(from, to) {
    const out = [];
    if (blocks.length === 0) return out;
    for (let at = blockAt(blocks, from); at < blocks.length && blocks[at].from <= to; at += 1) {
      const inside = (shown[at].nodes ?? []).filter((piece) => piece.to > from && piece.from < to);
      if (inside.length === 0) continue;
      const [first, last] = [inside[0], inside[inside.length - 1]];
      const range = document.createRange();
      range.setStart(first.node, Math.max(0, from - first.from));
      range.setEnd(last.node, Math.min(last.to, to) - last.from);
      out.push(range);
    }
    return out;
  }

  let isPainting = false;
  function paint() {
    if (isPainting) return;
    isPainting = true;
    requestAnimationFrame(() => {
      isPainting = false;
      place.clear();
      ahead.clear();
      wrong.clear();
      for (const fault of faults) ranges(fault.start, fault.end).forEach((range) => wrong.add(range));
      if (pointed) ranges(pointed.start, pointed.end).forEach((range) => place.add(range));
      if (arrived < text.length) ranges(arrived, text.length).forEach((range) => ahead.add(range));
    });
  }

  function layOut() {
    seen.disconnect();
    const style = getComputedStyle(root);
    const size = parseFloat(style.fontSize);
    const columns = Math.max(10, Math.floor((root.clientWidth - 60) / (size * 0.6)));
    const high = parseFloat(style.lineHeight);
    shown = blocks.map((block, at) => {
      const made = element("div", { class: "block", "data-block": at });
      made.style.height = `${heightOf(block, columns) * high}px`;
      return { root: made, nodes: null };
    });
    root.replaceChildren(...shown.map((block) => block.root));
    shown.forEach((block) => seen.observe(block.root));
    // Show the first block without waiting for the observer.
    if (shown.length > 0) fill(0);
  }

  /** Scrolls to a position. */
  function scrollTo(from) {
    if (blocks.length === 0) return;
    const at = blockAt(blocks, Math.min(from, Math.max(0, text.length - 1)));
    fill(at);
    const row = blocks[at].rows.findLastIndex((one) => one.from <= from);
    const line = shown[at].root.children[Math.max(0, row)];
    const around = root.getBoundingClientRect();
    const [range] = ranges(from, from + 1);
    const box = (range ?? line).getBoundingClientRect();
    if (box.top < around.top + 8 || box.bottom > around.bottom - 8) {
      root.scrollTop += box.top - around.top - around.height / 3;
    }
  }

  /** Lays out the visible blocks again, after the marks have changed. */
  function refresh() {
    shown.forEach((block, at) => {
      if (block.nodes === null) return;
      const hadFocus = block.root.contains(document.activeElement);
      block.nodes = null;
      fill(at);
      if (hadFocus) markAt(current)?.focus({ preventScroll: true });
    });
  }

  const markAt = (mark) => root.querySelector(`[data-mark="${mark}"][role]`);

  function setCurrent(mark) {
    const before = markAt(current);
    if (before) before.tabIndex = -1;
    current = mark;
    const now = markAt(current);
    if (now) now.tabIndex = 0;
  }

  /** Goes to a mark by its index. */
  function goTo(mark) {
    if (mark < 0 || mark >= marks.start.length) return;
    scrollTo(marks.start[mark]);
    setCurrent(mark);
    markAt(mark)?.focus({ preventScroll: true });
  }

  tipsIn(root, "[data-mark]", (anchor) => {
    const what = nameOf(Number(anchor.dataset.mark));
    return [`${what.rule} · ${what.class}`, change(what), doc(what.rule)];
  });

  root.addEventListener("keydown", (event) => {
    const on = event.target.closest?.("[data-mark]");
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (on && by) {
      event.preventDefault();
      goTo(Number(on.dataset.mark) + by);
    } else if (on && (event.key === "Home" || event.key === "End")) {
      event.preventDefault();
      goTo(event.key === "Home" ? 0 : marks.start.length - 1);
    } else if (on && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      chosenMark(Number(on.dataset.mark));
    }
  });

  root.addEventListener("click", (event) => {
    const on = event.target.closest("[data-mark]");
    if (on) {
      goTo(Number(on.dataset.mark));
      chosenMark(Number(on.dataset.mark));
      return;
    }
    const caret = document.caretPositionFromPoint?.(event.clientX, event.clientY);
    const row = caret && caret.offsetNode.parentElement?.closest(".block");
    const node = row && shown[Number(row.dataset.block)]?.nodes?.find((one) => one.node === caret.offsetNode);
    if (node && getSelection().isCollapsed) chosenPlace(node.from + caret.offset);
  });

  return {
    /** Shows a text without marks. */
    setText(next) {
      text = next;
      blocks = blocksOf(text);
      marks = NO_MARKS;
      faults = [];
      spans = [{ start: 0, end: text.length }];
      pointed = null;
      arrived = Infinity;
      current = -1;
      hideTip();
      root.scrollTop = 0;
      layOut();
    },
    /** Marks the repairs, the text outside of what was read, and the findings. */
    setMarks(repairs, inside = [], found = []) {
      marks = repairs ?? NO_MARKS;
      // A line under all that was read would point nowhere.
      const isWhole = (row) => inside.some((span) => span.start === row.start && span.end === row.end);
      faults = found.filter((row) => row.severity !== "info" && row.end > row.start && !isWhole(row)).slice(0, MAX_FAULTS);
      spans = inside.length > 0 ? inside : [{ start: 0, end: text.length }];
      current = marks.start.length > 0 ? 0 : -1;
      refresh();
    },
    /** Highlights a span, or none for null. */
    point(span, scroll) {
      pointed = span === null ? null : { start: span.start, end: Math.max(span.end, span.start) };
      if (span !== null && scroll) scrollTo(span.start);
      paint();
    },
    /** Shows the received text, and only the marks that are certain. */
    play(end, isUnsure) {
      arrived = end;
      unsure = isUnsure;
      for (const made of root.querySelectorAll("[data-mark]")) {
        made.classList.toggle("unsure", unsure(Number(made.dataset.mark)));
        made.classList.toggle("ahead", isAhead(Number(made.dataset.mark)));
      }
      scrollTo(Math.max(0, Math.min(end, text.length) - 1));
      paint();
    },
    /** Shows the whole text again. */
    stop() {
      arrived = Infinity;
      unsure = () => false;
      paint();
    },
    goTo,
    /** Goes to the next mark of a class, wrapping around at the end. */
    nextOf(name) {
      const wanted = CLASSES.indexOf(name);
      const size = marks.start.length;
      const from = root.contains(document.activeElement) || current > 0 ? current + 1 : Math.max(current, 0);
      for (let step = 0; step < size; step += 1) {
        const at = (from + step) % size;
        if (marks.class[at] === wanted) return goTo(at);
      }
      return undefined;
    },
    next: (by) => goTo(((current + by) % marks.start.length + marks.start.length) % marks.start.length),
    /** Returns the mark at a position, or -1. */
    markAt(start) {
      const at = firstFrom(marks, start);
      return marks.start[at] === start ? at : -1;
    },
  };
}
