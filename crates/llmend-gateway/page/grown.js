// The value as it grows while its text is played.

import { counted, element, visible } from "./element.js";
import { Offsets } from "./offsets.js";
import { KIND, keyOf, textOf } from "./tape.js";

/** Maximum number of parts shown, the latest. */
const MAX_PARTS = 200;
const PREVIEW = 400;

/** Shows the part of the value that is certain after `at` chunks, and says how much is. */
export function showGrown(root, run, at) {
  const parts = at === 0 ? 0 : run.parts[at - 1];
  const isEnd = at === run.end.length;
  let certain = at === 0 ? 0 : run.known[at - 1];
  if (isEnd) certain = run.certain.length;
  const { tape, json } = run;
  const rows = [];
  const count = tape === null ? 0 : Math.min(isEnd ? tape.length : parts, tape.length);
  for (let part = Math.max(0, count - MAX_PARTS); part < count; part += 1) {
    const kind = tape.kind[part];
    if (kind === KIND.key) continue;
    let depth = 0;
    for (let up = tape.parent[part]; up !== -1; up = tape.parent[up]) depth += 1;
    const name = keyOf(json, tape, part, 80);
    const growing = !isEnd && part === count - 1 ? run.growing[at - 1] : -1;
    const row = element("div", { class: "grown-row" });
    row.style.paddingInlineStart = `${Math.min(depth, 12) * 14}px`;
    if (name !== null) row.append(element("span", { class: "name" }, visible(name)), ": ");
    row.append(element("span", { class: growing === -1 ? "value" : "value growing" }, valueText(run, part, growing)));
    rows.push(row);
  }
  if (rows.length === 0) rows.push(element("p", { class: "none" }, "No part of the value is certain yet."));
  root.replaceChildren(...rows);
  root.scrollTop = root.scrollHeight;
  return `${counted(parts, "part")} and ${counted(certain, "repair")} certain`;
}

function valueText({ tape, json }, part, growing) {
  switch (tape.kind[part]) {
    case KIND.array: return "[";
    case KIND.object: return "{";
    case KIND.string: {
      const whole = textOf(json, tape, part, growing === -1 ? PREVIEW : Infinity);
      if (growing === -1) return JSON.stringify(whole);
      const said = whole.slice(0, new Offsets(whole).unit(growing));
      return `${JSON.stringify(said.length > PREVIEW ? `…${said.slice(-PREVIEW)}` : said).slice(0, -1)}▌`;
    }
    default: return json.slice(tape.start[part], tape.end[part]).slice(0, PREVIEW);
  }
}
