import { mayChange } from "./numbers.js";
import { rawMember, rawParts } from "./raw.js";
import { issueRows, violations, type Coercion, type Diagnostic, type Repair, type RepairClass, type Violation } from "./report.js";
import { isLater } from "./standard.js";
import { lostRows } from "./text.js";
import type { Notes } from "./tools.js";

/** A tool call. Offsets are those of `String.prototype.slice`. */
export interface ToolCall<Args = Record<string, unknown>> {
  /** The name, as the tool is offered. */
  name: string;
  /** The arguments, fitted to the tool's schema; what the validator of a Standard Schema made of them if `violations` is empty. */
  arguments: Args;
  /** The id, if the text has one. */
  id: string | null;
  /** The name as it is written, if that differs. */
  writtenName: string | null;
  /** Where the call begins in the text, behind its mark. */
  start: number;
  /** Where the call ends. */
  end: number;
  /** The notation; `docs/reference/calls.md` lists them. */
  notation: string;
  /** The worst class of what was done to the call; null if nothing was. */
  class: RepairClass | null;
  /** Changes of the text. */
  repairs: Repair[];
  /** Changes that made the arguments fit the tool's schema. */
  coercions: Coercion[];
  /** Where the arguments do not fit the tool's schema; empty if the call can be made. */
  violations: Violation[];
  /** What else was found about the call. */
  diagnostics: Diagnostic[];
}

/** What was meant as a call and is none: it names a tool that was not offered, or cannot be read. */
export interface RefusedCall {
  /** The name, if one was read. */
  name: string | null;
  /** Where it begins in the text. */
  start: number;
  /** Where it ends. */
  end: number;
  /** The notation. */
  notation: string;
  /** The reason. */
  diagnostic: Diagnostic;
  /** The text of it. */
  text: string;
}

/** What an answer says: calls, and text for the user. */
export interface Reading<Call = ToolCall> {
  /** The calls, in the order of the text. */
  calls: Call[];
  /** What was meant as a call and is none. */
  refused: RefusedCall[];
  /** The text around the calls, without markers. */
  text: string;
  /** The reasoning, without its tags. */
  reasoning: string;
  /** Whether every call that was meant can be made: none is refused, cut off, or does not fit its tool's schema. */
  usable: boolean;
  /** Whether the text is cut off inside a call. */
  truncated: boolean;
  /** Where the text is cut off inside a call, which is then none of `calls`; null if it is not. */
  cut: number | null;
  /** The worst class of the calls; null if nothing was done to them. */
  class: RepairClass | null;
  /** What was found about the text as a whole. */
  diagnostics: Diagnostic[];
}

/** A change of what was read of a text that arrives. Calls count from 0. */
export type CallEvent<Call = ToolCall> =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  /** All text so far was reasoning. */
  | { type: "all-reasoning" }
  | { type: "started"; index: number; name: string; id: string | null }
  /** More of the JSON of the arguments. */
  | { type: "arguments"; index: number; delta: string }
  | { type: "done"; index: number; call: Call }
  /** The call that had started is none. */
  | { type: "abandoned"; index: number }
  | { type: "refused"; refused: RefusedCall };

type Row = Record<string, unknown>;

/** The arguments of calls in which numbers may not be written again as they are. */
const written = new WeakMap<ToolCall, string>();

/** Returns the JSON of a call's arguments, with the digits that the model wrote. */
export function argumentsJson(call: ToolCall): string {
  return written.get(call) ?? JSON.stringify(call.arguments);
}

/** Returns a call from its row, of which `json` is the text if that is needed. */
function readCall(row: Row, json: string | undefined, notes: Notes): ToolCall {
  const { written_name: writtenName, violations: found, ...rest } = row;
  const call = { ...rest, writtenName, violations: violations(found) } as unknown as ToolCall;
  const text = json && rawMember(json, "arguments");
  if (text) written.set(call, text);
  validate(call, notes);
  const rows = text ? lostRows(text, false, "Let the tool take it as a string.") : [];
  call.diagnostics = [...call.diagnostics, ...(notes.remarks.get(call.name) ?? []), ...rows];
  return call;
}

