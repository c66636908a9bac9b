// Conversion of readings of tool calls.

import assert from "node:assert/strict";
import { test } from "node:test";

import { argumentsOf, callChunksOf, callsOf, holdsCalls, ofCall, saidAfter, typeOf } from "../../../crates/llmend-gateway/page/reading.js";
import { callMembers, DEFAULTS, sampleOf } from "../../../crates/llmend-gateway/page/settings.js";
import { textOf } from "../../../crates/llmend-gateway/page/tape.js";

const CALL = {
  name: "f",
  json: "{\"a\":1.0,\"b\":{\"c\":[2]},\"d\":true}",
  start: 3,
  end: 20,
  notation: "hermes",
  class: "notation",
  id: null,
  written_name: null,
  repairs: [],
  coercions: [{ kind: "whole-number", class: "notation", path: "/b/c/0", start: 12, end: 13, before: "2.0", after: "2" }],
  violations: [
    { code: "schema/type", keyword: "type", path: "/d", message: "expected string, found boolean", start: 16, end: 17 },
    { code: "schema/required", keyword: "required", path: "", message: "missing required property `e`", start: 5, end: 20 },
    { code: "schema/minProperties", keyword: "minProperties", path: "", message: "too few", start: 5, end: 20 },
  ],
  diagnostics: [{ code: "calls/undeclared", severity: "warning", message: "no `a`" }, { code: "calls/name", severity: "warning", message: "guessed" }],
  parameters: [
    { name: "b", required: true, schema: { type: "object" } },
    { name: "d", required: false, schema: { type: "string" } },
    { name: "e", required: true, schema: { type: "integer" } },
    { name: "g", required: false, schema: true },
  ],
  places: [[5, 20], [6, 7], [7, 8], [9, 10], [10, 15], [11, 12], [12, 14], [12, 13], [15, 16], [16, 17]],
};

test("each argument is told beside what its tool declares", () => {
  const rows = argumentsOf(CALL).map(({ name, state, value, type, place }) => [name, state, value, type, place && [place.start, place.end]]);
  assert.deepEqual(rows, [
    ["b", "coerced", "{\"c\":[2]}", "object", [10, 15]],
    ["d", "wrong", "true", "string", [16, 17]],
    ["e", "missing", null, "integer", null],
    ["g", "absent", null, "any", null],
    ["a", "undeclared", "1.0", "", [7, 8]],
  ]);
  assert.deepEqual(ofCall(CALL).map((row) => row.message), ["too few", "guessed"]);
  const unknown = argumentsOf({ ...CALL, parameters: null, coercions: [], violations: [] });
  assert.deepEqual(unknown.map((row) => row.state), ["unchecked", "unchecked", "unchecked"]);
  // Names are not patterns of pointers.
  const odd = { ...CALL, json: "{\"x/y~\":1,\"x\":2}", parameters: [], violations: [{ path: "/x~1y~0", message: "m" }] };
  assert.deepEqual(argumentsOf(odd).map((row) => row.state), ["wrong", "undeclared"]);
});

test("calls are a value with places in the text", () => {
  // One character of two bytes stands before them.
  const text = `é ${"x".repeat(30)}`;
  const value = callsOf(text, { calls: [CALL], refused: [{ name: null, start: 22, end: 24 }], text: "t", reasoning: "r", truncated: false, class: "notation", diagnostics: [{ code: "x", severity: "error", path: "/0/arguments/d", message: "m", start: 16, end: 17 }] });
  assert.deepEqual(JSON.parse(value.json), [{ name: "f", arguments: JSON.parse(CALL.json) }]);
  assert.match(value.json, /"a":1\.0/, "digits are kept");
  assert.equal(value.places.length, 2 * value.tape.length);
  assert.deepEqual(value.inside, [{ start: 2, end: 19 }]);
  assert.equal(textOf(value.json, value.tape, value.findings[0].part - 1), "d");
  assert.deepEqual([value.coercions[0].path, value.coercions[0].start], ["/0/arguments/b/c/0", 11]);
  const [start, end] = [value.places[2 * value.coercions[0].part], value.places[2 * value.coercions[0].part + 1]];
  assert.deepEqual([start, end], [11, 12], "the part of a coercion is where it was written");
  assert.deepEqual([value.said.calls[0].start, value.said.refused[0].start, value.said.text, value.said.reasoning], [2, 21, "t", "r"]);
});

test("notations without braces have the place of the call", () => {
  const value = callsOf("x".repeat(40), { calls: [{ ...CALL, places: [[5, 5], ...CALL.places.slice(1)] }] });
  assert.deepEqual([...value.places.slice(10, 12)], [3, 20]);
  const without = callsOf("x".repeat(40), { calls: [{ ...CALL, places: undefined }] });
  assert.deepEqual([...new Set(without.places)], [3, 20]);
});

