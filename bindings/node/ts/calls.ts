/**
 * Reads the tool calls in what a language model wrote, in any model's notation.
 *
 * @module
 */
import { CallReader } from "./core/callreader.js";
import { wellFormed } from "./core/engine.js";
import { CALLS, expectOptions } from "./core/expected.js";
import type { FitOptions } from "./core/fit.js";
import { full } from "./core/full.js";
import { optionsJson } from "./core/options.js";
import { Pass, pieces, type Source } from "./core/pass.js";
import type { Diagnostic } from "./core/report.js";
import { readReading, type CallEvent, type Reading } from "./core/reading.js";
import { readTools, type CallOf, type Notes, type ToolsInput } from "./core/tools.js";
import { TextTransform } from "./core/transforms.js";
import { wholeUtf8 } from "./core/utf8.js";

export * from "./core/public.js";
export { init } from "./core/full.js";
export { CallReader } from "./core/callreader.js";
export type { CallEvent, Reading, RefusedCall, ToolCall } from "./core/reading.js";
export type { CallOf, ToolLike, ToolsInput } from "./core/tools.js";

/** Options of reading calls. */
export interface CallOptions<Tools extends ToolsInput = ToolsInput> extends Omit<FitOptions, "bigint"> {
  /**
   * The tools that the model was offered. Without them, only what is marked as a call is one. They are compiled once for
   * each object: pass a new one where they change.
   */
  tools?: Tools;
  /** Whether only what is marked as a call may be one. @default false */
  marked?: boolean;
  /** The notation, if it is known. */
  notation?: string;
  /** What is done with calls in reasoning. @default "ignore" */
  inReasoning?: "ignore" | "accept";
}

const OWN = ["tools", "marked", "notation", "inReasoning", "bigint"];

/** The compiled form of tools, by the object that was given. */
const compiled = new WeakMap<object, Compiled>();

/** Tools in the engine. */
interface Compiled {
  generation: number;
  tools: InstanceType<typeof full.loader.glue.Tools>;
  notes: Notes;
}

function compile(tools: ToolsInput | undefined): Compiled {
  const known = tools && compiled.get(tools);
  if (known && known.generation === full.generation) return known;
  const { json, notes } = readTools(tools);
  const made = full.run("", (glue) => new glue.Tools(json));
  for (const [name, unknown] of JSON.parse(made.unknownTypes()) as [string, string][]) notes.add(name, anyType(name, unknown));
  const all = { generation: full.generation, tools: made, notes };
  if (tools) compiled.set(tools, all);
  return all;
}

function anyType(name: string, unknown: string): Diagnostic {
  const message = `unknown type \`${unknown}\` in the schema of tool \`${name}\`: any value is accepted there`;
  const place = { class: null, path: null, start: null, end: null, edit: null };
  return { code: "schema/unknown-type", severity: "warning", message, help: "Use a type of JSON Schema.", ...place };
}

function settings(options: CallOptions | undefined): [text: string, calls: string] {
  expectOptions(options, CALLS);
  const { marked, notation, inReasoning } = options ?? {};
  return [optionsJson(options, OWN), optionsJson({ marked, notation, inReasoning })];
}

/**
 * Reads the tool calls in a text, and the text around them. A text without calls is no error. Throws a `SchemaError` if
 * the tools cannot be used.
 *
 * @example
 * import { calls } from "llmend/calls";
 *
 * const tools = { search: { inputSchema: { type: "object", properties: { limit: { type: "integer" } } } } };
 * const reading = calls('I look. <tool_call>{"name": "serch", "arguments": {"limit": "3"}}</tool_call>', { tools });
 * reading.calls.map((call) => [call.name, call.arguments]); // [["search",{"limit":3}]]
 * reading.text.trim(); // I look.
 */
export function calls<Tools extends ToolsInput>(text: string | Uint8Array, options?: CallOptions<Tools>): Reading<CallOf<Tools>> {
  const source = typeof text === "string" ? text : wholeUtf8(full, text);
  const [forText, forCalls] = settings(options);
  const { tools, notes } = compile(options?.tools);
  const json = full.run(source, () => tools.read(wellFormed(source), forText, forCalls));
  return readReading(json, notes) as Reading<CallOf<Tools>>;
}

/**
 * Reads tool calls while the text arrives. Throws a `SchemaError` if the tools cannot be used.
 *
 * @example
 * import { callReader } from "llmend/calls";
 *
 * const answer = callReader({ tools: { search: true } });
 * answer.push('<tool_call>{"name": "search", "argu').map((event) => event.type); // ["started"]
 * answer.push('ments": {"q": "Oslo"}}</tool_call>').map((event) => event.type); // ["arguments","done"]
 * answer.finish().reading.calls[0].arguments; // {"q":"Oslo"}
 */
export function callReader<Tools extends ToolsInput>(options?: CallOptions<Tools>): CallReader<CallOf<Tools>> {
  const [forText, forCalls] = settings(options);
  const { tools, notes } = compile(options?.tools);
  return new CallReader(full.run("", () => tools.stream(forText, forCalls)), notes);
}

/**
 * Reads tool calls from pieces of text: `for await (const event of callEvents(source))`. Its `final` is what was read of
 * the whole.
 *
 * @example
 * import { callEvents } from "llmend/calls";
 *
 * const answer = callEvents(["I look. <tool_call>search(q=", '"Oslo")</tool_call>'], { tools: { search: true } });
 * const called = [];
 * for await (const event of answer) if (event.type === "done") called.push(event.call.name);
 * called; // ["search"]
 * (await answer.final).text.trim(); // I look.
 */
export function callEvents<Tools extends ToolsInput>(
  source: Source,
  options?: CallOptions<Tools>,
): Pass<CallEvent<CallOf<Tools>>, Reading<CallOf<Tools>>> {
  const reader = callReader(options);
  return new Pass(async function* () {
    try {
      for await (const piece of pieces(source)) yield* reader.push(piece);
      const { events, reading } = reader.finish();
      yield* events;
      return reading;
    } finally {
      reader.free();
    }
  });
}

/** Returns a transform from text to the events of its calls. Its `final` is what was read of the whole. */
export function callStream<Tools extends ToolsInput>(
  options?: CallOptions<Tools>,
): TextTransform<CallEvent<CallOf<Tools>>, Reading<CallOf<Tools>>> {
  const reader = callReader(options);
  return new TextTransform<CallEvent<CallOf<Tools>>, Reading<CallOf<Tools>>>({
    push: (piece, send) => reader.push(piece).forEach(send),
    end(send) {
      const { events, reading } = reader.finish();
      events.forEach(send);
      return reading;
    },
    free: () => reader.free(),
  });
}
