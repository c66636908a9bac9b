// Playback of an answer as a stream.

import { byId, counted, element, visible } from "./element.js";
import { Offsets } from "./offsets.js";
import { KIND, keyOf, textOf } from "./tape.js";

/** Maximum number of parts shown, the latest. */
const MAX_PARTS = 200;
/** Maximum number of chunks by default. */
const USUAL_CHUNKS = 1500;
const PREVIEW = 400;

/**
 * Creates the player. `load` fetches the chunks for a chunk size, `showAt` receives the end of the received text
 * and a predicate for repairs that are not yet certain, and `stopped` is called at the end.
 */
export function player({ load, showAt, stopped }) {
  const bar = byId("player");
  const slider = byId("player-at");
  const play = byId("player-play");
  const state = byId("player-state");
  const grown = byId("grown");
  let run = null;
  let at = 0;
  let timer = 0;
  let asked = 0;

  /** Shows the part of the value that is certain after a chunk. */
  function showValue() {
    const parts = at === 0 ? 0 : run.parts[at - 1];
    const isEnd = at === run.end.length;
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
      row.append(element("span", { class: growing === -1 ? "value" : "value growing" }, valueText(part, growing)));
      rows.push(row);
    }
    if (rows.length === 0) rows.push(element("p", { class: "none" }, "No part of the value is certain yet."));
    grown.replaceChildren(...rows);
    grown.scrollTop = grown.scrollHeight;
  }

  function valueText(part, growing) {
    const { tape, json } = run;
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

  function show() {
    slider.value = String(at);
    const isEnd = at === run.end.length;
    const arrived = at === 0 ? 0 : run.end[at - 1];
    const parts = at === 0 ? 0 : run.parts[at - 1];
    let certain = at === 0 ? 0 : run.known[at - 1];
    if (isEnd) certain = run.certain.length;
    state.textContent = `chunk ${at} of ${run.end.length} · ${counted(parts, "part")} and ${counted(certain, "repair")} certain`;
    showAt(arrived, (mark) => !isEnd && run.certain[mark] >= at);
    showValue();
  }

  function pause() {
    clearInterval(timer);
    timer = 0;
    play.textContent = "Play";
  }

  function tick() {
    const speed = Number(byId("player-speed").value);
    // At more than 30 chunks a second, several are shown at once.
    const step = Math.max(1, Math.round(speed / 30));
    at = Math.min(at + step, run.end.length);
    show();
    if (at === run.end.length) pause();
  }

  function start() {
    if (at === run.end.length) at = 0;
    play.textContent = "Pause";
    clearInterval(timer);
    timer = setInterval(tick, 1000 / Math.min(30, Number(byId("player-speed").value)));
  }

  async function reload() {
    pause();
    asked += 1;
    const mine = asked;
    const next = await load(Number(byId("player-chunk").value));
    if (mine !== asked || bar.hidden || next === null) return;
    run = next;
    at = 0;
    slider.max = String(run.end.length);
    show();
    start();
  }

  play.addEventListener("click", () => {
    if (run === null) return;
    if (timer === 0) start();
    else pause();
  });
  byId("player-step").addEventListener("click", () => {
    if (run === null) return;
    pause();
    at = Math.min(at + 1, run.end.length);
    show();
  });
  slider.addEventListener("input", () => {
    if (run === null) return;
    pause();
    at = Number(slider.value);
    show();
  });
  byId("player-chunk").addEventListener("change", reload);
  byId("player-speed").addEventListener("change", () => {
    if (timer !== 0) start();
  });

  return {
    isOpen: () => !bar.hidden,
    /** Plays a text of this size in bytes. */
    open(bytes) {
      bar.hidden = false;
      const sizes = [...byId("player-chunk").options].map((option) => option.value);
      byId("player-chunk").value = sizes.find((size) => size >= 8 && bytes / size <= USUAL_CHUNKS) ?? sizes.at(-1);
      return reload();
    },
    reload,
    close() {
      if (bar.hidden) return;
      pause();
      asked += 1;
      run = null;
      bar.hidden = true;
      grown.replaceChildren();
      stopped();
    },
  };
}
