import type { Params, Part } from "../ai/parts.js";

/** A request for a message, as far as it is read. */
export interface Body {
  tools?: readonly { name?: string; input_schema?: unknown }[];
  output_config?: { format?: { schema?: unknown } | null } | null;
  /** Where older requests have the format. */
  output_format?: { schema?: unknown } | null;
}

/** A block of a message. */
export interface Block {
  type: string;
  text?: string;
  id?: string;
  name?: string;
  input?: unknown;
  [other: string]: unknown;
}

/** A message. */
export interface Message {
  type: string;
  content: Block[];
  stop_reason: string | null;
  [other: string]: unknown;
}

/** Returns what a request asks for. Tools of the server have no schema, and are not searched for. */
export function paramsOf(body: Body): Params {
  const own = (body.tools ?? []).filter((tool) => tool.name !== undefined && tool.input_schema !== undefined);
  const tools = own.map((tool) => ({ type: "function", name: tool.name as string, inputSchema: tool.input_schema }));
  const format = body.output_format ?? body.output_config?.format;
  return format ? { tools, responseFormat: { type: "json", schema: format.schema } } : { tools };
}

/** Returns whether an answer to such a request may be changed. */
export function isRead({ tools, responseFormat }: Params): boolean {
  return (tools ?? []).length > 0 || responseFormat !== undefined;
}

export const EMPTY_THINKING: Block = { type: "thinking", thinking: "", signature: "" };

/** Returns a block as a part. */
export function partOf(block: Block): Part {
  return block.type === "tool_use" ? callPart(block, inputText(block.input)) : (block as Part);
}

/** Returns a tool call as a part. */
export function callPart(block: Block, input: string): Part {
  return { type: "tool-call", toolCallId: block.id, toolName: block.name ?? "", input, block };
}

/** Returns the block of a tool call. */
export function toolUse({ block, toolCallId, toolName }: Part, input: unknown): Block {
  return { ...(block as Block | undefined), type: "tool_use", id: toolCallId as string, name: toolName ?? "", input };
}

/** Some servers give the input as text. */
function inputText(input: unknown): string {
  return typeof input === "string" ? input : JSON.stringify(input ?? {});
}

/** Returns a part as a block. */
export function blockOf(part: Part): Block {
  if (part.type === "reasoning") return { ...EMPTY_THINKING, thinking: part.text };
  return part.type === "tool-call" ? toolUse(part, readInput(part.input ?? "")) : (part as Block);
}

function readInput(input: string): unknown {
  try {
    return JSON.parse(input === "" ? "{}" : input);
  } catch {
    // What could not be repaired stays as it was.
    return input;
  }
}

/** Why an answer ended, as the AI SDK names it where a call matters. */
export function finishOf(reason: unknown): unknown {
  return reason === "end_turn" ? "stop" : reason;
}

/** Why an answer ended, as messages name it. */
export function stopOf(reason: unknown): unknown {
  if (reason === "tool-calls") return "tool_use";
  return reason === "stop" ? "end_turn" : reason;
}
