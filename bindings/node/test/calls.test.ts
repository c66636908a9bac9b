import assert from "node:assert/strict";
import { test } from "node:test";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import * as z3 from "zod3";
import { OptionError, RepairError, SchemaError, callEvents, callReader, callStream, calls, type CallEvent, type ToolsInput } from "llmend/calls";
import { parse } from "llmend";

const ANSWER = 'I look. 🙂 <tool_call>{"name": "serch", "arguments": {"query": "Oslo", "limit": "3",}}</tool_call> Done.';
const PARAMETERS = { type: "object", properties: { query: { type: "string" }, limit: { type: "integer" } }, required: ["query"] };

const forms = {
  OpenAI: [{ type: "function", function: { name: "search", parameters: PARAMETERS } }],
  Anthropic: [{ name: "search", input_schema: PARAMETERS }],
  MCP: { tools: [{ name: "search", inputSchema: PARAMETERS }] },
  "schemas by name": { search: PARAMETERS },
  "tools of the AI SDK": { search: { description: "Searches", inputSchema: z.object({ query: z.string(), limit: z.number().int() }) } },
  "the AI SDK's jsonSchema": { search: { inputSchema: { jsonSchema: PARAMETERS } } },
};

for (const [name, tools] of Object.entries(forms)) {
  test(`${name}: the call is read, named and fitted`, () => {
    const reading = calls(ANSWER, { tools });
    assert.equal(reading.calls.length, 1);
    const [call] = reading.calls;
    assert.equal(call?.name, "search");
    assert.equal(call?.writtenName, "serch");
    assert.deepEqual(call?.arguments, { query: "Oslo", limit: 3 });
    assert.deepEqual(call?.violations, []);
    assert.equal(ANSWER.slice(call?.start, call?.end), ANSWER.slice(ANSWER.indexOf('{"name'), ANSWER.indexOf("</tool_call>")));
    assert.equal(reading.text.replace(/\s+/g, " ").trim(), "I look. 🙂 Done.");
    assert.equal(reading.usable, true);
    assert.equal(reading.cut, null);
  });
}

test("arguments that do not fit are violations, and the reading is not usable", () => {
  const { calls: found, usable } = calls('<tool_call>{"name": "search", "arguments": {"limit": "few"}}</tool_call>', { tools: forms.OpenAI });
  assert.equal(usable, false);
  const paths = found[0]?.violations.map((row) => [row.path, typeof row.schemaPath]);
  assert.ok(paths?.some(([path, kind]) => path === "/limit" && kind === "string"));
});

test("a text without calls is text", () => {
  const reading = calls("Nothing to do.", { tools: forms.OpenAI });
  assert.deepEqual([reading.calls, reading.text, reading.usable], [[], "Nothing to do.", true]);
});

test("a call that is cut off is told", () => {
  const text = 'é <tool_call>{"name": "search", "arguments": {"query": "Os';
  const reading = calls(text, { tools: forms.OpenAI });
  assert.equal(reading.truncated, true);
  assert.equal(typeof reading.cut, "number");
  assert.ok((reading.cut ?? Infinity) <= text.length);
});

test("the stream tells text and arguments as they come, and ends in the same reading", async () => {
  const whole = calls(ANSWER, { tools: forms.OpenAI });
  for (const size of [1, 4, 1000]) {
    const reader = callReader({ tools: forms.OpenAI });
    const events: CallEvent[] = [];
    const characters = [...ANSWER];
    for (let at = 0; at < characters.length; at += size) events.push(...reader.push(characters.slice(at, at + size).join("")));
    const end = reader.finish();
    events.push(...end.events);
    assert.deepEqual(end.reading, whole);
    const text = events.map((event) => (event.type === "text" ? event.text : "")).join("");
    assert.equal(text, whole.text);
    const deltas = events.map((event) => (event.type === "arguments" ? event.delta : "")).join("");
    assert.deepEqual(JSON.parse(deltas), { query: "Oslo", limit: 3 });
    const done = events.find((event) => event.type === "done");
    assert.deepEqual(done?.call, whole.calls[0]);
    assert.throws(() => reader.push("x"), /finished/);
  }
  const seen: string[] = [];
  for await (const event of ReadableStream.from([ANSWER]).pipeThrough(callStream({ tools: forms.OpenAI }))) seen.push(event.type);
  assert.ok(seen.includes("done"));
});

