import type { Diagnostic } from "../core/report.js";
import { Exit, Failure, plain } from "./failure.js";
import { host, write } from "./host.js";
import { problem, problems } from "./messages.js";

/** What is said on standard error. Nothing happens if that fails: there is nowhere to report it. */
const said: string[] = [];

/** Says something on standard error. */
export function say(text: string): void {
  if (text !== "") said.push(`${text}\n`);
}

/** Returns the end of a summary that says what switched repair off. */
export function switchedOff(disabled: string | undefined): string {
  return disabled === undefined ? "" : `; repair is disabled by ${disabled}`;
}

/** Says warnings about a text. */
export function warn(rows: readonly Diagnostic[], name: string, text: string): void {
  // Of many with one code, the first four are shown.
  const shown = rows.filter(({ code }, at) => rows.slice(0, at).filter((row) => row.code === code).length < 4);
  say(shown.map((row) => problem(row, name, text)).join("\n\n"));
}

/** Says why there is no value. */
export function failed(failure: Failure, disabled: string | undefined): void {
  say(problems(failure));
  warn((failure.row?.diagnostics ?? []).filter(({ severity }) => severity !== "info"), failure.file, failure.text);
  if (disabled !== undefined && failure.exit === Exit.refused) say(`llmend: repair is disabled by ${disabled}`);
}

/** Writes everything. Returns the exit status, which is another one if standard output fails. */
export async function emit(text: string, exit: number): Promise<number> {
  if (said.length > 0) await write(host.stderr, said.splice(0).join(""));
  const error = text === "" ? undefined : await write(host.stdout, text);
  if (error === undefined) return exit;
  // A reader that closed the pipe has read all that it wanted.
  if (error.code === "EPIPE") return Exit.io;
  await write(host.stderr, `${problems(plain(Exit.io, "output/failed", `cannot write to standard output: ${error.message}`))}\n`);
  return Exit.io;
}
