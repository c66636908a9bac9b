// How does a drawing of the gateway come into the page without anything that could run?
//
// It is parsed into a document of its own and copied, element by element, from what is known to be a
// shape or a text. So its findings can be pointed at, and its colours are the page's.

import { parsedDrawing } from "./trusted.js";
import { tipsIn } from "./tip.js";

const SVG = "http://www.w3.org/2000/svg";
const ELEMENTS = new Set(["svg", "g", "title", "desc", "rect", "path", "circle", "text"]);
const ATTRIBUTES = new Set([
  "class", "viewBox", "width", "height", "x", "y", "cx", "cy", "r", "rx", "d", "transform",
  "text-anchor", "stroke-linejoin",
]);
const NODES = new Set(["tool", "ai", "fork", "loop", "missing"]);

/** A copy of what may be shown of `from`. Texts of `title` become what a tip says. */
function copied(from) {
  const to = document.createElementNS(SVG, from.localName);
  for (const { name, value } of from.attributes) {
    if (ATTRIBUTES.has(name)) to.setAttribute(name, value);
  }
  for (const child of from.childNodes) {
    if (child.nodeType === Node.TEXT_NODE && from.localName === "text") to.append(child.data);
    if (child.nodeType !== Node.ELEMENT_NODE || !ELEMENTS.has(child.localName)) continue;
    if (child.localName === "title" || child.localName === "desc") to.dataset.tip ??= child.textContent;
    else to.append(copied(child));
  }
  return to;
}

/** Shows a drawing in `root`. `chosen` is told of the number of a node, in the order of the plan. */
export function showDrawing(root, svg, chosen) {
  const parsed = parsedDrawing(svg).documentElement;
  if (parsed.localName !== "svg") return false;
  const drawing = copied(parsed);
  drawing.setAttribute("role", "group");
  drawing.setAttribute("aria-label", drawing.dataset.tip ?? "The plan");
  delete drawing.dataset.tip;
  let node = 0;
  for (const part of drawing.querySelectorAll("g[data-tip]")) {
    part.setAttribute("tabindex", "0");
    if ([...part.classList].some((name) => NODES.has(name))) {
      // It is called by the words that stand in it.
      part.setAttribute("role", "button");
      part.setAttribute("aria-description", part.dataset.tip);
      part.dataset.node = node;
      node += 1;
    } else {
      part.setAttribute("role", "img");
      part.setAttribute("aria-label", part.dataset.tip);
    }
  }
  root.replaceChildren(drawing);
  const choose = ({ target }) => {
    const part = target.closest("[data-node]");
    if (part) chosen(Number(part.dataset.node));
  };
  drawing.addEventListener("click", choose);
  drawing.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    choose(event);
  });
  return true;
}

/** Tips for what is drawn in `root`. */
export function drawingTips(root) {
  tipsIn(root, "[data-tip]", (part) => part.dataset.tip.split("\n"));
}
