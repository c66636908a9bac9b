/**
 * llmend in Anthropic's package: a middleware for its client, and output formats that read broken answers.
 *
 * @module
 */
import { settled, type AiOptions } from "./ai/repairs.js";
import type { JsonSchema } from "./core/standard.js";

export { init } from "./core/full.js";
export { llmendMiddleware, type ClientMiddleware } from "./anthropic/middleware.js";
export type { AiOptions } from "./ai/repairs.js";

/** What the helpers `zodOutputFormat` and `jsonSchemaOutputFormat` return. */
interface Parseable {
  schema?: unknown;
  parse(content: string): unknown;
}

/**
 * Returns an output format of one of the package's helpers that repairs what its parser is given, and makes it fit the
 * schema. What cannot be repaired, or may lack something, goes to the parser as it is.
 *
 * @example
 * client.messages.parse({ model, max_tokens, messages, output_config: { format: repairing(zodOutputFormat(City)) } });
 */
export function repairing<Format extends object>(format: Format, options?: AiOptions): Format {
  const parseable = format as unknown as Parseable;
  if (typeof parseable.parse !== "function") {
    throw new TypeError("expected what a helper of the package @anthropic-ai/sdk returns, such as zodOutputFormat");
  }
  const schema = parseable.schema as JsonSchema | undefined;
  // Not only where the parser fails: that of `jsonSchemaOutputFormat` takes any JSON.
  const parse = (content: string): unknown => parseable.parse(settled(content, schema, options) ?? content);
  return { ...format, parse };
}
