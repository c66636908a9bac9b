import { repaired } from "../ai/middleware.js";
import type { Params, Part } from "../ai/parts.js";
import type { AiOptions } from "../ai/repairs.js";
import { objectIn, rewrittenText } from "../ai/responses.js";

/** The part of `fetch` that the `openai` package needs. */
export type Fetch = (address: any, request?: any) => Promise<Response>;

/** A request for a chat completion, as far as it is read. */
interface Body {
  stream?: boolean | null;
  tools?: { function?: { name: string; parameters?: unknown } }[];
  /** Some servers take the schema beside the type. */
  response_format?: { type?: string; json_schema?: { schema?: unknown }; schema?: unknown };
}

interface Call {
  id: string;
  type: string;
  function?: { name: string; arguments: string };
}

interface Choice {
  finish_reason: string | null;
  message: { content?: string | object | null; tool_calls?: Call[] | null };
}

/**
 * Returns a `fetch` for the client that repairs the answers of chat completions: the JSON that was asked for, tool calls
 * that the model wrote as text, and the arguments of tool calls. Everything else, also a stream, passes through unchanged.
 *
 * @example
 * const client = new OpenAI({ fetch: repairingFetch() });
 */
export function repairingFetch(options?: AiOptions & { fetch?: Fetch }): Fetch {
  const { fetch: inner = fetch, ...rest } = options ?? {};
  return async (address, request) => {
    const response = await inner(address, request);
    const params = paramsOf(String(address), (request as { body?: unknown } | undefined)?.body);
    if (!params || !response.ok) return response;
    return rewrittenText(response, (text) => repairedText(text, params, rest));
  };
}

/** Returns what a request asks for, if its answer is read. */
function paramsOf(address: string, text: unknown): Params | undefined {
  if (!/\/chat\/completions(\?|$)/.test(address) || typeof text !== "string") return undefined;
  const body = objectIn<Body>(text);
  if (!body || body.stream) return undefined;
  const given = Array.isArray(body.tools) ? body.tools : [];
  const tools = given.flatMap(({ function: own }) => {
    return own ? [{ type: "function", name: own.name, inputSchema: own.parameters }] : [];
  });
  const format = body.response_format;
  if (!String(format?.type).startsWith("json")) return tools.length > 0 ? { tools } : undefined;
  return { tools, responseFormat: { type: "json", schema: format?.json_schema?.schema ?? format?.schema } };
}

/** Returns the JSON of a completion with its messages repaired; nothing if nothing was repaired. */
function repairedText(text: string, params: Params, options: AiOptions): string | undefined {
  const completion = objectIn<{ choices: Choice[] }>(text);
  if (!Array.isArray(completion?.choices)) return undefined;
  const choices = completion.choices.map((choice) => (choice?.message ? repairedChoice(choice, params, options) : choice));
  const json = JSON.stringify({ ...completion, choices });
  return json === JSON.stringify(completion) ? undefined : json;
}

function repairedChoice(choice: Choice, params: Params, options: AiOptions): Choice {
  const { content, tool_calls: calls } = choice.message;
  const parts: Part[] = typeof content === "string" && content !== "" ? [{ type: "text", text: content }] : [];
  const made = repaired({ content: [...parts, ...(calls ?? []).map(partOf)], finishReason: choice.finish_reason }, params, options);
  const own = made.content.filter((part) => part.type === "tool-call" || part.type === "other").map(callOf);
  const said = made.content.flatMap((part) => (part.type === "text" ? [part.text ?? ""] : [])).join("");
  const text = parts.length > 0 ? { content: said || null } : {};
  const message = { ...choice.message, ...text, ...(own.length > 0 ? { tool_calls: own } : {}) };
  const finish_reason = made.finishReason === "tool-calls" ? "tool_calls" : choice.finish_reason;
  return { ...choice, finish_reason, message };
}

function partOf(call: Call): Part {
  const { name, arguments: input } = call.function ?? {};
  return { type: name === undefined ? "other" : "tool-call", toolCallId: call.id, toolName: name, input, call };
}

function callOf({ toolCallId, toolName, input, call }: Part): Call {
  const known = call as Call | undefined;
  if (known && !known.function) return known;
  return { ...known, id: toolCallId as string, type: "function", function: { ...known?.function, name: toolName ?? "", arguments: input ?? "" } };
}