test("calls from an async iterable, with what was read of the whole", async () => {
  const whole = calls(ANSWER, { tools: forms.OpenAI });
  async function* source() {
    yield* ANSWER.split("");
  }
  const answer = callEvents(source(), { tools: forms.OpenAI });
  const events: CallEvent[] = [];
  for await (const event of answer) events.push(event);
  assert.equal(events.map((event) => (event.type === "text" ? event.text : "")).join(""), whole.text);
  assert.deepEqual(events.flatMap((event) => (event.type === "done" ? [event.call] : [])), whole.calls);
  assert.deepEqual(await answer.final, whole);
  // `final` alone reads to the end, also of bytes.
  const bytes = new TextEncoder().encode(ANSWER);
  assert.deepEqual(await callEvents(Array.from(bytes, (byte) => Uint8Array.of(byte)), { tools: forms.OpenAI }).final, whole);
  const left = callEvents(source());
  for await (const _ of left) break;
  await assert.rejects(left.final, /left before its end/);
});

test("a piece may end within a surrogate pair: in every cut into two, and in pieces of one unit", () => {
  const text = '🙂 <tool_call>{"name": "search", "arguments": {"query": "🙂 Oslo 🙂"}}</tool_call> 🙂';
  const whole = calls(text, { tools: forms.OpenAI });
  assert.equal(whole.calls[0]?.arguments.query, "🙂 Oslo 🙂");
  const units = text.split("");
  for (const pieces of [units, ...units.map((_, at) => [text.slice(0, at), text.slice(at)])]) {
    const reader = callReader({ tools: forms.OpenAI });
    const events = pieces.flatMap((piece) => reader.push(piece));
    const end = reader.finish();
    assert.deepEqual(end.reading, whole);
    const said = [...events, ...end.events].map((event) => (event.type === "text" ? event.text : "")).join("");
    assert.equal(said, whole.text);
  }
  const reader = callReader();
  reader.push("text \ud83d");
  assert.throws(() => reader.finish(), (error: unknown) => error instanceof RepairError && error.code === "input/utf16");
});

test("invalid UTF-8 is the same RepairError as elsewhere", () => {
  const bytes = Uint8Array.of(...new TextEncoder().encode("é {"), 0xff, 0x7d);
  const caught = (work: () => unknown): unknown => {
    try {
      work();
    } catch (error) {
      assert.ok(error instanceof RepairError);
      const { code, message, help, span, line, column, text } = error;
      return { code, message, help, span, line, column, text };
    }
    return assert.fail("expected an error");
  };
  const wanted = caught(() => parse(bytes)) as { code: string; span: object };
  assert.deepEqual([wanted.code, wanted.span], ["input/utf8", { start: 3, end: 3 }]);
  assert.deepEqual(caught(() => calls(bytes)), wanted);
  assert.deepEqual(caught(() => callReader().push(bytes)), wanted);
  // In pieces, and at the end.
  const reader = callReader();
  reader.push(Uint8Array.of(0x61, 0xc3));
  assert.deepEqual((caught(() => reader.push(Uint8Array.of(0x28))) as { code: string }).code, "input/utf8");
  const cut = callReader();
  for (const byte of [0x61, 0xf0, 0x9f, 0x99]) cut.push(Uint8Array.of(byte));
  assert.deepEqual((caught(() => cut.finish()) as { code: string }).code, "input/utf8");
});

test("tools that cannot be read are a SchemaError", () => {
  assert.throws(() => calls("x", { tools: [1] }), SchemaError);
});

const CALL = '<tool_call>{"name": "search", "arguments": {"query": 7, "limit": "3"}}</tool_call>';
const Search = z.object({ query: z.string(), limit: z.number().int() });

