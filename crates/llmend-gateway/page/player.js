// Playback of an answer as a stream.

import { byId } from "./element.js";

/** Maximum number of chunks by default. */
const USUAL_CHUNKS = 1500;

/**
 * Creates the player. `load` fetches the run for a chunk size, whose column `end` has the end of each chunk. `showAt`
 * shows the run after a number of chunks and says what is certain, and `stopped` is called at the end.
 */
export function player({ load, showAt, stopped }) {
  const bar = byId("player");
  const slider = byId("player-at");
  const play = byId("player-play");
  const state = byId("player-state");
  let run = null;
  let at = 0;
  let timer = 0;
  let asked = 0;

  function show() {
    slider.value = String(at);
    state.textContent = `chunk ${at} of ${run.end.length} · ${showAt(run, at)}`;
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
      stopped();
    },
  };
}
