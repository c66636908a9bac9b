// Microseconds per call beside other packages, in one run; every result is checked first.
// `LLMEND_ENGINE=ADDON node benches/speed.mjs` prints the table of README.md. Best of many short batches: other work on the machine shows less.
import { isDeepStrictEqual } from "node:util";
import { parse as bestEffort } from "best-effort-json-parser";
import { jsonrepair } from "jsonrepair";
import { parse, repair, value } from "llmend";
import { jsonrepair as dropIn } from "llmend/jsonrepair";
import { parse as partialJson } from "partial-json";
import untruncateModule from "untruncate-json";
import { table } from "./engines.mjs";
import { TEXTS } from "./texts.mjs";

const untruncate = untruncateModule.default ?? untruncateModule;
console.error = () => {};

const OWN = [
  ["`repair`, to text", (text) => repair(text).text, JSON.parse],
  ["`parse`, to a value", (text) => parse(text).value, (value) => value],
  ["`value`", (text) => value(text), (value) => value],
  ["`jsonrepair` of `llmend/jsonrepair`, to text", (text) => dropIn(text), JSON.parse],
];
const OTHERS = [
  ["JSON.parse", (text) => JSON.parse(text), (value) => value],
  ["jsonrepair, to text", (text) => jsonrepair(text), JSON.parse],
  ["jsonrepair and JSON.parse", (text) => JSON.parse(jsonrepair(text)), (value) => value],
  ["partial-json", (text) => partialJson(text), (value) => value],
  ["best-effort-json-parser", (text) => bestEffort(text), (value) => value],
  ["untruncate-json and JSON.parse", (text) => JSON.parse(untruncate(text)), (value) => value],
];

function micros(work, text) {
  const count = text.length > 10_000 ? 1 : 50;
  let best = Infinity;
  const until = performance.now() + 1000;
  for (let batch = 0; batch < 20 || performance.now() < until; batch++) {
    const start = performance.now();
    for (let call = 0; call < count; call++) work(text);
    best = Math.min(best, (performance.now() - start) / count);
  }
  return best * 1000;
}

function isRight(work, read, text, wanted) {
  try {
    return isDeepStrictEqual(read(work(text)), wanted);
  } catch {
    return false;
  }
}

/** The rows of some ways. Several rounds: what the runtime has optimized by the last one counts. */
function measured(ways) {
  const best = ways.map(([, work, read]) => TEXTS.map(([, text, wanted]) => (isRight(work, read, text, wanted) ? Infinity : null)));
  for (let round = 0; round < 4; round++) {
    for (const [way, [, work]] of ways.entries()) {
      for (const [at, [, text]] of TEXTS.entries()) {
        if (best[way][at] !== null) best[way][at] = Math.min(best[way][at], micros(work, text));
      }
    }
  }
  return ways.map(([name], way) => [name, best[way]]);
}

await table(TEXTS.map(([name]) => name), () => measured(OWN), () => measured(OTHERS));
