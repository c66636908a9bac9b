// Milliseconds for a view of each step of a valid answer that arrives in pieces, beside other packages.
// `LLMEND_ENGINE=ADDON node benches/streams.mjs` prints the table of README.md.
import { parsePartialJson } from "ai";
import { parse as partialJson } from "partial-json";
import { reader } from "llmend";
import { reader as fitReader } from "llmend/schema";
import { table } from "./engines.mjs";
import { SCHEMA, answer } from "./texts.mjs";

const cut = (text, size) => Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));

const OWN = {
  "`reader`": async (pieces) => {
    const read = reader();
    let view;
    for (const piece of pieces) view = read.push(piece).value;
    return read.finish().value ?? view;
  },
  "`reader`, live": async (pieces) => {
    const read = reader();
    let live;
    for (const piece of pieces) live = read.push(piece).live;
    return read.finish().value ?? live;
  },
  "`reader` with a schema, live": async (pieces) => {
    const read = fitReader({ schema: SCHEMA });
    let live;
    for (const piece of pieces) live = read.push(piece).live;
    return read.finish().value ?? live;
  },
};

// These read the whole text for each piece.
const OTHERS = {
  "parsePartialJson of ai": async (text) => (await parsePartialJson(text)).value,
  "partial-json": async (text) => partialJson(text),
};

const rereading = (view) => async (pieces) => {
  let text = "";
  let made;
  for (const piece of pieces) made = await view((text += piece));
  return made;
};

/** Estimates the time for all pieces from beginnings of the text, evenly spread: all would take minutes. */
async function estimated(view, pieces) {
  const text = pieces.join("");
  const samples = 200;
  let spent = 0;
  // The first round has the runtime optimize what is timed in the second one.
  for (let round = 0; round < 2; round++) {
    spent = 0;
    for (let sample = 0; sample < samples; sample++) {
      const end = Math.ceil(((sample + 0.5) * pieces.length) / samples) * pieces[0].length;
      // In one piece, as a text is that was received.
      const beginning = Buffer.from(text.slice(0, end)).toString();
      const start = performance.now();
      await view(beginning);
      spent += performance.now() - start;
    }
  }
  return `≈ ${Math.round((spent * pieces.length) / samples / 1000).toLocaleString("en-US")},000`;
}

const CASES = [[15_000, 4], [15_000, 20], [1_000_000, 4], [1_000_000, 20]];

/** The rows of some ways. */
async function measured(ways, views = {}) {
  const rows = [];
  for (const [name, way] of Object.entries(ways)) {
    const cells = [];
    for (const [bytes, size] of CASES) {
      const text = answer(bytes);
      const pieces = cut(text, size);
      if (name in views && bytes > 15_000) {
        cells.push(await estimated(views[name], pieces));
        continue;
      }
      let best = Infinity;
      // Until the runtime has optimized what is timed.
      const until = performance.now() + 3000;
      for (let round = 0; round < 3 || performance.now() < until; round++) {
        const start = performance.now();
        const made = await way(pieces);
        best = Math.min(best, performance.now() - start);
        if (JSON.stringify(made) !== text) throw new Error(`${name}: another value`);
      }
      cells.push(best);
    }
    rows.push([name, cells]);
  }
  return rows;
}

const columns = ["15 KB by 4", "15 KB by 20", "1 MB by 4", "1 MB by 20"];
const others = Object.fromEntries(Object.entries(OTHERS).map(([name, view]) => [name, rereading(view)]));
await table(columns, () => measured(OWN), () => measured(others, OTHERS));
