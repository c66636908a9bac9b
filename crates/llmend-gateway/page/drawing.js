// Display of the gateway's SVG drawings.
//
// A drawing is parsed into a separate document, and only known shapes and texts are copied, so nothing in
// it can run. Copied elements take part in the page: they have tooltips and use its colors.

import { parsedDrawing } from "./trusted.js";
import { tipsIn } from "./tip.js";

const SVG = "http://www.w3.org/2000/svg";
const ELEMENTS = new Set(["svg", "g", "title", "desc", "rect", "path", "circle", "text"]);
const ATTRIBUTES = new Set([
  "class", "viewBox", "width", "height", "x", "y", "cx", "cy", "r", "rx", "d", "transform",
  "text-anchor", "stroke-linejoin",
]);
const NODES = new Set(["tool", "ai", "fork", "loop", "missing"]);

/** Copies the allowed elements of `from`. Texts of `title` and `desc` become tooltips. */
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

/** Shows a drawing in `root`. `chosen` receives the number of a clicked node, in the order of the plan. */
export function showDrawing(root, svg, chosen) {
  const parsed = parsedDrawing(svg).documentElement;
  if (parsed.localName !== "svg") return false;
  const drawing = copied(parsed);
  drawing.setAttribute("role", "group");
  drawing.setAttribute("aria-label", drawing.dataset.tip ?? "Plan");
  delete drawing.dataset.tip;
  let node = 0;
  for (const part of drawing.querySelectorAll("g[data-tip]")) {
    part.setAttribute("tabindex", "0");
    if ([...part.classList].some((name) => NODES.has(name))) {
      // Its accessible name is the text in it.
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

/** Enables tooltips for the drawing in `root`. */
export function drawingTips(root) {
  tipsIn(root, "[data-tip]", (part) => part.dataset.tip.split("\n"));
}
