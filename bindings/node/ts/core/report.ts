import type { Issue } from "./errors.js";
import { pointerOf } from "./place.js";

/** How certain a repair or coercion is, from the best to the worst. */
export type RepairClass = "notation" | "completion" | "guess" | "loss";

/** A change of the text. Offsets are those of `String.prototype.slice`. */
export interface Repair {
  /** The name of the rule; `docs/reference/rules.md` lists them. */
  rule: string;
  class: RepairClass;
  start: number;
  end: number;
  /** What took the place of `text.slice(start, end)`. */
  replacement: string;
}

/** A finding about a text or its value. */
export interface Diagnostic {
  code: string;
  severity: "info" | "warning" | "error";
  class: RepairClass | null;
  /** A JSON Pointer into the value. */
  path: string | null;
  message: string;
  /** What to do, in one sentence. */
  help: string | null;
  start: number | null;
  end: number | null;
  edit: { start: number; end: number; replacement: string } | null;
}

/** A change of a value that made it fit its schema. */
export interface Coercion {
  kind: string;
  class: RepairClass;
  path: string;
  start: number | null;
  end: number | null;
  before: string;
  after: string;
  index: number | null;
}

/** A place where a value does not fit its schema. */
export interface Violation {
  code: string;
  path: string;
  schemaPath: string;
  keyword: string;
  message: string;
  expected: string;
  found: string;
  hint: string | null;
  start: number | null;
  end: number | null;
}

/** What was done to a text to get its value. */
export interface Report {
  /** `unchanged`, `extracted` from other text, or `repaired`. */
  status: "unchanged" | "extracted" | "repaired";
  /** The worst class of what was done; null if nothing was. */
  class: RepairClass | null;
  truncated: boolean;
  /** Where the text was cut off. */
  cut: number | null;
  /** The part of the text that was read as the value. */
  candidate: { start: number; end: number; origin: string };
  repairs: Repair[];
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
