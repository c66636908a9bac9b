import { nearest } from "../ai/nearest.js";
import { ABSENT_COMMANDS, ABSENT_FLAGS, COMMANDS, flagsOf, type Command } from "./commands.js";
import { HELP, type Flag } from "./flags.js";

/** A command line that cannot be run. */
export class UsageError extends Error {}

/** What a command line says. */
export interface Arguments {
  command: Command;
  file: string | undefined;
  /** The values of the flags that were given, or have a default; a switch has the empty text. */
  values: ReadonlyMap<string, readonly string[]>;
  /** The names of the flags that were given. */
  given: ReadonlySet<string>;
}

/** What to show instead of running a subcommand. */
export interface Shown {
  shown: "help" | "version";
  command?: Command;
}

/** Returns the first value of a flag. */
export function valueOf(of: Arguments, name: string): string | undefined {
  return of.values.get(name)?.[0];
}

export const NATIVE = "needs the native command: `cargo install llmend-cli`";
const MORE = "\n\nFor more information, try '--help'.";

/** Returns the tip that names what was probably meant. */
function tip(what: string, written: string, names: readonly string[], dashes = ""): string {
  const near = nearest(written, names);
  return near === undefined ? "" : `\n\n  tip: a similar ${what} exists: '${dashes}${near}'`;
}

/** Reads a command line. */
export function readArguments(line: readonly string[]): Arguments | Shown {
  const [name, ...rest] = line;
  if (name === undefined || name === "-h" || name === "--help") return { shown: "help" };
  if (name === "-V" || name === "--version") return { shown: "version" };
  if (name === "help") return { shown: "help", ...(rest[0] === undefined ? {} : { command: named(rest[0]) }) };
  return readFlags(named(name), rest);
}

function named(name: string): Command {
  const found = COMMANDS.find((command) => command.name === name);
  if (found) return found;
  if (ABSENT_COMMANDS.includes(name)) throw new UsageError(`\`${name}\` ${NATIVE}`);
  const names = COMMANDS.map((command) => command.name);
  throw new UsageError(`unrecognized subcommand '${name}'${tip("subcommand", name, names)}\n\nUsage: llmend [OPTIONS] <COMMAND>${MORE}`);
}

function readFlags(command: Command, line: readonly string[]): Arguments | Shown {
  const values = new Map<string, string[]>();
  const files: string[] = [];
  const rest = [...line];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--") files.push(...rest.splice(0));
    else if (word === "-" || !word.startsWith("-")) files.push(word);
    else {
      const [written = "", joined] = split(word);
      const flag = flagOf(command, written);
      if (flag === HELP) return { shown: "help", command };
      const known = values.get(flag.name) ?? [];
      if (known.length > 0 && !flag.many) {
        throw new UsageError(`the argument '${shown(flag)}' cannot be used multiple times\n\n${command.usage}${MORE}`);
      }
      values.set(flag.name, [...known, ...given(flag, joined, rest, command)]);
    }
  }
  if (files.length > 1) throw new UsageError(`unexpected argument '${files[1]}' found\n\n${command.usage}${MORE}`);
  return complete(command, values, files[0]);
}

/** Splits \`--name=value\`. */
function split(word: string): [string, string?] {
  const at = word.indexOf("=");
  return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}

function flagOf(command: Command, written: string): Flag {
  const flags = flagsOf(command);
  const flag = flags.find(({ name, short }) => written === `--${name}` || written === `-${short}`);
  if (flag) return flag;
  if (ABSENT_FLAGS.includes(written)) throw new UsageError(`\`${written}\` ${NATIVE}`);
  const near = written.startsWith("--") ? tip("argument", written.slice(2), flags.map(({ name }) => name), "--") : "";
  throw new UsageError(`unexpected argument '${written}' found${near}\n\n${command.usage}${MORE}`);
}

function shown(flag: Flag): string {
  return flag.value === undefined ? `--${flag.name}` : `--${flag.name} <${flag.value}>`;
}

/** Returns the values of a flag, of which the first may be the next word. */
function given(flag: Flag, joined: string | undefined, rest: string[], command: Command): string[] {
  if (flag.value === undefined) {
    if (joined === undefined) return [""];
    throw new UsageError(`unexpected value '${joined}' for '--${flag.name}' found; no more were expected\n\n${command.usage}${MORE}`);
  }
  const list = flag.choices ? `\n  [possible values: ${flag.choices.join(", ")}]` : "";
  const next = joined ?? (rest[0] !== undefined && (rest[0] === "-" || !rest[0].startsWith("-")) ? rest.shift() : undefined);
  if (next === undefined) {
    throw new UsageError(`a value is required for '${shown(flag)}' but none was supplied${list}${MORE}`);
  }
  const invalid = (why: string) => new UsageError(`invalid value '${next}' for '${shown(flag)}'${why}${MORE}`);
  if (flag.choices && !flag.choices.includes(next)) throw invalid(list + tip("value", next, flag.choices));
  if (flag.least !== undefined && !isNumber(next, flag.least)) throw invalid(`: expected a number from ${flag.least} to ${MOST}`);
  return flag.many ? next.split(",") : [next];
}

/** The most that a limit may be. */
const MOST = 2 ** 32 - 1;

function isNumber(text: string, least: number): boolean {
  return /^\d+$/.test(text) && Number(text) >= least && Number(text) <= MOST;
}

/** Checks what flags need, and adds defaults. */
function complete(command: Command, values: Map<string, string[]>, file: string | undefined): Arguments {
  const names = new Set(values.keys());
  const missing = (name: string) => {
    const flag = flagsOf(command).find((flag) => flag.name === name) as Flag;
    return new UsageError(`the following required arguments were not provided:\n  ${shown(flag)}\n\n${command.usage}${MORE}`);
  };
  for (const { name, needs, default: fallback } of flagsOf(command)) {
    if (needs !== undefined && names.has(name) && !names.has(needs)) throw missing(needs);
    if (fallback !== undefined && !names.has(name)) values.set(name, [fallback]);
  }
  if (command.needs !== undefined && !names.has(command.needs)) throw missing(command.needs);
  const twice = values.get("rule")?.find((rule) => values.get("no-rule")?.includes(rule));
  if (twice !== undefined) throw new UsageError(`rule '${twice}' is given to both '--rule' and '--no-rule'${MORE}`);
  return { command, file, values, given: names };
}
