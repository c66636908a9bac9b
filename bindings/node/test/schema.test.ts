import assert from "node:assert/strict";
import { test } from "node:test";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { Type } from "@sinclair/typebox";
import { Type as Type1 } from "typebox";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import * as z3 from "zod3";
import {
  OptionError, RepairError, SchemaError, UnfitError, UnsureError,
  parse, parseAsync, partialStream, reader, repairStream, safeParse, safeParseAsync, stream, type AnySchema,
} from "llmend/schema";

const ANSWER = "Gladly: {'City': 'Oslo', 'days': '3'}";
const EXPECTED = { city: "Oslo", days: 3 };
const JSON_SCHEMA = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer" } },
  required: ["city", "days"],
};

const coercing = {
  "JSON Schema": JSON_SCHEMA,
  "zod 4": z.object({ city: z.string(), days: z.number().int() }),
  arktype: type({ city: "string", days: "number.integer" }),
  "valibot, converted": toStandardJsonSchema(v.object({ city: v.string(), days: v.pipe(v.number(), v.integer()) })),
  typebox: Type.Object({ city: Type.String(), days: Type.Integer() }),
  "typebox 1": Type1.Object({ city: Type1.String(), days: Type1.Integer() }),
};

for (const [name, schema] of Object.entries(coercing)) {
  test(`${name}: coerces, validates, and reports both`, () => {
    const { value, report } = parse(ANSWER, { schema });
    assert.deepEqual(value, EXPECTED);
    const coercions = report.coercions.map(({ kind, path }) => [kind, path]);
    assert.deepEqual(coercions, [["key-spelling", "/city"], ["number-from-text", "/days"]]);
    assert.deepEqual(report.violations, []);
    assert.throws(() => parse("{'city': 'Oslo', 'days': 'a few'}", { schema }), (error: unknown) => {
      assert.ok(error instanceof UnfitError && error instanceof RepairError);
      assert.equal(error.violations[0]?.path, "/days");
      assert.deepEqual(error.value, { city: "Oslo", days: "a few" });
      assert.equal(error.text.slice(error.span?.start, error.span?.end), "'a few'");
      assert.deepEqual([error.line, error.column], [1, 26]);
      assert.equal(error.issues.length > 0, "~standard" in schema);
      assert.match(error.message, /^the value does not fit the schema: .*\/days/);
      return true;
    });
  });
}

const validating = {
  "zod 3": z3.object({ city: z3.string(), days: z3.number() }),
  valibot: v.object({ city: v.string(), days: v.number() }),
};

for (const [name, schema] of Object.entries(validating)) {
  test(`${name}: validates, and says that nothing was coerced`, () => {
    const { value, report } = parse("{'city': 'Oslo', 'days': 3}", { schema });
    assert.deepEqual(value, EXPECTED);
    const note = report.diagnostics.find((row) => row.code === "schema/not-coerced");
    assert.equal(note?.severity, "info");
    if (name === "valibot") assert.match(note?.help ?? "", /@valibot\/to-json-schema/);
    assert.throws(() => parse(ANSWER, { schema }), UnfitError);
  });
}

test("the validator's output is the value: defaults, transforms, stripped keys", () => {
  const schema = z.object({ name: z.string().transform((name) => name.length), tags: z.array(z.string()).default([]) });
  const { value, unsure } = parse("{name: 'Oslo', extra: 1}", { schema });
  assert.deepEqual(value, { name: 4, tags: [] });
  assert.equal(unsure, false);
});

test("a type that JSON Schema lacks is only validated", () => {
  const schema = z.object({ when: z.string().transform((text) => new Date(text)), big: z.any().refine((it) => it !== 0) });
  assert.deepEqual(parse("{when: '2026-01-02', big: 1}", { schema }).value.when, new Date("2026-01-02"));
  const date = z.object({ when: z.date() });
  const result = safeParse("{when: '2026-01-02'}", { schema: date });
  assert.ok(!result.ok && result.error instanceof UnfitError);
});

test("a date, which JSON Schema lacks, is no reason not to coerce the rest", () => {
  const schema = z.object({ when: z.coerce.date(), days: z.number(), total: z.bigint().optional() });
  const { value, report } = parse("{When: '2026-01-02', days: '3'}", { schema });
  assert.deepEqual(value, { when: new Date("2026-01-02"), days: 3 });
  assert.equal(report.diagnostics.some((row) => row.code === "schema/not-coerced"), false);
});

