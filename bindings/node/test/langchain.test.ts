import assert from "node:assert/strict";
import { test } from "node:test";
import { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import { JsonOutputParser } from "@langchain/core/output_parsers";
import { RunnableLambda } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { OptionError, UnfitError, UnsureError } from "llmend";
import { LlmendOutputParser, repairToolCalls } from "llmend/langchain";
import { z } from "zod";

const City = z.object({ city: z.string(), people: z.number() });
const BROKEN = "Sure!\n```json\n{'City': 'Oslo', \"people\": '717710',}\n```\nBye.";

test("a chain gives the fitted value, where the usual parser fails", async () => {
  const model = new FakeListChatModel({ responses: [BROKEN] });
  await assert.rejects(model.pipe(new JsonOutputParser()).invoke("?"));
  const chain = model.pipe(new LlmendOutputParser({ schema: City }));
  const value: { city: string; people: number } = await chain.invoke("?");
  assert.deepEqual(value, { city: "Oslo", people: 717710 });
});

test("its stream grows and ends in the fitted value", async () => {
  const model = new FakeListChatModel({ responses: ['{"city": "Oslo", "people": "717710"}'] });
  const seen: unknown[] = [];
  for await (const value of await model.pipe(new LlmendOutputParser({ schema: City })).stream("?")) seen.push(value);
  assert.ok(seen.length > 5);
  assert.deepEqual(seen[0], {});
  assert.ok(seen.some((value) => JSON.stringify(value) === '{"city":"Osl"}'));
  // None has the text of a number.
  assert.ok(seen.every((value) => typeof (value as { people?: unknown }).people !== "string"));
  assert.deepEqual(seen.at(-1), { city: "Oslo", people: 717710 });
});

test("pieces of its stream may cut surrogate pairs", async () => {
  const source = RunnableLambda.from(async function* () {
    yield* '{"City": "🙂 Oslo 🙂", people: 1}'.split("");
  });
  const seen: unknown[] = [];
  for await (const value of await source.pipe(new LlmendOutputParser({ schema: City })).stream("?")) seen.push(value);
  assert.ok(seen.some((value) => JSON.stringify(value) === '{"city":"🙂 Os"}'), JSON.stringify(seen));
  assert.deepEqual(seen.at(-1), { city: "🙂 Oslo 🙂", people: 1 });
});

test("messages are read by their text, and anything without a schema", async () => {
  const source = RunnableLambda.from(async function* () {
    yield new AIMessageChunk("[1, ");
    yield new AIMessageChunk({ content: [{ type: "text", text: "2, 'a']" }] });
  });
  const seen: unknown[] = [];
  for await (const value of await source.pipe(new LlmendOutputParser()).stream("?")) seen.push(value);
  assert.deepEqual(seen.at(-1), [1, 2, "a"]);
});

test("what does not fit or may lack something is an error", async () => {
  const parser = new LlmendOutputParser({ schema: City });
  await assert.rejects(parser.parse("{'city': 'Oslo'}"), UnfitError);
  await assert.rejects(parser.parse("{'city': 'Oslo', 'people': 1, 'mo"), UnsureError);
  const accepting = new LlmendOutputParser({ schema: City, unsure: "accept" });
  assert.deepEqual(await accepting.parse("{'city': 'Oslo', 'people': 1, 'mo"), { city: "Oslo", people: 1 });
  assert.match(parser.getFormatInstructions(), /"people"/);
});

test("invalid tool calls that can be repaired become tool calls", async () => {
  const search = tool(async () => "", { name: "search", schema: z.object({ query: z.string(), limit: z.number() }) });
  const invalid = (name: string, args: string) => ({ name, args, id: "1", error: "?", type: "invalid_tool_call" as const });
  const step = repairToolCalls({ tools: [search] });
  const message = new AIMessage({
    content: "I look.",
    tool_calls: [{ name: "search", args: { query: "a", limit: 1 }, id: "0", type: "tool_call" }],
    invalid_tool_calls: [
      invalid("serch", "{'query': 'Oslo', limit: '3',}"),
      invalid("search", "{'query': 'Os"),
      invalid("unrelated", "{}"),
    ],
  });
  const repaired = await step.invoke(message);
  assert.deepEqual(repaired.tool_calls?.map(({ name, args, id }) => [name, args, id]), [
    ["search", { query: "a", limit: 1 }, "0"],
    ["search", { query: "Oslo", limit: 3 }, "1"],
  ]);
  assert.deepEqual(repaired.invalid_tool_calls?.map(({ name, args }) => [name, args]), [["search", "{'query': 'Os"], ["unrelated", "{}"]]);
  assert.equal(repaired.content, "I look.");
  const fine = new AIMessage("Nothing.");
  assert.equal(await step.invoke(fine), fine);
});

test("an invalid call without arguments, and a stream with a choice", async () => {
  const now = tool(async () => "", { name: "now", schema: z.object({}) });
  const call = { name: "now", args: "", id: "1", error: "?", type: "invalid_tool_call" as const };
  const repaired = await repairToolCalls({ tools: [now] }).invoke(new AIMessage({ content: "", invalid_tool_calls: [call] }));
  assert.deepEqual(repaired.tool_calls?.map(({ name, args }) => [name, args]), [["now", {}]]);
  const model = new FakeListChatModel({ responses: ["{'a': 1} {'b': 2}"] });
  const chain = model.pipe(new LlmendOutputParser({ choice: "last" }));
  assert.deepEqual(await chain.invoke("?"), { b: 2 });
  await assert.rejects(async () => {
    for await (const _ of await chain.stream("?"));
  }, OptionError);
});

test("a stream awaits an asynchronous validator", async () => {
  const schema = z.object({ city: z.string().refine(async (city) => city === "Oslo") });
  const model = new FakeListChatModel({ responses: ["{'City': 'Oslo'}"] });
  const seen: unknown[] = [];
  for await (const value of await model.pipe(new LlmendOutputParser({ schema })).stream("?")) seen.push(value);
  assert.deepEqual(seen.at(-1), { city: "Oslo" });
});
