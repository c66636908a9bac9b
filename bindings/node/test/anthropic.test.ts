import assert from "node:assert/strict";
import { test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { jsonSchemaOutputFormat } from "@anthropic-ai/sdk/helpers/json-schema";
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
import { llmendMiddleware, repairing } from "llmend/anthropic";
import { z } from "zod";

const City = z.object({ city: z.string(), people: z.number() });
const BROKEN = "Sure!\n```json\n{'City': 'Oslo', 'people': '717710',}\n```";
const OSLO = { city: "Oslo", people: 717710 };
const CALL = 'I look. <tool_call>{"name": "search", "arguments": {"limit": "3"}}</tool_call> Wait.';

type Block = Record<string, unknown>;

/** A client whose server answers every request with this. What was asked is kept. */
function client(answer: Response | (() => Response), middleware = [llmendMiddleware()]) {
  const asked: string[] = [];
  const fetch = async (_: unknown, request?: { body?: unknown }) => {
    asked.push(String(request?.body));
    return typeof answer === "function" ? answer() : answer;
  };
  return { asked, client: new Anthropic({ apiKey: "none", fetch, middleware, maxRetries: 0 }) };
}

const json = (body: unknown) => new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } });

const message = (content: Block[], stop_reason = "end_turn") => ({
  id: "1", type: "message", role: "assistant", model: "m", content, stop_reason, stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
});

const text = (text: string) => ({ type: "text", text });
const toolUse = (input: unknown, more = {}) => ({ type: "tool_use", id: "t", name: "search", input, ...more });

/** A stream of blocks, of which text and input come in pieces. */
function streamed(blocks: Block[], pieceLength: number, stop_reason = "end_turn"): Response {
  const events: Block[] = [{ type: "message_start", message: { ...message([]), stop_reason: null } }, { type: "ping" }];
  for (const [index, block] of blocks.entries()) {
    const isText = block.type === "text";
    const whole = (isText ? block.text : block.type === "thinking" ? block.thinking : block.input) as string;
    const empty = isText ? { text: "" } : block.type === "thinking" ? { thinking: "" } : { input: {} };
    events.push({ type: "content_block_start", index, content_block: { ...block, ...empty } });
    for (let at = 0; at < whole.length; at += pieceLength) {
      const piece = whole.slice(at, at + pieceLength);
      const delta = isText
        ? { type: "text_delta", text: piece }
        : block.type === "thinking"
          ? { type: "thinking_delta", thinking: piece }
          : { type: "input_json_delta", partial_json: piece };
      events.push({ type: "content_block_delta", index, delta });
    }
    events.push({ type: "content_block_stop", index });
  }
  events.push({ type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 9 } }, { type: "message_stop" });
  const bytes = new TextEncoder().encode(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
  // Pieces of the wire end anywhere, also within a character.
  const body = new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 7) controller.enqueue(bytes.slice(at, at + 7));
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8" } });
}

const tools: Anthropic.Tool[] = [
  { name: "search", input_schema: { type: "object", properties: { limit: { type: "integer" } }, required: ["limit"] } },
];
const question = { model: "m", max_tokens: 9, messages: [{ role: "user" as const, content: "?" }] };

test("an output format reads a broken answer, and its request is the same", async () => {
  const { type, properties, required } = z.toJSONSchema(City) as any;
  for (const format of [zodOutputFormat(City), jsonSchemaOutputFormat({ type, properties, required })] as any[]) {
    const ask = async (format: any) => {
      const { client: own, asked } = client(json(message([text(BROKEN)])), []);
      const { parsed_output } = await own.messages.parse({ ...question, output_config: { format } });
      return { parsed_output, asked: asked[0] };
    };
    await assert.rejects(ask(format), /Failed to parse structured output/);
    const { parsed_output, asked } = await ask(repairing(format));
    assert.deepEqual(parsed_output, OSLO);
    assert.equal(JSON.stringify(JSON.parse(asked ?? "").output_config.format), JSON.stringify(format));
    assert.deepEqual(repairing(format).parse('{"city": "Oslo", "people": "717710"}'), OSLO);
  }
});

test("what cannot be repaired, or was cut off, is the parser's own error", () => {
  const format = repairing(zodOutputFormat(City));
  for (const text of ["no json", '{"city": "Oslo", "people": 71', '{"city": "Oslo"}']) {
    assert.throws(() => format.parse(text), Anthropic.AnthropicError, text);
  }
  assert.throws(() => repairing({}), TypeError);
});

