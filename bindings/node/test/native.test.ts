// The addon, where it differs from the modules. What it says is tested by the other files, which run with both.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const ADDON = process.env.ADDON;
assert.ok(ADDON, "ADDON has to name the package of the addon; .ci/node builds it");
process.env.LLMEND_ENGINE = join(ADDON, "llmend.node");
const { reader, repair, value } = await import("llmend");
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

test("bytes may be a part of a larger buffer, and empty", () => {
  const bytes = new TextEncoder().encode("xx{a: 'é'}xx");
  assert.equal(repair(bytes.subarray(2, -2)).text, '{"a": "é"}');
  assert.throws(() => repair(new Uint8Array()), /the text is empty/);
});

test("an engine that is named has to be there", () => {
  const named = { ...process.env, LLMEND_ENGINE: "/nowhere/llmend.node" };
  const { status, stderr } = spawnSync(process.execPath, ["--eval", 'require("llmend")'], { cwd: import.meta.dirname, env: named, encoding: "utf8" });
  assert.equal(status, 1);
  assert.match(stderr, /\/nowhere\/llmend\.node/);
});
