import assert from "node:assert/strict";
import { test } from "node:test";
import { OptionError, RepairError, UnfitError, UnsureError, parse, partialStream, reader, repairStream, stream } from "llmend";
import { reader as fitting, repairStream as fittingStream } from "llmend/schema";

const ANSWER = `Here you go:
\`\`\`json
{'title': "A \\"day\\" in 東京 🙂", steps: [
  {id: 1, 'tool': 'search', done: True},
  {id: 2, 'tool': 'book', args: {'a/b': [1.5, None, {}], '': "x"}, done: False},
], 'count': 2,}
\`\`\`
Anything else?`;

function* cut(text: string, size: number): Generator<string> {
  for (let at = 0; at < text.length; at += size) {
    // Not within a character.
    let end = Math.min(at + size, text.length);
    if (/[\ud800-\udbff]/.test(text[end - 1] ?? "")) end++;
    yield text.slice(at, end);
    at = end - size;
  }
}

/** Returns whether everything in `before` is in `after` too: a string may have grown. */
function grew(before: unknown, after: unknown, path = ""): void {
  if (before === undefined) return;
  if (typeof before === "string") {
    assert.ok(typeof after === "string" && after.startsWith(before), `${path}: ${before} → ${after}`);
  } else if (typeof before === "object" && before !== null) {
    assert.equal(Array.isArray(before), Array.isArray(after), path);
    for (const [key, value] of Object.entries(before)) {
      assert.ok(Object.hasOwn(after as object, key), `${path}/${key}`);
      grew(value, (after as Record<string, unknown>)[key], `${path}/${key}`);
    }
  } else {
    assert.equal(after, before, path);
  }
}

test("partial values grow, take nothing back, and end in what the whole text gives", async () => {
  const whole = parse(ANSWER, { choice: "first" });
  for (const size of [1, 2, 3, 7, 50, 10_000]) {
    let before: unknown;
    const seen: [unknown, string][] = [];
    const answer = stream(cut(ANSWER, size));
    for await (const step of answer) {
      grew(before, step.value);
      before = step.value;
      seen.push([step.value, JSON.stringify(step.value)]);
    }
    assert.deepEqual(before, whole.value);
    // No later step changed an earlier view.
    for (const [value, json] of seen) assert.equal(JSON.stringify(value), json);
    const final = await answer.final;
    assert.deepEqual(final.value, whole.value);
    assert.deepEqual(final.report, whole.report);
    assert.ok(size > 7 || seen.length > 5);
  }
});

test("views share what is closed", () => {
  const read = reader<{ steps: object[] }>();
  const first = read.push('{"steps": [{"id": 1}, {"id": 2').value;
  const second = read.push('5}, {"id": 3').value;
  assert.equal(first?.steps?.[0], second?.steps?.[0]);
  assert.notEqual(first?.steps, second?.steps);
  assert.deepEqual(first, { steps: [{ id: 1 }, {}] });
  assert.deepEqual(second, { steps: [{ id: 1 }, { id: 25 }, {}] });
});

test("each part is told once when it closes, with its pointer", async () => {
  const closed: string[] = [];
  for await (const step of stream(cut("{a: [1, 'x', {b: null}], 'c/d~': 'e'}", 1))) closed.push(...step.closed);
  assert.deepEqual(closed, ["/a/0", "/a/1", "/a/2/b", "/a/2", "/a", "/c~1d~0", ""]);
});

test("the items of a list come as they close", async () => {
  const seen: unknown[] = [];
  const answer = stream(cut("{'steps': [{id: 1}, {id: 2}, {id: 3}], 'other': [7]}", 3));
  for await (const item of answer.items("/steps")) seen.push(item);
  assert.deepEqual(seen, [{ id: 1 }, { id: 2 }, { id: 3 }]);
  assert.deepEqual((await answer.final).value, { steps: [{ id: 1 }, { id: 2 }, { id: 3 }], other: [7] });
  const all: unknown[] = [];
  for await (const item of stream(["[1, 2", "3, 'a']"]).items("")) all.push(item);
  assert.deepEqual(all, [1, 23, "a"]);
  await assert.rejects(stream(["[1]"]).items("steps").next(), /JSON Pointer/);
});

