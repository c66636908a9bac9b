import assert from "node:assert/strict";
import { test } from "node:test";
import { init, parse, partialStream, reader, repair, stream } from "llmend";
import { callEvents, callStream } from "llmend/calls";
import { parse as fit } from "llmend/schema";
import { onceAsked } from "../dist/core/loader.js";
import { initSync, TextEvents } from "../dist/wasm/llmend.js";
import { CallStream, initSync as initFull } from "../dist/wasm/llmend_full.js";
import { collect, millionCalls, testFailures } from "./engines.ts";

/** More than a module can hold, so that it aborts. The system has no memory for it before it is written to. */
const IMPOSSIBLE = new Uint8Array(2 ** 31);

testFailures(
  () => repair(IMPOSSIBLE),
  () => fit(IMPOSSIBLE, { schema: {} }),
);

test("memory does not grow with the number of calls", async () => {
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
    await collect(5);
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
  repair("[1,]");
  fit("{a: 1}", { schema: {} });
  const memories = [initSync(), initFull()].map((glue) => (glue as { memory: WebAssembly.Memory }).memory);
  const [before, after] = await millionCalls(() => ({
    modules: memories.map((memory) => memory.buffer.byteLength),
    heap: process.memoryUsage().heapUsed,
  }));
  assert.deepEqual(after.modules, before.modules);
  assert.ok(after.heap < before.heap * 1.1 + 1e6, `${before.heap} → ${after.heap}`);
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
