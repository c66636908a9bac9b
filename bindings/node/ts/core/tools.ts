import { UNWRITTEN, notCoerced } from "./fit.js";
import type { Diagnostic } from "./report.js";
import { isStandard, type JsonSchema, type StandardSchemaV1 } from "./standard.js";

/** A tool of the AI SDK, or anything with a schema of its input. */
export interface ToolLike {
  description?: string | undefined;
  /** A Standard Schema, the AI SDK's `jsonSchema(…)`, or a JSON Schema. */
  inputSchema?: unknown;
  parameters?: unknown;
}

/**
 * The tools that a model was offered: a `tools` array of OpenAI's or Anthropic's APIs, the result of MCP's `tools/list`,
 * the AI SDK's tools by name, or the schema of each tool's arguments by name, where `true` or null allows anything.
 *
 * They are compiled once for each object, which must not change afterwards: pass a new one with other tools.
 */
export type ToolsInput =
  | readonly unknown[]
  | { readonly tools: readonly unknown[] }
  | { readonly [name: string]: ToolLike | StandardSchemaV1 | JsonSchema | null };

/** Remarks about tools, by their names. */
export type Notes = ReadonlyMap<string, Diagnostic>;

/** Returns the JSON of tools in a form that the engine reads, and why the arguments of some are not fitted. */
export function readTools(tools: ToolsInput | undefined): { json: string; notes: Notes } {
  const notes = new Map<string, Diagnostic>();
  return { json: tools === undefined ? "" : JSON.stringify(inForm(tools, notes)), notes };
}

function inForm(tools: ToolsInput, notes: Map<string, Diagnostic>): unknown {
  const all = (list: readonly unknown[]) => list.map((tool) => withSchema(tool, notes));
  if (Array.isArray(tools)) return all(tools);
  if ("tools" in tools && Array.isArray(tools.tools)) return { ...tools, tools: all(tools.tools) };
  const entries = Object.entries(tools);
  // What is none of these forms is for the engine, which says so.
  if (!entries.every(([, tool]) => isByName(tool))) return tools;
  // A list, since a tool may be named like a member that has a list.
  return entries.map(([name, tool]) => ({ name, input_schema: schemaIn(name, isTool(tool) ? inputOf(tool) : tool, notes) }));
}

function isByName(tool: unknown): boolean {
  return typeof tool === "boolean" || isStandard(tool) || (typeof tool === "object" && !Array.isArray(tool));
}

function isTool(tool: unknown): tool is ToolLike {
  if (typeof tool !== "object" || tool === null || isStandard(tool)) return false;
  return "inputSchema" in tool || ("parameters" in tool && !("type" in tool));
}

function inputOf(tool: ToolLike): unknown {
  return tool.inputSchema ?? tool.parameters;
}

/** The names under which the tools of a list have their schema. */
const SCHEMA_KEYS = ["inputSchema", "input_schema", "parameters"];

/** Returns a tool of a list with its schema as JSON Schema. */
function withSchema(tool: unknown, notes: Map<string, Diagnostic>): unknown {
  if (typeof tool !== "object" || tool === null) return tool;
  const row = tool as Record<string, unknown>;
  if (typeof row.function === "object") return { ...row, function: withSchema(row.function, notes) };
  const key = SCHEMA_KEYS.find((key) => row[key] !== undefined);
  return key === undefined ? tool : { ...row, [key]: schemaIn(String(row.name), row[key], notes) };
}

/** Returns the JSON Schema of a tool's input; one that allows anything if there is none, or it cannot be written. */
function schemaIn(name: string, schema: unknown, notes: Map<string, Diagnostic>): unknown {
  if (schema === undefined || schema === null || schema === true) return {};
  if (schema === false) return { not: {} };
  const { json, reason } = written(schema);
  if (reason !== undefined) notes.set(name, notCoerced(`the arguments of \`${name}\` were`, schema, reason));
  return json ?? {};
}

/** Returns a schema as JSON Schema, if it can be written as that. */
export function jsonSchemaOf(schema: unknown): unknown {
  return written(schema).json;
}

/** Returns a schema as JSON Schema, or why it cannot be written. */
function written(schema: unknown): { json?: unknown; reason?: string } {
  if (isStandard(schema)) {
    try {
      const json = schema["~standard"].jsonSchema?.input({ target: "draft-2020-12" });
      return json === undefined ? { reason: UNWRITTEN } : { json };
    } catch (error) {
      return { reason: error instanceof Error ? error.message : String(error) };
    }
  }
  if (typeof schema !== "object" || schema === null) return { reason: `expected a schema, found ${typeof schema}` };
  // The AI SDK's own wrapper.
  if ("jsonSchema" in schema) {
    const { jsonSchema } = schema;
    return jsonSchema instanceof Promise ? { reason: "its JSON Schema is a promise" } : { json: jsonSchema };
  }
  return { json: schema };
}
