import type { FitOptions } from "../core/fit.js";
import { fitter, full } from "../core/full.js";
import { RepairError, SchemaError } from "../core/errors.js";
import type { JsonSchema } from "../core/standard.js";
import { repairWith } from "../core/text.js";
import type { Part } from "./parts.js";

/** Options of the functions for the AI SDK. In streams, the first value is the answer, whatever `choice` says. */
export interface AiOptions extends Omit<FitOptions, "bigint"> {
  /** Whether a value is used that may lack something, such as one that was cut off. @default "reject" */
  unsure?: "reject" | "accept";
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
  const { coerce, ...rest } = textOptions(options);
  const made =
    schema === undefined
      ? repaired(text, rest)
      : fitter.json(text, schema, coerce ? { ...rest, coerce } : rest);
  return made && (!made.unsure || accepts(options)) ? made.json : undefined;
}

/** Returns whether an error is about an answer or a request, which then passes as it is; others are the caller's. */
export function passes(error: unknown): boolean {
  return error instanceof RepairError || error instanceof SchemaError;
}

/** Returns the options of reading a text. */
export function textOptions(options: AiOptions | undefined): Omit<AiOptions, "unsure"> {
  const { unsure: _, ...rest } = options ?? {};
  return rest;
}

/** Returns whether a value is used that may lack something. */
export function accepts(options: AiOptions | undefined): boolean {
  return options?.unsure === "accept";
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
