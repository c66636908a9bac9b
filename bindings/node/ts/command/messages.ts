import type { Diagnostic } from "../core/report.js";
import type { Failure } from "./failure.js";
import { lineColumn } from "./places.js";
import type { Row } from "./report.js";

/** How many problems of one text are shown. */
const SHOWN_PROBLEMS = 50;
const SHOWN_MESSAGE = 600;
/** How many names a summary has. */
const SHOWN_NAMES = 6;

const NAMED: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Returns a text on one line, with control and invisible characters escaped. */
export function visible(text: string, most = SHOWN_MESSAGE): string {
  const characters = [...text];
  const hidden = /[\p{Cc}\u00a0\u00ad\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/gu;
  const shown = characters.slice(0, most).join("");
  const escaped = shown.replace(hidden, (one) => NAMED[one] ?? `\\u{${one.codePointAt(0)?.toString(16)}}`);
  return characters.length > most ? `${escaped}…` : escaped;
}

/** Returns a count with its noun: `1 repair`, `1,200 repairs`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}

/** Lists the most frequent names; the rest are counted. */
export function listed(names: readonly string[], noun: string): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const sorted = [...counts].sort(([, one], [, other]) => other - one);
  const shown = sorted.slice(0, SHOWN_NAMES).map(([name, count]) => (count === 1 ? name : `${name} ×${count.toLocaleString("en-US")}`));
  if (sorted.length > SHOWN_NAMES) shown.push(`${counted(sorted.length, noun)} in total`);
  return shown.join(", ");
}

const FOUND: Record<string, string> = {
  fence: "found in a code block",
  wrapper: "found in a tag, call or assignment",
  bare: "found in plain text",
  unbraced: "found without enclosing braces",
  escaped: "found in escaped text",
};

/** Returns the summary of a value. */
export function summary(row: Row, text: string): string {
  const { repairs, candidate, coercions } = row;
  const parts: string[] = [];
  if (row.found === "unchanged") parts.push("valid JSON");
  if (repairs.length > 0) parts.push(listed(repairs.map(({ rule }) => rule), "rule"));
  const found = FOUND[candidate.origin];
  if (found !== undefined) parts.push(`${found} at line ${lineColumn(text, candidate.start)[0]}`);
  if (coercions?.length === 0) parts.push("fits the schema");
  else if (coercions) parts.push(`coerced by ${listed(coercions.map(({ kind }) => kind), "coercion")}`);
  const head = `llmend: ${row.status}${row.class === null ? "" : ` (${row.class})`}`;
  return joined(head, parts) + cutOff(row, text) + warned(row.diagnostics.filter(({ code }) => code !== "extract/truncated"));
}

/** Joins the parts of a summary. */
export function joined(head: string, parts: readonly string[]): string {
  return parts.length === 0 ? head : `${head}: ${parts.join("; ")}`;
}

function cutOff({ cut }: Row, text: string): string {
  if (cut === null) return "";
  const [line, column] = lineColumn(text, cut);
  return `; cut off at line ${line}, column ${column}`;
}

/** Counts the warnings among findings. */
export function warned(rows: readonly Diagnostic[]): string {
  const count = rows.filter(({ severity }) => severity !== "info").length;
  return count === 0 ? "" : `; ${counted(count, "warning")}`;
}

/** Returns a finding with its place and advice. */
export function problem(row: Diagnostic, name: string, text: string): string {
  const lines = [`${row.severity}[${row.code}]: ${visible(row.message)}`];
  if (row.start !== null) lines.push(` --> ${visible(name)}:${lineColumn(text, row.start).join(":")}`);
  if (row.path) lines.push(`  = note: at ${visible(row.path)}`);
  if (row.help !== null) lines.push(`  = help: ${visible(row.help)}`);
  return lines.join("\n");
}

/** Returns the problems of a text without a value. */
export function problems({ diagnostics, hint, file, text }: Failure): string {
  const shown = diagnostics.slice(0, SHOWN_PROBLEMS);
  const blocks = shown.map((row, at) => problem({ ...row, help: at === 0 && hint !== undefined ? hint : row.help }, file, text));
  const more = diagnostics.length - shown.length;
  if (more > 0) blocks.push(`note: ${counted(more, "more problem")} not shown; use \`--report json\` to see all`);
  return blocks.join("\n\n");
}
