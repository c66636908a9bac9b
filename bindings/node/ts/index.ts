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

/**
 * Repairs a text to strict JSON. Throws a `RepairError` if the text has no value.
 *
 * @example
 * import { repair } from "llmend";
 *
 * repair("Sure! {'city': 'Oslo', 'people': 717710,}").text; // {"city": "Oslo", "people": 717710}
 */
export function repair(text: Text, options?: RepairOptions): Repaired {
  expectOptions(options, PARSE);
  return repairWith(small, text, options);
}

/**
 * Parses the value in a text. Throws a `RepairError` if the text has no value.
 *
 * @example
 * import { parse } from "llmend";
 *
 * const { value, unsure, report } = parse("{'city': 'Oslo', 'sights': ['Fram', 'Munch");
 * value; // {"city":"Oslo","sights":["Fram","Munch"]}
 * unsure; // true
 * report.doubt?.message; // answer cut off at character 42: the value may be incomplete
 */
export function parse<T = unknown>(text: Text, options?: ParseOptions): Outcome<T> {
  expectOptions(options, PARSE);
  return parseWith(small, text, options) as Outcome<T>;
}

/**
 * Parses the value in a text, and returns the error instead of throwing it, also an `OptionError`. What is no
 * `LlmendError`, such as a `TypeError`, is thrown.
 *
 * @example
 * import { safeParse } from "llmend";
 *
 * const found = safeParse("I cannot do that.");
 * found.ok; // false
 * found.ok || found.error.code; // extract/no-json
 */
export function safeParse<T = unknown>(text: Text, options?: ParseOptions): Safe<T> {
  return safely(() => parse<T>(text, options));
}

/**
 * Returns the value in a text: the quickest way, without a report.
 *
 * A text that `JSON.parse` reads is its value, so that duplicate keys and numbers in it that JavaScript cannot hold pass
 * unseen. A value that may lack something is an `UnsureError`, which holds it, unless `unsure` is `"accept"`. A text
 * without a value is a `RepairError`.
 *
 * @example
 * import { value } from "llmend";
 *
 * value("Sure! {'city': 'Oslo', 'people': 717710,}"); // {"city":"Oslo","people":717710}
 */
export function value<T = unknown>(text: Text, options?: ValueOptions): T {
  expectOptions(options, VALUE);
  return valueWith(small, text, options) as T;
}

/**
 * Reads a value while its text arrives. The first value in the text is the answer, where `parse` takes the best: of a text
 * with several, the two may differ.
 *
 * @example
 * import { reader } from "llmend";
 *
 * const answer = reader();
 * answer.push('{"title": "A day in O').value; // {"title":"A day in O"}
 * answer.push('slo", "stops": [1, 23]').closed; // ["/title","/stops/0","/stops/1"]
 * answer.push("}");
 * answer.finish().value; // {"title":"A day in Oslo","stops":[1,23]}
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
 *
 * @example
 * import { stream } from "llmend";
 *
 * const answer = stream<{ title: string }>(['{"title": "A day in O', 'slo"}']);
 * const seen = [];
 * for await (const { value } of answer) seen.push(value?.title);
 * seen.slice(0, 2); // ["A day in O","A day in Oslo"]
 * (await answer.final).value; // {"title":"A day in Oslo"}
 *
 * const route = stream(['{"stops": [{"at": 9', '}, {"at": 1', "2}]}"]);
 * const times = [];
 * for await (const stop of route.items<{ at: number }>("/stops")) times.push(stop.at);
 * times; // [9,12]
 */
export function stream<T = unknown>(source: Source, options?: Arriving<ParseOptions>): PartialStream<T> {
  return new PartialStream<T>(reader<T>(options), source);
}

/**
 * Returns a transform from text to strict JSON text, which arrives as soon as nothing can change it. Its `final` has the
 * report, and says whether the value may lack something; with `unsure: "throw"`, the stream then fails before the JSON is
 * complete.
 *
 * @example
 * import { repairStream } from "llmend";
 *
 * const repaired = new Blob(["Sure! {'city': 'Oslo',}"]).stream().pipeThrough(repairStream());
 * let json = "";
 * for await (const piece of repaired) json += piece;
 * json; // {"city":"Oslo"}
 */
export function repairStream(options?: JsonStreamOptions): TextTransform<string, Outcome<unknown>> {
  return jsonOf(opened(options, VALUE), options?.unsure);
}

/** Returns a transform from text to the steps of its value. Its `final` is the whole value and its report. */
export function partialStream<T = unknown>(options?: Arriving<ParseOptions>): TextTransform<Step<T>, Outcome<T>> {
  return stepsOf(reader<T>(options));
}
