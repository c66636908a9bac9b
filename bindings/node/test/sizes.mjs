// The sizes of modules in bytes: from the linker, after wasm-opt, and compressed as servers send them:
// `sizes.mjs FOLDER MODULE…`. What a change adds is seen when it is made: a module that is larger than `MOST`, compressed
// by brotli, is a fault.
import { readFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const MOST = { llmend: 320_000, llmend_full: 1_200_000 };

const [folder, ...modules] = process.argv.slice(2);
const shown = (number) => number.toLocaleString("en-US").padStart(11);
console.log(`${"".padEnd(14)}${["linked", "optimized", "gzip", "brotli"].map((it) => it.padStart(11)).join("")}`);
for (const name of modules) {
  const raw = readFileSync(`${folder}/${name}.linked`).length;
  const module = readFileSync(`${folder}/${name}_bg.wasm`);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
  const sizes = [raw, module.length, gzipSync(module, { level: 9 }).length, brotliCompressSync(module, { params }).length];
  console.log(`${name.padEnd(14)}${sizes.map(shown).join("")}`);
  if (sizes[3] > MOST[name]) {
    console.log(`  more than ${shown(MOST[name]).trim()}`);
    process.exitCode = 1;
  }
}