/**
 * Validates the arguments of a call by the Standard Schema of its tool, whose output they become. It may accept more than
 * its JSON Schema says.
 */
function validate(call: ToolCall, notes: Notes): void {
  const json = argumentsJson(call);
  const result = notes.validators.get(call.name)?.(call.arguments);
  if (!result) return;
  if (isLater(result)) {
    Promise.resolve(result).catch(() => {});
    call.diagnostics = [...call.diagnostics, notValidated(call.name)];
  } else if (result.issues) {
    call.violations = issueRows(result.issues, call.violations);
  } else {
    written.set(call, json);
    call.arguments = result.value as ToolCall["arguments"];
    call.violations = [];
  }
}

function notValidated(name: string): Diagnostic {
  const message = `the arguments of \`${name}\` were not validated: the validator of the schema returns a promise`;
  const help = "Validate them before you make the call, or pass a schema that validates at once.";
  const place = { class: null, path: null, start: null, end: null, edit: null };
  return { code: "schema/not-validated", severity: "warning", message, help, ...place };
}

/** A reading as the engine writes it. */
interface ReadingRow {
  calls: Row[];
  refused: Row[];
  refusedTexts: string[];
}

/** Returns a reading from its JSON. `notes` are about the tools. */
export function readReading(json: string, notes: Notes): Reading {
  return readingOf(JSON.parse(json) as ReadingRow, mayChange(json) ? json : "", notes);
}

/** Returns the last events and the reading from their JSON. `notes` are about the tools. */
export function readEnd(json: string, notes: Notes): { events: CallEvent[]; reading: Reading } {
  const { events, reading } = JSON.parse(json) as { events: Row[]; reading: ReadingRow };
  const texts = mayChange(json) ? rawParts(json) : [];
  const textOf = (key: string) => texts.find((part) => part.key === key)?.json ?? "";
  return { events: eventsOf(events, textOf("events"), notes), reading: readingOf(reading, textOf("reading"), notes) };
}

/** Returns a reading, of which `json` is the text if that is needed. */
function readingOf(row: ReadingRow, json: string, notes: Notes): Reading {
  const { calls, refused, refusedTexts, ...rest } = row;
  const texts = rawParts(rawMember(json, "calls") ?? "");
  const reading = {
    ...rest,
    calls: calls.map((row, index) => readCall(row, texts[index]?.json, notes)),
    refused: refused.map((one, index) => ({ ...one, text: refusedTexts[index] })),
  } as unknown as Reading;
  return { ...reading, usable: isUsable(reading) };
}

/** Returns whether every call that was meant can be made. */
function isUsable({ refused, cut, calls, diagnostics }: Reading): boolean {
  const fits = calls.every((call) => call.violations.length === 0);
  return fits && refused.length === 0 && cut === null && diagnostics.every((row) => row.severity !== "error");
}

/** Returns events from their JSON. `notes` are about the tools. */
export function readEvents(json: string, notes: Notes): CallEvent[] {
  return eventsOf(JSON.parse(json) as Row[], mayChange(json) ? json : "", notes);
}

/** Returns events, of which `json` is the text if that is needed. */
function eventsOf(rows: Row[], json: string, notes: Notes): CallEvent[] {
  const texts = rawParts(json);
  return rows.map((row, index) => readEvent(row, texts[index]?.json, notes));
}

function readEvent(row: Row, json: string | undefined, notes: Notes): CallEvent {
  if (row.type === "done") {
    return { ...row, call: readCall(row.call as Row, json && rawMember(json, "call"), notes) } as CallEvent;
  }
  if (row.type === "refused") {
    return { type: "refused", refused: { ...(row.refused as Row), text: row.text } } as unknown as CallEvent;
  }
  return row as unknown as CallEvent;
}
