import type { FitOptions } from "../core/fit.js";
import { fitter, full } from "../core/full.js";
import { LlmendError } from "../core/errors.js";
import type { JsonSchema } from "../core/standard.js";
import { repairWith } from "../core/text.js";
import type { Part } from "./parts.js";

/** Options of the functions for the AI SDK. */
export interface AiOptions extends Omit<FitOptions, "bigint"> {
  /** Whether a value is used that may lack something, such as one that was cut off. @default "reject" */
  unsure?: "reject" | "accept";
}

/**
 * Returns a text as strict JSON, made to fit a JSON Schema if there is one. Nothing if that is not possible, or if the
 * value may lack something.
 */
export function settled(text: string, schema: JsonSchema | undefined, options: AiOptions | undefined): string | undefined {
  const { unsure: accepted, coerce, ...rest } = options ?? {};
  try {
    const made =
      schema === undefined
        ? repaired(text, rest)
        : fitter.json(text, schema, coerce ? { ...rest, coerce } : rest);
    return made && (!made.unsure || accepted === "accept") ? made.json : undefined;
  } catch (error) {
    if (error instanceof LlmendError) return undefined;
    throw error;
  }
}

function repaired(text: string, options: AiOptions): { json: string; unsure: boolean } {
  const { text: json, unsure } = repairWith(full, text, options);
  return { json, unsure };
}

/** Returns a tool call with its input repaired. */
export function withInput(part: Part, tools: Record<string, unknown>, options: AiOptions | undefined): Part {
  const schema = tools[part.toolName ?? ""] as JsonSchema | undefined;
  if (schema === undefined || part.input === undefined) return part;
  const input = settled(part.input || "{}", schema, options);
  return input === undefined || input === part.input ? part : { ...part, input };
}