test("the middleware repairs structured output by its schema", async () => {
  const { client: own } = client(json(message([text(BROKEN)])));
  const { parsed_output } = await own.messages.parse({ ...question, output_config: { format: zodOutputFormat(City) } });
  assert.deepEqual(parsed_output, OSLO);
});

test("calls in text become blocks, and the input of calls fits the schema", async () => {
  const { client: own } = client(json(message([text(CALL)])));
  const { content, stop_reason, usage } = await own.messages.create({ ...question, tools });
  assert.deepEqual(content.map((block) => block.type), ["text", "tool_use"]);
  assert.deepEqual((content[1] as Anthropic.ToolUseBlock).input, { limit: 3 });
  assert.match((content[0] as Anthropic.TextBlock).text, /^I look\.\s+Wait\.$/);
  assert.deepEqual([stop_reason, usage.output_tokens], ["tool_use", 1]);

  for (const input of [{ limit: "3" }, "{'Limit': 3,}"]) {
    const answer = message([{ type: "thinking", thinking: "Hm.", signature: "s" }, toolUse(input, { caller: { type: "direct" } })], "tool_use");
    const made = await client(json(answer)).client.messages.create({ ...question, tools });
    assert.deepEqual(made.content, [answer.content[0], toolUse({ limit: 3 }, { caller: { type: "direct" } })]);
    assert.equal(made.stop_reason, "tool_use");
  }
});

test("what is not asked for, is fine, or cannot be repaired passes byte for byte", async () => {
  const bodies = async (answer: () => Response, params: object) => {
    const { client: own } = client(answer);
    return (await own.messages.create({ ...question, ...params } as any).asResponse()).text();
  };
  const rows: [object, object][] = [
    [message([text(BROKEN)]), {}],
    [message([text("Nothing to call.")]), { tools }],
    [message([toolUse({ limit: 3 })], "tool_use"), { tools }],
    [message([toolUse({ limit: "many" })], "tool_use"), { tools }],
    [message([text('{"city": "Oslo", "people": 71')]), { output_config: { format: zodOutputFormat(City) } }],
    [{ type: "other", content: [text(CALL)] }, { tools }],
  ];
  for (const [answer, params] of rows) assert.equal(await bodies(() => json(answer), params), JSON.stringify(answer));
  const { client: own } = client(json({ input_tokens: 7 }));
  assert.equal((await own.messages.countTokens({ ...question, tools })).input_tokens, 7);
  const failing = client(new Response('{"type":"error","error":{"type":"x","message":"no"}}', { status: 400 })).client;
  await assert.rejects(failing.messages.create({ ...question, tools }), Anthropic.BadRequestError);
});

for (const length of [1, 3, 50]) {
  test(`streams, in pieces of ${length}: structured output`, async () => {
    const stream = client(streamed([text(BROKEN)], length)).client.messages.stream({ ...question, output_config: { format: jsonSchemaOutputFormat({ type: "object", properties: {} } as any) } });
    let seen = "";
    stream.on("text", (delta) => (seen += delta));
    const { content, parsed_output } = await stream.finalMessage();
    assert.equal((content[0] as Anthropic.TextBlock).text, seen);
    assert.deepEqual(JSON.parse(seen), { City: "Oslo", people: "717710" });
    assert.deepEqual(parsed_output, JSON.parse(seen));
    // A stream sends what is settled; the format fits the whole to the schema.
    const fitted = client(streamed([text(BROKEN)], length)).client.messages.stream({ ...question, output_config: { format: repairing(zodOutputFormat(City)) } });
    assert.deepEqual((await fitted.finalMessage()).parsed_output, OSLO);
  });

  test(`streams, in pieces of ${length}: calls`, async () => {
    const thinking = { type: "thinking", thinking: "Hmm – so.", signature: "s" };
    const answer = streamed([thinking, text(CALL), toolUse("{'limit': '4',}")], length);
    const stream = client(answer).client.messages.stream({ ...question, tools });
    const indices: number[] = [];
    stream.on("streamEvent", (event) => event.type === "content_block_start" && indices.push(event.index));
    const { content, stop_reason } = await stream.finalMessage();
    assert.deepEqual(indices, content.map((_, index) => index));
    assert.deepEqual(content[0], thinking);
    assert.deepEqual(content.filter((block) => block.type === "tool_use").map((block) => block.input), [{ limit: 3 }, { limit: 4 }]);
    const said = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
    assert.match(said, /^I look\.\s+Wait\.$/);
    assert.equal(stop_reason, "tool_use");
  });
}

