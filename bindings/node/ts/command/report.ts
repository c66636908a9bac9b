import type { Coercion, Diagnostic, Repair, RepairClass } from "../core/report.js";
import type { Failure } from "./failure.js";
import { byteAt, inBytes } from "./places.js";

/** A violation as native reports spell it. */
export interface ViolationRow {
  code: string;
  path: string;
  message: string;
  expected: string;
  hint: string | null;
  start: number | null;
  end: number | null;
}

/** A report of the engine with its places in bytes. */
export interface Row {
  status: string;
  /** What happened to the text alone. */
  found: string;
  class: RepairClass | null;
  truncated: boolean;
  cut: number | null;
  candidate: { start: number; end: number; origin: string };
  repairs: Repair[];
  coercions?: Coercion[];
  violations?: ViolationRow[];
  diagnostics: Diagnostic[];
}

/** Returns the report in JSON of the engine. */
export function rowOf(json: string, text: string): Row {
  const row = inBytes(JSON.parse(json) as Row, byteAt(text));
  return { ...row, found: row.status, status: row.coercions?.length ? "coerced" : row.status };
}

/** Returns a violation as a finding. */
export function finding(row: ViolationRow): Diagnostic {
  const { code, path, message, start, end } = row;
  return { code, severity: "error", class: null, path, message, help: advice(row), start, end, edit: null };
}

function advice({ message, expected, hint }: ViolationRow): string | null {
  if (message.includes(expected) || hint?.includes(expected)) return hint;
  return hint === null ? `expected: ${expected}` : `expected: ${expected}; ${hint}`;
}

/** Returns the reason for a refusal. */
export function reason(rows: readonly Diagnostic[]): object | null {
  const row = rows.find(({ severity }) => severity === "error") ?? rows[0];
  return row ? { code: row.code, message: row.message, start: row.start, end: row.end } : null;
}

/** Returns the object that is reported for a value. */
export function ofValue(row: Row, json: string): object {
  const { status, truncated, class: worst, candidate, repairs, coercions, violations, diagnostics } = row;
  const fit = coercions ? { coercions, violations } : {};
  return { status, json, truncated, class: worst, candidate, repairs, ...fit, diagnostics, error: null };
}

/** Returns the object that is reported for a failure. */
export function ofFailure(failure: Failure, hasSchema: boolean): object {
  const { row } = failure;
  const fit = hasSchema ? { coercions: row?.coercions ?? [], violations: row?.violations ?? [] } : {};
  return {
    status: "refused",
    json: null,
    truncated: row?.truncated ?? false,
    class: row?.class ?? null,
    candidate: row?.candidate ?? null,
    repairs: row?.repairs ?? [],
    ...fit,
    diagnostics: [...failure.diagnostics, ...(row?.diagnostics ?? [])],
    error: reason(failure.diagnostics),
  };
}

/** Returns the JSON of an object, with a line end. */
export function written(object: object, pretty: boolean): string {
  return `${JSON.stringify(object, null, pretty ? 2 : 0)}\n`;
}
