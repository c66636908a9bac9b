/**
 * Turns what a language model wrote into JSON.
 *
 * This entry repairs and parses. `llmend/schema` fits values to a schema, `llmend/calls` reads tool calls and
 * `llmend/plan` plans; they share one larger WebAssembly module.
 *
 * @module
 */
import { PARSE, VALUE, expectOptions, type Table } from "./core/expected.js";
import { arriving, optionsJson, type Arriving, type ParseOptions, type RepairOptions } from "./core/options.js";
import type { Outcome, Repaired } from "./core/outcome.js";
import type { Source } from "./core/pass.js";
import { Reader, type Step } from "./core/reader.js";
import { safely, type Safe } from "./core/safely.js";
import { small } from "./core/small.js";
import { PartialStream } from "./core/stream.js";
import { OWN, parseWith, repairWith, valueWith, type Text, type ValueOptions } from "./core/text.js";
import { jsonOf, stepsOf, type JsonStreamOptions, type TextTransform } from "./core/transforms.js";

export * from "./core/public.js";
export { init } from "./core/small.js";
export type { JsonStreamOptions } from "./core/transforms.js";

/** Repairs a text to strict JSON. Throws a `RepairError` if the text has no value. */
export function repair(text: Text, options?: RepairOptions): Repaired {
  expectOptions(options, PARSE);
  return repairWith(small, text, options);
}

/** Parses the value in a text. Throws a `RepairError` if the text has no value. */
export function parse<T = unknown>(text: Text, options?: ParseOptions): Outcome<T> {
  expectOptions(options, PARSE);
  return parseWith(small, text, options) as Outcome<T>;
}

/** Parses the value in a text, and returns the error instead of throwing it. */
export function safeParse<T = unknown>(text: Text, options?: ParseOptions): Safe<T> {
  return safely(() => parse<T>(text, options));
}

/**
 * Returns the value in a text: the quickest way, without a report.
 *
 * A text that `JSON.parse` reads is its value, so that duplicate keys and numbers in it that JavaScript cannot hold pass unseen. A value
 * that may lack something is an `UnsureError`, which holds it, unless `unsure` is `"accept"`.
 */
export function value<T = unknown>(text: Text, options?: ValueOptions): T {
  expectOptions(options, VALUE);
  return valueWith(small, text, options) as T;
}

/**
 * Reads a value while its text arrives. The first value in the text is the answer, where `parse` takes the best: of a text
 * with several, the two may differ.
 */
export function reader<T = unknown>(options?: Arriving<ParseOptions>): Reader<T> {
  return opened<T>(options, PARSE);
}

function opened<T>(options: Arriving<ParseOptions> | undefined, table: Table): Reader<T> {
  const whole = arriving(options, table);
  const events = small.run("", (glue) => new glue.TextEvents(optionsJson(options, OWN)));
  return new Reader<T>(small, events, { now: (text) => parseWith(small, text, whole) as Outcome<T> }, options?.bigint);
}

/**
 * Reads a value from pieces of text: `for await (const { value } of stream(source))`. The first value in the text is the
 * answer, as for `reader`.
 */
export function stream<T = unknown>(source: Source, options?: Arriving<ParseOptions>): PartialStream<T> {
  return new PartialStream<T>(reader<T>(options), source);
}

/**
 * Returns a transform from text to strict JSON text, which arrives as soon as nothing can change it. Its `final` has the
 * report, and says whether the value may lack something; with `unsure: "throw"`, the stream then fails before the JSON is
 * complete.
 */
export function repairStream(options?: JsonStreamOptions): TextTransform<string, Outcome<unknown>> {
  return jsonOf(opened(options, VALUE), options?.unsure);
}

/** Returns a transform from text to the steps of its value. Its `final` is the whole value and its report. */
export function partialStream<T = unknown>(options?: Arriving<ParseOptions>): TextTransform<Step<T>, Outcome<T>> {
  return stepsOf(reader<T>(options));
}
