import { isStandard, type JsonSchema } from "./standard.js";

/** A tool of the AI SDK, or anything with a schema of its input. */
export interface ToolLike {
  description?: string | undefined;
  /** A Standard Schema, the AI SDK's `jsonSchema(…)`, or a JSON Schema. */
  inputSchema?: unknown;
  parameters?: unknown;
}

/**
 * The tools that a model was offered: a `tools` array of OpenAI's or Anthropic's APIs, the result of MCP's `tools/list`,
 * the AI SDK's tools by name, or the JSON Schema of each tool's arguments by name.
 */
export type ToolsInput =
  | readonly unknown[]
  | { readonly tools: readonly unknown[] }
  | { readonly [name: string]: ToolLike | JsonSchema | null };

/** Returns the JSON of tools in a form that the engine reads. */
export function toolsJson(tools: ToolsInput | undefined): string {
  if (tools === undefined) return "";
  if (Array.isArray(tools)) return JSON.stringify(tools);
  if ("tools" in tools && Array.isArray(tools.tools)) return JSON.stringify(tools);
  const schemas = Object.entries(tools).map(([name, tool]) => [name, isTool(tool) ? toolSchema(tool) : tool]);
  return JSON.stringify(Object.fromEntries(schemas));
}

function isTool(tool: unknown): tool is ToolLike {
  if (typeof tool !== "object" || tool === null) return false;
  return "inputSchema" in tool || ("parameters" in tool && !("type" in tool));
}

/** Returns the JSON Schema of a tool's input; one that allows anything if it cannot be written. */
function toolSchema(tool: ToolLike): unknown {
  return jsonSchemaOf(tool.inputSchema ?? tool.parameters) ?? {};
}

/** Returns a schema as JSON Schema, if it can be written as that. */
export function jsonSchemaOf(schema: unknown): unknown {
  if (isStandard(schema)) {
    try {
      return schema["~standard"].jsonSchema?.input({ target: "draft-2020-12" });
    } catch {
      return undefined;
    }
  }
  if (typeof schema !== "object" || schema === null) return undefined;
  // The AI SDK's own wrapper.
  if ("jsonSchema" in schema) {
    const { jsonSchema } = schema;
    return jsonSchema instanceof Promise ? undefined : jsonSchema;
  }
  return schema;
}
