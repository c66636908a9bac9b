import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { init, parse, partialStream, reader, repair, stream } from "llmend";
import { callEvents, callReader, callStream, calls } from "llmend/calls";
import { parse as fit, reader as fitReader } from "llmend/schema";
import { onceAsked } from "../dist/core/loader.js";
import { initSync, TextEvents } from "../dist/wasm/llmend.js";
import { CallStream, initSync as initFull } from "../dist/wasm/llmend_full.js";

/** Something that no memory can hold, so that the engine aborts. */
const IMPOSSIBLE = { length: 4e9, [Symbol.toStringTag]: "Uint8Array" } as unknown as Uint8Array;

const LOST = /^Error: the stream is lost: the engine was restarted after an internal error$/;

test("an abort is an error of one call: the next call has a new instance", () => {
  const report = repair("{'a': 1}");
  const open = reader();
  assert.throws(() => repair(IMPOSSIBLE), /internal error: the engine was restarted/);
  assert.equal(repair("{'a': 1}").text, '{"a": 1}');
  // What was begun before is lost, and says so; what can be made again is.
  assert.throws(() => open.push("[1"), LOST);
  assert.throws(() => open.finish(), LOST);
  assert.equal(report.report.repairs.length, 2);
});

test("reports with a schema survive an abort, and readers of calls are lost", () => {
  const fitted = fit("{a: '1'}", { schema: { properties: { a: { type: "integer" } } } });
  const [reading, opened] = [callReader(), callReader()];
  assert.throws(() => fit(IMPOSSIBLE, { schema: {} }), /internal error: the engine was restarted/);
  assert.equal(fitted.report.coercions.length, 1);
  assert.throws(() => reading.push("x"), LOST);
  assert.throws(() => opened.finish(), LOST);
});

test("compiled schemas and tools survive an abort", () => {
  const schema = { type: "object", properties: { a: { type: "integer" } } };
  const tools = { search: { type: "object" } };
  const text = '<tool_call>{"name": "search", "arguments": {}}</tool_call>';
  for (let round = 0; round < 2; round++) {
    assert.deepEqual(fit("{a: '1'}", { schema }).value, { a: 1 });
    assert.equal(calls(text, { tools }).calls.length, 1);
    assert.throws(() => fit(IMPOSSIBLE, { schema }), /internal error: the engine was restarted/);
  }
});

test("memory does not grow with the number of calls", async () => {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  const rows = Array.from({ length: 20 }, (_, id) => `{id: ${id}, 'name': 'row ${id}', done: True, note: None,}`);
  const text = `Here: [${rows.join(",\n")}]`;
  repair(text);
  const { memory } = initSync() as { memory: WebAssembly.Memory };
  const round = async () => {
    for (let call = 0; call < 10_000; call++) {
      const outcome = parse(text);
      if (call % 10 === 0) assert.equal(outcome.report.repairs.length > 20, true);
      if (call % 100 === 0) assert.throws(() => parse("no json"));
      // One that nobody finishes.
      if (call % 10 === 0) reader().push('{"a": "some text');
    }
    for (let turn = 0; turn < 5; turn++) {
      gc();
      await setImmediate();
    }
    return [memory.buffer.byteLength, process.memoryUsage().heapUsed] as const;
  };
  await round();
  const [first, heap] = await round();
  await round();
  const [last, heapAfter] = await round();
  assert.equal(last, first);
  assert.ok(heapAfter < heap * 1.2 + 1e6, `${heap} → ${heapAfter}`);
});

