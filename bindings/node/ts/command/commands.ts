import { ARGUMENTS, HELP, LIMITS, OUTPUT, REPAIRS, REPAIRS_OF_CALLS, REPORT, SCHEMA, TOOLS, type Flag, type Group } from "./flags.js";

/** A subcommand. */
export interface Command {
  name: "repair" | "calls" | "validate";
  doc: string;
  usage: string;
  /** The flag that has to be given. */
  needs?: string;
  groups: readonly Group[];
  examples: string;
}

const STATUS = "2 usage error, 3 input or output failed.";

export const COMMANDS: readonly Command[] = [
  {
    name: "repair",
    doc: "Find and repair the JSON in a model's answer",
    usage: "Usage: llmend repair [OPTIONS] [FILE]",
    groups: [{ heading: "Options", flags: [HELP] }, OUTPUT, SCHEMA, REPAIRS],
    examples: `Examples:
  llmend repair answer.txt                    write the JSON in a file
  some-model < prompt.txt | llmend repair     read from standard input
  llmend repair --report json answer.txt      write a report as JSON
  llmend repair --schema schema.json a.txt    make the value fit a schema

Valid JSON is written unchanged, with a final line end.
Exit status: 0 value, 1 refused, ${STATUS}`,
  },
  {
    name: "calls",
    doc: "Read the tool calls in a model's answer, in any notation",
    usage: "Usage: llmend calls [OPTIONS] [FILE]",
    groups: [{ heading: "Options", flags: [HELP] }, OUTPUT, TOOLS, ARGUMENTS, REPAIRS_OF_CALLS],
    examples: `Examples:
  llmend calls --tools tools.json answer.txt              write the calls and the text as JSON
  llmend calls answer.txt                                 accept any tool, between marks only
  llmend calls --tools t.json --report json answer.txt    write a report as JSON

Exit status: 0 every call can be used, or none was found; 1 refused, ${STATUS}`,
  },
  {
    name: "validate",
    doc: "Validate a JSON value against a schema, without changing it",
    usage: "Usage: llmend validate [OPTIONS] --schema <FILE> [FILE]",
    needs: "schema",
    groups: [
      {
        heading: "Options",
        flags: [
          { name: "schema", value: "FILE", doc: "The JSON Schema, or FILE#/POINTER for a part of a file" },
          ...REPORT,
          ...LIMITS,
          HELP,
        ],
      },
    ],
    examples: `Examples:
  llmend validate --schema schema.json value.json                 list every violation
  some-program | llmend validate --schema schema.json             read from standard input
  llmend validate --schema schema.json --report json value.json   write a report as JSON

Nothing but a report is written to standard output.
Exit status: 0 fits, 1 does not fit, ${STATUS}`,
  },
];

/** Subcommands of the native command alone. */
export const ABSENT_COMMANDS: readonly string[] = [
  "ask", "assist", "batch", "checks", "coercions", "completions", "config", "notations", "patch", "plan", "prompts",
  "report", "rules", "serve", "stream", "workflow",
];

/** Flags of the native command alone. */
export const ABSENT_FLAGS: readonly string[] = ["--as", "--color", "--explain", "--max-class", "--verbose", "-v"];

/** Returns the flags of a subcommand. */
export function flagsOf(command: Command): Flag[] {
  return command.groups.flatMap(({ flags }) => flags);
}
