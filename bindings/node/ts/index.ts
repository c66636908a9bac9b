/**
 * Turns what a language model wrote into JSON.
 *
 * This entry repairs and parses. `llmend/schema` fits values to a schema, `llmend/calls` reads tool calls and
 * `llmend/plan` plans; they share one larger WebAssembly module.
 *
 * @module
 */
import { loader } from "#engine";
import { Engine } from "./core/engine.js";
import { optionsJson, type ParseOptions, type RepairOptions } from "./core/options.js";
import type { Outcome, Repaired } from "./core/outcome.js";
import type { Source } from "./core/pass.js";
import { Reader, type Step } from "./core/reader.js";
import { safely, type Safe } from "./core/safely.js";
import { PartialStream } from "./core/stream.js";
import { OWN, parseWith, repairWith, valueWith, type Text, type ValueOptions } from "./core/text.js";
import { jsonOf, stepsOf } from "./core/transforms.js";

export * from "./core/public.js";

const engine = new Engine(loader);

/**
 * Starts the WebAssembly module. Browsers need it once before any other call; elsewhere it does nothing.
 *
 * @param source Where the module is, if it was moved: an address, a response, or the module.
 */
export async function init(source?: unknown): Promise<void> {
  await loader.init(source);
  engine.started();
}

/** Repairs a text to strict JSON. Throws a `RepairError` if the text has no value. */
export function repair(text: Text, options?: RepairOptions): Repaired {
  return repairWith(engine, text, options);
}

/** Parses the value in a text. Throws a `RepairError` if the text has no value. */
export function parse<T = unknown>(text: Text, options?: ParseOptions): Outcome<T> {
  return parseWith(engine, text, options) as Outcome<T>;
}

/** Parses the value in a text, and returns the error instead of throwing it. */
export function safeParse<T = unknown>(text: Text, options?: ParseOptions): Safe<T> {
  return safely(() => parse<T>(text, options));
}

/**
 * Returns the value in a text: the quickest way, without a report.
 *
 * A text that `JSON.parse` reads is its value, so that duplicate keys and rounded integers in it pass unseen. A value
 * that may lack something is an `UnsureError`, which holds it, unless `unsure` is `"accept"`.
 */
export function value<T = unknown>(text: Text, options?: ValueOptions): T {
  return valueWith(engine, text, options) as T;
}

/** Reads a value while its text arrives. */
export function reader<T = unknown>(options?: ParseOptions): Reader<T> {
  const finish = (text: Uint8Array) => parse<T>(text, { ...options, choice: "first" });
  const events = engine.run("", (glue) => new glue.TextEvents(optionsJson(options, OWN)));
  return new Reader<T>(engine, events, finish);
}

/** Reads a value from pieces of text: `for await (const { value } of stream(source))`. */
export function stream<T = unknown>(source: Source, options?: ParseOptions): PartialStream<T> {
  return new PartialStream<T>(reader<T>(options), source);
}

/** Returns a transform from text to strict JSON text, which arrives as soon as nothing can change it. */
export function repairStream(options?: RepairOptions): TransformStream<Text, string> {
  return jsonOf(reader(options));
}

/** Returns a transform from text to the steps of its value. */
export function partialStream<T = unknown>(options?: ParseOptions): TransformStream<Text, Step<T>> {
  return stepsOf(reader<T>(options));
}
