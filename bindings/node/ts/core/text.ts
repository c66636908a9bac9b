import { decoded, passed, type Engine, type Glue } from "./engine.js";
import { unsureError } from "./errors.js";
import { parseJson, rounded } from "./numbers.js";
import { optionsJson, type ParseOptions, type RepairOptions } from "./options.js";
import { Outcome, Repaired } from "./outcome.js";
import { readReport, type Diagnostic, type Report } from "./report.js";

/** A text: a string, or bytes in UTF-8. */
export type Text = string | Uint8Array;

/** Options that the package reads itself. */
export const OWN = ["bigint", "unsure", "schema", "coerce"];

/** Calls the engine. Returns strict JSON, and the number of the call. */
function made(engine: Engine<Glue>, text: Text, options: string): { json: string; call: number } {
  const json = engine.run(text, (glue, call) =>
    passed(
      text,
      (text) => glue.repair(text, options, call),
      (bytes) => glue.repairBytes(bytes, options, call),
    ),
  );
  return { json: json ?? decoded(text), call: engine.call };
}

/** Repairs a text with an engine. */
export function repairWith(engine: Engine<Glue>, text: Text, options?: RepairOptions): Repaired {
  const settings = optionsJson(options, OWN);
  const { json, call } = made(engine, text, settings);
  const report = () => readReport(engine.report(call, () => made(engine, text, settings)));
  return new Repaired(json, engine.flags() !== 0, report);
}

/** Parses the value in a text with an engine. */
export function parseWith(engine: Engine<Glue>, text: Text, options?: ParseOptions): Outcome<unknown> {
  const settings = optionsJson(options, OWN);
  const { json, call } = made(engine, text, settings);
  const unsure = engine.flags() !== 0;
  const report = () => {
    const report = readReport(engine.report(call, () => made(engine, text, settings)));
    return options?.bigint ? report : withRounded(report, json);
  };
  return new Outcome(parseJson(json, options?.bigint), unsure, report);
}

/** Returns the value in a text, by `JSON.parse` if that reads it. */
export function valueWith(engine: Engine<Glue>, text: Text, options?: ValueOptions): unknown {
  if (options === undefined && typeof text === "string") {
    try {
      return JSON.parse(text);
    } catch {
      // It is no JSON yet.
    }
  }
  const outcome = parseWith(engine, text, options);
  if (outcome.unsure && options?.unsure !== "accept") {
    throw unsureError(decoded(text), outcome.value, outcome.report);
  }
  return outcome.value;
}

/** Options of `value`. */
export interface ValueOptions extends ParseOptions {
  /** Whether a value that may lack something is an `UnsureError`. @default "throw" */
  unsure?: "throw" | "accept";
}

/** Adds a warning for the integers that `JSON.parse` rounded. */
export function withRounded(report: Report, json: string, help?: string): Report {
  const row = roundedRow(json, help);
  return row ? { ...report, diagnostics: [...report.diagnostics, row] } : report;
}

/** Returns the warning for the integers that `JSON.parse` rounds; nothing if there are none. */
export function roundedRow(json: string, help = "Pass `bigint: true`."): Diagnostic | undefined {
  const found = rounded(json);
  if (found.length === 0) return undefined;
  const more = found.length > 1 ? ` and ${found.length - 1} more` : "";
  return {
    code: "value/rounded",
    severity: "warning",
    class: null,
    path: null,
    message: `integer ${found[0]}${more} exceeds what a number holds, and was rounded`,
    help,
    start: null,
    end: null,
    edit: null,
  };
}
