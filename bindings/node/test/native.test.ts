// The addon, where it differs from the modules. What it says is tested by the other files, which run with both.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { pathToFileURL } from "node:url";
import { runInNewContext } from "node:vm";

const ADDON = process.env.ADDON;
assert.ok(ADDON, "ADDON has to name the package of the addon; .ci/node builds it");
process.env.LLMEND_ENGINE = join(ADDON, "llmend.node");
const { parse, reader, repair, value } = await import("llmend");
const { calls } = await import("llmend/calls");
const { parse: fit, reader: fitReader } = await import("llmend/schema");

setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc") as () => void;

test("a million calls do not grow memory", async () => {
  const schema = { type: "object", properties: { a: { type: "integer" } } };
  const tools = { search: { type: "object" } };
  const text = '<tool_call>{"name": "search", "arguments": {}}</tool_call>';
  let calling = 0;
  const part = async (length: number) => {
    for (let call = 0; call < length; call++) {
      calling++;
      const { text: json } = repair("{'a': 1,}");
      if (call % 50 === 0) assert.equal(json, '{"a": 1}');
      if (call % 50 === 10) assert.deepEqual(fit("{a: '1'}", { schema }).value, { a: 1 });
      if (call % 500 === 20) assert.equal(calls(text, { tools }).calls.length, 1);
      if (call % 500 === 30) assert.throws(() => value("no json"));
      // One that nobody finishes.
      if (call % 500 === 40) fitReader({ schema }).push('{"a": "some text');
      // Finalizers free what nobody finishes: they run between tasks.
      if (call % 5000 === 0) {
        gc();
        await setImmediate();
      }
    }
    return process.memoryUsage.rss();
  };
  const before = await part(100_000);
  const after = await part(900_000);
  assert.equal(calling, 1_000_000);
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
function loaded(LLMEND_ENGINE: string): string {
  const code = 'console.log(require("llmend").value("{a: 1}").a);';
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
    // What is loaded by its path may be a script for this test: its name is all that is looked at.
    writeFileSync(join(folder, "other.node"), "");
    assert.match(loaded(join(folder, "other.node")), /file too short|invalid ELF|not a mach-o|ERR_DLOPEN_FAILED/i);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
