// instructor-js takes a client of the `openai` package, whose fetch repairs.
import assert from "node:assert/strict";
import { test } from "node:test";
import instructor from "@instructor-ai/instructor";
import { repairingFetch } from "llmend/openai";
import OpenAI from "openai";
import { z } from "zod/v3";

const City = z.object({ city: z.string(), people: z.number() });
const BROKEN = "Sure!\n```json\n{'City': 'Oslo', 'people': '717710',}\n```";
const OSLO = { city: "Oslo", people: 717710 };

/** Answers every request with this message. */
const server = (message: object) => async () => {
  const choice = { index: 0, finish_reason: "stop", message: { role: "assistant", content: null, ...message } };
  const body = { id: "1", object: "chat.completion", created: 1, model: "m", choices: [choice] };
  return new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } });
};

const toolCall = (args: string) => ({ tool_calls: [{ id: "c", type: "function", function: { name: "City", arguments: args } }] });

const rows: ["TOOLS" | "JSON_SCHEMA", string, object][] = [
  ["JSON_SCHEMA", "the content", { content: BROKEN }],
  ["TOOLS", "the arguments of a call", toolCall("{'City': 'Oslo', people: '717710',}")],
  ["TOOLS", "a call in the text", { content: `<tool_call>{"name": "City", "arguments": {"city": "Oslo", "people": "717710"}}</tool_call>` }],
];

for (const [mode, what, message] of rows) {
  test(`instructor reads ${what} in the mode ${mode}`, async () => {
    const ask = async (fetch: () => Promise<Response>) => {
      const client = instructor({ client: new OpenAI({ apiKey: "none", baseURL: "http://127.0.0.1/v1", fetch, maxRetries: 0 }), mode, logger: () => {} });
      const messages = [{ role: "user" as const, content: "?" }];
      const { _meta, ...value } = await client.chat.completions.create({ model: "m", messages, response_model: { name: "City", schema: City } });
      return value;
    };
    await assert.rejects(ask(server(message)));
    assert.deepEqual(await ask(repairingFetch({ fetch: server(message) })), OSLO);
  });
}