test("a million calls do not grow memory", async () => {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  const schema = { type: "object", properties: { a: { type: "integer" } } };
  const tools = { search: { type: "object" } };
  const text = '<tool_call>{"name": "search", "arguments": {}}</tool_call>';
  repair("[1,]");
  fit("{a: 1}", { schema });
  const memories = [initSync(), initFull()].map((glue) => (glue as { memory: WebAssembly.Memory }).memory);
  let calling = 0;
  // Finalizers free what nobody finishes: they run between tasks.
  const collect = async (turns: number) => {
    for (let turn = 0; turn < turns; turn++) {
      gc();
      await setImmediate();
    }
  };
  const part = async (length: number) => {
    for (let call = 0; call < length; call++) {
      calling++;
      const { text: json } = repair("{'a': 1,}");
      if (call % 50 === 0) assert.equal(json, '{"a": 1}');
      if (call % 50 === 10) assert.deepEqual(fit("{a: '1'}", { schema }).value, { a: 1 });
      if (call % 500 === 20) assert.equal(calls(text, { tools }).calls.length, 1);
      if (call % 500 === 30) assert.throws(() => fit("{a: 'few'}", { schema }));
      // One that nobody finishes.
      if (call % 500 === 40) fitReader({ schema }).push('{"a": "some text');
      if (call % 5000 === 0) await collect(1);
    }
    await collect(5);
    return [...memories.map((memory) => memory.buffer.byteLength), process.memoryUsage().heapUsed] as const;
  };
  const [engine, full, heap] = await part(100_000);
  const [engineAfter, fullAfter, heapAfter] = await part(900_000);
  assert.equal(calling, 1_000_000);
  assert.deepEqual([engineAfter, fullAfter], [engine, full]);
  assert.ok((heapAfter as number) < (heap as number) * 1.1 + 1e6, `${heap} → ${heapAfter}`);
});

test("init is not needed where a module is compiled at once, and harmless", async () => {
  await init();
  await init();
  assert.equal(repair("[1,]").text, "[1]");
});

test("where it is needed, a call before it says so, and one that failed can be made again", async () => {
  const asked: unknown[] = [];
  let fails = true;
  const glue = {
    default: async ({ module_or_path }: { module_or_path: unknown }) => {
      asked.push(module_or_path);
      if (fails) throw new Error("offline");
    },
  };
  const loader = onceAsked(glue as never, () => new URL("https://example.org/llmend_bg.wasm"), "llmend/schema");
  assert.throws(() => loader.start(), /llmend\/schema has not been started: await the `init\(\)` of that entry first/);
  await assert.rejects(loader.init(), /offline/);
  fails = false;
  await loader.init("/moved.wasm");
  await loader.init();
  assert.deepEqual(asked, [new URL("https://example.org/llmend_bg.wasm"), "/moved.wasm"]);
});

/** Counts what is freed of a class of the module while `work` runs. */
async function freed(of: { prototype: { free(): void } }, work: () => Promise<unknown>): Promise<number> {
  const { free } = of.prototype;
  let count = 0;
  of.prototype.free = function () {
    count++;
    free.call(this);
  };
  try {
    await work();
  } finally {
    of.prototype.free = free;
  }
  return count;
}

test("a stream that is read, left or fails frees its reader", async () => {
  const source = (text: string) => ReadableStream.from(text.split(""));
  const all = async (steps: AsyncIterable<unknown>) => {
    for await (const _ of steps);
  };
  const left = async (steps: AsyncIterable<unknown>) => {
    for await (const _ of steps) break;
  };
  const failing = (steps: AsyncIterable<unknown>) => assert.rejects(all(steps));
  for (const open of [(text: string) => stream(source(text)), (text: string) => source(text).pipeThrough(partialStream())]) {
    assert.equal(await freed(TextEvents, () => all(open("[1, 2]"))), 1);
    assert.equal(await freed(TextEvents, () => left(open("[1, 2]"))), 1);
    assert.equal(await freed(TextEvents, () => failing(open("no json"))), 1);
    assert.equal(await freed(TextEvents, () => failing(open("[1, '\ud83dx']"))), 1);
  }
  const text = 'x <tool_call>{"name": "a", "arguments": {}}</tool_call>';
  for (const open of [(text: string) => callEvents(source(text)), (text: string) => source(text).pipeThrough(callStream())]) {
    assert.equal(await freed(CallStream, () => all(open(text))), 1);
    assert.equal(await freed(CallStream, () => left(open(text))), 1);
    assert.equal(await freed(CallStream, () => failing(open("x \ud83dx"))), 1);
  }
});

test("a stream of an instance that was dropped frees nothing in the next", async () => {
  const open = stream(["[1, 2]"]);
  const count = await freed(TextEvents, async () => {
    assert.throws(() => repair(IMPOSSIBLE), /internal error: the engine was restarted/);
    await assert.rejects(open.final);
  });
  assert.equal(count, 0);
});
