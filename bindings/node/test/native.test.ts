// The addon, where it differs from the modules. What it says is tested by the other files, which run with both.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const ADDON = process.env.ADDON;
assert.ok(ADDON, "ADDON has to name the package of the addon; .ci/node builds it");
process.env.LLMEND_ENGINE = join(ADDON, "llmend.node");
const { parse, reader, repair } = await import("llmend");
const { parse: fit } = await import("llmend/schema");
const { small } = await import("../dist/core/small.js");
const { full } = await import("../dist/core/full.js");
const { gc, millionCalls, testFailures } = await import("./engines.ts");

/** What an addon has that is not published. */
interface Addon {
  panic(message?: string): void;
}
const addon = createRequire(import.meta.url)(process.env.LLMEND_ENGINE) as Addon;

testFailures(
  () => small.run("", (glue) => (glue as unknown as Addon).panic()),
  () => full.run("", (glue) => (glue as unknown as Addon).panic()),
);

test("a panic is thrown with a code and its message", () => {
  const code = "LLMEND_PANICKED";
  assert.throws(() => addon.panic(), { code, message: "a literal" });
  assert.throws(() => addon.panic("a formatted message"), { code, message: "a formatted message" });
  const cause = (error: unknown) => (error as Error).cause as Error;
  assert.throws(() => small.run("", () => addon.panic("of a call")), (error) => cause(error).message === "of a call");
});

test("a million calls do not grow memory", async () => {
  const [before, after] = await millionCalls(process.memoryUsage.rss);
  assert.ok(after < before * 1.1 + 20e6, `${before} → ${after}`);
});

test("streams that were ended or left hold nothing, also in a loop that leaves no time to collect them", () => {
  const piece = `["${"x".repeat(1 << 19)}`;
  const before = process.memoryUsage.rss();
  for (let round = 0; round < 100; round++) {
    const reading = reader();
    reading.push(piece);
    reading.free();
    const ended = reader();
    ended.push(piece);
    ended.finish();
    // What JavaScript holds. Finalizers do not run in between.
    gc();
  }
  const after = process.memoryUsage.rss();
  // All of them have a hundred megabytes of text.
  assert.ok(after < before + 60e6, `${before} → ${after}`);
});

test("a report that is read late is that of its text, whichever entry was called since", () => {
  const first = parse("Sure! {'a': 1");
  const fitted = fit("[{a: 1}, {b: 2}]", { schema: {} });
  const second = parse("[1,]");
  assert.equal(first.report.truncated, true);
  assert.equal(fitted.report.repairs.length, 4);
  assert.equal(second.report.repairs.length, 1);
});

test("a second copy of the package has results of its own", async () => {
  const copy = mkdtempSync(join(tmpdir(), "llmend-copy-"));
  try {
    for (const part of ["dist", "package.json"]) cpSync(new URL(`../${part}`, import.meta.url), join(copy, part), { recursive: true });
    const other = (await import(pathToFileURL(join(copy, "dist/index.js")).href)) as typeof import("llmend");
    const first = parse("Sure! {'a': 1");
    const second = other.parse("[1,]");
    assert.equal(first.report.truncated, true);
    assert.equal(second.report.repairs.length, 1);
  } finally {
    rmSync(copy, { recursive: true });
  }
});

test("bytes that another thread has now are an error", () => {
  const bytes = new TextEncoder().encode("{a: 1}");
  structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
  assert.throws(() => repair(bytes), TypeError);
});

test("bytes may be a part of a larger buffer, and empty", () => {
  const bytes = new TextEncoder().encode("xx{a: 'é'}xx");
  assert.equal(repair(bytes.subarray(2, -2)).text, '{"a": "é"}');
  assert.throws(() => repair(new Uint8Array()), /the text is empty/);
});

/** What a process says that loads the package with an engine. */
function loaded(LLMEND_ENGINE: string, code = 'console.log(require("llmend").value("{a: 1}").a);'): string {
  const options = { cwd: import.meta.dirname, env: { ...process.env, LLMEND_ENGINE }, encoding: "utf8" as const };
  const { stdout, stderr } = spawnSync(process.execPath, ["--eval", code], options);
  return stdout + stderr;
}

test("an engine that is named has to be there, and one that is found has to be of this version", () => {
  for (const [engine, said] of [
    ["/nowhere/llmend.node", /Cannot find module '\/nowhere\/llmend\.node'/],
    ["nowhere.node", /Cannot find module '.*\/test\/nowhere\.node'/],
    ["addon", /LLMEND_ENGINE asks for the addon, and there is none/],
    ["WASM", /expected `wasm`, `addon` or the path of an addon \(\.node\), found `WASM`/],
    ["wasm", /^1\n$/],
    ["", /^1\n$/],
  ] as const) {
    assert.match(loaded(engine), said, engine);
  }
  const folder = mkdtempSync(join(tmpdir(), "llmend-other-"));
  try {
    writeFileSync(join(folder, "other.node"), "");
    assert.match(loaded(join(folder, "other.node")), /file too short|invalid ELF|not a mach-o|ERR_DLOPEN_FAILED/i);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("init ignores addresses, which are for browsers, with either engine", () => {
  const code = `
const { init, value } = require("llmend");
(async () => {
  for (const source of [undefined, "/assets/llmend_bg.wasm", new URL("file:///no.wasm")]) await init(source);
  console.log(value("{a: 1}").a);
})();`;
  for (const engine of [process.env.LLMEND_ENGINE ?? "", "wasm"]) assert.equal(loaded(engine, code), "1\n");
});
