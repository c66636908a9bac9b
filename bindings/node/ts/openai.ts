/**
 * llmend in OpenAI's package: formats and tools of its helpers that read broken answers too, and a `fetch` that repairs
 * them.
 *
 * @module
 */
import { settled, type AiOptions } from "./ai/repairs.js";
import type { JsonSchema } from "./core/standard.js";

export { init } from "./core/full.js";
export type { AiOptions } from "./ai/repairs.js";
export { repairingFetch, type Fetch } from "./openai/fetch.js";

/** What the helpers `zodResponseFormat`, `zodTextFormat`, `zodFunction` and `zodResponsesFunction` return. */
interface Parseable {
  $parseRaw(content: string): unknown;
  schema?: unknown;
  json_schema?: { schema?: unknown };
  parameters?: unknown;
  function?: { parameters?: unknown };
}

/**
 * Returns a format or tool of one of the package's helpers that repairs what its parser cannot read, and makes it fit the
 * schema. What cannot be repaired, or may lack something, is the parser's error.
 *
 * @example
 * client.responses.parse({ model, input, text: { format: repairing(zodTextFormat(City, "city")) } });
 */
export function repairing<Format extends object>(format: Format, options?: AiOptions): Format {
  const parseable = format as unknown as Parseable;
  if (typeof parseable.$parseRaw !== "function") {
    throw new TypeError("expected what a helper of the `openai` package returns, such as zodTextFormat");
  }
  const schema = (parseable.schema ??
    parseable.json_schema?.schema ??
    parseable.parameters ??
    parseable.function?.parameters) as JsonSchema | undefined;
  const parse = (content: string): unknown => {
    try {
      return parseable.$parseRaw(content);
    } catch (error) {
      const json = settled(content, schema, options);
      if (json === undefined) throw error;
      return parseable.$parseRaw(json);
    }
  };
  // A copy: the helper's parser cannot be replaced, and is not enumerable.
  const properties = Object.getOwnPropertyDescriptors(format) as PropertyDescriptorMap;
  properties.$parseRaw = { value: parse, enumerable: false };
  return Object.create(Object.getPrototypeOf(format), properties) as Format;
}
