/**
 * Reads the tool calls in what a language model wrote, in any model's notation.
 *
 * @module
 */
import { CallReader } from "./core/callreader.js";
import { wellFormed } from "./core/engine.js";
import type { FitOptions } from "./core/fit.js";
import { full } from "./core/full.js";
import { optionsJson } from "./core/options.js";
import { Pass, pieces, type Source } from "./core/pass.js";
import { readReading, type CallEvent, type Reading } from "./core/reading.js";
import { readTools, type Notes, type ToolsInput } from "./core/tools.js";
import { TextTransform } from "./core/transforms.js";
import { wholeUtf8 } from "./core/utf8.js";

export * from "./core/public.js";
export { init } from "./core/full.js";
export { CallReader } from "./core/callreader.js";
export type { CallEvent, Reading, RefusedCall, ToolCall } from "./core/reading.js";
export type { ToolLike, ToolsInput } from "./core/tools.js";

/** Options of reading calls. */
export interface CallOptions extends Omit<FitOptions, "bigint"> {
  /**
   * The tools that the model was offered. Without them, only what is marked as a call is one. They are compiled once for
   * each object: pass a new one where they change.
   */
  tools?: ToolsInput;
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

/** Tools in the module. */
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
  const all = { generation: full.generation, tools: made, notes };
  if (tools) compiled.set(tools, all);
  return all;
}

function settings(options: CallOptions | undefined): [text: string, calls: string] {
  const { marked, notation, inReasoning } = options ?? {};
  return [optionsJson(options, OWN), optionsJson({ marked, notation, inReasoning })];
}

/** Reads the tool calls in a text, and the text around them. */
export function calls(text: string | Uint8Array, options?: CallOptions): Reading {
  const source = typeof text === "string" ? text : wholeUtf8(full, text);
  const { tools, notes } = compile(options?.tools);
  const [forText, forCalls] = settings(options);
  return readReading(full.run(source, () => tools.read(wellFormed(source), forText, forCalls)), notes);
}

/** Reads tool calls while the text arrives. */
export function callReader(options?: CallOptions): CallReader {
  const { tools, notes } = compile(options?.tools);
  return new CallReader(full.run("", () => tools.stream(...settings(options))), notes);
}

/**
 * Reads tool calls from pieces of text: `for await (const event of callEvents(source))`. Its `final` is what was read of
 * the whole.
 */
export function callEvents(source: Source, options?: CallOptions): Pass<CallEvent, Reading> {
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
export function callStream(options?: CallOptions): TextTransform<CallEvent, Reading> {
  const reader = callReader(options);
  return new TextTransform<CallEvent, Reading>({
    push: (piece, send) => reader.push(piece).forEach(send),
    end(send) {
      const { events, reading } = reader.finish();
      events.forEach(send);
      return reading;
    },
    free: () => reader.free(),
  });
}
