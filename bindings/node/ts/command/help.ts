import { COMMANDS, type Command } from "./commands.js";
import type { Flag, Group } from "./flags.js";

/** Returns the help of a subcommand, or of the command. */
export function help(command: Command | undefined): string {
  if (!command) return general();
  const file = "Arguments:\n  [FILE]  The file to read; standard input if it is `-` or missing";
  const groups = command.groups.map(listed);
  return [command.doc, command.usage, file, ...groups, REFERENCE, command.examples].join("\n\n");
}

const REFERENCE = `Rules, coercions and notations are listed at
https://github.com/llmend/llmend/tree/main/docs/reference (rules.md, coercions.md, calls.md).`;

function general(): string {
  const rows = COMMANDS.map(({ name, doc }): [string, string] => [`  ${name}`, doc]);
  return `Repair the almost-JSON that language models write

Usage: llmend [OPTIONS] <COMMAND>

Commands:
${columns([...rows, ["  help", "Print this message or the help of the given subcommand"]])}

Options:
  -h, --help     Print help
  -V, --version  Print version

This is the command of the npm package. \`cargo install llmend-cli\` has the native one, with all subcommands.
Exit status: 0 value, 1 refused, 2 usage error, 3 input or output failed.
Set LLMEND_REPAIR=0 in the environment to disable all repairs.`;
}

function listed({ heading, flags }: Group): string {
  return `${heading}:\n${columns(flags.map((flag) => [head(flag), line(flag)]))}`;
}

function head({ name, short, value }: Flag): string {
  return `${short === undefined ? "     " : `  -${short},`} --${name}${value === undefined ? "" : ` <${value}>`}`;
}

function line({ doc, choices, default: fallback }: Flag): string {
  const notes = [fallback && `[default: ${fallback}]`, choices && `[possible values: ${choices.join(", ")}]`];
  return [doc, ...notes.filter(Boolean)].join(" ");
}

function columns(rows: [string, string][]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`).join("\n");
}