test("items of a list that another one takes the place of are an error, never a mix of the two", async () => {
  for (const [text, size] of [
    ['{"a":[1,2],"a":[3,4,5]}', 1], ['{"b":{"a":[1,2]},"b":{"a":[3,4,5]}}', 1], ['{"a":[1,2],"a":[]}', 1], ['{"a":[1,2,9],"a":[3,{}]}', 9],
  ] as const) {
    const pointer = text.includes("b") ? "/b/a" : "/a";
    const seen: unknown[] = [];
    const reading = async () => {
      for await (const item of stream(cut(text, size)).items(pointer)) seen.push(item);
    };
    await assert.rejects(reading, { code: "stream/replaced", message: "a value that was already streamed has changed" }, text);
    assert.deepEqual(seen, [1, 2, 9].slice(0, seen.length), text);
  }
  // Nothing of the first list was given yet.
  for (const pieces of [['{"a":[1,2,9],"a":[3,{"b":', "4}]}"], ['{"a":[', '],"a":[3,{"b":4}]}']]) {
    const answer = stream(pieces);
    const seen: unknown[] = [];
    for await (const item of answer.items("/a")) seen.push(item);
    assert.deepEqual(seen, [3, { b: 4 }]);
  }
  const read = reader();
  assert.deepEqual(read.push('{"a":[1,2],"a":[3,').closed, ["/a/0"]);
});

test("a step as plain data has its value", () => {
  const step = reader().push('{"a": [1, 2');
  assert.deepEqual(JSON.parse(JSON.stringify(step)), { value: { a: [1] }, state: "partial", closed: ["/a/0"], repairs: [] });
});

test("a value without the list is an error which holds it", async () => {
  for (const [text, message] of [
    ["{'plan': [1]}", "the value has no list at `/steps`: expected array, found nothing"],
    ["{'steps': {'id': 1}}", "the value has no list at `/steps`: expected array, found object"],
    ["7", "the value has no list at `/steps`: expected array, found nothing"],
  ] as const) {
    await assert.rejects(stream(cut(text, 2)).items("/steps").next(), (error) => {
      assert.ok(error instanceof UnfitError, text);
      assert.deepEqual([error.code, error.message, error.text], ["items/no-list", message, text]);
      assert.deepEqual([error.value, error.violations[0]?.path], [parse(text).value, "/steps"]);
      return true;
    });
  }
  const empty: unknown[] = [];
  for await (const item of stream(["{'steps': []}"]).items("/steps")) empty.push(item);
  assert.deepEqual(empty, []);
});

test("final alone reads to the end, and rejects where there is no value", async () => {
  assert.deepEqual((await stream(["[1,", " 2"]).final).value, [1, 2]);
  await assert.rejects(stream(["no ", "json"]).final, RepairError);
  const failing = stream(["no json"]);
  await assert.rejects(async () => {
    for await (const _ of failing);
  }, RepairError);
  await assert.rejects(failing.final, RepairError);
});

test("an error of the source is passed on", async () => {
  async function* source() {
    yield "[1, 2";
    throw new Error("connection lost");
  }
  await assert.rejects(stream(source()).final, /connection lost/);
});

test("a stream that is left early frees its source and rejects final", async () => {
  let closed = false;
  async function* source() {
    try {
      for (;;) yield "[1, ";
    } finally {
      closed = true;
    }
  }
  const answer = stream(source());
  for await (const _ of answer) break;
  assert.ok(closed);
  await assert.rejects(answer.final, /left before its end/);
  await assert.rejects(answer[Symbol.asyncIterator]().next(), /already consumed/);
});

test("bytes may be cut within a character", async () => {
  const bytes = new TextEncoder().encode(ANSWER);
  const pieces = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
  assert.deepEqual((await stream(pieces).final).value, parse(ANSWER).value);
});

const EMOJI = "Sure 🙂: {'🙂a': \"x🙂🙂y\", b: ['👩‍🚀', 1], c: '🙂'} 🙂";

test("a piece may end within a surrogate pair: in pieces of one unit, and in every cut into two", async () => {
  const whole = parse(EMOJI, { choice: "first" });
  const units = EMOJI.split("");
  assert.ok(units.length > [...EMOJI].length);
  const cuts = [units, ...units.map((_, at) => [EMOJI.slice(0, at), EMOJI.slice(at)])];
  for (const pieces of cuts) {
    const answer = stream(pieces);
    let before: unknown;
    for await (const step of answer) {
      grew(before, step.value);
      before = step.value;
    }
    const final = await answer.final;
    assert.deepEqual([before, final.value, final.report], [whole.value, whole.value, whole.report]);
    let json = "";
    for await (const piece of ReadableStream.from(pieces).pipeThrough(repairStream())) json += piece;
    assert.deepEqual(JSON.parse(json), whole.value);
    const steps: unknown[] = [];
    for await (const step of ReadableStream.from(pieces).pipeThrough(partialStream())) steps.push(step.value);
    assert.deepEqual(steps.at(-1), whole.value);
  }
});

