import { repaired } from "../ai/middleware.js";
import type { Params } from "../ai/parts.js";
import type { AiOptions } from "../ai/repairs.js";
import { objectIn, rewrittenText, withBody } from "../ai/responses.js";
import { rewritten } from "../ai/streaming.js";
import { blockOf, finishOf, isRead, paramsOf, partOf, stopOf, type Body, type Message } from "./blocks.js";
import { eventsOf } from "./events.js";
import { bytesOf, partsOf } from "./streaming.js";

/** A middleware of the package's client. */
export type ClientMiddleware = (request: any, next: (request: any) => Promise<Response>, context: any) => Promise<Response>;

/**
 * Returns a middleware for the client that repairs what a model answers, also in streams:
 *
 * - the JSON that was asked for (`output_config.format`), made to fit its schema;
 * - tool calls that the model wrote as text, which become `tool_use` blocks;
 * - the input of tool calls, made to fit the tool's schema.
 *
 * Everything else passes through unchanged.
 *
 * @example
 * const client = new Anthropic({ middleware: [llmendMiddleware()] });
 */
export function llmendMiddleware(options?: AiOptions): ClientMiddleware {
  return async (request, next, context) => {
    const response = await next(request);
    const { method, path, body } = (context?.options ?? {}) as { method?: string; path?: string; body?: Body };
    const isAsked = method === "post" && path?.split("?")[0] === "/v1/messages";
    if (!isAsked || !response.ok || !response.body || typeof body !== "object" || body === null) return response;
    const params = paramsOf(body);
    if (!isRead(params)) return response;
    if (response.headers.get("content-type")?.startsWith("text/event-stream")) return streamed(response, params, options);
    return rewrittenText(response, (text) => repairedText(text, params, options));
  };
}

/** Returns the JSON of a message with its blocks repaired; nothing if nothing was repaired. */
function repairedText(text: string, params: Params, options: AiOptions | undefined): string | undefined {
  const message = objectIn<Message>(text);
  if (message?.type !== "message" || !Array.isArray(message.content)) return undefined;
  const made = repaired({ content: message.content.map(partOf), finishReason: finishOf(message.stop_reason) }, params, options);
  const json = JSON.stringify({ ...message, content: made.content.map(blockOf), stop_reason: stopOf(made.finishReason) });
  return json === JSON.stringify(message) ? undefined : json;
}

function streamed(response: Response, params: Params, options: AiOptions | undefined): Response {
  const events = (response.body as ReadableStream<Uint8Array>).pipeThrough(eventsOf());
  const parts = events.pipeThrough(partsOf()).pipeThrough(rewritten(params, options));
  return withBody(response, parts.pipeThrough(bytesOf()));
}
