import { UNWRITTEN, notCoerced } from "./fit.js";
import type { Diagnostic } from "./report.js";
import type { ToolCall } from "./reading.js";
import { isStandard, standardJson, type InferOutput, type JsonSchema, type StandardSchemaV1, type Validate } from "./standard.js";

/** A tool of the AI SDK, or anything with a schema of its input. */
export interface ToolLike {
  /** What the tool does, in words for the model. */
  description?: string | undefined;
  /** A Standard Schema, the AI SDK's `jsonSchema(…)`, or a JSON Schema. */
  inputSchema?: unknown;
  /** The schema, as older tools name it; read if there is no `inputSchema`. */
  parameters?: unknown;
}

/**
 * The tools that a model was offered: a `tools` array of OpenAI's or Anthropic's APIs, the result of MCP's `tools/list`,
 * Gemini's `functionDeclarations`, the AI SDK's tools by name, or the schema of each tool's arguments by name, where `true`
 * or null allows anything.
 *
 * They are compiled once for each object, which must not change afterwards: pass a new one with other tools.
 */
export type ToolsInput =
  | readonly unknown[]
  | { readonly tools: readonly unknown[] }
  | { readonly functionDeclarations: readonly unknown[] }
  | { readonly [name: string]: ToolLike | StandardSchemaV1 | JsonSchema | null };

/** The calls of tools: of those by name, each with the arguments that the Standard Schema of its tool returns. */
export type CallOf<Tools> = Tools extends readonly unknown[] | { readonly [Key in "tools" | "functionDeclarations"]?: readonly unknown[] }
  ? ToolCall
  : string extends keyof Tools
    ? ToolCall
    : { [Name in keyof Tools & string]: ToolCall<ArgumentsOf<Tools[Name]>> & { name: Name } }[keyof Tools & string];

/** The arguments of a tool: what its Standard Schema returns, or any object. */
type ArgumentsOf<Tool> = Tool extends StandardSchemaV1
  ? InferOutput<Tool>
  : Tool extends { readonly inputSchema: infer Schema extends StandardSchemaV1 } | { readonly parameters: infer Schema extends StandardSchemaV1 }
    ? InferOutput<Schema>
    : Record<string, unknown>;

/** What is known of tools beside what the engine reads, by their names. */
export class Notes {
  /** Remarks, which each call of the tool repeats. */
  readonly remarks = new Map<string, Diagnostic[]>();
  /** What validates the arguments. */
  readonly validators = new Map<string, Validate>();

  /** Adds a remark about a tool. */
  add(name: string, remark: Diagnostic): void {
    this.remarks.set(name, [...(this.remarks.get(name) ?? []), remark]);
  }
}

/** Where a tool has the schemas of its arguments and of its output. Those that come first win, as in the engine. */
interface Keys {
  arguments: readonly string[];
  output: readonly string[];
}

const OFFERED: Keys = {
  arguments: ["parameters", "input_schema", "inputSchema", "parametersJsonSchema", "parameters_json_schema"],
  output: [],
};
const IN_CATALOG: Keys = {
  arguments: ["arguments", "parameters", "inputSchema", "input_schema", "args", "schema"],
  output: ["output", "outputSchema", "output_schema", "returns", "response"],
};

/** Where an object has a list of tools. */
const LIST_KEYS = ["tools", "functionDeclarations", "function_declarations", "functions"];

/** Returns the JSON of tools in a form that the engine reads, and why the arguments of some are not fitted. */
export function readTools(tools: ToolsInput | undefined): { json: string; notes: Notes } {
  const notes = new Notes();
  return { json: tools === undefined ? "" : JSON.stringify(inForm(tools, notes)), notes };
}

function inForm(tools: ToolsInput, notes: Notes): unknown {
  if (Array.isArray(tools) || listIn(tools) !== undefined) return withSchemas(tools, OFFERED, notes);
  const entries = Object.entries(tools);
  // What is none of these forms is for the engine, which says so.
  if (!entries.every(([, tool]) => isByName(tool))) return tools;
  // A list, since a tool may be named like a member that has a list.
  return entries.map(([name, tool]) => ({ name, input_schema: schemaIn(name, isTool(tool) ? inputOf(tool) : tool, notes) }));
}

/** Returns the catalog of a plan in a form that the engine reads, and why the arguments of some tools are not checked. */
export function readCatalog(catalog: ToolsInput): { catalog: unknown; notes: Notes } {
  const notes = new Notes();
  const isList = Array.isArray(catalog) || ("tools" in catalog && Array.isArray(catalog.tools));
  if (isList) return { catalog: withSchemas(catalog, IN_CATALOG, notes), notes };
  // Tools by name may be described, so that only what the engine does not know is changed.
  const entries = Object.entries(catalog).map(([name, tool]) => [name, catalogued(name, tool, notes)]);
  return { catalog: Object.fromEntries(entries), notes };
}

function catalogued(name: string, tool: unknown, notes: Notes): unknown {
  if (isWrapped(tool)) return { arguments: schemaIn(name, tool, notes) };
  if (typeof tool !== "object" || tool === null) return tool;
  const row = withSchema(tool as Record<string, unknown>, IN_CATALOG, notes, name);
  // The `type` of a tool of the AI SDK would make it a schema.
  return isTool(tool) ? { ...row, type: undefined } : row;
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

/** Returns the name of the member in which an object has a list of tools. */
function listIn(tools: object): string | undefined {
  return LIST_KEYS.find((key) => Array.isArray((tools as Record<string, unknown>)[key]));
}

/** Returns a list of tools, a tool of one, or an object that has a list, with schemas as JSON Schema. */
function withSchemas(tool: unknown, keys: Keys, notes: Notes): unknown {
  if (Array.isArray(tool)) return tool.map((one) => withSchemas(one, keys, notes));
  if (typeof tool !== "object" || tool === null) return tool;
  const row = tool as Record<string, unknown>;
  const inner = listIn(row) ?? (typeof row.function === "object" ? "function" : undefined);
  if (inner !== undefined) return { ...row, [inner]: withSchemas(row[inner], keys, notes) };
  return withSchema(row, keys, notes, String(row.name));
}

/** Returns a tool with its schemas as JSON Schema. What is none in a catalog is for the engine, which says so. */
function withSchema(row: Record<string, unknown>, keys: Keys, notes: Notes, name: string): Record<string, unknown> {
  const input = keys.arguments.find((key) => row[key] !== undefined);
  const output = keys.output.find((key) => row[key] !== undefined);
  return {
    ...row,
    ...(input !== undefined && (keys === OFFERED || isWrapped(row[input])) && { [input]: schemaIn(name, row[input], notes) }),
    ...(output !== undefined && isWrapped(row[output]) && { [output]: jsonSchemaOf(row[output]) ?? {} }),
  };
}

/** Returns whether a schema is none in JSON, but one of a library or the AI SDK's own wrapper. */
export function isWrapped(schema: unknown): boolean {
  return isStandard(schema) || (typeof schema === "object" && schema !== null && "jsonSchema" in schema);
}

/** Returns the JSON Schema of a tool's input; one that allows anything if there is none, or it cannot be written. */
function schemaIn(name: string, schema: unknown, notes: Notes): unknown {
  if (schema === undefined || schema === null || schema === true) return {};
  if (schema === false) return { not: {} };
  const validate = isStandard(schema) && schema["~standard"].validate;
  if (validate) notes.validators.set(name, validate);
  const { json, reason } = written(schema);
  if (reason !== undefined) notes.add(name, notCoerced(`the arguments of \`${name}\` were`, schema, reason));
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
      const json = standardJson(schema);
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
