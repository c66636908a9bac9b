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

const OTHERS = {
  "parsePartialJson of ai": async (pieces) => {
    let text = "";
    let view;
    for (const piece of pieces) view = (await parsePartialJson((text += piece))).value;
    return view;
  },
  "partial-json": async (pieces) => {
    let text = "";
    let view;
    for (const piece of pieces) view = partialJson((text += piece));
    return view;
  },
};

const CASES = [[15_000, 4], [15_000, 20], [1_000_000, 4], [1_000_000, 20]];

/** The rows of some ways. Those that read the whole text for each piece are timed with the short ones. */
async function measured(ways, longest) {
  const rows = [];
  for (const [name, way] of Object.entries(ways)) {
    const cells = [];
    for (const [bytes, size] of CASES) {
      if (bytes > longest) {
        cells.push(null);
        continue;
      }
      const text = answer(bytes);
      const pieces = cut(text, size);
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
await table(columns, () => measured(OWN, Infinity), () => measured(OTHERS, 15_000));
