import { decoded, passed, type Engine, type Glue } from "./engine.js";
import { unsureError } from "./errors.js";
import { lost, parseJson } from "./numbers.js";
import { optionsJson, type ParseOptions, type RepairOptions } from "./options.js";
import { Outcome, Repaired } from "./outcome.js";
import { readReport, type Diagnostic, type RepairClass, type Report } from "./report.js";

/** A text: a string, or bytes in UTF-8. */
export type Text = string | Uint8Array;

/** Options that the package reads itself. */
export const OWN = ["bigint", "unsure", "schema", "coerce"];

/** Calls the engine. Returns strict JSON, and the number of the call. */
function made(engine: Engine<Glue>, text: Text, options: string): { json: string; call: number } {
  const json = engine.run(text, (glue) =>
    passed(
      text,
      (text) => glue.repair(text, options),
      (bytes) => glue.repairBytes(bytes, options),
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

/** Strict JSON, and the part of the text that it was read from. */
export interface Located {
  json: string;
  start: number;
  end: number;
  /** Whether the part stands in other text without a mark. */
  isBare: boolean;
  /** The worst class of repair. */
  class: RepairClass | undefined;
}

const CLASSES = ["notation", "completion", "guess", "loss"] as const;

/** Repairs a text with an engine, and says where its value is: a report costs more than the repair. */
export function locatedWith(engine: Engine<Glue>, text: string, options?: RepairOptions): Located {
  const { json } = made(engine, text, optionsJson(options));
  const [start = 0, end = 0, isBare, worst = 0] = engine.loader.glue.found();
  return { json, start, end, isBare: isBare === 1, class: CLASSES[worst - 1] };
}

/** Parses the value in a text with an engine. */
export function parseWith(engine: Engine<Glue>, text: Text, options?: ParseOptions): Outcome<unknown> {
  const settings = optionsJson(options, OWN);
  const { json, call } = made(engine, text, settings);
  const unsure = engine.flags() !== 0;
  const report = () => {
    const report = readReport(engine.report(call, () => made(engine, text, settings)));
    return withLost(report, json, options?.bigint);
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
  /** Whether a value that may lack something is an `UnsureError`, or is returned. @default "throw" */
  unsure?: "throw" | "accept";
}

/** Adds warnings for the numbers that a value does not hold. */
export function withLost(report: Report, json: string, bigint?: boolean, help?: string): Report {
  const rows = lostRows(json, bigint, help);
  return rows.length > 0 ? { ...report, diagnostics: [...report.diagnostics, ...rows] } : report;
}

/** Returns the warnings for the numbers that a value does not hold. `help` is what to do where there is no `bigint`. */
export function lostRows(json: string, bigint?: boolean, help?: string): Diagnostic[] {
  const { rounded, outOfRange } = lost(json, bigint);
  const became = [...new Set(outOfRange.map(Number))].join(" or ");
  return [
    ...lostRow("integer", rounded, "and was rounded", help ?? "Pass `bigint: true`."),
    ...lostRow("number", outOfRange, `and became ${became}`, help ?? "Ask for it as a string."),
  ];
}

function lostRow(kind: string, [first, ...others]: string[], effect: string, help: string): Diagnostic[] {
  if (first === undefined) return [];
  const more = others.length > 0 ? ` and ${others.length} more` : "";
  const message = `${kind} ${first}${more} exceeds what a number holds, ${effect}`;
  const place = { class: null, path: null, start: null, end: null, edit: null };
  return [{ code: "value/rounded", severity: "warning", message, help, ...place }];
}
