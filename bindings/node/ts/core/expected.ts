// What options there are, and what each of them takes.
import { found } from "./engine.js";
import { OptionError } from "./errors.js";

/** What an option takes: one of these, one of some words, or options. What is any value is checked where it is read. */
type Expected = "a string" | "a whole number" | "true or false" | "a list of strings" | "any" | readonly string[] | Table;

/** What each option takes. */
export interface Table {
  readonly [name: string]: Expected;
}

/** The options of repair. */
export const REPAIR: Table = {
  policy: "a string",
  allow: "a list of strings",
  forbid: "a list of strings",
  search: "a string",
  choice: "a string",
  emphasis: "a string",
  guard: "a string",
  maxDepth: "a whole number",
  maxBytes: "a whole number",
  maxRepairs: "a whole number",
  maxClosers: "a whole number",
  maxClass: "a string",
  onBadItem: "a string",
  keys: "a list of strings",
  words: "a list of strings",
  withoutJson: "a string",
};

/** The options of functions of `llmend` that return a value. */
export const PARSE: Table = { ...REPAIR, bigint: "true or false" };

const UNSURE: Table = { unsure: ["throw", "accept"] };

/** The options of `value` and `repairStream`. */
export const VALUE: Table = { ...PARSE, ...UNSURE };

const COERCE: Table = {
  mode: "a string",
  onBadItem: "a string",
  onExtra: "a string",
  units: "a string",
  emphasis: "a string",
  near: "a string",
};

/** The options of functions that take a schema. */
export const FIT: Table = { ...PARSE, schema: "any", coerce: COERCE };

/** The options of `repairStream` with a schema. */
export const FIT_STREAM: Table = { ...FIT, ...UNSURE };

/** The options of reading calls. */
export const CALLS: Table = {
  ...REPAIR,
  coerce: COERCE,
  tools: "any",
  marked: "true or false",
  notation: "a string",
  inReasoning: "a string",
};

/** The options of the helpers for clients and frameworks. */
export const AI: Table = { ...REPAIR, coerce: COERCE, ...UNSURE };

/** The options of reading plans. */
export const PLAN: Table = {
  ...REPAIR,
  dialect: "a string",
  strictness: "a string",
  onBadStep: "a string",
  disabled: "a list of strings",
  catalog: "any",
  onNearTool: "a string",
  onExtraArgument: "a string",
  maxItems: "a whole number",
  fixes: "a string",
};

/** Where options work that others do not have. */
const ELSEWHERE = new Map([
  ["choice", "functions that read a whole text: of one that arrives, the first value is the answer"],
  ["unsure", "`value` and `repairStream`"],
  ["bigint", "functions that return a value"],
  ["schema", "`llmend/schema`"],
  ["coerce", "`llmend/schema` and `llmend/calls`"],
  ["tools", "`llmend/calls`"],
  ["catalog", "`llmend/plan`"],
]);

/** Throws an `OptionError` for options that are not in a table, or that have another type there. */
export function expectOptions(options: unknown, table: Table, around = ""): void {
  if (options === undefined) return;
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new TypeError(`expected options as an object, found ${shown(options)}`);
  }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const expected = Object.hasOwn(table, name) ? table[name] : undefined;
    if (expected === undefined) throw unknown(name, Object.keys(table), around);
    expect(around + name, value, expected);
  }
}

function expect(name: string, value: unknown, expected: Expected): void {
  if (typeof expected === "string") {
    if (!isA(value, expected)) throw wrong(name, expected, value);
  } else if (Array.isArray(expected)) {
    if (expected.includes(value)) return;
    const given = typeof value === "string" ? `\`${value}\`` : shown(value);
    throw refused(`option \`${name}\`: unknown value ${given}, expected one of: ${expected.join(", ")}`, correct(name));
  } else if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    expectOptions(value, expected as Table, `${name}.`);
  } else {
    throw wrong(name, "an object", value);
  }
}

/** The largest number that the engine can hold. */
const LARGEST = 2 ** 32 - 1;

function isA(value: unknown, expected: string): boolean {
  switch (expected) {
    case "a string":
      return typeof value === "string";
    case "a whole number":
      return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= LARGEST;
    case "true or false":
      return typeof value === "boolean";
    case "a list of strings":
      return Array.isArray(value) && value.every((item) => typeof item === "string");
    default:
      return true;
  }
}

function wrong(name: string, expected: string, value: unknown): OptionError {
  return refused(`option \`${name}\`: expected ${expected}, found ${shown(value)}`, correct(name));
}

const correct = (name: string) => `Correct \`${name}\`, or leave it out.`;

function unknown(name: string, valid: readonly string[], around: string): OptionError {
  const plain = (name: string) => name.replace(/[_-]/g, "").toLowerCase();
  const near = valid.find((other) => plain(other) === plain(name));
  const place = around === "" ? ELSEWHERE.get(name) : undefined;
  const why = near ? `; did you mean \`${around}${near}\`?` : place ? `: it is an option of ${place}` : "";
  const help = `Use one of ${listed(valid.map((name) => around + name))}.`;
  return refused(`unknown option \`${around}${name}\`${why}`, help);
}

function refused(message: string, help: string): OptionError {
  return new OptionError({ code: "setting/unreadable", message, help });
}

const listed = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(", ");

/** Returns a value for a message. */
function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : found(value);
}
