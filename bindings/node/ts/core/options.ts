import { expectOptions, type Table } from "./expected.js";
import type { RepairClass } from "./report.js";

/**
 * A named set of rules, from narrow to wide: `strict` takes JSON alone, `extract` also finds it in other text,
 * `conservative` also repairs comments, trailing commas, smart quotes, raw line breaks and one missing bracket,
 * `standard` allows all rules but those that remove or replace complete data, and `lenient` allows all.
 */
export type Policy = "strict" | "extract" | "conservative" | "standard" | "lenient";

/** Options of repair. Every one is optional. */
export interface RepairOptions {
  /** Says which rules are allowed, and sets the defaults of other options. @default "standard" */
  policy?: Policy;
  /** Rules that are allowed beside those of the policy, by name; `docs/reference/rules.md` lists them. */
  allow?: readonly string[];
  /** Rules that are not allowed, by name. */
  forbid?: readonly string[];
  /**
   * Whether the value is searched for in the text; `off` if the whole text is the value.
   * @default "on", or "off" if `policy` is "strict"
   */
  search?: "on" | "off";
  /**
   * Which of several values is the answer: the best one, or a list of those that are equally good; the first; the last; or
   * a list of all, also of a single one. @default "best"
   */
  choice?: "best" | "first" | "last" | "all";
  /** Whether Markdown emphasis around a whole string, as in `"**Paris**"`, is stripped. @default "keep" */
  emphasis?: "keep" | "strip";
  /**
   * What counts where a value is refused because more than 30 % of its text was lost: lost data alone, or all that was
   * removed, such as comments. @default "loss", or "removal" if `policy` is "conservative"
   */
  guard?: "loss" | "removal";
  /** The most levels of nesting, up to 1,024. @default 512 */
  maxDepth?: number;
  /** The most bytes of text, in UTF-8. @default 268435456 (256 MiB) */
  maxBytes?: number;
  /** The most repairs in the first 4 MiB of text; each further 4 MiB may have as many again. @default 1048576 */
  maxRepairs?: number;
  /** The most brackets that are added at the end. @default no limit, or 1 if `policy` is "conservative" */
  maxClosers?: number;
  /** The worst class of repair that is accepted: a text that needs a worse one is an error. @default "loss" */
  maxClass?: RepairClass;
  /** What is done with an item of a list that cannot be read: it is an error, left out, or null. @default "fail" */
  onBadItem?: "fail" | "drop" | "null";
  /**
   * Keys that the value may have at any depth. They help to find where a string ends that has quotes in it, and to choose
   * among several values.
   */
  keys?: readonly string[];
  /** Strings that the value may contain: a word without quotes that is one of them is read as that string. */
  words?: readonly string[];
  /**
   * How a text without any JSON is read: as an error, or, if it has no brackets and at most 1,024 bytes, as one string.
   * @default "no-value"
   */
  withoutJson?: "no-value" | "text";
}

/** Options of functions that return a value. */
export interface ParseOptions extends RepairOptions {
  /** Whether integers that a number cannot hold become `bigint`. If not, they are rounded, and reported. @default false */
  bigint?: boolean;
}

/** Options of reading a text that arrives: its first value is the answer, since the best is unknown before the end. */
export type Arriving<Options extends RepairOptions> = Omit<Options, "choice">;

/** Options of coercion to a schema. */
export interface CoerceOptions {
  /** Whether a value is changed so that it fits; `off` only validates it. @default "on" */
  mode?: "on" | "off";
  /**
   * What is done with an item of a list that does not fit: it is a violation, left out, or null where the schema allows
   * that. @default "fail"
   */
  onBadItem?: "fail" | "drop" | "null";
  /**
   * What is done with a member that the schema does not name: `keep` leaves it, which is a violation where the schema
   * forbids it; `fail` makes it a violation everywhere; `drop` leaves it out where the schema forbids it. @default "keep"
   */
  onExtra?: "keep" | "fail" | "drop";
  /** Whether a number with a unit, such as `"50%"` or `"$1.50"`, is read as the number. @default "refuse" */
  units?: "refuse" | "strip";
  /** Whether Markdown emphasis around a whole string is stripped where any string fits. @default "keep" */
  emphasis?: "keep" | "strip";
  /**
   * Whether typos are corrected in enum values, and in keys of objects that allow no others: up to one edit for each four
   * characters. What differs in case, accents or separators only is no typo. @default "on"
   */
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
