// What is tested of both engines in the same way: by engine.test.ts of the modules, and by native.test.ts of the addon.
import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { reader, repair, stream, value } from "llmend";
import { callReader, calls } from "llmend/calls";
import { parse as fit, reader as fitReader } from "llmend/schema";

setFlagsFromString("--expose-gc");
export const gc = runInNewContext("gc") as () => void;

/** Has finalizers free what nobody finished: they run between tasks. */
export async function collect(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    gc();
    await setImmediate();
  }
}

const SCHEMA = { type: "object", properties: { a: { type: "integer" } } };
const TOOLS = { search: { type: "object" } };
const CALL = '<tool_call>{"name": "search", "arguments": {}}</tool_call>';

/** Makes a million calls. Returns what `held` says of memory after the first tenth of them, and after the last. */
export async function millionCalls<T>(held: () => T): Promise<[T, T]> {
  const part = async (length: number) => {
    for (let call = 0; call < length; call++) {
      const { text: json } = repair("{'a': 1,}");
      if (call % 50 === 0) assert.equal(json, '{"a": 1}');
      if (call % 50 === 10) assert.deepEqual(fit("{a: '1'}", { schema: SCHEMA }).value, { a: 1 });
      if (call % 500 === 20) assert.equal(calls(CALL, { tools: TOOLS }).calls.length, 1);
      if (call % 500 === 30) assert.throws(() => value("no json"));
      if (call % 500 === 35) assert.throws(() => fit("{a: 'few'}", { schema: SCHEMA }));
      // One that nobody finishes.
      if (call % 500 === 40) fitReader({ schema: SCHEMA }).push('{"a": "some text');
      if (call % 5000 === 0) await collect(1);
    }
    await collect(5);
    return held();
  };
  return [await part(100_000), await part(900_000)];
}

const FAILED = /^Error: internal error: the engine was restarted; open streams are lost$/;
const LOST = /^Error: the stream is lost: the engine was restarted after an internal error$/;

/** Tests what is left once an engine has failed. `failing` and `failingFull` make calls of the two engines that fail. */
export function testFailures(failing: () => unknown, failingFull: () => unknown): void {
  test("a failure of the engine is an error of one call: the next one succeeds", () => {
    const early = repair("{'a': 1}");
    const [open, ended] = [reader(), reader()];
    open.push("[1");
    assert.throws(failing, FAILED);
    assert.equal(repair("{'a': 1}").text, '{"a": 1}');
    // What was begun before is lost, and says so; what can be made again is.
    assert.throws(() => open.push(", 2"), LOST);
    assert.throws(() => ended.finish(), LOST);
    assert.equal(early.report.repairs.length, 2);
    const next = reader();
    next.push("[1]");
    assert.deepEqual(next.finish().value, [1]);
  });

  test("reports with a schema survive a failure, and readers of calls are lost", () => {
    const fitted = fit("{a: '1'}", { schema: SCHEMA });
    const [open, ended] = [callReader(), callReader()];
    assert.throws(failingFull, FAILED);
    assert.equal(fitted.report.coercions.length, 1);
    assert.throws(() => open.push("x"), LOST);
    assert.throws(() => ended.finish(), LOST);
  });

  test("compiled schemas and tools survive a failure", () => {
    for (let round = 0; round < 2; round++) {
      assert.deepEqual(fit("{a: '1'}", { schema: SCHEMA }).value, { a: 1 });
      assert.equal(calls(CALL, { tools: TOOLS }).calls.length, 1);
      assert.throws(failingFull, FAILED);
    }
  });

  test("a stream that a failure has ended is an error, and the next stream is read", async () => {
    const open = stream(["[1, 2]"]);
    assert.throws(failing, FAILED);
    await assert.rejects(open.final, LOST);
    assert.deepEqual((await stream(["[1, 2]"]).final).value, [1, 2]);
  });
}