test("a Standard Schema is one in every form of tools", () => {
  for (const tools of [
    { search: Search },
    { search: { parameters: Search } },
    [{ name: "search", input_schema: Search }],
    [{ name: "search", parameters: Search }],
    [{ type: "function", function: { name: "search", parameters: Search } }],
    { tools: [{ name: "search", inputSchema: Search }] },
    { search: type({ query: "string", limit: "number.integer" }) },
    { functionDeclarations: [{ name: "search", parameters: Search }] },
    [{ functionDeclarations: [{ name: "search", parametersJsonSchema: Search }] }],
    [{ function_declarations: [{ name: "search", parameters_json_schema: Search }] }],
    // Of two, the one that the engine reads.
    [{ name: "search", inputSchema: { type: "string" }, parameters: Search }],
  ] as ToolsInput[]) {
    const [call] = calls(CALL, { tools }).calls;
    assert.deepEqual([call?.arguments, call?.diagnostics], [{ query: "7", limit: 3 }, []]);
  }
});

test("a schema that cannot be written as JSON Schema is told at each call", () => {
  const old = z3.object({ query: z3.any() });
  for (const [schema, vendor] of [[old, "zod"], [v.object({ query: v.any() }), "valibot"]] as const) {
    for (const tools of [{ search: { inputSchema: schema } }, { search: schema }, [{ name: "search", input_schema: schema }]]) {
      const reading = calls(CALL, { tools });
      const [note] = reading.calls[0]?.diagnostics ?? [];
      assert.deepEqual([note?.code, note?.severity, reading.usable], ["schema/not-coerced", "info", true]);
      assert.match(note?.message ?? "", new RegExp(`^the arguments of \`search\` were not coerced to the schema of ${vendor}: `));
      const reader = callReader({ tools });
      const events = [...reader.push(CALL), ...reader.finish().events];
      const done = events.find((event) => event.type === "done");
      assert.deepEqual(done?.call.diagnostics, reading.calls[0]?.diagnostics);
    }
  }
  const waiting = { search: { inputSchema: { jsonSchema: Promise.resolve({}) } } };
  assert.match(calls(CALL, { tools: waiting }).calls[0]?.diagnostics[0]?.message ?? "", /promise/);
});

test("the Standard Schema of a tool validates the arguments, and its output are the arguments", async () => {
  const refused = z.object({ query: z.string(), limit: z.number() }).refine(() => false, { message: "never", path: ["limit"] });
  const [call] = calls(CALL, { tools: { search: refused } }).calls;
  assert.deepEqual(call?.violations.map((row) => [row.code, row.path, row.message]), [["schema/issue", "/limit", "never"]]);
  assert.equal(calls(CALL, { tools: { search: refused } }).usable, false);
  const Made = z.object({ query: z.string().transform((text) => text.length), limit: z.coerce.date(), page: z.number().default(1) });
  for (const tools of [{ search: Made }, { search: { inputSchema: Made } }, [{ name: "search", parameters: Made }]]) {
    const reading = calls(CALL, { tools });
    assert.deepEqual(reading.calls[0]?.arguments, { query: 1, limit: new Date("3"), page: 1 });
    assert.equal(reading.usable, true);
    const reader = callReader({ tools });
    const events = [...reader.push(CALL), ...reader.finish().events];
    const done = events.find((event) => event.type === "done");
    assert.deepEqual(done?.call, reading.calls[0]);
  }
  const mute = { "~standard": { version: 1, vendor: "own", validate: () => ({ issues: [] }) } } as const;
  assert.equal(calls(CALL, { tools: { search: mute } }).usable, false);
  // What its JSON Schema refuses and it accepts is accepted.
  const json = { input: () => ({ type: "object", properties: { query: { type: "boolean" } } }) };
  const own = { "~standard": { version: 1, vendor: "own", jsonSchema: json, validate: (value: unknown) => ({ value }) } } as const;
  assert.deepEqual([calls(CALL, { tools: { search: own } }).usable, calls(CALL, { tools: { search: json.input() } }).usable], [true, false]);
});

