import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { SchemaError, callReader, callStream, calls, type CallEvent } from "llmend/calls";

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

test("tools that cannot be read are a SchemaError", () => {
  assert.throws(() => calls("x", { tools: [1] }), SchemaError);
});
