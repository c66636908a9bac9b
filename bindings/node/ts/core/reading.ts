import { violations, type Coercion, type Diagnostic, type Repair, type RepairClass, type Violation } from "./report.js";

/** A tool call. Offsets are those of `String.prototype.slice`. */
export interface ToolCall<Args = Record<string, unknown>> {
  /** The name, as the tool is offered. */
  name: string;
  /** The arguments, fitted to the tool's schema. */
  arguments: Args;
  id: string | null;
  /** The name as it is written, if that differs. */
  writtenName: string | null;
  start: number;
  end: number;
  /** The notation; `llmend notations` lists them. */
  notation: string;
  class: RepairClass | null;
  repairs: Repair[];
  coercions: Coercion[];
  /** Where the arguments do not fit the tool's schema; empty if the call can be made. */
  violations: Violation[];
  diagnostics: Diagnostic[];
}

/** What was meant as a call and is none. */
export interface RefusedCall {
  name: string | null;
  start: number;
  end: number;
  notation: string;
  /** The reason. */
  diagnostic: Diagnostic;
  /** The text of it. */
  text: string;
}

/** What an answer says: calls, and text for the user. */
export interface Reading {
  calls: ToolCall[];
  refused: RefusedCall[];
  /** The text around the calls, without markers. */
  text: string;
  reasoning: string;
  /** Whether every call that was meant can be made. */
  usable: boolean;
  truncated: boolean;
  /** Where the text is cut off inside a call. */
  cut: number | null;
  class: RepairClass | null;
  diagnostics: Diagnostic[];
}

/** A change of what was read of a text that arrives. Calls count from 0. */
export type CallEvent =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  /** All text so far was reasoning. */
  | { type: "all-reasoning" }
  | { type: "started"; index: number; name: string; id: string | null }
  /** More of the JSON of the arguments. */
  | { type: "arguments"; index: number; delta: string }
  | { type: "done"; index: number; call: ToolCall }
  /** The call that had started is none. */
  | { type: "abandoned"; index: number }
  | { type: "refused"; refused: RefusedCall };

type Row = Record<string, unknown>;

function readCall(row: Row): ToolCall {
  const { written_name: writtenName, violations: found, ...rest } = row;
  return { ...rest, writtenName, violations: violations(found) } as unknown as ToolCall;
}

/** Returns a reading from its JSON. */
export function readReading(row: Row): Reading {
  const { calls, refused, refusedTexts, ...rest } = row as { calls: Row[]; refused: Row[]; refusedTexts: string[] };
  return {
    ...rest,
    calls: calls.map(readCall),
    refused: refused.map((one, index) => ({ ...one, text: refusedTexts[index] })),
  } as unknown as Reading;
}

/** Returns an event from its JSON. */
export function readEvent(row: Row): CallEvent {
  if (row.type === "done") return { ...row, call: readCall(row.call as Row) } as CallEvent;
  if (row.type === "refused") {
    return { type: "refused", refused: { ...(row.refused as Row), text: row.text } } as unknown as CallEvent;
  }
  return row as unknown as CallEvent;
}