test("streams may cut surrogate pairs", async () => {
  const call = '🙂 <tool_call>{"name": "search", "arguments": {"limit": "3", "note": "🙂🙂"}}</tool_call> 🙂';
  const called = await client(streamed([text(call)], 1)).client.messages.stream({ ...question, tools }).finalMessage();
  assert.deepEqual(called.content.filter((block) => block.type === "tool_use").map((block) => block.input), [{ limit: 3, note: "🙂🙂" }]);
  const said = called.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
  assert.match(said, /^🙂\s+🙂$/);
  const format = jsonSchemaOutputFormat({ type: "object", properties: {} } as any);
  const answer = client(streamed([text("🙂 {'city': '🙂 Oslo 🙂',}")], 1)).client.messages.stream({ ...question, output_config: { format } });
  assert.deepEqual((await answer.finalMessage()).parsed_output, { city: "🙂 Oslo 🙂" });
});

test("a stream of which nothing is read passes as it is", async () => {
  const raw = await streamed([text(CALL)], 5).text();
  const { client: own } = client(streamed([text(CALL)], 5));
  const response = await own.messages.create({ ...question, stream: true }).asResponse();
  assert.equal(await response.text(), raw);
});

test("reasoning beside a call in text becomes a thinking block", async () => {
  const { client: own } = client(json(message([text(`<think>Hm.</think>${CALL}`)])));
  const { content } = await own.messages.create({ ...question, tools });
  assert.deepEqual(content.map((block) => block.type), ["thinking", "text", "tool_use"]);
  assert.match((content[0] as Anthropic.ThinkingBlock).thinking, /^\s*Hm\.\s*$/);
});

test("a stream of structured output that is cut off stays open", async () => {
  const format = jsonSchemaOutputFormat({ type: "object", properties: { a: { type: "array" } } } as any);
  const response = await client(streamed([text('{"a": [{"id": 1}, {"id": 2')], 3)).client.messages
    .create({ ...question, stream: true, output_config: { format } } as any)
    .asResponse();
  const deltas = [...(await response.text()).matchAll(/"text_delta","text":("(?:[^"\\]|\\.)*")/g)].map(([, piece]) => JSON.parse(piece ?? ""));
  assert.match(deltas.join(""), /^\{"a":\[\{"id":1\}/);
  assert.throws(() => JSON.parse(deltas.join("")), SyntaxError);
});

test("half an event at the end of a stream passes as it is, behind what is left of the text", async () => {
  const wire = await streamed([text("I look, and")], 3).text();
  const half = 'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_d';
  for (const end of [half, `${half}\n`, ": wait"]) {
    const whole = wire.slice(0, wire.indexOf("event: content_block_stop"));
    const answer = new Response(whole + end, { headers: { "content-type": "text/event-stream" } });
    const { client: own } = client(answer);
    const seen = await (await own.messages.create({ ...question, tools, stream: true }).asResponse()).text();
    assert.ok(seen.endsWith(`\n\n${end}`), seen.slice(-200));
    const deltas = [...seen.matchAll(/"text_delta","text":"([^"]*)"/g)].map(([, piece]) => piece);
    assert.equal(deltas.join(""), "I look, and");
  }
});

test("what is no event of a stream passes as it is", async () => {
  const other = [": ping", "data: [DONE]", 'data: {"type": "content_block_start", "index": 0}', "event: x\ndata: {oops", 'data: {"type":"message_delta"}', "data: 7"];
  const wire = other.map((event) => `${event}\n\n`).join("");
  const answer = new Response(wire + (await streamed([text(CALL)], 5).text()), { headers: { "content-type": "text/event-stream" } });
  const { client: own } = client(answer);
  const seen = await (await own.messages.create({ ...question, tools, stream: true }).asResponse()).text();
  assert.ok(seen.startsWith(wire));
  assert.match(seen, /"tool_use"/);
});
