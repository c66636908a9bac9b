import assert from "node:assert/strict";
import { test } from "node:test";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { Type } from "@sinclair/typebox";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import * as z3 from "zod/v3";
import { OptionError, RepairError, SchemaError, UnfitError, parse, parseAsync, reader, safeParse, safeParseAsync, stream } from "llmend/schema";

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
  assert.throws(() => parse("1", { schema: { type: "nothing" } }), SchemaError);
  assert.throws(() => parse("1", { schema: (() => 1) as never }), SchemaError);
});

test("without a schema, and with one that allows anything", () => {
  assert.deepEqual(parse("{a: 1}").value, { a: 1 });
  assert.deepEqual(parse("{a: 1}", { schema: true }).value, { a: 1 });
  assert.throws(() => parse("{a: 1}", { schema: false }), UnfitError);
});

test("streams: partial values as they are written, the whole fitted", async () => {
  const schema = z.object({ city: z.string(), days: z.number() });
  const answer = stream(['{"City": "Os', 'lo", "days', '": "3"}'], { schema });
  const seen: unknown[] = [];
  for await (const step of answer) seen.push(step.value);
  assert.deepEqual(seen[0], { City: "Os" });
  assert.deepEqual((await answer.final).value, EXPECTED);
  const read = reader({ schema });
  read.push("{'city': 'Oslo'}");
  assert.throws(() => read.finish(), UnfitError);
});
