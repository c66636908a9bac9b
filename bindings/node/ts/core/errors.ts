import { lineColumn } from "./place.js";
import type { Diagnostic, Report, Violation } from "./report.js";

/** Any error of this package: it has a stable code, and says what to do. */
export class LlmendError extends Error {
  override name = "LlmendError";
  /** A stable code, such as `extract/no-json`. */
  readonly code: string;
  /** What to do, in one sentence. */
  readonly help: string | null;
  /** Every finding, of which the message tells the first. */
  readonly diagnostics: readonly Diagnostic[];
  /** The place in the text; null where the error is not about one. Offsets are those of `String.prototype.slice`. */
  readonly span: { start: number; end: number } | null;
  /** The line of the place, from 1. */
  readonly line: number | null;
  /** The column of the place, from 1, in characters. */
  readonly column: number | null;

  constructor(row: ErrorRow) {
    super(row.message);
    this.code = row.code;
    this.help = row.help ?? null;
    this.diagnostics = row.diagnostics ?? [];
    this.span = row.start == null || row.end == null ? null : { start: row.start, end: row.end };
    this.line = row.line ?? null;
    this.column = row.column ?? null;
  }
}

/** A text that gives no value. */
export class RepairError extends LlmendError {
  override name = "RepairError";
  /** The text that was read. */
  readonly text: string;

  constructor(row: ErrorRow, text: string) {
    super(row);
    this.text = text;
  }
}

/** A value that may lack something: the text was cut off, or a part of it was dropped. */
export class UnsureError extends RepairError {
  override name = "UnsureError";

  constructor(
    row: ErrorRow,
    text: string,
    /** The value as far as it goes. */
    readonly value: unknown,
    /** What was done to the text; its `doubt` is what the error says. */
    readonly report: Report,
  ) {
    super(row, text);
  }
}

/** A value that does not fit its schema. */
export class UnfitError extends RepairError {
  override name = "UnfitError";

  constructor(
    row: ErrorRow,
    text: string,
    /** The value, coerced as far as it goes. */
    readonly value: unknown,
    /** What was done to the text and to the value. */
    readonly report: Report,
    /** Where the value does not fit, by the JSON Schema. */
    readonly violations: readonly Violation[],
    /** What the schema's own validator says; empty for a JSON Schema. */
    readonly issues: readonly Issue[],
  ) {
    super(row, text);
  }
}

/** A schema or tools that cannot be compiled. */
export class SchemaError extends LlmendError {
  override name = "SchemaError";
}

/** A text without a usable plan, or a catalog that cannot be read. */
export class PlanError extends RepairError {
  override name = "PlanError";
}

/** An option with an unknown name or value. */
export class OptionError extends LlmendError {
  override name = "OptionError";
}

/** An issue of a Standard Schema's validator. */
export interface Issue {
  /** What is wrong, in the validator's words. */
  readonly message: string;
  /** The keys and indices that lead to the part of the value. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What the engine throws, as data. */
export interface ErrorRow {
  kind?: "repair" | "setting" | "schema" | "unfit" | "plan";
  code: string;
  message: string;
  help?: string | null;
  start?: number | null;
  end?: number | null;
  line?: number | null;
  column?: number | null;
  diagnostics?: Diagnostic[];
}

/** Returns the error for what the engine threw. */
export function errorOf(json: string, text: string): LlmendError {
  const row = JSON.parse(json) as ErrorRow;
  switch (row.kind) {
    case "setting":
      return new OptionError(row);
    case "schema":
      return new SchemaError(row);
    case "plan":
      return new PlanError(row, text);
    default:
      return new RepairError(row, text);
  }
}

/** Returns the error for a string with half of a surrogate pair, which no UTF-8 can hold. */
export function illFormed(text: string): RepairError {
  const start = text.search(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/);
  const { line, column } = lineColumn(text, start);
  const message = `the text has an unpaired surrogate (line ${line}, column ${column})`;
  const help = "Join the pieces of the text before decoding them.";
  const place = { start, end: start + 1 };
  const finding = { code: "input/utf16", severity: "error" as const, class: null, path: null, edit: null };
  const diagnostics = [{ ...finding, message, help, ...place }];
  const row = { code: finding.code, message, help, line, column, ...place, diagnostics };
  return new RepairError(row, text);
}

/** Returns the error for a part that is no longer what was sent of it. */
export function replaced(): LlmendError {
  const message = "a value that was already streamed has changed";
  return new LlmendError({ code: "stream/replaced", message, help: "Parse the whole text." });
}

/** Returns the error for a value that may lack something. */
export function unsureError(text: string, value: unknown, report: Report): UnsureError {
  const { code, message, start, end } = report.doubt as Diagnostic;
  const help = "Ask again, or accept the value with `unsure: \"accept\"`.";
  const place = start === null ? {} : lineColumn(text, start);
  const row = { code, message, help, start, end, ...place, diagnostics: report.diagnostics };
  return new UnsureError(row, text, value, report);
}
