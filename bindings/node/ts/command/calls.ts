import { full } from "../core/full.js";
import { RepairError } from "../core/errors.js";
import { optionsJson } from "../core/options.js";
import type { Diagnostic } from "../core/report.js";
import { valueOf, type Arguments } from "./arguments.js";
import { Exit, Failure, refusal } from "./failure.js";
import { readSource } from "./input.js";
import { indented, items, members, object } from "./json.js";
import { counted, joined, listed, visible, warned } from "./messages.js";
import { emit, failed, say, switchedOff, warn } from "./output.js";
import { byteAt, inBytes } from "./places.js";
import { finding, reason, type ViolationRow } from "./report.js";
import { checkCoercions, loadTools, textOptions } from "./settings.js";

/** Members of a record, each as JSON text. Numbers in arguments keep their digits. */
type Members = [key: string, value: string][];

/** What was read. */
interface Read {
  members: Members;
  calls: Members[];
  usable: boolean;
  /** Every finding: those about the text, the refused calls and the calls. */
  findings: Diagnostic[];
}

/** Runs `calls`. Returns the exit status. */
export async function runCalls(of: Arguments, disabled: string | undefined): Promise<number> {
  const pretty = (json: string) => `${of.given.has("pretty") ? indented(json) : json}\n`;
  if (of.given.has("tools")) checkCoercions(of);
  try {
    const tools = loadTools(valueOf(of, "tools"));
    const { text, name } = await readSource(of.file, Number(valueOf(of, "max-bytes")));
    const options = textOptions(of, disabled, true);
    const read = reading(ran(text, name, () => tools.read(text, options, callOptions(of))), text);
    const exit = read.usable ? Exit.value : Exit.refused;
    const errors = sorted(read.findings.filter(({ severity }) => severity === "error"));
    if (!of.given.has("quiet")) warn(read.findings.filter(({ severity }) => severity === "warning"), name, text);
    if (!read.usable) failed(new Failure(exit, errors).in(name, text), disabled);
    else if (!of.given.has("quiet")) say(summary(read) + switchedOff(disabled));
    return emit(pretty(of.given.has("report") ? report(read, status(read), errors) : result(read)), exit);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    failed(error, disabled);
    return emit(of.given.has("report") ? pretty(unreadReport(error.diagnostics)) : "", error.exit);
  }
}

function callOptions(of: Arguments): string {
  const marked = of.given.has("marked") || undefined;
  return optionsJson({ marked, notation: valueOf(of, "notation"), inReasoning: valueOf(of, "in-reasoning") });
}

function ran(text: string, name: string, work: () => string): string {
  try {
    return full.run(text, work);
  } catch (error) {
    throw error instanceof RepairError ? refusal(error, text).in(name, text) : error;
  }
}

/** Members that the engine adds for JavaScript. */
const ADDED = ["usable", "cut", "refusedTexts"];

/** Returns what was read from the engine's JSON, with places in bytes. */
function reading(json: string, text: string): Read {
  const at = byteAt(text);
  const moved = ([key, value]: [string, string]): [string, string] => {
    if (key === "arguments") return [key, value];
    return [key, JSON.stringify(inBytes({ [key]: JSON.parse(value) as unknown }, at)[key])];
  };
  const rows = members(json);
  const raw = (name: string) => rows.find(([key]) => key === name)?.[1] ?? "null";
  const calls = items(raw("calls")).map((call) => members(call).map(moved));
  const own = rows.filter(([key]) => !ADDED.includes(key)).map(([key, value]): [string, string] => {
    return key === "calls" ? [key, `[${calls.map(object).join(",")}]`] : moved([key, value]);
  });
  const refused = member<{ diagnostic: Diagnostic }[]>(own, "refused").map(({ diagnostic }) => diagnostic);
  const findings = [...member<Diagnostic[]>(own, "diagnostics"), ...refused, ...calls.flatMap(findingsOf)];
  return { members: own, calls, usable: raw("usable") === "true", findings };
}

/** Returns a member that is no value of the user. */
function member<T>(of: Members, name: string): T {
  return JSON.parse(of.find(([key]) => key === name)?.[1] ?? "null") as T;
}

function findingsOf(call: Members, index: number): Diagnostic[] {
  const violations = member<ViolationRow[]>(call, "violations").map(finding);
  return [...member<Diagnostic[]>(call, "diagnostics"), ...violations.map((row) => ({ ...row, path: `/${index}/arguments${row.path}` }))];
}

function sorted(rows: Diagnostic[]): Diagnostic[] {
  return rows.sort((one, other) => (one.start ?? -1) - (other.start ?? -1));
}

/** Returns the calls and the text. */
function result({ members: own, calls }: Read): string {
  const list = calls.map((call) => object(call.filter(isShownOfCall).map(withSortedViolations)));
  return object([["calls", `[${list.join(",")}]`], ...own.filter(isShown)]);
}

function isShownOfCall([key, value]: [string, string]): boolean {
  if (key === "id") return value !== "null";
  // Who reads nothing else has to see which calls cannot be made.
  return key === "violations" ? value !== "[]" : key === "name" || key === "arguments";
}

/** Outside of reports, the native command writes the members of a violation in the order of their names. */
function withSortedViolations([key, value]: [string, string]): [string, string] {
  if (key !== "violations") return [key, value];
  const sorted = (row: object) => Object.fromEntries(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1)));
  return [key, JSON.stringify((JSON.parse(value) as object[]).map(sorted))];
}

function isShown([key, value]: [string, string]): boolean {
  if (key === "reasoning") return value !== '""';
  return key === "truncated" ? value === "true" : key === "text";
}

function report({ members: own }: Read, status: string, errors: readonly Diagnostic[]): string {
  return object([["status", JSON.stringify(status)], ...own, ["error", JSON.stringify(reason(errors))]]);
}

/** Returns the report of a text that could not be read. */
function unreadReport(diagnostics: readonly Diagnostic[]): string {
  const none = { calls: [], text: "", reasoning: "", truncated: false, class: null, refused: [] };
  return JSON.stringify({ status: "refused", ...none, diagnostics, error: reason(diagnostics) });
}

/** Returns what happened to the calls, in a word. */
function status({ calls, usable }: Read): string {
  if (!usable) return "refused";
  if (calls.some((call) => member<unknown[]>(call, "coercions").length > 0)) return "coerced";
  if (calls.some((call) => member(call, "class") !== null)) return "repaired";
  return calls.length === 0 ? "unchanged" : "extracted";
}

function summary({ members: own, calls, findings }: Read): string {
  const worst = member<string | null>(own, "class");
  const head = `llmend: ${calls.length === 0 ? "no call" : counted(calls.length, "call")}${worst === null ? "" : ` (${worst})`}`;
  const each = (name: string) => calls.map((call) => member<string>(call, name));
  const rowsOf = (name: string) => calls.flatMap((call) => member<Record<string, string>[]>(call, name));
  const all = (name: string, part: string) => rowsOf(name).map((row) => row[part] ?? "");
  const parts: string[] = [];
  if (calls.length > 0) {
    const notations = [...new Set(each("notation"))].sort();
    parts.push(`${visible(listed(each("name"), "tool"), 400)}, read as ${notations.join(", ")}`);
  }
  const [rules, kinds] = [listed(all("repairs", "rule"), "rule"), listed(all("coercions", "kind"), "coercion")];
  if (rules !== "") parts.push(`repaired by ${rules}`);
  if (kinds !== "") parts.push(`coerced by ${kinds}`);
  return joined(head, parts) + warned(findings.filter(({ severity }) => severity === "warning"));
}
