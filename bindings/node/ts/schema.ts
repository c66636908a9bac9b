/**
 * Parses what a language model wrote into the value that a schema describes.
 *
 * @module
 */
import { FIT, FIT_STREAM, expectOptions, type Table } from "./core/expected.js";
import { fitter, full } from "./core/full.js";
import type { FitOptions } from "./core/fit.js";
import { arriving, type Arriving } from "./core/options.js";
import type { Outcome } from "./core/outcome.js";
import type { Source } from "./core/pass.js";
import { Reader, type Step } from "./core/reader.js";
import { failed, safely, type Safe } from "./core/safely.js";
import type { AnySchema, InferInput, InferOutput, TypedSchema } from "./core/standard.js";
import { PartialStream } from "./core/stream.js";
import { parseWith, type Text } from "./core/text.js";
import { jsonOf, stepsOf, type JsonStreamOptions, type TextTransform } from "./core/transforms.js";

export * from "./core/public.js";
export type { JsonStreamOptions } from "./core/transforms.js";
export type { FitOptions } from "./core/fit.js";
export type { AnySchema, InferInput, InferOutput, JsonSchema, StandardSchemaV1, TypedSchema } from "./core/standard.js";
export { init } from "./core/full.js";

/** Options of functions that take a schema. */
export interface SchemaOptions<S extends AnySchema> extends FitOptions {
  /**
   * What the value should be: a schema of zod, valibot, arktype or another library, or a JSON Schema. It is compiled once
   * for each object: pass a new one where it changes.
   */
  schema: S;
}

/**
 * Parses the value in a text and makes it fit a schema: every change is in the report.
 *
 * Throws a `RepairError` if the text has no value, an `UnfitError`, which holds it, if the value does not fit, and a
 * `SchemaError` if the schema cannot be used.
 *
 * @example
 * import { parse } from "llmend/schema";
 * import { z } from "zod";
 *
 * const City = z.object({ city: z.string(), people: z.number().int() });
 * const { value, report } = parse("{'City': 'Oslo', 'people': '717710'}", { schema: City });
 * value; // {"city":"Oslo","people":717710}
 * report.coercions.map(({ kind }) => kind); // ["key-spelling","number-from-text"]
 */
export function parse<S extends TypedSchema>(text: Text, options: SchemaOptions<S>): Outcome<InferOutput<S>>;
export function parse<T = unknown>(text: Text, options?: FitOptions & { schema?: AnySchema }): Outcome<T>;
export function parse(text: Text, options?: FitOptions & { schema?: AnySchema }): Outcome<unknown> {
  expectOptions(options, FIT);
  if (options?.schema === undefined) return parseWith(full, text, options);
  return fitter.parse(text, options.schema, options);
}

/** Parses like `parse`, with a schema whose validator may return a promise. */
export function parseAsync<S extends TypedSchema>(text: Text, options: SchemaOptions<S>): Promise<Outcome<InferOutput<S>>>;
export function parseAsync<T = unknown>(text: Text, options: SchemaOptions<AnySchema>): Promise<Outcome<T>>;
export async function parseAsync(text: Text, options: SchemaOptions<AnySchema>): Promise<Outcome<unknown>> {
  expectOptions(options, FIT);
  return fitter.parseAsync(text, schemaOf(options), options);
}

/** Parses like `parse`, and returns the error instead of throwing it. */
export function safeParse<S extends TypedSchema>(text: Text, options: SchemaOptions<S>): Safe<InferOutput<S>>;
export function safeParse<T = unknown>(text: Text, options?: FitOptions & { schema?: AnySchema }): Safe<T>;
export function safeParse(text: Text, options?: FitOptions & { schema?: AnySchema }): Safe<unknown> {
  return safely(() => parse(text, options));
}

/** Parses like `parseAsync`, and returns the error instead of throwing it. */
export function safeParseAsync<S extends TypedSchema>(text: Text, options: SchemaOptions<S>): Promise<Safe<InferOutput<S>>>;
export function safeParseAsync<T = unknown>(text: Text, options: SchemaOptions<AnySchema>): Promise<Safe<T>>;
export async function safeParseAsync(text: Text, options: SchemaOptions<AnySchema>): Promise<Safe<unknown>> {
  try {
    const outcome = await parseAsync(text, options);
    return { ok: true, value: outcome.value, outcome };
  } catch (error) {
    return failed(error);
  }
}