test("an UnfitError counts the other violations, in the words of the crates", () => {
  // crates/llmend/tests/fit.rs has the same rows.
  for (const [answer, rest] of [["[5]", ""], ["[5, 7]", ", and one more violation"], ["[5, 7, 9]", ", and 2 more violations"]] as const) {
    const message = `the value does not fit the schema: expected a multiple of 2, found 5 (at \`/0\`)${rest}`;
    assert.throws(() => parse(answer, { schema: { items: { multipleOf: 2 } } }), { name: "UnfitError", message });
  }
});

test("an UnfitError tells one finding first, and every finding with its place", () => {
  const thrown = (text: string, schema: AnySchema) => {
    const result = safeParse(text, { schema });
    assert.ok(!result.ok && result.error instanceof UnfitError);
    const { message, code, help, span, line, column, diagnostics } = result.error;
    const [first] = diagnostics;
    assert.deepEqual([code, help, span], [first?.code, first?.help, { start: first?.start, end: first?.end }]);
    assert.ok(message.includes(`${first?.message} (at \`${first?.path}\`)`), message);
    const found = diagnostics.map((row) => [row.path, row.code, text.slice(row.start ?? 0, row.end ?? 0)]);
    return { message, found, line, column };
  };
  const text = "{a:'x', b:'y',\n c:5}";
  const refined = z.object({ c: z.string().refine((it) => it !== "5", "must not be five"), a: z.number() });
  assert.deepEqual(thrown(text, refined), {
    message: "the value does not fit the schema: must not be five (at `/c`), and one more violation",
    found: [["/c", "schema/issue", "5"], ["/a", "schema/type", "'x'"]], line: 2, column: 4,
  });
  const path = (schema: AnySchema) => thrown("é {'a/b': {'~': '🙂', \"~\": 'x'}}", schema).found;
  const wanted = [["/a~1b/~0", "schema/issue", "'x'"]];
  assert.deepEqual(path(z3.object({ "a/b": z3.object({ "~": z3.number() }) })).slice(0, 1), wanted);
  assert.deepEqual(path(v.object({ "a/b": v.object({ "~": v.number() }) })).slice(0, 1), wanted);
  // A member that is missing is where the object is.
  assert.deepEqual(thrown("x {'a': {}}", z.object({ a: z.object({ b: z.string() }) })).found[0]?.slice(2), ["{}"]);
  const mute = { "~standard": { version: 1, vendor: "own", validate: () => ({ issues: [] }) } } as const;
  const refused = safeParse("7", { schema: mute });
  assert.match((!refused.ok && refused.error.message) || "", /^the value does not fit the schema: refused by the validator of the schema;/);
  const uncoerced = thrown("{'a': '1'}", z3.object({ a: z3.number() }));
  assert.match(uncoerced.message, /; the value was not coerced to the schema of zod: it cannot be written as JSON Schema$/);
  assert.deepEqual(uncoerced.found.map(([, code]) => code), ["schema/issue", "schema/not-coerced"]);
});

test("what is thenable is a promise, of whatever class", async () => {
  const then = (resolve: (result: { value: unknown }) => void) => resolve({ value: 7 });
  const schema = { "~standard": { version: 1, vendor: "own", validate: () => ({ then }) as PromiseLike<{ value: unknown }> } } as const;
  assert.throws(() => parse("1", { schema }), /parseAsync, or iterate/);
  assert.equal((await parseAsync("1", { schema })).value, 7);
});

test("an asynchronous validator is awaited, or refused with advice", async () => {
  const schema = z.object({ name: z.string().refine(async (name) => name === "Oslo") });
  assert.throws(() => parse("{name: 'Oslo'}", { schema }), /parseAsync|[Aa]sync/);
  assert.deepEqual((await parseAsync("{name: 'Oslo'}", { schema })).value, { name: "Oslo" });
  const failed = await safeParseAsync("{name: 'Bergen'}", { schema });
  assert.ok(!failed.ok && failed.error instanceof UnfitError);
});

test("options of coercion", () => {
  const schema = { type: "array", items: { type: "integer" } };
  assert.deepEqual(parse("[1, 'two', '3']", { schema, coerce: { onBadItem: "drop" } }).value, [1, 3]);
  assert.equal(parse("[1, 'two', '3']", { schema, coerce: { onBadItem: "drop" } }).unsure, true);
  assert.throws(() => parse("['3']", { schema, coerce: { mode: "off" } }), UnfitError);
  assert.throws(() => parse("['3']", { schema, coerce: { mode: "of" as "off" } }), OptionError);
});

