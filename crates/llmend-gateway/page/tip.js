// Tooltips.

import { byId, element } from "./element.js";

/** Shows lines next to an element. The first is the heading. */
export function showTip(anchor, lines) {
  const tip = byId("tip");
  tip.replaceChildren(...lines.filter((line) => line !== "").map((line, at) => (
    element("p", { class: at === 0 ? "tip-head" : null }, line)
  )));
  tip.hidden = false;
  const at = anchor.getClientRects()[0] ?? anchor.getBoundingClientRect();
  const { width, height } = tip.getBoundingClientRect();
  const left = Math.max(8, Math.min(at.left, innerWidth - width - 8));
  const below = at.bottom + 6 + height < innerHeight;
  tip.style.left = `${left}px`;
  tip.style.top = `${Math.max(8, below ? at.bottom + 6 : at.top - 6 - height)}px`;
}

export function hideTip() {
  byId("tip").hidden = true;
}

/** Enables tooltips for elements in `root` that match `selector`. `lines` returns their text. */
export function tipsIn(root, selector, lines) {
  const show = ({ target }) => {
    const anchor = target.closest?.(selector);
    if (anchor && root.contains(anchor)) showTip(anchor, lines(anchor));
    else hideTip();
  };
  root.addEventListener("pointerover", show);
  root.addEventListener("pointerleave", hideTip);
  root.addEventListener("focusin", show);
  root.addEventListener("focusout", hideTip);
  root.addEventListener("scroll", hideTip, { capture: true, passive: true });
}

addEventListener("keydown", ({ key }) => {
  if (key === "Escape") hideTip();
});
