// Mastra takes models of the AI SDK, so that the middleware is all that it needs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { wrapLanguageModel } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { llmendMiddleware } from "llmend/ai";
import { z } from "zod";

const City = z.object({ city: z.string(), people: z.number() });
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A model that gives these answers in turn, in a stream by pieces of three characters. */
function scripted(...answers: string[]): MockLanguageModelV4 {
  const finishReason = { unified: "stop" as const, raw: "stop" };
  const next = () => answers.shift() ?? assert.fail("no answer is left");
  return new MockLanguageModelV4({
    doGenerate: async () => ({ content: [{ type: "text", text: next() }], finishReason, usage, warnings: [] }),
    doStream: async () => {
      const deltas = (next().match(/[^]{1,3}/g) ?? []).map((delta) => ({ type: "text-delta", id: "0", delta }));
      const parts = [{ type: "stream-start", warnings: [] }, { type: "text-start", id: "0" }, ...deltas, { type: "text-end", id: "0" }];
      return { stream: ReadableStream.from([...parts, { type: "finish", finishReason, usage }]) as any };
    },
  });
}

function agent(model: MockLanguageModelV4, tools = {}): Agent {
  const repairing = wrapLanguageModel({ model, middleware: llmendMiddleware() });
  return new Agent({ id: "guide", name: "guide", instructions: "Answer.", model: repairing, tools });
}

test("an agent's structured output is repaired and fits its schema", async () => {
  const broken = "Sure!\n```json\n{'City': 'Oslo', 'people': '717710',}\n```";
  const structuredOutput = { schema: City };
  const plain = new Agent({ id: "plain", name: "plain", instructions: "Answer.", model: scripted(broken) });
  await assert.rejects(async () => assert.ok((await plain.generate("?", { structuredOutput })).object));
  const { object } = await agent(scripted(broken)).generate("?", { structuredOutput });
  assert.deepEqual(object, { city: "Oslo", people: 717710 });
});

test("its stream grows and ends in the value", async () => {
  const output = await agent(scripted('{"city": "Oslo", people: 717710,}')).stream("?", { structuredOutput: { schema: City } });
  const seen: unknown[] = [];
  for await (const object of output.objectStream) seen.push(object);
  assert.ok(seen.length > 1);
  assert.deepEqual(await output.object, { city: "Oslo", people: 717710 });
});

test("a call that the model wrote as text is made", async () => {
  const asked: unknown[] = [];
  const search = createTool({
    id: "search",
    description: "Searches",
    inputSchema: z.object({ limit: z.number() }),
    execute: async (input) => (asked.push(input), { found: 3 }),
  });
  const call = 'I look. <tool_call>{"name": "search", "arguments": {"limit": "3"}}</tool_call>';
  const { text } = await agent(scripted(call, "Three."), { search }).generate("?");
  assert.deepEqual(asked, [{ limit: 3 }]);
  assert.match(text, /Three\.$/);
});
