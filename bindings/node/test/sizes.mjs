// The sizes of modules in bytes: from the linker, after wasm-opt, and compressed as servers send them:
// `sizes.mjs FOLDER MODULE…`.
import { readFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const [folder, ...modules] = process.argv.slice(2);
const shown = (number) => number.toLocaleString("en-US").padStart(11);
console.log(`${"".padEnd(14)}${["linked", "optimized", "gzip", "brotli"].map((it) => it.padStart(11)).join("")}`);
for (const name of modules) {
  const raw = readFileSync(`${folder}/${name}.linked`).length;
  const module = readFileSync(`${folder}/${name}_bg.wasm`);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
  const sizes = [raw, module.length, gzipSync(module, { level: 9 }).length, brotliCompressSync(module, { params }).length];
  console.log(`${name.padEnd(14)}${sizes.map(shown).join("")}`);
}
