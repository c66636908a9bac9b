// Vercel's AI SDK: an agent that goes on until its model calls no tool any more, whole and as a stream.

import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import { KEY, PROMPT as prompt, runLoops } from "../scenarios.mjs";

const chat = (url, model) => createOpenAI({ baseURL: `${url}/v1`, apiKey: KEY }).chat(model);
const stopWhen = stepCountIs(30);
const tools = (record) => ({
  record: tool({
    description: "Records a number.",
    inputSchema: jsonSchema({
      type: "object",
      properties: { number: { type: "integer" }, note: { type: "string" } },
      required: ["number", "note"],
    }),
    execute: record,
  }),
});

await runLoops("ai-sdk-agent", {
  generateText: async (url, model, record) => (
    (await generateText({ model: chat(url, model), tools: tools(record), prompt, stopWhen, maxRetries: 0 })).text
  ),
  streamText: async (url, model, record) => {
    let failure;
    const onError = ({ error }) => { failure ??= error; };
    const result = streamText({ model: chat(url, model), tools: tools(record), prompt, stopWhen, maxRetries: 0, onError });
    await result.consumeStream();
    if (failure) throw failure;
    return result.text;
  },
});
