import assert from "node:assert/strict";
import { test } from "node:test";
import * as ai7 from "ai";
import * as mocks7 from "ai/test";
import * as ai6 from "ai6";
import * as mocks6 from "ai6/test";
import { OptionError, Reader, SchemaError } from "llmend";
import { llmendMiddleware, repairText, repairToolCall, type AiOptions } from "llmend/ai";
import { z } from "zod";
import * as z3 from "zod/v3";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const finishReason = { unified: "stop", raw: "stop" };
const City = z.object({ city: z.string(), people: z.number() });
const OSLO = { city: "Oslo", people: 717710 };
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

  test(`${name}: JSON that was asked for beside tools is repaired, and one of both is a call`, async () => {
    const answer = text("Sure!\n```json\n{'City': 'Oslo', people: \"717710\",}\n```");
    const output = sdk.Output.object({ schema: City });
    const whole = await sdk.generateText({ model: wrapped(answer), prompt: "?", output, tools });
    assert.deepEqual(whole.output, OSLO);
    const streamed = sdk.streamText({ model: wrapped(answer), prompt: "?", output, tools });
    assert.deepEqual(await streamed.output, OSLO);
    assert.equal(await streamed.text, '{"city":"Oslo","people":717710}');
    const calling = text('I look. <tool_call>{"name": "search", "arguments": {"query": "Oslo", "limit": 3}}</tool_call> Wait.');
    const called = sdk.streamText({ model: wrapped(calling), prompt: "?", output, tools, onError() {} });
    assert.equal((await called.toolCalls)[0].toolName, "search");
    assert.equal((await called.text).replace(/\s+/g, " "), "I look. Wait.");
    const prose = sdk.streamText({ model: wrapped(text("I cannot: {it} is.")), prompt: "?", output, tools, onError() {} });
    assert.equal(await prose.text, "I cannot: {it} is.");
  });

  test(`${name}: streams fit the JSON to the schema, and leave one that does not fit to the SDK`, async () => {
    const answer = text('{"City":"Oslo","people":"717710",}');
    const output = sdk.Output.object({ schema: City });
    assert.deepEqual(await sdk.streamText({ model: wrapped(answer), prompt: "?", output }).output, OSLO);
    const streamed = sdk.streamObject({ model: wrapped(answer), schema: City, prompt: "?" });
    for await (const _ of streamed.partialObjectStream);
    assert.deepEqual(await streamed.object, OSLO);
    const unfit = sdk.streamText({ model: wrapped(text("{'city': 'Oslo', people: 'few'}")), prompt: "?", output, onError() {} });
    assert.deepEqual(JSON.parse(await unfit.text), { city: "Oslo", people: "few" });
    await assert.rejects(async () => await unfit.output);
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

  test(`${name}: the validator of a tool is the SDK's to run`, async () => {
    let runs = 0;
    const counted = z.object({ query: z.string().transform((text) => `${text}${++runs}`) });
    const tools = { search: sdk.tool({ inputSchema: counted, execute: undefined }) };
    const answer = text('<tool_call>{"name": "search", "arguments": {"query": "Oslo",}}</tool_call>');
    const whole = await sdk.generateText({ model: wrapped(answer), prompt: "?", tools });
    assert.deepEqual(whole.toolCalls[0].input, { query: "Oslo1" });
    const [call] = await sdk.streamText({ model: wrapped(answer), prompt: "?", tools }).toolCalls;
    assert.deepEqual(call.input, { query: "Oslo2" });
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

  test(`${name}: JSON that was cut off is not used, whole or in streams, unless it is accepted`, async () => {
    for (const cut of ["{'city': 'Oslo', 'people': 71", '{"city": "Oslo", "people": 71, "seen": [1, 2']) {
      const output = sdk.Output.object({ schema: City });
      const ask = (options?: AiOptions) => ({
        model: sdk.wrapLanguageModel({ model: model(text(cut)), middleware: llmendMiddleware(options) }),
        prompt: "?", output, onError() {},
      });
      await assert.rejects(sdk.generateText(ask()));
      const streamed = sdk.streamText(ask());
      const seen = await streamed.text;
      assert.throws(() => JSON.parse(seen), SyntaxError);
      await assert.rejects(async () => await streamed.output);
      const accepted = sdk.streamText(ask({ unsure: "accept" }));
      assert.equal(JSON.parse(await accepted.text).city, "Oslo");
    }
  });

  test(`${name}: streamObject grows, and ends in the repaired value`, async () => {
    const answer = text('Sure!\n```json\n{"city": "Oslo", "people": 717710,}\n```');
    const streamed = sdk.streamObject({ model: wrapped(answer), schema: City, prompt: "?" });
    const partials: Part[] = [];
    for await (const partial of streamed.partialObjectStream) partials.push(partial);
    assert.ok(partials.some((partial) => partial.city === "Osl"), JSON.stringify(partials));
    assert.deepEqual([partials.at(-1), await streamed.object], [OSLO, OSLO]);
    const failing = sdk.streamObject({ model: model(answer), schema: City, prompt: "?", onError() {} });
    await assert.rejects(async () => await failing.object);
  });

  /** What a stream of these texts sends, without the usual end. */
  const sent = async (pieces: string[], params: object, end: Part[] = []) => {
    const inner = [{ type: "text-start", id: "0" }, ...pieces.map((delta) => ({ type: "text-delta", id: "0", delta })), ...end];
    const doStream = async () => ({ stream: ReadableStream.from(inner) });
    const { stream } = await llmendMiddleware().wrapStream({ doStream, params });
    const parts: Part[] = [];
    for await (const part of stream) parts.push(part);
    return parts;
  };
  const said = (parts: Part[]) => parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");
  const offered = (...names: string[]) => names.map((name) => ({ type: "function", name, inputSchema: { type: "object" } }));
  const called = (name: string, input: string) => `<tool_call>{"name": "${name}", "arguments": ${input}}</tool_call>`;

  test(`${name}: tools that cannot be read, and halves of characters, leave the text as it is`, async () => {
    const broken = [{ type: "function", name: "search", inputSchema: { type: "string", pattern: "(" } }];
    const whole = async (text: string, tools: object[]) => {
      const doGenerate = async () => ({ content: [{ type: "text", text }], finishReason });
      return (await llmendMiddleware().wrapGenerate({ doGenerate, params: { tools } })).content;
    };
    const answer = `I look. ${called("search", "{}")}`;
    assert.deepEqual(await whole(answer, broken), [{ type: "text", text: answer }]);
    assert.equal(said(await sent([answer], { tools: broken }, [{ type: "text-end", id: "0" }])), answer);
    const call = [{ type: "tool-call", toolCallId: "1", toolName: "search", input: "{'a'}" }];
    assert.deepEqual(await sent([], { tools: broken }, call), [{ type: "text-start", id: "0" }, ...call].slice(-2));
    const lone = `Lone \ud83d half. ${called("search", "{}")}`;
    assert.deepEqual(await whole(lone, offered("search")), [{ type: "text", text: lone }]);
    const parts = await sent(["Lone \ud83d", " half\ud83d"], { tools: offered("search") }, [{ type: "text-end", id: "0" }]);
    assert.equal(said(parts), "Lone \ufffd half\ufffd");
    const json = await sent(['{"a": "\ud83d', 'x"}'], { responseFormat: { type: "json" } }, [{ type: "text-end", id: "0" }]);
    assert.deepEqual(JSON.parse(said(json)), { a: "\ufffdx" });
    for (const name of ["functions", "tools"]) {
      const [made] = (await whole(called(name, '{"a": 1}'), offered(name, "other"))) as Part[];
      assert.deepEqual([made?.toolName, made?.input], [name, '{"a":1}']);
    }
  });

  test(`${name}: a stream that ends within a text sends what was held back`, async () => {
    const json = await sent(["{'a': 1", "2}"], { responseFormat: { type: "json" } });
    assert.deepEqual([said(json), json.at(-1)], ['{"a":12}', { type: "text-end", id: "0" }]);
    const text = await sent(["Wait <tool", "_ca"], { tools: offered("search") });
    assert.deepEqual([said(text), text.at(-1)?.type], ["Wait <tool_ca", "text-end"]);
    assert.equal(said(await sent(["no json"], { responseFormat: { type: "json" } })), "no json");
  });

  test(`${name}: reasoning beside a call is kept, and so are the digits of its arguments`, async () => {
    const answer = `<think>Hm, Oslo.</think>I look. ${called("search", '{"id": 12345678901234567890, "far": 1e400}')}`;
    const doGenerate = async () => ({ content: [{ type: "text", text: answer }], finishReason });
    const { content } = await llmendMiddleware().wrapGenerate({ doGenerate, params: { tools: offered("search") } });
    assert.deepEqual(content.map((part: Part) => part.type), ["reasoning", "text", "tool-call"]);
    assert.equal(content[0].text.trim(), "Hm, Oslo.");
    const input = '{"id":12345678901234567890,"far":1e400}';
    assert.equal(content[2].input.replaceAll(" ", ""), input);
    const parts = await sent([answer], { tools: offered("search") }, [{ type: "text-end", id: "0" }]);
    const call = parts.find((part) => part.type === "tool-call") as { input: string };
    assert.equal(call.input.replaceAll(" ", ""), input);
    const thought = parts.map((part) => (part.type === "reasoning-delta" ? part.delta : "")).join("");
    assert.equal(thought.trim(), "Hm, Oslo.");
    const near = async () => ({ content: [{ type: "text", text: called("search", '{"near": 1e-400}') }], finishReason });
    const small = await llmendMiddleware().wrapGenerate({ doGenerate: near, params: { tools: offered("search") } });
    assert.equal(small.content[0].input.replaceAll(" ", ""), '{"near":1e-400}');
  });
}

test("what is kept of the texts of a stream is freed where one of them fails, or the stream is left", async () => {
  const start = (id: string) => ({ type: "text-start", id });
  const stream = (parts: Part[]) => new ReadableStream<Part>({
    start: (controller) => parts.forEach((part) => controller.enqueue(part)),
  });
  const opened = async (parts: Part[]) => {
    const doStream = async () => ({ stream: stream(parts) });
    const wrapped = await llmendMiddleware().wrapStream({ doStream, params: { responseFormat: { type: "json" } } });
    return (wrapped.stream as ReadableStream<Part>).getReader();
  };
  const { free } = Reader.prototype;
  let freed = 0;
  Reader.prototype.free = function () {
    freed++;
    free.call(this);
  };
  try {
    const failing = await opened([start("0"), start("1"), { type: "text-delta", id: "1", delta: 7 }]);
    await assert.rejects(async () => {
      for (;;) await failing.read();
    }, /expected text/);
    assert.equal(freed, 2);
    const left = await opened([start("0")]);
    await left.read();
    await left.cancel();
    assert.equal(freed, 3);
  } finally {
    Reader.prototype.free = free;
  }
});

test("options and schemas of the caller that cannot be used are errors, not answers that pass", async () => {
  const policy = "stict" as "strict";
  const reject = { unsure: "reject" as "throw" };
  await assert.rejects(repairText(reject)({ text: "{'a': 1}" }), OptionError);
  for (const unsure of ["throw", "accept"] as const) {
    assert.deepEqual(JSON.parse((await repairText({ unsure })({ text: "{'a': 1}" })) ?? ""), { a: 1 });
  }
  const stream = new ReadableStream<Part>({ start: (controller) => controller.enqueue({ type: "text-start", id: "0" }) });
  const rejecting = await llmendMiddleware(reject).wrapStream({ doStream: async () => ({ stream }), params: { responseFormat: { type: "json" } } });
  await assert.rejects((rejecting.stream as ReadableStream<Part>).getReader().read(), OptionError);
  await assert.rejects(repairText({ policy })({ text: "{'a': 1}" }), OptionError);
  await assert.rejects(repairText({ schema: { type: "nothing" } })({ text: "{'a': 1}" }), SchemaError);
  const doGenerate = async () => ({ content: [{ type: "text", text: "{'a': 1}" }], finishReason });
  const params = { responseFormat: { type: "json", schema: { type: "object" } } };
  await assert.rejects(llmendMiddleware({ policy }).wrapGenerate({ doGenerate, params }), OptionError);
  const misspelt = repairText({ max_depth: 5 } as never)({ text: "{'a': 1}" });
  await assert.rejects(misspelt, { name: "OptionError", message: "unknown option `max_depth`; did you mean `maxDepth`?" });
  await assert.rejects(repairText({ unsure: "reject" as "throw" })({ text: "{'a': 1}" }), { name: "OptionError", message: /throw, accept$/ });
  assert.equal(await repairText()({ text: "no json" }), null);
  const old = z3.object({ city: z3.string() });
  assert.equal(await repairText({ schema: old })({ text: "{'City': 1}" }), '{"City": 1}');
  // One of a library that the engine cannot compile is the SDK's to check.
  const unknown = z.object({ city: z.string().regex(/[^]+/) });
  for (const schema of [unknown, ai7.zodSchema(unknown)]) {
    assert.equal(await repairText({ schema: schema as typeof unknown })({ text: "{'City': 'aa'}" }), '{"City": "aa"}');
  }
  const plain = { properties: { city: { pattern: "[^]+" } } };
  await assert.rejects(repairText({ schema: plain })({ text: "{'City': 'aa'}" }), SchemaError);
});
