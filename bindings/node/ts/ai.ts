/**
 * llmend in the AI SDK, version 6 or 7: `repairText`, `repairToolCall`, and a middleware for models.
 *
 * @module
 */
import { nearest } from "./ai/nearest.js";
import { fitted, settled, type AiOptions } from "./ai/repairs.js";
import { RepairError, SchemaError } from "./core/errors.js";
import type { AnySchema, JsonSchema } from "./core/standard.js";
import { isWrapped, jsonSchemaOf } from "./core/tools.js";

export { init } from "./core/full.js";
export { llmendMiddleware } from "./ai/middleware.js";
export type { AiOptions } from "./ai/repairs.js";

/** What the AI SDK asks to repair: a tool call whose name or input it could not use. */
export interface FailedCall<Call extends { toolName: string; input: string }> {
  /** The call as the model wrote it. */
  toolCall: Call;
  /** The tools by name. */
  tools: Record<string, unknown>;
  /** Returns the JSON Schema of a tool's input. */
  inputSchema: (options: { toolName: string }) => unknown;
}

/**
 * Returns the function for `repairText` of `generateObject` and `streamObject`. With a schema, the value is also made to
 * fit; a schema of a library that the engine cannot use, such as zod 3's, is left to the SDK, and the text is only repaired.
 *
 * @example
 * generateObject({ model, schema, prompt, experimental_repairText: repairText({ schema }) });
 */
export function repairText(options?: AiOptions & { schema?: AnySchema }): (failed: { text: string }) => Promise<string | null> {
  const { schema, ...rest } = options ?? {};
  const json = schema === undefined ? undefined : (jsonSchemaOf(schema) as JsonSchema | undefined);
  return async ({ text }) => {
    try {
      return (isWrapped(schema) ? fittedOr(text, json, rest) : fitted(text, json, rest)) ?? null;
    } catch (error) {
      // A JSON Schema that cannot be compiled is reported, as are unknown options.
      if (error instanceof RepairError) return null;
      throw error;
    }
  };
}

/** Returns what `fitted` does, but the text only repaired where the schema cannot be compiled. */
function fittedOr(text: string, schema: JsonSchema | undefined, options: AiOptions): string | undefined {
  try {
    return fitted(text, schema, options);
  } catch (error) {
    if (error instanceof SchemaError) return fitted(text, undefined, options);
    throw error;
  }
}

/**
 * Returns the function for `repairToolCall` of `generateText` and `streamText`: it repairs the input, makes it fit the
 * tool's schema, and takes the only tool whose name is nearly the one that was written.
 *
 * @example
 * generateText({ model, tools, prompt, experimental_repairToolCall: repairToolCall() });
 */
export function repairToolCall(
  options?: AiOptions,
): <Call extends { toolName: string; input: string }>(failed: FailedCall<Call>) => Promise<Call | null> {
  return async ({ toolCall, tools, inputSchema }) => {
    const toolName = Object.hasOwn(tools, toolCall.toolName) ? toolCall.toolName : nearest(toolCall.toolName, Object.keys(tools));
    if (toolName === undefined) return null;
    const schema = (await inputSchema({ toolName })) as JsonSchema;
    const input = settled(toolCall.input || "{}", schema, options);
    return input === undefined ? null : { ...toolCall, toolName, input };
  };
}
