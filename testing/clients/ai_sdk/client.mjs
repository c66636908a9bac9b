// Vercel's AI SDK: objects and tools, whole and as a stream, over completions and over responses.

import { createOpenAI } from "@ai-sdk/openai";
import { generateObject, generateText, jsonSchema, streamObject, streamText, tool } from "ai";
import { z } from "zod";
import { KEY, PROMPT as prompt, SCHEMA, TOOL, run, runWritten } from "../scenarios.mjs";

const schema = z.object({ city: z.string(), days: z.number().int(), sights: z.array(z.string()) });
// A tool that nobody carries out: the calls are what is wanted.
const tools = { [TOOL]: tool({ inputSchema: jsonSchema(SCHEMA) }) };

const provider = (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey: KEY });
const chat = (url, model) => provider(url).chat(model);
const responses = (url, model) => provider(url).responses(model);

// Calls that cannot be read are kept, marked as invalid.
const inputs = (calls) => calls.map((call) => (call.invalid ? Promise.reject(call.error) : call.input));

// The SDK tells of errors of a stream beside it, and writes them to the console unless somebody listens.
async function streamed(make, take) {
  let failure;
  const result = make({ onError: ({ error }) => { failure ??= error; } });
  try {
    return await take(result);
  } catch (error) {
    throw failure ?? error;
  }
}

const object = (of) => async (url, model) => (await generateObject({ model: of(url, model), schema, prompt })).object;
const objectStream = (of) => (url, model) =>
  streamed(
    (more) => streamObject({ model: of(url, model), schema, prompt, ...more }),
    async (result) => {
      for await (const _ of result.partialObjectStream);
      return result.object;
    },
  );
const called = (of) => async (url, model) => {
  const { toolCalls } = await generateText({ model: of(url, model), tools, prompt });
  return Promise.all(inputs(toolCalls));
};
const calledStream = (of) => (url, model) =>
  streamed(
    (more) => streamText({ model: of(url, model), tools, prompt, ...more }),
    async (result) => {
      await result.consumeStream();
      return Promise.all(inputs(await result.toolCalls));
    },
  );

await run("ai-sdk", {
  generateObject: ["content", object(chat)],
  streamObject: ["content", objectStream(chat)],
  "generateText, tools": ["calls", called(chat)],
  "streamText, tools": ["calls", calledStream(chat)],
  "generateObject, responses": ["content", object(responses)],
  "streamObject, responses": ["content", objectStream(responses)],
  "generateText, tools, responses": ["calls", called(responses)],
  "streamText, tools, responses": ["calls", calledStream(responses)],
});

const offer = (all) => Object.fromEntries(all.map(({ name, parameters }) => [name, tool({ inputSchema: jsonSchema(parameters) })]));
const said = async (calls, text) => [
  await Promise.all(calls.map(async (call) => (call.invalid ? Promise.reject(call.error) : [call.toolName, call.input]))),
  text,
];
const written = (of) => async (url, model, offered) => {
  const { toolCalls, text } = await generateText({ model: of(url, model), tools: offer(offered), prompt });
  return said(toolCalls, text);
};
const writtenStream = (of) => (url, model, offered) =>
  streamed(
    (more) => streamText({ model: of(url, model), tools: offer(offered), prompt, ...more }),
    async (result) => {
      await result.consumeStream();
      return said(await result.toolCalls, await result.text);
    },
  );

await runWritten("ai-sdk", {
  generateText: [false, written(chat)],
  streamText: [true, writtenStream(chat)],
  "generateText, responses": [false, written(responses)],
  "streamText, responses": [true, writtenStream(responses)],
});