test("an asynchronous validator of a tool is reported, since it does not run", () => {
  const later = z.object({ query: z.string().refine(async () => false), limit: z.string() });
  const reading = calls(CALL, { tools: { search: later } });
  assert.deepEqual(reading.calls[0]?.diagnostics.map((row) => [row.code, row.severity]), [["schema/not-validated", "warning"]]);
  assert.equal(reading.calls[0]?.arguments.query, "7");
});

test("a type that no language has is reported at each call, and an invalid schema is a SchemaError", () => {
  const reading = calls(CALL, { tools: { search: { type: "object", properties: { query: { type: "nothing" }, limit: { type: "any" } } } } });
  assert.deepEqual(reading.calls[0]?.diagnostics.map((row) => [row.code, row.message]), [
    ["schema/unknown-type", "unknown type `nothing` in the schema of tool `search`: any value is accepted there"],
  ]);
  assert.deepEqual(calls(CALL, { tools: { search: { type: "dict" } } }).calls[0]?.diagnostics, []);
  assert.throws(() => calls(CALL, { tools: { search: { type: "string", pattern: "(" } } }), SchemaError);
});

test("tools may have any name, and null and true allow anything", () => {
  for (const name of ["functions", "tools", "search"]) {
    for (const schema of [null, true, {}, { type: "object" }] as const) {
      const [call] = calls(`<tool_call>{"name": "${name}", "arguments": {"a": 1}}</tool_call>`, { tools: { [name]: schema } }).calls;
      assert.deepEqual([call?.name, call?.arguments, call?.violations], [name, { a: 1 }, []]);
    }
  }
  assert.equal(calls(CALL, { tools: { search: false } }).usable, false);
});

test("integers that a number cannot hold are told at the call", () => {
  const text = (argument: string) => `x <tool_call>{"name": "search", "arguments": {"query": ${argument}, "s": "\\"[,"}}</tool_call>`;
  const both = text("1") + text("12345678901234567890") + text("2.0") + text('"12345678901234567890"');
  const reading = calls(both);
  const codes = reading.calls.map((call) => call.diagnostics.map((row) => row.code));
  assert.deepEqual(codes, [[], ["value/rounded"], [], []]);
  assert.match(reading.calls[1]?.diagnostics[0]?.message ?? "", /^integer 12345678901234567890 exceeds/);
  for (const size of [1, 1000]) {
    const reader = callReader();
    const events = both.match(new RegExp(`[^]{1,${size}}`, "g"))?.flatMap((piece) => reader.push(piece)) ?? [];
    const end = reader.finish();
    assert.deepEqual(end.reading, reading);
    const done = [...events, ...end.events].flatMap((event) => (event.type === "done" ? [event.call] : []));
    assert.deepEqual(done, reading.calls);
  }
});

test("a transform of calls ends in what was read of the whole", async () => {
  const transform = callStream({ tools: forms.OpenAI });
  for await (const _ of ReadableStream.from([ANSWER]).pipeThrough(transform));
  assert.deepEqual(await transform.final, calls(ANSWER, { tools: forms.OpenAI }));
  await assert.rejects(callEvents([{ choices: [] }] as never).final, /expected text, as a string or a Uint8Array, found an object/);
});

test("options are named with what they take", () => {
  const wrong = (options: object, message: RegExp, help: RegExp) =>
    assert.throws(() => calls("x", options), (error) => {
      assert.ok(error instanceof OptionError);
      assert.match(error.message, message);
      assert.match(error.help ?? "", help);
      return true;
    });
  wrong({ notation: "hermez" }, /^option `notation`: unknown value `hermez`, expected one of: json, .*gemma/, /Correct `notation`/);
  wrong({ inReasoning: "drop" }, /^option `inReasoning`: unknown value `drop`, expected one of: ignore, accept$/, /Correct `inReasoning`/);
  wrong({ marked: "yes" }, /^option `marked`: expected true or false, found "yes"$/, /Correct `marked`/);
  wrong({ in_reasoning: "accept" }, /^unknown option `in_reasoning`; did you mean `inReasoning`\?$/, /`policy`, .*`tools`, .*`inReasoning`/);
});