test("what holds calls is told from what does not", () => {
  const rows = [
    [{ calls: [CALL] }, true],
    [{ calls: [], refused: [{ name: "x", start: 0, end: 1 }] }, true],
    [{ calls: [], truncated: true }, true],
    [{ calls: [], refused: [], text: "x" }, false],
    [{ error: "invalid tools", status: 400, details: [] }, false],
  ];
  for (const [body, expected] of rows) assert.equal(holdsCalls(callsOf("x".repeat(30), body)), expected, JSON.stringify(body));
  assert.equal(callsOf("x", rows[4][0]).json, null);
  assert.equal(callsOf("x", rows[3][0]).json, "[]");
});

test("types are told in a few words", () => {
  const rows = [
    [true, "any"], [null, "any"], [{}, "any"], [{ type: "string" }, "string"], [{ type: ["string", "null"] }, "string | null"],
    [{ type: "array", items: { type: "integer" } }, "integer[]"], [{ enum: ["a", 1] }, "\"a\" | 1"], [{ const: null }, "null"],
    [{ anyOf: [{ type: "string" }, { $ref: "#/$defs/Place" }] }, "string | Place"], [{ oneOf: [true, { type: "array" }] }, "any | array"],
  ];
  for (const [schema, expected] of rows) assert.equal(typeOf(schema), expected);
});

test("what was said grows with the chunks, and is taken back where it was none", () => {
  const events = [
    [{ type: "text", text: "a " }],
    [{ type: "started", index: 0, name: "f" }, { type: "arguments", index: 0, delta: "{\"x\"" }],
    [{ type: "arguments", index: 0, delta: ":1}" }, { type: "done", index: 0 }, { type: "reasoning", text: "r" }],
    [{ type: "started", index: 1, name: "g" }],
    [{ type: "abandoned", index: 1 }, { type: "refused", refused: { name: "g" } }],
    [{ type: "all_reasoning" }],
    [{ type: "started", index: 0, name: "h" }],
  ];
  const shown = (at) => {
    const { text, reasoning, calls, refused } = saidAfter(events, at);
    return [text, reasoning, calls.map(({ name, json, isDone }) => `${name}${json}${isDone ? "." : "…"}`).join(), refused.length];
  };
  const rows = [["", "", "", 0], ["a ", "", "", 0], ["a ", "", "f{\"x\"…", 0], ["a ", "r", "f{\"x\":1}.", 0], ["a ", "r", "f{\"x\":1}.,g…", 0], ["a ", "r", "f{\"x\":1}.", 1], ["", "ra ", "", 0], ["", "ra ", "h…", 0]];
  rows.forEach((expected, at) => assert.deepEqual(shown(at), expected, `after ${at}`));
});

test("changes are certain when their call is complete", () => {
  const text = "x".repeat(40);
  const second = { ...CALL, start: 21, end: 40, coercions: [{ ...CALL.coercions[0], start: 30, end: 31 }] };
  const chunks = [{ end: 20, events: [{ type: "started", index: 0, name: "f" }] }, { end: 39, events: [{ type: "done", index: 0 }] }, { end: 40, events: [] }];
  const run = callChunksOf(text, { calls: [CALL, second], chunks });
  assert.deepEqual([...run.end], [20, 39, 40]);
  // The second is decided at the end of the text.
  assert.deepEqual([...run.certain], [1, 3]);
});

test("tools are sent as they are written, and a recorded call brings its own", () => {
  assert.deepEqual(callMembers({ ...DEFAULTS }, " ").at(-1), ["tools", null]);
  assert.deepEqual(callMembers({ ...DEFAULTS, attempts: 0 }, "[1.0]").at(-1), ["tools", "[1.0]"]);
  const call = { kind: "call", notation: "hermes", tool: "f", schema: { type: "object" } };
  assert.deepEqual([sampleOf(call).as, JSON.parse(sampleOf(call).tools), sampleOf(call).schema], ["calls", [{ name: "f", parameters: { type: "object" } }], ""]);
  assert.deepEqual(JSON.parse(sampleOf({ ...call, schema: null }).tools), [{ name: "f" }]);
  assert.deepEqual(sampleOf({ ...call, notation: null }), { as: "auto", schema: "{\n  \"type\": \"object\"\n}", tools: "" });
  assert.deepEqual(sampleOf({ kind: "content", schema: null }), { as: "auto", schema: "", tools: "" });
});