test("a schema that cannot be compiled is a SchemaError, and one that is none too", () => {
  for (const schema of [{ type: "nothing" }, (() => 1) as never]) {
    assert.throws(() => parse("1", { schema }), (error) => error instanceof SchemaError && error.code === "schema/unusable" && error.span === null);
  }
});

test("without a schema, and with one that allows anything", () => {
  assert.deepEqual(parse("{a: 1}").value, { a: 1 });
  assert.deepEqual(parse("{a: 1}", { schema: true }).value, { a: 1 });
  assert.throws(() => parse("{a: 1}", { schema: false }), UnfitError);
});

for (const [name, schema] of Object.entries(coercing)) {
  test(`${name}: partial values have the schema's names and types`, async () => {
    const answer = stream(['{"City": "Os', 'lo", "days', '": "3"', "}"], { schema });
    const seen: unknown[] = [];
    for await (const step of answer) seen.push(step.value);
    assert.deepEqual(seen, [{ city: "Os" }, { city: "Oslo" }, { city: "Oslo" }, EXPECTED]);
    assert.deepEqual((await answer.final).value, EXPECTED);
    const read = reader({ schema });
    read.push("{'city': 'Oslo'}");
    assert.throws(() => read.finish(), UnfitError);
  });
}

test("a schema that only validates leaves partial values as they are written", async () => {
  const schema = v.object({ city: v.string(), days: v.number() });
  const seen: unknown[] = [];
  for await (const step of stream(['{"city": "Os', 'lo", days: 3}'], { schema })) seen.push(step.value);
  assert.deepEqual(seen, [{ city: "Os" }, { city: "Oslo" }, EXPECTED]);
});

const Trip = z.object({
  title: z.string(),
  stops: z.array(z.object({ stop_name: z.string(), hours: z.number(), level: z.enum(["HIGH", "LOW"]).optional() })),
  days: z.number().int(),
});
const TRIP = `Sure 🙂:
{'Title': "A \\"day\\" in 東京 🙂", stops: [{'stopName': 'Aker 🙂', hours: '2', level: 'high'}, {stop_name: "Bygdøy", 'Hours': 1.5},],
 'Days': '2', }`;

test("partial values, items and JSON of a schema grow, take nothing back, and end in the whole value", async () => {
  const whole = parse(TRIP, { schema: Trip });
  assert.deepEqual(whole.value.stops[0], { stop_name: "Aker 🙂", hours: 2, level: "HIGH" });
  for (const size of [1, 3, 20, 1000]) {
    const pieces = Array.from({ length: Math.ceil(TRIP.length / size) }, (_, at) => TRIP.slice(at * size, (at + 1) * size));
    const answer = stream(pieces, { schema: Trip });
    let before: unknown;
    const closed: string[] = [];
    let repairs = 0;
    for await (const step of answer) {
      closed.push(...step.closed);
      repairs += step.repairs.length;
      if (before !== undefined) assert.equal(typeof step.value, "object");
      before = step.value;
    }
    assert.deepEqual(before, whole.value);
    assert.deepEqual((await answer.final).report, whole.report);
    assert.ok(repairs > 5 && repairs <= whole.report.repairs.length, `${repairs}`);
    assert.deepEqual(closed.filter((path) => /^(\/stops\/\d+|\/title|\/stops|)$/.test(path)), ["/title", "/stops/0", "/stops/1", "/stops", ""]);
    const items: unknown[] = [];
    for await (const item of stream(pieces, { schema: Trip }).items("/stops")) items.push(item);
    assert.deepEqual(items, whole.value.stops);
    const steps: unknown[] = [];
    for await (const step of ReadableStream.from(pieces).pipeThrough(partialStream({ schema: Trip }))) steps.push(step.value);
    assert.deepEqual(steps.at(-1), whole.value);
    let json = "";
    for await (const piece of ReadableStream.from(pieces).pipeThrough(repairStream({ schema: Trip }))) json += piece;
    assert.deepEqual(JSON.parse(json), whole.value);
  }
});

