// Conversion of responses.

import assert from "node:assert/strict";
import { test } from "node:test";

import { question } from "../../../crates/llmend-gateway/page/feedback.js";
import { changesOf, chunksOf, looksLikePlan, planOf, replacementOf, valueOf } from "../../../crates/llmend-gateway/page/result.js";
import { DEFAULTS, loadSettings, notJson, planMembers, saveSettings, valueMembers } from "../../../crates/llmend-gateway/page/settings.js";
import { fromShared, shared } from "../../../crates/llmend-gateway/page/share.js";
import { tapeOf } from "../../../crates/llmend-gateway/page/tape.js";

test("offsets are in code units, and findings have their part", () => {
  const text = "é {'a': 1}";
  const value = valueOf(text, {
    status: "repaired",
    class: "notation",
    truncated: false,
    candidate: { start: 3, end: 11, origin: "bare" },
    repairs: [
      { rule: "single-quotes", class: "notation", start: 4, end: 5, replacement: "\"" },
      { rule: "single-quotes", class: "notation", start: 6, end: 7, replacement: "\"\"" },
    ],
    diagnostics: [{ code: "x", severity: "warning", path: "/a", message: "m", start: 4, end: 7 }],
    json: "{\"a\": 1}",
    places: [[3, 11], [4, 7], [9, 10]],
  });
  assert.deepEqual([...value.repairs.start, ...value.repairs.end], [3, 5, 4, 6]);
  assert.deepEqual([0, 1].map((at) => replacementOf(value.repairs, at)), ["\"", "\"\""]);
  assert.deepEqual([...value.places], [2, 10, 3, 6, 8, 9]);
  assert.deepEqual([value.inside[0].start, value.findings[0].start, value.findings[0].part], [2, 3, 2]);
});

test("coercions are marks unless they overlap repairs", () => {
  const repair = (start, end) => ({ rule: "r", class: "notation", start, end, replacement: "" });
  const coercion = (start, end) => ({ kind: "c", class: "guess", path: "", start, end, after: "x" });
  const rows = [
    [[repair(0, 1)], [coercion(2, 4)], [[0, 1], [2, 4]], 0],
    [[repair(2, 3)], [coercion(0, 5)], [[2, 3]], 1],
    [[], [coercion(0, 5), coercion(2, 3)], [[0, 5]], 1],
    [[repair(0, 3)], [coercion(2, 5)], [[0, 3]], 1],
    [[], [{ ...coercion(0, 0), start: null, end: null }], [], 1],
  ];
  for (const [repairs, coercions, expected, beside] of rows) {
    const found = changesOf(repairs, coercions);
    assert.deepEqual(found.changes.map(({ start, end }) => [start, end]), expected);
    assert.equal(found.beside.length, beside);
  }
});

test("a failure keeps the partial result", () => {
  const value = valueOf("{", { error: "no", status: 422, details: [{ code: "a", message: "m", path: null, start: 0, end: 1, severity: "error" }] });
  assert.deepEqual([value.error, value.status, value.json, value.findings.length], ["no", 422, null, 1]);
  const plan = planOf("x", { valid: false, document: {}, places: { steps: [[0, 1], null] }, diagnostics: [] }, null);
  assert.deepEqual(plan.items, [[0, 1], null]);
});

test("only values with plan members look like plans", () => {
  const rows = [["{\"steps\": []}", true], ["{\"a\": {\"steps\": []}}", false], ["[1]", false], ["{\"x\": 1, \"nodes\": []}", true], ["\"steps\"", false]];
  for (const [json, expected] of rows) assert.equal(looksLikePlan(json, tapeOf(json)), expected, json);
});

test("chunks know when each repair became certain", () => {
  const quote = (start) => ({ rule: "single-quotes", class: "notation", start, end: start + 1, replacement: "\"" });
  const run = chunksOf("['a']", [
    { end: 2, parts: 1, growing: null, repairs: [] },
    { end: 5, parts: 2, growing: 1, repairs: [quote(1)] },
    { end: 5, json: "[\"a\"]", places: [[0, 5], [1, 4]], repairs: [quote(1), quote(3)], candidate: { start: 0, end: 5, origin: "whole" } },
  ]);
  assert.deepEqual([...run.end], [2, 5]);
  assert.deepEqual([...run.growing], [-1, 1]);
  assert.deepEqual([...run.certain], [1, 2]);
  assert.deepEqual([...run.known], [0, 1]);
});

test("stored settings are validated", () => {
  const kept = new Map();
  const store = { getItem: (name) => kept.get(name) ?? null, setItem: (name, value) => kept.set(name, value) };
  assert.deepEqual(loadSettings(store), { ...DEFAULTS });
  saveSettings({ ...DEFAULTS, policy: "lenient", rules: { set: false }, attempts: 1 }, store);
  assert.deepEqual(loadSettings(store), { ...DEFAULTS, policy: "lenient", rules: { set: false }, attempts: 1 });
  for (const bad of ["{", "null", "[]", "7", "{\"rules\": 3, \"attempts\": \"x\", \"policy\": null}", "{\"rules\": {\"set\": \"yes\"}}"]) {
    store.setItem("llmend.settings", bad);
    assert.deepEqual(loadSettings(store), { ...DEFAULTS }, bad);
  }
  store.setItem("llmend.settings", "{\"attempts\": 99.5}");
  assert.equal(loadSettings(store).attempts, 10);
});

test("max_repair_attempts 0 sends no schema and no plan request", () => {
  // S3-18
  const names = (rows) => rows.filter(([, value]) => value !== null).map(([name]) => name);
  assert.deepEqual(names(valueMembers({ ...DEFAULTS, attempts: 0 }, "{}")), ["policy"]);
  assert.deepEqual(names(valueMembers({ ...DEFAULTS, attempts: 1 }, "{}")), ["policy", "schema"]);
  assert.equal(planMembers({ ...DEFAULTS, attempts: 0 }, ""), null);
  assert.deepEqual(names(planMembers({ ...DEFAULTS, fix: true }, "[]")), ["policy", "dialect", "fix", "catalog", "draw"]);
  assert.deepEqual([notJson(""), notJson("[1]"), typeof notJson("{")], [null, null, "string"]);
});

test("shared results can be parsed", () => {
  const text = shared({ text: "{'a'}", as: "plan", settings: DEFAULTS, schema: "{}", tools: "", raw: { repair: "{\"json\": 1}" } });
  const found = fromShared(text);
  assert.deepEqual([found.text, found.read_as, found.schema, found.repair], ["{'a'}", "plan", "{}", { json: 1 }]);
  for (const other of ["{}", "[1]", "text", "{\"llmend_page\": 2, \"text\": \"\"}", "{\"llmend_page\": 1}"]) {
    assert.equal(fromShared(other), null, other);
  }
});

test("a model is sent the errors and the schema", () => {
  const [answer, ask] = question("{x", [{ severity: "error", path: "/n", message: "too low", help: "at least 1" }, { severity: "info", message: "quiet" }], "{\"type\": \"object\"}");
  assert.deepEqual([answer.role, answer.content, ask.role], ["assistant", "{x", "user"]);
  assert.match(ask.content, /\/n: too low \(at least 1\)/);
  assert.match(ask.content, /"type": "object"/);
  assert.doesNotMatch(ask.content, /quiet/);
});
