// OpenAI's SDK for Node: completions and responses, its helpers for zod, for streams and for tools.

import OpenAI from "openai";
import { zodFunction, zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";
import { Got, KEY, PROMPT, SCHEMA, TOOL, run, runWritten } from "../scenarios.mjs";

const Trip = z.object({ city: z.string(), days: z.number().int(), sights: z.array(z.string()) });
const messages = [{ role: "user", content: PROMPT }];
const tools = [{ type: "function", function: { name: TOOL, parameters: SCHEMA } }];
const zodTools = [zodFunction({ name: TOOL, parameters: Trip })];
const flatTools = [{ type: "function", name: TOOL, parameters: SCHEMA, strict: true }];
const response_format = { type: "json_schema", json_schema: { name: "trip", schema: SCHEMA, strict: true } };

const client = (url) => new OpenAI({ baseURL: `${url}/v1`, apiKey: KEY });
const completions = (url) => client(url).chat.completions;
const called = (calls) => calls.map((call) => JSON.parse(call.function.arguments));
const functionCalls = (answer) => answer.output.filter((item) => item.type === "function_call");

await run("openai-node", {
  create: ["content", async (url, model) => {
    const { choices } = await completions(url).create({ model, messages, response_format });
    return new Got(JSON.parse(choices[0].message.content), choices[0].finish_reason === "length");
  }],
  "create, stream": ["content", async (url, model) => {
    let [text, finish] = ["", null];
    for await (const chunk of await completions(url).create({ model, messages, response_format, stream: true })) {
      text += chunk.choices[0].delta.content ?? "";
      finish = chunk.choices[0].finish_reason ?? finish;
    }
    return new Got(JSON.parse(text), finish === "length");
  }],
  parse: ["content", async (url, model) => {
    const answer = await completions(url).parse({ model, messages, response_format: zodResponseFormat(Trip, "trip") });
    return answer.choices[0].message.parsed;
  }],
  stream: ["content", async (url, model) => {
    const stream = completions(url).stream({ model, messages, response_format: zodResponseFormat(Trip, "trip") });
    return (await stream.finalChatCompletion()).choices[0].message.parsed;
  }],
  tools: ["calls", async (url, model) => {
    const answer = await completions(url).create({ model, messages, tools });
    return called(answer.choices[0].message.tool_calls);
  }],
  "tools, parse": ["calls", async (url, model) => {
    const answer = await completions(url).parse({ model, messages, tools: zodTools });
    return answer.choices[0].message.tool_calls.map((call) => call.function.parsed_arguments);
  }],
  "tools, stream": ["calls", async (url, model) => {
    const stream = completions(url).stream({ model, messages, tools: zodTools });
    const answer = await stream.finalChatCompletion();
    return answer.choices[0].message.tool_calls.map((call) => call.function.parsed_arguments);
  }],
  "responses.parse": ["content", async (url, model) => {
    const text = { format: zodTextFormat(Trip, "trip") };
    const answer = await client(url).responses.parse({ model, input: PROMPT, text });
    return new Got(answer.output_parsed, answer.status === "incomplete");
  }],
  "responses.stream": ["content", async (url, model) => {
    const text = { format: zodTextFormat(Trip, "trip") };
    const answer = await client(url).responses.stream({ model, input: PROMPT, text }).finalResponse();
    return new Got(answer.output_parsed, answer.status === "incomplete");
  }],
  "responses, tools": ["calls", async (url, model) => {
    const answer = await client(url).responses.create({ model, input: PROMPT, tools: flatTools });
    return functionCalls(answer).map((call) => JSON.parse(call.arguments));
  }],
  "responses, tools, stream": ["calls", async (url, model) => {
    const answer = await client(url).responses.stream({ model, input: PROMPT, tools: flatTools }).finalResponse();
    return functionCalls(answer).map((call) => JSON.parse(call.arguments));
  }],
});

const chatTools = (offered) => offered.map((tool) => ({ type: "function", function: tool }));
const responseTools = (offered) => offered.map((tool) => ({ type: "function", ...tool }));
const saidIn = ({ tool_calls: calls, content }) => [
  (calls ?? []).map((call) => [call.function.name, JSON.parse(call.function.arguments)]),
  content ?? "",
];
const saidInResponse = (answer) => [
  functionCalls(answer).map((call) => [call.name, JSON.parse(call.arguments)]),
  answer.output_text ?? answer.output.flatMap((item) => item.content ?? []).map((part) => part.text ?? "").join(""),
];

await runWritten("openai-node", {
  create: [false, async (url, model, offered) => {
    const answer = await completions(url).create({ model, messages, tools: chatTools(offered) });
    return saidIn(answer.choices[0].message);
  }],
  stream: [true, async (url, model, offered) => {
    const stream = completions(url).stream({ model, messages, tools: chatTools(offered) });
    return saidIn((await stream.finalChatCompletion()).choices[0].message);
  }],
  responses: [false, async (url, model, offered) => (
    saidInResponse(await client(url).responses.create({ model, input: PROMPT, tools: responseTools(offered) }))
  )],
  "responses, stream": [true, async (url, model, offered) => (
    saidInResponse(await client(url).responses.stream({ model, input: PROMPT, tools: responseTools(offered) }).finalResponse())
  )],
});
