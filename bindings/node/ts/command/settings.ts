import { RepairError, SchemaError } from "../core/errors.js";
import type { CompiledSchema } from "../core/fit.js";
import { full } from "../core/full.js";
import { repairWith } from "../core/text.js";
import { NATIVE, UsageError, valueOf, type Arguments } from "./arguments.js";
import { Exit, Failure, plain, refusal } from "./failure.js";
import { files, host } from "./host.js";
import { readSetting } from "./input.js";
import { items, members, object, pointed } from "./json.js";

/** Returns the JSON of the engine's options. With a schema or tools, values are coerced too. */
export function textOptions(of: Arguments, disabled: string | undefined, coerces: boolean): string {
  const limits = { maxDepth: Number(valueOf(of, "max-depth")), maxBytes: Number(valueOf(of, "max-bytes")) };
  const off = coerces ? { coerce: { mode: "off" } } : {};
  if (disabled !== undefined || of.command.name === "validate") return JSON.stringify({ policy: "strict", ...limits, ...off });
  const onBadItem = valueOf(of, "on-bad-item");
  const emphasis = of.given.has("emphasis") ? "strip" : undefined;
  const words = { onExtra: valueOf(of, "on-extra"), units: valueOf(of, "units"), near: valueOf(of, "near") };
  return JSON.stringify({
    policy: valueOf(of, "policy"),
    choice: valueOf(of, "choice"),
    maxClass: valueOf(of, "max-class"),
    allow: of.values.get("rule"),
    forbid: of.values.get("no-rule"),
    onBadItem,
    ...(of.given.has("whole") ? { search: "off", withoutJson: "text" } : {}),
    ...limits,
    // The schema knows better than the look of a string where emphasis is no part of it.
    ...(coerces ? { coerce: { ...words, onBadItem, emphasis } } : { emphasis }),
  });
}

/** The levels of nesting to which the engine coerces. */
const COERCED_LEVELS = 512;

/** Refuses limits that the engine does not have for coercions. */
export function checkCoercions(of: Arguments): void {
  const refuse = (what: string) => {
    throw new UsageError(`${what} together with a schema or tools ${NATIVE}`);
  };
  if ((valueOf(of, "max-class") ?? "loss") !== "loss") refuse("`--max-class`");
  if (Number(valueOf(of, "max-depth")) > COERCED_LEVELS) refuse(`\`--max-depth\` above ${COERCED_LEVELS}`);
}

/** Compiles the schema in a file, or in the part that is named after `#`. */
export function loadSchema(given: string): CompiledSchema {
  const at = files().existsSync(given) ? -1 : given.lastIndexOf("#");
  const pointer = at < 0 ? "" : given.slice(at + 1);
  const isPart = pointer === "" ? at >= 0 : pointer.startsWith("/");
  return loaded(isPart ? given.slice(0, at) : given, "schema", (text) => {
    const json = isPart && pointer !== "" ? part(text, pointer) : text;
    return full.run("", (glue) => new glue.Schema(json, false));
  });
}

/** Reads the tools in a file; none without one. */
export function loadTools(given: string | undefined) {
  const read = (text: string) => full.run("", (glue) => new glue.Tools(text));
  return given === undefined ? read("") : loaded(given, "list of tools", read);
}

function loaded<T>(file: string, what: string, read: (text: string) => T): T {
  try {
    const { text } = readSetting(file);
    checkStrict(text, what);
    return read(text);
  } catch (error) {
    if (error instanceof SchemaError) throw new Failure(Exit.usage, refusal(error, "").diagnostics).in(file, "");
    // What is wrong with such a file is wrong with the command line.
    if (!(error instanceof Failure)) throw error;
    const { exit, diagnostics, hint, text } = error;
    throw new Failure(exit === Exit.refused ? Exit.usage : exit, diagnostics, hint).in(file, text);
  }
}

function checkStrict(text: string, what: string): void {
  try {
    repairWith(full, text, { policy: "strict" });
  } catch (error) {
    if (!(error instanceof RepairError)) throw error;
    const help = `Write the ${what} as strict JSON.`;
    const rows = refusal(error, text).diagnostics.map((row) => ({ ...row, message: `the ${what} is not strict JSON: ${row.message}`, help }));
    throw new Failure(Exit.usage, rows).in("", text);
  }
}

/** Returns the part of a schema at a JSON Pointer, with the definitions of the whole, to which it may refer. */
function part(text: string, pointer: string): string {
  const json = pointed(text, pointer);
  if (json === undefined) throw plain(Exit.usage, "schema/unusable", `invalid schema: nothing at \`${pointer}\``);
  if (items(json).length > 0 || !json.startsWith("{")) return json;
  const own = members(json);
  const has = (name: string) => own.some(([key]) => key === name);
  const shared = members(text).filter(([key]) => ["$defs", "definitions", "components"].includes(key) && !has(key));
  return object([...own, ...shared]);
}

/** Returns what switched repair off, if anything did. */
export function disabledBy(): string | undefined {
  for (const name of ["LLMEND_REPAIR", "OPENMANUS_PLANNING_REPAIR"]) {
    const value = host.env[name];
    if (value === undefined) continue;
    if (["0", "false", "no", "off"].includes(value.trim().toLowerCase())) return name;
    if (["1", "true", "yes", "on"].includes(value.trim().toLowerCase())) return undefined;
    throw new UsageError(`invalid value "${value}" for ${name}: expected 1, true, yes, on, 0, false, no or off`);
  }
  return undefined;
}
