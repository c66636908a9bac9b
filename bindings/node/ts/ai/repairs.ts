import { AI, expectOptions } from "../core/expected.js";
import type { FitOptions } from "../core/fit.js";
import { fitter, full } from "../core/full.js";
import { RepairError, SchemaError } from "../core/errors.js";
import { optionsJson } from "../core/options.js";
import { Reader } from "../core/reader.js";
import type { JsonSchema } from "../core/standard.js";
import { OWN, parseWith, repairWith } from "../core/text.js";
import type { Unsure } from "../core/transforms.js";
import type { Part } from "./parts.js";

/**
 * Options of the functions for clients and frameworks. In streams, the first value is the answer, whatever `choice` says.
 */
export interface AiOptions extends Omit<FitOptions, "bigint"> {
  /**
   * Whether a value is used that may lack something, such as one that was cut off. If not, the text is left to the
   * package that asked, which throws. @default "throw"
   */
  unsure?: Unsure;
}

/**
 * Returns a text as strict JSON, made to fit a JSON Schema if there is one. Nothing if that is not possible, or if the
 * value may lack something. Throws for invalid options.
 */
export function settled(text: string, schema: JsonSchema | undefined, options: AiOptions | undefined): string | undefined {
  try {
    return fitted(text, schema, options);
  } catch (error) {
    if (passes(error)) return undefined;
    throw error;
  }
}

/** Returns what `settled` does, but throws where the text has no value, or the schema cannot be compiled. */
export function fitted(text: string, schema: JsonSchema | undefined, options: AiOptions | undefined): string | undefined {
  const isAccepted = acceptsUnsure(options);
  const { coerce: _, ...rest } = textOptions(options);
  const made = schema === undefined ? repaired(text, rest) : fitter.json(text, schema, textOptions(options));
  return made && (!made.unsure || isAccepted) ? made.json : undefined;
}

/** Returns whether an error is about an answer or a request, which then passes as it is; others are the caller's. */
export function passes(error: unknown): boolean {
  return error instanceof RepairError || error instanceof SchemaError;
}

/** Returns the options of reading a text. */
export function textOptions(options: AiOptions | undefined): Omit<AiOptions, "unsure"> {
  expectOptions(options, AI);
  const { unsure: _, ...rest } = options ?? {};
  return rest;
}

/** Returns whether a value is used that may lack something. */
export function acceptsUnsure(options: AiOptions | undefined): boolean {
  expectOptions(options, AI);
  return options?.unsure === "accept";
}

/** Returns a reader of a text that arrives, in the names and types of a JSON Schema if there is one that can be compiled. */
export function arrivingJson(schema: JsonSchema | undefined, options: AiOptions | undefined): Reader {
  if (schema !== undefined) {
    try {
      const events = fitter.events(schema, textOptions(options));
      const finish = { now: (text: Uint8Array) => fitter.coerced(text, schema, { ...textOptions(options), choice: "first" }) };
      return new Reader(full, events, finish);
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
    }
  }
  const { coerce: _, ...rest } = textOptions(options);
  const events = full.run("", (glue) => new glue.TextEvents(optionsJson(rest, OWN)));
  return new Reader(full, events, { now: (text: Uint8Array) => parseWith(full, text, { ...rest, choice: "first" }) });
}

function repaired(text: string, options: AiOptions): { json: string; unsure: boolean } {
  const { text: json, unsure } = repairWith(full, text, options);
  return { json, unsure };
}

/** Returns a tool call with its input repaired. */
export function withInput(part: Part, tools: Record<string, unknown>, options: AiOptions | undefined): Part {
  const name = part.toolName ?? "";
  if (!Object.hasOwn(tools, name) || part.input === undefined) return part;
  const schema = tools[name] as JsonSchema;
  const input = settled(part.input || "{}", schema, options);
  return input === undefined || input === part.input ? part : { ...part, input };
}
