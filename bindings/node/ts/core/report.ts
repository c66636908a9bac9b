import type { Issue } from "./errors.js";
import { pointerOf } from "./place.js";

/**
 * How certain a repair or coercion is, from the best to the worst: the same value in another notation; the only sensible
 * completion of what is missing; the likeliest of several readings; the loss of something that was meant.
 */
export type RepairClass = "notation" | "completion" | "guess" | "loss";

/** A change of the text. Offsets are those of `String.prototype.slice`. */
export interface Repair {
  /** The name of the rule; `docs/reference/rules.md` lists them. */
  rule: string;
  /** How certain it is. */
  class: RepairClass;
  /** Where the replaced part begins. */
  start: number;
  /** Where it ends; equal to `start` where something was only added. */
  end: number;
  /** What took the place of `text.slice(start, end)`; empty where something was only removed. */
  replacement: string;
}

/** A finding about a text or its value. */
export interface Diagnostic {
  /** A stable code, such as `value/duplicate-key`. */
  code: string;
  /** `error` if there is no value or it must not be used, and `warning` if the value may not be the one that was meant. */
  severity: "info" | "warning" | "error";
  /** How certain the repair is that it is about, if it is about one. */
  class: RepairClass | null;
  /** The part of the value that it is about, as a JSON Pointer. */
  path: string | null;
  /** What was expected and what was found. */
  message: string;
  /** What to do, in one sentence. */
  help: string | null;
  /** Where the part of the text begins that it is about. */
  start: number | null;
  /** Where that part ends. */
  end: number | null;
  /** A safe change of the text that resolves it. */
  edit: { start: number; end: number; replacement: string } | null;
}

/** A change of a value that made it fit its schema. */
export interface Coercion {
  /** The kind of change; `docs/reference/coercions.md` lists them. */
  kind: string;
  /** How certain it is. */
  class: RepairClass;
  /** Where the part is in the new value, as a JSON Pointer; where it was, if it was left out. */
  path: string;
  /** Where the original begins in the text; null for what was added. */
  start: number | null;
  /** Where the original ends. */
  end: number | null;
  /** The original as JSON, of which a long one is cut to 100 characters. */
  before: string;
  /** The new part, likewise; empty if it was left out. */
  after: string;
  /** The place in its list, from 0, of an item that was left out or became null. */
  index: number | null;
}

/** A place where a value does not fit its schema. */
export interface Violation {
  /** A stable code, such as `schema/type`. */
  code: string;
  /** Where the part is in the value, as a JSON Pointer; for a missing member, where its object is. */
  path: string;
  /** Where the keyword is in the JSON Schema, as a JSON Pointer. */
  schemaPath: string;
  /** The keyword of JSON Schema, such as `minimum`; empty if there is none. */
  keyword: string;
  /** What is wrong, in one clause. */
  message: string;
  /** What the schema expects, in a few words. */
  expected: string;
  /** What was found, as JSON, of which a long one is cut to 100 characters. */
  found: string;
  /** What to do about it. */
  hint: string | null;
  /** Where the part begins in the text; null if it is not there. */
  start: number | null;
  /** Where the part ends. */
  end: number | null;
}

/** What was done to a text to get its value. */
export interface Report {
  /** `unchanged`, `extracted` from other text, or `repaired`. */
  status: "unchanged" | "extracted" | "repaired";
  /** The worst class of what was done; null if nothing was. */
  class: RepairClass | null;
  /** Whether the text was cut off. */
  truncated: boolean;
  /** Where the text was cut off; null if it was not. */
  cut: number | null;
  /**
   * The part of the text that was read as the value. `origin` says where it stood: `whole`, `fence` (a code block),
   * `wrapper` (a tag, call or assignment), `bare` (other text), `unbraced` or `escaped`.
   */
  candidate: { start: number; end: number; origin: string };
  /** Changes of the text, in its order. */
  repairs: Repair[];
  /** What else was found, such as text that was passed over, other values, and keys that come twice. */
  diagnostics: Diagnostic[];
  /** Why the value may lack something; null if it does not. */
  doubt: Diagnostic | null;
  /** Changes that made the value fit the schema; empty without one. */
  coercions: Coercion[];
  /** Where the value does not fit the schema; empty if it fits. */
  violations: Violation[];
}

/** Returns what a schema's own validator found, with what the JSON Schema says of the same part. */
export function issueRows(issues: readonly Issue[], known: readonly Violation[]): Violation[] {
  const told = issues.length > 0 ? issues : [{ message: "refused by the validator of the schema" }];
  return told.map((issue) => {
    const path = pointerOf(issue);
    const { message } = issue;
    const row = known.find((row) => row.path === path);
    return row ? { ...row, message } : { ...ISSUE, path, message };
  });
}

const ISSUE = {
  code: "schema/issue", schemaPath: "", keyword: "", expected: "", found: "", hint: "Ask for a value that fits the schema.",
  start: null, end: null,
};

type Row = Record<string, unknown>;

/** Renames the members of a row that the crates spell with an underscore. */
function renamed(row: Row): Row {
  const { schema_path, ...rest } = row;
  return { ...rest, schemaPath: schema_path };
}

/** Returns the violations in rows of the engine. */
export function violations(rows: unknown): Violation[] {
  return ((rows ?? []) as Row[]).map(renamed) as unknown as Violation[];
}

/** Reads the JSON of a report. */
export function readReport(json: string): Report {
  const row = JSON.parse(json) as Report;
  return { ...row, coercions: row.coercions ?? [], violations: violations(row.violations) };
}
