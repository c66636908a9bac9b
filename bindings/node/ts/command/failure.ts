import type { LlmendError } from "../core/errors.js";
import type { Diagnostic } from "../core/report.js";
import type { Failed } from "./host.js";
import { byteAt } from "./places.js";
import type { Row } from "./report.js";

/** How the command ended. */
export const Exit = { value: 0, refused: 1, usage: 2, io: 3 } as const;

/** Why there is no value. Places are those of a native report: they count bytes. */
export class Failure extends Error {
  /** The text that the places are in, and its name. */
  text = "";
  file = "";
  /** The report on the text, if it held JSON. */
  row: Row | undefined;

  constructor(
    readonly exit: number,
    readonly diagnostics: readonly Diagnostic[],
    readonly hint?: string,
  ) {
    super(diagnostics[0]?.message);
  }

  /** Adds the report. */
  with(row: Row): this {
    this.row = row;
    return this;
  }

  /** Says in which text the places are. */
  in(file: string, text: string): this {
    this.file = file;
    this.text = text;
    return this;
  }
}

/** Returns a failure with one reason. */
export function plain(exit: number, code: string, message: string, help: string | null = null): Failure {
  const row = { code, severity: "error" as const, class: null, path: null, message, help, start: null, end: null, edit: null };
  return new Failure(exit, [row]);
}

/** Returns the failure to read a file. */
export function unreadable(name: string, error: Failed): Failure {
  const reasons: Record<string, [string, string]> = {
    ENOENT: ["input/not-found", "no such file"],
    EISDIR: ["input/directory", "is a directory"],
    EACCES: ["input/denied", "permission denied"],
  };
  const [code, reason] = reasons[error.code ?? ""] ?? ["input/failed", error.message];
  return plain(Exit.io, code, `cannot read \`${name}\`: ${reason}`);
}

/** Returns the failure for what the engine said of a text. */
export function refusal(error: LlmendError, text: string): Failure {
  const at = byteAt(text);
  const rows = error.diagnostics.map((row) => worded(placed(row, at)));
  const rule = /^rule `([\w-]+)`/.exec(error.message)?.[1];
  const hints: Record<string, string> = {
    "repair/refused": `Allow it with \`--rule ${rule}\` or a wider \`--policy\`.`,
    "limit/depth": "Raise `--max-depth` to read deeper nesting.",
    "limit/bytes": "Raise `--max-bytes` to read longer text.",
  };
  return new Failure(Exit.refused, rows, hints[error.code]).in("", text);
}

function placed(row: Diagnostic, at: (offset: number) => number): Diagnostic {
  const byte = (offset: number | null) => (offset === null ? null : at(offset));
  return { ...row, start: byte(row.start), end: byte(row.end) };
}

/** Returns a finding in the words of the native command. */
function worded(row: Diagnostic): Diagnostic {
  const spelled = (text: string) => text.replace(/`max([A-Z]\w+)`/g, (_, name: string) => `\`max_${name.toLowerCase()}\``);
  return { ...row, message: spelled(row.message), help: row.help && spelled(row.help) };
}