test("pieces that are empty part no surrogate pair", async () => {
  const pieces = ['["\ud83d', "", new Uint8Array(), '\ude42"]'];
  assert.deepEqual((await stream(pieces).final).value, ["🙂"]);
});

test("half a pair that stays alone is an error with its place", async () => {
  const isLone = (place: number, text: string) => (error: unknown) => {
    assert.ok(error instanceof RepairError);
    assert.deepEqual([error.code, error.span, error.text], ["input/utf16", { start: place, end: place + 1 }, text]);
    return true;
  };
  await assert.rejects(stream(["[1, ", '"é🙂\ud83d']).final, isLone(8, '[1, "é🙂\ud83d'));
  // Within a text, the error is about the piece in which it stands.
  await assert.rejects(stream(['["\ud83d', "x", '"]']).final, isLone(0, "\ud83dx"));
  const read = reader();
  read.push('["\ud83d');
  assert.throws(() => read.push(new TextEncoder().encode("x")), isLone(0, "\ud83d"));
});

test("the live value grows in place, and has what a view has", () => {
  const read = reader();
  let first: unknown;
  for (const piece of cut(ANSWER, 3)) {
    const step = read.push(piece);
    assert.deepEqual(step.live, step.value);
    first ??= step.live;
    assert.equal(step.live, first);
    assert.notEqual(step.state === "partial" && step.value, step.live);
  }
  assert.deepEqual(read.live, read.finish().value);
});

/** Counts the items of lists that are copied while `work` runs. */
async function copies(work: () => Promise<void> | void): Promise<number> {
  const { slice } = Array.prototype;
  let count = 0;
  Array.prototype.slice = function (this: unknown[], ...range: [number?, number?]) {
    count += this.length;
    return slice.apply(this, range);
  };
  try {
    await work();
  } finally {
    Array.prototype.slice = slice;
  }
  return count;
}

test("what is live costs nothing for an open list: the work is that of the text", async () => {
  const list = (length: number) => [...cut(`[${Array.from({ length }, (_, id) => `{"id": ${id}}`).join(", ")}]`, 20)];
  for (const length of [500, 5000]) {
    const pieces = list(length);
    const read = reader<object[]>();
    const live = () => {
      for (const piece of pieces) assert.ok(read.push(piece).live);
    };
    assert.equal(await copies(live), 0);
    assert.equal(read.live?.length, length);
    const items = async () => {
      let count = 0;
      for await (const _ of stream(pieces).items("")) count++;
      assert.equal(count, length);
    };
    assert.ok((await copies(items)) < 10 * length);
    // So that the counter is known to count.
    const views = () => {
      const read = reader();
      for (const piece of pieces) void read.push(piece).value;
    };
    assert.ok((await copies(views)) > 10 * length);
  }
});

test("transforms: text to strict JSON, and text to steps", async () => {
  for (const size of [1, 5, 1000]) {
    let json = "";
    for await (const piece of ReadableStream.from(cut(ANSWER, size)).pipeThrough(repairStream())) json += piece;
    assert.deepEqual(JSON.parse(json), parse(ANSWER).value);
  }
  const steps: unknown[] = [];
  const source = ReadableStream.from(cut("{a: 'bc', d: [1, 2]}", 4));
  for await (const step of source.pipeThrough(partialStream())) steps.push(step.value);
  assert.deepEqual(steps.at(-1), { a: "bc", d: [1, 2] });
  await assert.rejects(async () => {
    for await (const _ of ReadableStream.from(["no json"]).pipeThrough(repairStream()));
  }, RepairError);
});

test("a reader is pushed by hand", () => {
  const read = reader<{ a: number }>();
  assert.equal(read.value, undefined);
  assert.equal(read.push("Well: ").state, "pending");
  read.push('\n```json\n{"a": 1');
  assert.equal(read.state, "partial");
  assert.deepEqual(read.push("2}\n```\n").closed, ["/a", ""]);
  assert.equal(read.state, "complete");
  assert.deepEqual(read.finish().value, { a: 12 });
  assert.throws(() => read.push("x"), /finished/);
});

