import { expectOptions, type Table } from "./expected.js";
import type { RepairClass } from "./report.js";

/** A named set of rules, from narrow to wide. */
export type Policy = "strict" | "extract" | "conservative" | "standard" | "lenient";

/** Options of repair. Every one is optional. */
export interface RepairOptions {
  /** Sets the defaults of the others. @default "standard" */
  policy?: Policy;
  /** Rules that are allowed beside those of the policy. */
  allow?: readonly string[];
  /** Rules that are not allowed. */
  forbid?: readonly string[];
  /** Whether the value is searched for in the text; `off` if the whole text is the value. @default "on" */
  search?: "on" | "off";
  /** Which of several values is the answer. @default "best" */
  choice?: "best" | "first" | "last" | "all";
  /** Whether Markdown emphasis around a whole string is stripped. @default "keep" */
  emphasis?: "keep" | "strip";
  /** What the guard against large losses counts. @default "loss" */
  guard?: "loss" | "removal";
  /** The most levels of nesting. @default 512 */
  maxDepth?: number;
  /** The most bytes of text. */
  maxBytes?: number;
  /** The most repairs in the first 4 MiB of text; each further 4 MiB may have as many again. */
  maxRepairs?: number;
  /** The most brackets that are added at the end. */
  maxClosers?: number;
  /** The worst class of repair that is accepted. @default "loss" */
  maxClass?: RepairClass;
  /** What is done with an item of a list that cannot be read. @default "fail" */
  onBadItem?: "fail" | "drop" | "null";
  /** Keys that the value may have at any depth. */
  keys?: readonly string[];
  /** Strings that the value may contain, also unquoted. */
  words?: readonly string[];
  /** How a text without any JSON is read: as an error, or as one string. @default "no-value" */
  withoutJson?: "no-value" | "text";
}

/** Options of functions that return a value. */
export interface ParseOptions extends RepairOptions {
  /** Whether integers that a number cannot hold become `bigint`. Without it they are rounded, and reported. */
  bigint?: boolean;
}

/** Options of reading a text that arrives: its first value is the answer, since the best is unknown before the end. */
export type Arriving<Options extends RepairOptions> = Omit<Options, "choice">;

/** Options of coercion to a schema. */
export interface CoerceOptions {
  /** `off` validates only. @default "on" */
  mode?: "on" | "off";
  /** What is done with an item of a list that does not fit. @default "fail" */
  onBadItem?: "fail" | "drop" | "null";
  /** What is done with a member that is not allowed. @default "keep" */
  onExtra?: "keep" | "fail" | "drop";
  /** Whether `"50%"` is read as a number. @default "refuse" */
  units?: "refuse" | "strip";
  /** Whether Markdown emphasis around a whole string is stripped. @default "keep" */
  emphasis?: "keep" | "strip";
  /** Whether near misses of enum values and keys are accepted. @default "on" */
  near?: "on" | "off";
}

const NONE = Object.freeze({});

/**
 * Returns the options of reading a whole text as one that arrives is read. Throws for options that are not in a table, and
 * for `choice`.
 */
export function arriving<Options extends object>(options: Options | undefined, table: Table): Options & { choice: "first" } {
  const { choice: _, ...rest } = table;
  expectOptions(options, rest);
  return { ...(options as Options), choice: "first" };
}

/** Returns the JSON of options; the empty text stands for none. `others` are read by the package itself. */
export function optionsJson(options: object | undefined, others: readonly string[] = []): string {
  if (options === undefined || options === NONE) return "";
  const own = Object.entries(options).filter(([name, value]) => value !== undefined && !others.includes(name));
  return own.length === 0 ? "" : JSON.stringify(Object.fromEntries(own));
}