test("a wrapper around the value is taken away at the end, and what does not fit fails there", async () => {
  const schema = { type: "object", properties: { a: { type: "integer" }, b: { type: "string" } }, required: ["a"], additionalProperties: false };
  for (const [text, views] of [
    ["{'answer': {'a': '1', 'b': 'x'}}", [{}, { a: 1, b: "x" }]],
    ["{'A': '1', 'b': 'x'}", [{ a: 1, b: "x" }]],
  ] as const) {
    const seen: unknown[] = [];
    const closed: string[] = [];
    for await (const step of stream(text.split(""), { schema })) {
      seen.push(step.value);
      closed.push(...step.closed);
    }
    for (const view of views) assert.ok(seen.some((value) => JSON.stringify(value) === JSON.stringify(view)), `${text}: ${JSON.stringify(seen)}`);
    assert.deepEqual(seen.at(-1), views.at(-1));
    assert.deepEqual([...new Set(closed)].sort(), ["", "/a", "/b"]);
    let json = "";
    for await (const piece of ReadableStream.from(text.split("")).pipeThrough(repairStream({ schema }))) json += piece;
    assert.deepEqual(JSON.parse(json), views.at(-1));
  }
  for (const text of ["{'a': 'few'}", "{'a': 1, 'b': 'x', 'a': 2}"]) {
    await assert.rejects(async () => {
      for await (const _ of ReadableStream.from([text]).pipeThrough(repairStream({ schema })));
    }, UnfitError);
  }
});

test("views of a schema share what is closed", () => {
  const read = reader({ schema: Trip });
  const first = read.push('{"stops": [{"stopName": "Aker", "hours": "2"}, {"stopName": "Byg').value;
  const second = read.push("døy', hours: 1}, {").value;
  assert.deepEqual(first, { stops: [{ stop_name: "Aker", hours: 2 }, { stop_name: "Byg" }] });
  assert.equal(first?.stops?.[0], second?.stops?.[0]);
});

test("streams await an asynchronous validator, and finish says what to do", async () => {
  const schema = z.object({ name: z.string().refine(async (name) => name === "Oslo") });
  const answer = stream(["{'Name': 'Os", "lo'}"], { schema });
  const seen: unknown[] = [];
  for await (const { value } of answer) seen.push(value);
  assert.deepEqual([seen.at(-1), (await answer.final).value], [{ name: "Oslo" }, { name: "Oslo" }]);
  await assert.rejects(stream(["{'name': 'Bergen'}"], { schema }).final, UnfitError);
  const transform = repairStream({ schema });
  let json = "";
  for await (const piece of ReadableStream.from(["{'Name': 'Oslo'}"]).pipeThrough(transform)) json += piece;
  assert.deepEqual([JSON.parse(json), (await transform.final).value], [{ name: "Oslo" }, { name: "Oslo" }]);
  const later = {
    "~standard": { version: 1, vendor: "own", validate: async (value: unknown) => ({ value }) },
  } as const;
  const read = reader({ schema: later });
  read.push("[1]");
  assert.throws(() => read.finish(), /parseAsync, or iterate/);
});

test("streams of a schema: `bigint`, no choice, and a value that may lack something", async () => {
  const schema = { type: "object", properties: { ids: { type: "array", items: { type: "integer" } } } };
  const items: unknown[] = [];
  for await (const item of stream(["{'ids': [12345678901234567890, ", "'12345678901234567891']}"], { schema, bigint: true }).items("/ids")) {
    items.push(item);
  }
  assert.deepEqual(items, [12345678901234567890n, 12345678901234567891n]);
  assert.throws(() => reader({ schema, choice: "last" } as never), OptionError);
  const transform = repairStream({ schema, unsure: "throw" });
  await assert.rejects(async () => {
    for await (const _ of ReadableStream.from(["{'ids': [1, 2"]).pipeThrough(transform));
  }, UnsureError);
});

test("options that are missing or wrong are named", async () => {
  const schema = { type: "array" };
  const none = { name: "TypeError", message: "expected options with a `schema`, found none" };
  for (const open of [reader, stream.bind(null, ["1"]), partialStream, repairStream]) assert.throws(() => (open as () => unknown)(), none);
  await assert.rejects((parseAsync as (text: string) => Promise<unknown>)("1"), none);
  const wrong = (options: object, message: RegExp) =>
    assert.throws(() => parse("[1]", { schema, ...options }), (error) => error instanceof OptionError && message.test(error.message));
  wrong({ unsure: "throw" }, /^unknown option `unsure`: it is an option of `value` and `repairStream`$/);
  wrong({ coerce: "off" }, /^option `coerce`: expected an object, found "off"$/);
  wrong({ coerce: { max_depth: 1 } }, /^unknown option `coerce\.max_depth`$/);
  wrong({ coerce: { onextra: "drop" } }, /^unknown option `coerce\.onextra`; did you mean `coerce\.onExtra`\?$/);
  wrong({ coerce: { mode: "of" } }, /^option `coerce\.mode`: unknown value `of`, expected one of: on, off$/);
});