test("a step is read before the next one", () => {
  const read = reader();
  const step = read.push("[1, ");
  read.push("2, ");
  assert.throws(() => step.value, /earlier step/);
  const last = read.push("3, 4");
  assert.deepEqual(read.finish().value, [1, 2, 3, 4]);
  assert.deepEqual(last.value, [1, 2, 3]);
  assert.throws(() => step.value, /earlier step/);
});

test("a reader whose end does not fit keeps what it had", () => {
  const read = fitting({ schema: { type: "object", properties: { a: { type: "integer" } }, required: ["a", "b"] } });
  const step = read.push("{'a': 1, 'c': 2");
  assert.throws(() => read.finish(), (error) => error instanceof UnfitError && assert.deepEqual(error.value, { a: 1, c: 2 }) === undefined);
  assert.deepEqual([read.value, step.value, read.state], [{ a: 1 }, { a: 1 }, "partial"]);
});

test("`bigint` holds in views, in live values and in items", async () => {
  const text = '{"ids": [12345678901234567890, 9007199254740993, 7, "12345678901234567890"]}';
  const { value } = parse<{ ids: unknown[] }>(text, { bigint: true });
  assert.equal(value.ids[0], 12345678901234567890n);
  const answer = stream(cut(text, 5), { bigint: true });
  let last: unknown;
  for await (const step of answer) last = step.value;
  assert.deepEqual(last, value);
  const items: unknown[] = [];
  for await (const item of stream(cut(text, 5), { bigint: true }).items("/ids")) items.push(item);
  assert.deepEqual(items, value.ids);
});

test("after finish, the reader has the whole value", () => {
  const read = reader();
  read.push('{"a": [1, 2');
  assert.equal(read.state, "partial");
  const { value } = read.finish();
  assert.deepEqual([read.value, read.live, read.state], [value, value, "complete"]);
});

/** What a stream of pieces sends, and the error that ends it. */
async function sentBy(pieces: Iterable<string>, transform: TransformStream<string, string>): Promise<[string, unknown]> {
  let sent = "";
  try {
    for await (const piece of ReadableStream.from(pieces).pipeThrough(transform)) sent += piece;
  } catch (error) {
    return [sent, error];
  }
  return [sent, undefined];
}

test("a stream of JSON says whether the value may lack something, or fails before it is complete", async () => {
  for (const [text, options] of [
    ['[{"id": 1}, {"id": 2', {}],
    ["{'a': 'Os", {}],
    ['["Os', {}],
    ['[{"a": 1}, {"a": 2 * 3}, {"a": 3}]', { onBadItem: "drop" }],
  ] as const) {
    const transform = repairStream(options);
    const [json] = await sentBy(cut(text, 3), transform);
    const { value, unsure, report } = await transform.final;
    assert.deepEqual([JSON.parse(json), unsure], [value, true], text);
    assert.notEqual(report.doubt, null);
    const failing = repairStream({ ...options, unsure: "throw" });
    const [sent, error] = await sentBy(cut(text, 3), failing);
    assert.ok(error instanceof UnsureError, text);
    assert.throws(() => JSON.parse(sent), SyntaxError);
    await assert.rejects(failing.final, UnsureError);
  }
  for (const text of ["[1, 2]", '"Oslo"', "7"]) {
    const [json, error] = await sentBy(cut(text, 1), repairStream({ unsure: "throw" }));
    assert.deepEqual([JSON.parse(json), error], [parse(text).value, undefined]);
  }
});

test("an unknown value of `unsure` is refused", () => {
  for (const unsure of ["reject", true, null]) {
    assert.throws(() => repairStream({ unsure } as object), (error) => error instanceof OptionError && /unknown value .*: throw, accept/.test(error.message));
    assert.throws(() => fittingStream({ schema: {}, unsure: unsure as "throw" }), OptionError);
  }
});

