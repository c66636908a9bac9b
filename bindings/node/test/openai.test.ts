import assert from "node:assert/strict";
import { test } from "node:test";
import { repairing, repairingFetch } from "llmend/openai";
import OpenAI from "openai";
import { zodFunction, zodResponseFormat, zodResponsesFunction, zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";

const City = z.object({ city: z.string(), people: z.number() });
const BROKEN = "Sure!\n```json\n{'City': 'Oslo', 'people': '717710',}\n```";

/** A client whose server answers every request with this. */
const client = (body: unknown) =>
  new OpenAI({
    apiKey: "none",
    fetch: async () => new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } }),
  });

const completion = (message: object) => ({
  id: "1", object: "chat.completion", created: 1, model: "m",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: null, refusal: null, ...message } }],
});

const response = (output: object[]) => ({ id: "1", object: "response", created_at: 1, model: "m", status: "completed", output });

test("a response format of chat completions reads a broken answer", async () => {
  const ask = (response_format: ReturnType<typeof zodResponseFormat>) =>
    client(completion({ content: BROKEN })).chat.completions.parse({ model: "m", messages: [], response_format });
  await assert.rejects(ask(zodResponseFormat(City, "city")));
  const { choices } = await ask(repairing(zodResponseFormat(City, "city")));
  assert.deepEqual(choices[0]?.message.parsed, { city: "Oslo", people: 717710 });
});

test("a text format of responses does too, and its request is the same", async () => {
  const content = [{ type: "output_text", text: BROKEN, annotations: [] }];
  const output = [{ type: "message", id: "1", role: "assistant", status: "completed", content }];
  const format = zodTextFormat(City, "city");
  const asked = (format: ReturnType<typeof zodTextFormat>) =>
    client(response(output)).responses.parse({ model: "m", input: "?", text: { format } });
  await assert.rejects(asked(format));
  assert.deepEqual((await asked(repairing(format))).output_parsed, { city: "Oslo", people: 717710 });
  assert.equal(JSON.stringify(repairing(format)), JSON.stringify(format));
});

test("the arguments of tools are repaired", async () => {
  const tool = zodFunction({ name: "visit", parameters: City });
  const call = { id: "c", type: "function", function: { name: "visit", arguments: "{'city': 'Oslo', people: '1',}" } };
  const asked = (tools: (typeof tool)[]) =>
    client(completion({ tool_calls: [call] })).chat.completions.parse({ model: "m", messages: [], tools });
  await assert.rejects(asked([tool]));
  const { choices } = await asked([repairing(tool)]);
  assert.deepEqual(choices[0]?.message.tool_calls?.[0]?.function.parsed_arguments, { city: "Oslo", people: 1 });

  const other = repairing(zodResponsesFunction({ name: "visit", parameters: City }));
  const item = { type: "function_call", id: "1", call_id: "c", status: "completed", name: "visit", arguments: call.function.arguments };
  const { output } = await client(response([item])).responses.parse({ model: "m", input: "?", tools: [other] });
  assert.deepEqual((output[0] as { parsed_arguments?: unknown }).parsed_arguments, { city: "Oslo", people: 1 });
});

test("what cannot be repaired, or was cut off, is the parser's own error", () => {
  const format = repairing(zodTextFormat(City, "city")) as unknown as { $parseRaw(content: string): unknown };
  assert.throws(() => format.$parseRaw("no json"), SyntaxError);
  assert.throws(() => format.$parseRaw('{"city": "Oslo", "people": 71'), SyntaxError);
  assert.throws(() => format.$parseRaw('{"city": "Oslo"}'), z.ZodError);
  assert.throws(() => repairing({}), TypeError);
});

/** The text of the answer to a request, with and without the `fetch` that repairs. */
async function fetched(answer: string, request: object, address = "https://host/v1/chat/completions", status = 200): Promise<string[]> {
  const fetch = async () => new Response(answer, { status, headers: { "content-length": `${answer.length}` } });
  const init = { method: "post", body: JSON.stringify(request) };
  return Promise.all([fetch, repairingFetch({ fetch })].map(async (fetch) => (await fetch(address, init)).text()));
}

const parameters = { type: "object", properties: { limit: { type: "integer" } }, required: ["limit"] };
const tools = [{ type: "function", function: { name: "search", parameters } }];
const CALL = 'I look. <tool_call>{"name": "serch", "arguments": {"limit": "3"}}</tool_call>';

test("the fetch turns calls in text into tool calls, and keeps the others", async () => {
  const given = { id: "c", type: "function", function: { name: "search", arguments: "{'limit': '4'}" } };
  const custom = { id: "d", type: "custom", custom: { name: "x", input: "{'a'" } };
  const [, text = ""] = await fetched(JSON.stringify(completion({ content: CALL, tool_calls: [given, custom] })), { tools });
  const { choices } = JSON.parse(text);
  const { content, tool_calls: made } = choices[0].message;
  assert.deepEqual([choices[0].finish_reason, content.trim()], ["tool_calls", "I look."]);
  assert.deepEqual(made.map((call: typeof given) => call.function?.arguments), ['{"limit":3}', '{"limit": 4}', undefined]);
  assert.deepEqual([made[0].function.name, made[1].id, made[2]], ["search", "c", custom]);
});

test("what is not asked for, is fine, or is no whole chat completion passes the fetch byte for byte", async () => {
  const answer = JSON.stringify(completion({ content: CALL }), null, 1);
  const fine = JSON.stringify(completion({ content: "Nothing to call." }), null, 1);
  const rows: Parameters<typeof fetched>[] = [
    [answer, {}],
    [answer, { tools, stream: true }],
    [answer, { tools }, "https://host/v1/responses"],
    [answer, { tools }, undefined, 500],
    [fine, { tools }],
    ["no json", { tools }],
    ["null", { tools }],
  ];
  for (const row of rows) {
    const [plain, repaired] = await fetched(...row);
    assert.equal(repaired, plain, JSON.stringify(row));
  }
});

test("reasoning beside a call in text is no tool call", async () => {
  const [, text = ""] = await fetched(JSON.stringify(completion({ content: `<think>Hm.</think>${CALL}` })), { tools });
  const { choices } = JSON.parse(text);
  const { content, tool_calls: made } = choices[0].message;
  assert.deepEqual([content.trim(), made.length, made[0].function.name], ["I look.", 1, "search"]);
});

test("requests and answers in other shapes pass", async () => {
  const parts = JSON.stringify(completion({ content: [{ type: "text", text: CALL }] }));
  const plain = JSON.stringify(completion({ content: "{'a': 1}" }));
  for (const [answer, request] of [
    [parts, { tools }],
    [parts, { response_format: { type: "json_object" } }],
    [plain, { response_format: {} }],
    [plain, { response_format: { type: 7 } }],
    [plain, { tools: {} }],
  ] as const) {
    const [before, after] = await fetched(answer, request);
    assert.equal(after, before, JSON.stringify(request));
  }
});
