import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import * as z3 from "zod3";
import { OptionError, PlanError, plan, type ToolsInput } from "llmend/plan";

const ANSWER = "🙂 My plan: {'objective': 'Trip', 'steps': [{'id': 'a', 'tool': 'serch', 'inputs': {'q': 'Oslo'}}, {'id': 'b', 'tool': 'book', 'depends_on': ['a']},]}";

test("a plan is read and checked, with places in the text", () => {
  const review = plan(ANSWER, { catalog: { search: null, book: null } });
  assert.equal(review.kind, "plan");
  assert.deepEqual([review.extent, review.hasErrors], ["part", true]);
  assert.equal((review.document.steps as unknown[]).length, 2);
  assert.equal(review.report.status, "repaired");
  const unknown = review.diagnostics.find((row) => /serch/.test(row.message));
  assert.ok(unknown, "the unknown tool is told");
  assert.match(ANSWER.slice(unknown.start ?? 0, unknown.end ?? 0), /serch/);
});

test("near misses of tool names are corrected if asked for", () => {
  const review = plan(ANSWER, { catalog: { search: null, book: null }, onNearTool: "rename" });
  assert.equal((review.document.steps as { tool: string }[])[0]?.tool, "search");
  assert.deepEqual([review.extent, review.hasErrors, review.unsure], ["whole", false, false]);
});

test("a text without a plan is a PlanError with a code", () => {
  assert.throws(() => plan("no plan at all"), (error: unknown) => {
    assert.ok(error instanceof PlanError);
    assert.ok(error.code.length > 0 && error.diagnostics.length > 0);
    assert.match(error.message, /^no JSON value found/);
    return true;
  });
  assert.throws(() => plan(ANSWER, { dialect: "klingon" }), OptionError);
  assert.throws(() => plan(ANSWER, { catalog: [1] }), PlanError);
});

test("a schema of the catalog that cannot be written, and rounded integers, are told", () => {
  const text = "{'objective': 'Trip', 'steps': [{'id': 'a', 'tool': 'search', 'inputs': {'q': 12345678901234567890}}]}";
  const { diagnostics, report } = plan(text, { catalog: { search: { inputSchema: z3.object({ q: z3.date() }) }, tools: true } });
  assert.deepEqual(diagnostics.filter((row) => row.code === "schema/not-coerced").map((row) => row.severity), ["info"]);
  assert.deepEqual(report.diagnostics.filter((row) => row.code === "value/rounded").length, 1);
});

test("the arguments of steps are checked against every form of catalog", () => {
  const arguments_ = { type: "object", properties: { q: { type: "integer" } }, required: ["q"] };
  const output = { type: "object", properties: { hits: { type: "array" } } };
  const Query = z.object({ q: z.number().int() });
  const Hits = z.object({ hits: z.array(z.string()) });
  const text = "{'objective': 'Trip', 'steps': [{'id': 'a', 'tool': 'search', 'inputs': {'q': 'Oslo'}}]}";
  const found = (catalog: unknown) => plan(text, { catalog: catalog as ToolsInput }).diagnostics.map(({ code, path }) => [code, path]);
  const wanted = found({ search: arguments_ });
  assert.equal(wanted.filter(([code]) => /argument/.test(code ?? "")).length, 1, `${wanted}`);
  for (const [name, catalog] of Object.entries({
    described: { search: { description: "Searches", arguments: arguments_, output } },
    "described, with Standard Schemas": { search: { description: "Searches", arguments: Query, output: Hits } },
    "a Standard Schema by name": { search: Query },
    "beside a tool that is a text": { search: Query, wait: "Waits" },
    "beside one of any arguments": { search: { description: "Searches", args: Query }, wait: null, tools: true },
    "a tool of the AI SDK": { search: { type: "function", description: "Searches", inputSchema: Query, outputSchema: Hits, execute() {} } },
    "the AI SDK's jsonSchema": { search: { parameters: { jsonSchema: arguments_ } } },
    "a list": [{ name: "search", arguments: Query, output: Hits }],
    "a list of functions": { tools: [{ type: "function", function: { name: "search", parameters: Query } }] },
    "an answer of MCP": { jsonrpc: "2.0", id: 1, result: { tools: [{ name: "search", inputSchema: arguments_ }] } },
  })) {
    assert.deepEqual(found(catalog), wanted, name);
  }
  assert.throws(() => plan(text, { catalog: { search: { description: "Searches", arguments: "q" } } as object }), PlanError);
});

test("bytes are read, and options are named with what they take", () => {
  const text = "{'objective': 'Trip', 'steps': [{'id': 'a', 'tool': 'search'}]}";
  assert.deepEqual(plan(new TextEncoder().encode(text)), plan(text));
  const wrong = (options: object, message: RegExp, help: RegExp) =>
    assert.throws(() => plan(text, options), (error) => {
      assert.ok(error instanceof OptionError);
      assert.match(error.message, message);
      assert.match(error.help ?? "", help);
      return true;
    });
  wrong({ dialect: "klingon" }, /^option `dialect`: unknown value `klingon`, expected one of: auto, .*workflow/, /Correct `dialect`/);
  wrong({ disabled: ["loops"] }, /^option `disabled`: unknown value `loops`, expected one of: tool, .*end_loop$/, /Correct `disabled`/);
  wrong({ fixes: "all" }, /^option `fixes`: unknown value `all`, expected one of: offer, make$/, /Correct `fixes`/);
  wrong({ dialects: "auto" }, /^unknown option `dialects`$/, /`policy`, .*`dialect`, .*`fixes`/);
});