test("the steps of a transform end in the whole value, and so does a stream that is left", async () => {
  const transform = partialStream<number[]>();
  for await (const _ of ReadableStream.from(["[1, ", "2]"]).pipeThrough(transform));
  assert.deepEqual((await transform.final).value, [1, 2]);
  const left = partialStream();
  for await (const _ of ReadableStream.from(["[1, ", "2]"]).pipeThrough(left)) break;
  await assert.rejects(left.final, /left before its end/);
  const lost = partialStream();
  const source = new ReadableStream<string>({ pull: (controller) => controller.error(new Error("connection lost")) });
  await assert.rejects(async () => {
    for await (const _ of source.pipeThrough(lost));
  }, /connection lost/);
  await assert.rejects(lost.final, /connection lost/);
});

test("`final` settles where nobody reads yet, and a piece waits", async () => {
  const given = partialStream();
  const writer = given.writable.getWriter();
  const pushed = writer.write("[1, ");
  await writer.abort(new Error("given up"));
  await assert.rejects(given.final, /given up/);
  await pushed.catch(() => {});
  const waiting = partialStream();
  const waits = waiting.writable.getWriter().write("[1, ");
  await waiting.readable.cancel(new Error("no more"));
  await assert.rejects(waiting.final, /no more/);
  await waits.catch(() => {});
});

test("a transform reads a piece once its reader asks for more", async () => {
  let read = 0;
  const source = new ReadableStream<string>({ pull: (controller) => controller.enqueue(read++ === 0 ? "[0" : `, ${read}`) });
  const steps = source.pipeThrough(partialStream()).getReader();
  const rest = () => new Promise((resolve) => setTimeout(resolve, 5));
  await rest();
  // Each stream on the way takes one.
  assert.ok(read <= 3, `${read} pieces`);
  for (let at = 0; at < 10; at++) assert.equal((await steps.read()).done, false);
  await rest();
  assert.ok(read <= 14, `${read} pieces`);
  await steps.cancel();
  // Pieces from which nothing comes ask for the next one.
  const json = ReadableStream.from([" ", " ", "", "[1, ", "", "2, ", "3]"]).pipeThrough(repairStream()).getReader();
  const sent: string[] = [];
  for (let { done, value } = await json.read(); !done; { done, value } = await json.read()) sent.push(value as string);
  assert.equal(sent.join(""), "[1,2,3]");
});

test("a text that arrives has no choice: the option is refused, and the first value is the answer", async () => {
  const text = "First {'a': 1}, or rather {'b': 2, 'c': 3}";
  assert.deepEqual((await stream([text]).final).value, { a: 1 });
  for (const open of [reader, repairStream, partialStream]) {
    assert.throws(() => open({ choice: "best" } as object), (error) => error instanceof OptionError && /choice/.test(error.message));
  }
});

test("what is no text is told apart from a text without JSON", async () => {
  const chunk = { id: "1", choices: [] };
  const expected = { name: "TypeError", message: "expected text, as a string or a Uint8Array, found an object (id, choices)" };
  await assert.rejects(stream([chunk] as never).final, expected);
  assert.throws(() => parse(chunk as never), expected);
  const forged = { length: 3, [Symbol.toStringTag]: "Uint8Array" };
  for (const [none, found] of [[[1], "Array"], [[], "Array"], [new ArrayBuffer(8), "ArrayBuffer"], [{}, "Object"], [forged, "length"]] as const) {
    assert.throws(() => parse(none as never), { name: "TypeError", message: `expected text, as a string or a Uint8Array, found an object (${found})` });
  }
  for (const none of [undefined, null, 7]) {
    assert.throws(() => parse(none as never), /expected text, as a string or a Uint8Array, found/);
    assert.throws(() => reader().push(none as never), /expected text/);
  }
});

test("taking final first makes the one pass", async () => {
  const answer = stream(["[1]"]);
  const { final } = answer;
  await assert.rejects(answer[Symbol.asyncIterator]().next(), /already consumed/);
  assert.deepEqual((await final).value, [1]);
});

test("a source may be a response, and what is none is named", async () => {
  const { value } = await stream(new Response("{'a': 'é'}")).final;
  assert.deepEqual(value, { a: "é" });
  const none = (found: string) => ({ name: "TypeError", message: `expected an iterable of texts, a ReadableStream or a Response with a body, found ${found}` });
  for (const [source, found] of [[undefined, "undefined"], [null, "null"], ["[1]", "string"], [{ text: "" }, "an object (text)"], [new Response(null), "an object (Response)"]]) {
    await assert.rejects(stream(source as never).final, none(found as string));
  }
  await assert.rejects(stream(["[1]"]).items(undefined as never).next(), { name: "TypeError", message: /^expected a JSON Pointer/ });
});