/**
 * Reads a value while its text arrives. Partial values have the schema's names and types, as far as the part fits: a part
 * that may still be converted or renamed comes once it is complete. `finish` fits and validates the whole.
 *
 * Partial values have not been validated, so that their type is what the schema's validator takes. A schema that cannot be
 * written as JSON Schema leaves them as the text has them.
 *
 * The first value in the text is the answer, where `parse` takes the best: of a text with several, the two may differ. A
 * validator that returns a promise is awaited by `stream` and the transforms; `finish` refuses it.
 */
export function reader<S extends TypedSchema>(options: Arriving<SchemaOptions<S>>): Reader<InferOutput<S>, InferInput<S>>;
export function reader<T = unknown>(options: Arriving<SchemaOptions<AnySchema>>): Reader<T>;
export function reader(options: Arriving<SchemaOptions<AnySchema>>): Reader {
  return opened(options, FIT);
}

function opened(options: Arriving<SchemaOptions<AnySchema>>, table: Table): Reader {
  const whole = arriving(options, table);
  const schema = schemaOf(options);
  const finish = {
    now: (text: Uint8Array) => fitter.parse(text, schema, whole),
    later: (text: Uint8Array) => fitter.parseAsync(text, schema, whole),
  };
  return new Reader(full, fitter.events(schema, options), finish, options.bigint);
}

/** Returns the schema of options, which a caller without types may have left out. */
function schemaOf(options: { schema?: AnySchema } | undefined): AnySchema {
  if (options?.schema === undefined) throw new TypeError("expected options with a `schema`, found none");
  return options.schema;
}

/**
 * Reads a value from pieces of text, with partial values like those of `reader`, and fits the whole to the schema:
 * `for await (const { value } of stream(…))`.
 *
 * @example
 * import { stream } from "llmend/schema";
 *
 * const schema = { type: "object", properties: { people: { type: "integer" } }, required: ["people"] };
 * const answer = stream(["{'People': '7177", "10'}"], { schema });
 * (await answer.final).value; // {"people":717710}
 */
export function stream<S extends TypedSchema>(
  source: Source,
  options: Arriving<SchemaOptions<S>>,
): PartialStream<InferOutput<S>, InferInput<S>>;
export function stream<T = unknown>(source: Source, options: Arriving<SchemaOptions<AnySchema>>): PartialStream<T>;
export function stream(source: Source, options: Arriving<SchemaOptions<AnySchema>>): PartialStream {
  return new PartialStream(reader(options), source);
}

/** Returns a transform from text to the steps of its value, with partial values like those of `reader`. */
export function partialStream<S extends TypedSchema>(
  options: Arriving<SchemaOptions<S>>,
): TextTransform<Step<InferInput<S>>, Outcome<InferOutput<S>>>;
export function partialStream<T = unknown>(options: Arriving<SchemaOptions<AnySchema>>): TextTransform<Step<T>, Outcome<T>>;
export function partialStream(options: Arriving<SchemaOptions<AnySchema>>): TextTransform<Step<unknown>, Outcome<unknown>> {
  return stepsOf(reader(options));
}

/**
 * Returns a transform from text to strict JSON text, made to fit the schema, which arrives as soon as nothing can change
 * it. It fails at the end if the whole does not fit. Its `final` has the report, and says whether the value may lack
 * something; with `unsure: "throw"`, the stream then fails before the JSON is complete.
 *
 * The text is what the schema's validator takes, not what it makes of it.
 */
export function repairStream<S extends TypedSchema>(
  options: Arriving<SchemaOptions<S>> & JsonStreamOptions,
): TextTransform<string, Outcome<InferOutput<S>>>;
export function repairStream<T = unknown>(
  options: Arriving<SchemaOptions<AnySchema>> & JsonStreamOptions,
): TextTransform<string, Outcome<T>>;
export function repairStream(options: Arriving<SchemaOptions<AnySchema>> & JsonStreamOptions): TextTransform<string, Outcome<unknown>> {
  return jsonOf(opened(options, FIT_STREAM), options.unsure);
}
