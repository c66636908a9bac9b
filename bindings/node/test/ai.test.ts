import assert from "node:assert/strict";
import { test } from "node:test";
import * as ai7 from "ai";
import * as mocks7 from "ai/test";
import * as ai6 from "ai6";
import * as mocks6 from "ai6/test";
import { llmendMiddleware, repairText, repairToolCall } from "llmend/ai";
import { z } from "zod";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const finishReason = { unified: "stop", raw: "stop" };
const City = z.object({ city: z.string(), people: z.number() });
const search = { description: "Searches", inputSchema: z.object({ query: z.string(), limit: z.number().int() }) };

type Part = Record<string, unknown>;

// Both versions, behind what the tests need of them.
const versions = [
  { name: "AI SDK 7", sdk: ai7, Mock: mocks7.MockLanguageModelV4 },
  { name: "AI SDK 6", sdk: ai6, Mock: mocks6.MockLanguageModelV3 },
] as { name: string; sdk: any; Mock: any }[];

for (const { name, sdk, Mock } of versions) {
  /** A model that answers with these parts; a text in a stream comes in pieces of three characters. */
  const model = (content: Part[]) =>
    new Mock({
      doGenerate: async () => ({ content, finishReason, usage, warnings: [] }),
      doStream: async () => ({
        stream: ReadableStream.from([
          { type: "stream-start", warnings: [] },
          ...content.flatMap((part, id) => {
            if (part.type !== "text") return [part];
            const deltas = (part.text as string).match(/[^]{1,3}/g) ?? [];
            const pieces = deltas.map((delta) => ({ type: "text-delta", id: `${id}`, delta }));
            return [{ type: "text-start", id: `${id}` }, ...pieces, { type: "text-end", id: `${id}` }];
          }),
          { type: "finish", finishReason, usage },
        ]),
      }),
    });
  const wrapped = (content: Part[]) => sdk.wrapLanguageModel({ model: model(content), middleware: llmendMiddleware() });
  const text = (text: string) => [{ type: "text", text }];
  const tools = { search: sdk.tool({ ...search, execute: undefined }) };

  test(`${name}: repairText gives generateObject a value that fits`, async () => {
    const options = { model: model(text("Gladly: {'City': 'Oslo', 'people': '717710'}")), schema: City, prompt: "?", maxRetries: 0 };
    await assert.rejects(sdk.generateObject(options));
    const { object } = await sdk.generateObject({ ...options, experimental_repairText: repairText({ schema: City }) });
    assert.deepEqual(object, { city: "Oslo", people: 717710 });
    // One that was cut off is not used.
    const cut = { ...options, model: model(text("{'city': 'Oslo', 'people': 71")) };
    await assert.rejects(sdk.generateObject({ ...cut, experimental_repairText: repairText({ schema: City }) }));
    const accepting = repairText({ schema: City, unsure: "accept" });
    const accepted = await sdk.generateObject({ ...cut, experimental_repairText: accepting });
    assert.equal(accepted.object.city, "Oslo");
  });

  test(`${name}: repairToolCall repairs input and name, or refuses`, async () => {
    const call = (toolName: string, input: string) => [{ type: "tool-call", toolCallId: "1", toolName, input }];
    const asked = async (toolName: string, input: string) => {
      const options = { model: model(call(toolName, input)), tools, prompt: "?", experimental_repairToolCall: repairToolCall() };
      const { toolCalls } = await sdk.generateText(options);
      return [toolCalls[0].toolName, toolCalls[0].input, toolCalls[0].invalid ?? false];
    };
    assert.deepEqual(await asked("search", "{'query': 'Oslo', limit: '3',}"), ["search", { query: "Oslo", limit: 3 }, false]);
    assert.deepEqual(await asked("serch", '{"query": "Oslo", "limit": 3}'), ["search", { query: "Oslo", limit: 3 }, false]);
    assert.equal((await asked("search", "{'query': 'Oslo'}"))[2], true);
    assert.equal((await asked("search", "{'query': 'Oslo', 'limit': 3, 'q")).at(2), true);
    assert.equal((await asked("unrelated", "{}"))[2], true);
  });

  test(`${name}: the middleware repairs the JSON that was asked for, whole and in streams`, async () => {
    const answer = text("Sure!\n```json\n{'city': 'Oslo', \"people\": 717710,}\n```");
    const output = sdk.Output.object({ schema: City });
    const whole = await sdk.generateText({ model: wrapped(answer), prompt: "?", output });
    assert.deepEqual(whole.output, { city: "Oslo", people: 717710 });
    const streamed = sdk.streamText({ model: wrapped(answer), prompt: "?", output });
    const partials: unknown[] = [];
    for await (const partial of streamed.partialOutputStream) partials.push(partial);
    assert.deepEqual(partials.at(-1), { city: "Oslo", people: 717710 });
    assert.equal(await streamed.text, '{"city":"Oslo","people":717710}');
    await assert.rejects(sdk.generateText({ model: model(answer), prompt: "?", output }));
  });

  test(`${name}: what is no JSON passes as it is`, async () => {
    const answer = text("I cannot help with that: it is {complicated}.");
    const output = sdk.Output.object({ schema: City });
    const streamed = sdk.streamText({ model: wrapped(answer), prompt: "?", output, onError() {} });
    let seen = "";
    for await (const delta of streamed.textStream) seen += delta;
    assert.equal(seen, answer[0]?.text);
    const plain = await sdk.generateText({ model: wrapped(text("Just {text}, 'no' JSON")), prompt: "?" });
    assert.equal(plain.text, "Just {text}, 'no' JSON");
  });

  test(`${name}: calls written as text become tool calls, whole and in streams`, async () => {
    const answer = text('I look. <tool_call>{"name": "serch", "arguments": {\'query\': "Oslo", "limit": "3",}}</tool_call>');
    const whole = await sdk.generateText({ model: wrapped(answer), prompt: "?", tools });
    const wanted = [["search", { query: "Oslo", limit: 3 }]];
    const shown = (calls: Part[]) => calls.map((call) => [call.toolName, call.input]);
    assert.deepEqual(shown(whole.toolCalls), wanted);
    assert.equal(whole.finishReason, "tool-calls");
    assert.equal(whole.text.trim(), "I look.");
    const streamed = sdk.streamText({ model: wrapped(answer), prompt: "?", tools });
    let seen = "";
    for await (const delta of streamed.textStream) seen += delta;
    assert.equal(seen.trim(), "I look.");
    assert.deepEqual(shown(await streamed.toolCalls), wanted);
    assert.equal(await streamed.finishReason, "tool-calls");
  });

  test(`${name}: text beside tools passes letter for letter in streams`, async () => {
    const answer = text("Nothing to search for, <b>friend</b>: 3 < 4, and `{x}` is code. 🙂");
    const streamed = sdk.streamText({ model: wrapped(answer), prompt: "?", tools });
    let seen = "";
    for await (const delta of streamed.textStream) seen += delta;
    assert.equal(seen, answer[0]?.text);
    assert.equal(await streamed.finishReason, "stop");
  });

  test(`${name}: a stream may cut surrogate pairs`, async () => {
    const units = (text: string) =>
      new Mock({
        doStream: async () => ({
          stream: ReadableStream.from([
            { type: "stream-start", warnings: [] },
            { type: "text-start", id: "0" },
            ...text.split("").map((delta) => ({ type: "text-delta", id: "0", delta })),
            { type: "text-end", id: "0" },
            { type: "finish", finishReason, usage },
          ]),
        }),
      });
    const asked = (text: string, more: object) => {
      const model = sdk.wrapLanguageModel({ model: units(text), middleware: llmendMiddleware() });
      return sdk.streamText({ model, prompt: "?", ...more });
    };
    const output = sdk.Output.object({ schema: City });
    const json = asked("🙂 {'city': 'Oslo 🙂🙂', people: 1} 🙂", { output });
    assert.equal(await json.text, '{"city":"Oslo 🙂🙂","people":1}');
    const called = asked('🙂 <tool_call>{"name": "search", "arguments": {"query": "🙂", "limit": 3}}</tool_call>', { tools });
    assert.equal((await called.text).trim(), "🙂");
    assert.deepEqual((await called.toolCalls).map((call: Part) => call.input), [{ query: "🙂", limit: 3 }]);
    const plain = asked("No 🙂 JSON 🙂", { output, onError() {} });
    assert.equal(await plain.text, "No 🙂 JSON 🙂");
  });
}
