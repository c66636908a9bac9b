import { calls } from "../calls.js";
import { argumentsJson, type Reading } from "../core/reading.js";
import type { JsonSchema } from "../core/standard.js";
import { offered, withCalls, withoutValidators, newId, type Answer, type Params, type Part } from "./parts.js";
import { passes, settled, textOptions, withInput, type AiOptions } from "./repairs.js";
import { rewritten } from "./streaming.js";

/** A middleware for `wrapLanguageModel` of version 6 or 7. */
export interface Middleware {
  // The two versions name different ones, and read neither.
  readonly specificationVersion: any;
  wrapGenerate(options: any): Promise<any>;
  wrapStream(options: any): Promise<any>;
}

/**
 * Returns a middleware that repairs what a model answers, also in streams:
 *
 * - the JSON that was asked for (`responseFormat`), made to fit its schema;
 * - tool calls that the model wrote as text, which become tool calls;
 * - the input of tool calls, made to fit the tool's schema.
 *
 * Everything else passes through unchanged. A stream of JSON that may lack something is left without its end, unless
 * `unsure` is `"accept"`.
 *
 * @example
 * const model = wrapLanguageModel({ model: openai("gpt-5"), middleware: llmendMiddleware() });
 */
export function llmendMiddleware(options?: AiOptions): Middleware {
  return {
    specificationVersion: "v4",
    async wrapGenerate({ doGenerate, params }: { doGenerate: () => PromiseLike<Answer>; params: Params }) {
      return repaired(await doGenerate(), params, options);
    },
    async wrapStream({ doStream, params }: { doStream: () => PromiseLike<{ stream: ReadableStream<Part> }>; params: Params }) {
      const { stream, ...rest } = await doStream();
      return { stream: stream.pipeThrough(rewritten(params, options)), ...rest };
    },
  };
}

/** Returns a whole answer with its parts repaired. */
export function repaired(answer: Answer, params: Params, options: AiOptions | undefined): Answer {
  const tools = offered(params);
  const content = answer.content.flatMap((part): Part[] => {
    if (part.type === "tool-call") return [withInput(part, tools, options)];
    if (part.type !== "text" || part.text === undefined) return [part];
    const read = Object.keys(tools).length > 0 ? withCallsRead(part, tools, options) : undefined;
    if (read) return read;
    if (params.responseFormat?.type !== "json") return [part];
    const schema = params.responseFormat.schema as JsonSchema | undefined;
    return [{ ...part, text: settled(part.text, schema, options) ?? part.text }];
  });
  const isCalled = content.length > 0 && content.some((part) => part.type === "tool-call" && !answer.content.includes(part));
  return { ...answer, content, finishReason: isCalled ? withCalls(answer.finishReason) : answer.finishReason };
}

/** Returns a text and the calls in it as parts of their own; nothing if it has none. */
function withCallsRead(part: Part, tools: Record<string, unknown>, options: AiOptions | undefined): Part[] | undefined {
  const reading = readingOf(part.text ?? "", tools, options);
  if (!reading || reading.calls.length === 0) return undefined;
  const text = reading.text + reading.refused.map((refused) => refused.text).join("");
  const made = reading.calls.map((call): Part => {
    return { type: "tool-call", toolCallId: call.id ?? newId(), toolName: call.name, input: argumentsJson(call) };
  });
  const thought: Part[] = reading.reasoning.trim() === "" ? [] : [{ type: "reasoning", text: reading.reasoning }];
  return [...thought, ...(text.trim() === "" ? [] : [{ ...part, text }]), ...made];
}

/** Returns what is read of a text; nothing if it or the tools cannot be read. */
function readingOf(text: string, tools: Record<string, unknown>, options: AiOptions | undefined): Reading | undefined {
  try {
    return calls(text, { ...textOptions(options), tools: withoutValidators(tools) });
  } catch (error) {
    if (passes(error)) return undefined;
    throw error;
  }
}
