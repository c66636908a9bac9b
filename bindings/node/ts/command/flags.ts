/** A flag of a subcommand. The native command has the same, with the same words. */
export interface Flag {
  name: string;
  short?: string;
  doc: string;
  /** The name of its value; a flag without one is a switch. */
  value?: string;
  choices?: readonly string[];
  default?: string;
  /** Whether it may be given more than once, and take values between commas. */
  many?: true;
  /** The least number that the value may be. */
  least?: number;
  /** The flag without which it means nothing. */
  needs?: string;
}

/** Flags under a heading of the help. */
export interface Group {
  heading: string;
  flags: readonly Flag[];
}

const QUIET: Flag = { name: "quiet", short: "q", doc: "Do not print the summary" };

export const HELP: Flag = { name: "help", short: "h", doc: "Print help" };

export const OUTPUT: Group = {
  heading: "Output",
  flags: [
    {
      name: "report",
      value: "FORMAT",
      choices: ["json"],
      doc: "Write a report to standard output instead of the value, whatever the exit status",
    },
    { name: "pretty", doc: "Indent the JSON, or the report with `--report`" },
    QUIET,
  ],
};

/** What a subcommand writes that gives no value. */
export const REPORT: readonly Flag[] = [
  { name: "report", value: "FORMAT", choices: ["json"], doc: "Write a report to standard output, whatever the exit status" },
  { name: "pretty", needs: "report", doc: "Indent the report" },
  QUIET,
];

/** What may be changed to fit a schema. */
const coercions = (needs: string): Flag[] => [
  {
    name: "on-extra",
    value: "ACTION",
    choices: ["keep", "fail", "drop"],
    default: "keep",
    needs,
    doc: "What to do with a member that the schema does not name",
  },
  {
    name: "units",
    value: "ACTION",
    choices: ["refuse", "strip"],
    default: "refuse",
    needs,
    doc: 'What to do with a unit beside a number, as in "50%" and "$1.50"',
  },
  {
    name: "near",
    value: "WHETHER",
    choices: ["on", "off"],
    default: "on",
    needs,
    doc: "Whether to correct typos in keys and enum values",
  },
];

export const SCHEMA: Group = {
  heading: "Schema",
  flags: [
    {
      name: "schema",
      value: "FILE",
      doc: "The JSON Schema that the value has to fit, or FILE#/POINTER for a part of a file",
    },
    ...coercions("schema"),
  ],
};

export const TOOLS: Group = {
  heading: "Calls",
  flags: [
    {
      name: "tools",
      value: "FILE",
      doc: "The tools that the model was offered, in the form of OpenAI, Anthropic, MCP or Gemini, or as a map from names to schemas. Without tools, only calls between the marks of a notation count",
    },
    { name: "marked", doc: "Accept only calls between the marks of a notation" },
    {
      name: "notation",
      value: "NAME",
      doc: "The notation that the model is known to use. Its calls count without marks, wherever they are",
    },
    {
      name: "in-reasoning",
      value: "ACTION",
      choices: ["ignore", "accept"],
      default: "ignore",
      doc: "What to do with calls inside reasoning",
    },
  ],
};

export const ARGUMENTS: Group = { heading: "Schema", flags: coercions("tools") };

export const LIMITS: readonly Flag[] = [
  { name: "max-depth", value: "LEVELS", default: "512", least: 0, doc: "The maximum nesting depth" },
  {
    name: "max-bytes",
    value: "BYTES",
    default: "268435456",
    least: 1,
    doc: "The maximum length of the text in bytes",
  },
];

const CHOICE: Flag = {
  name: "choice",
  value: "CHOICE",
  choices: ["best", "first", "last", "all"],
  default: "best",
  doc: "Which value to take if the text has several",
};

/** How a text is repaired. */
const repairs: Flag[] = [
  {
    name: "policy",
    value: "POLICY",
    choices: ["strict", "extract", "conservative", "standard", "lenient"],
    default: "standard",
    doc: "The rules that may repair the text; coercions are separate",
  },
  { name: "rule", value: "NAME", many: true, doc: "Enable a rule (repeatable, comma-separated)" },
  { name: "no-rule", value: "NAME", many: true, doc: "Disable a rule (repeatable, comma-separated)" },
  { name: "whole", doc: "Read the whole text as the value, also a single word or number, and search for nothing" },
  {
    name: "max-class",
    value: "CLASS",
    choices: ["notation", "completion", "guess", "loss"],
    default: "loss",
    doc: "The worst class of repair and coercion to allow",
  },
  {
    name: "on-bad-item",
    value: "ACTION",
    choices: ["fail", "drop", "null"],
    default: "fail",
    doc: "What to do with a list item that cannot be read, or does not fit the schema",
  },
  { name: "emphasis", doc: 'Strip Markdown emphasis around whole values, as in "**Paris**"' },
  ...LIMITS,
];

export const REPAIRS: Group = { heading: "Repairs", flags: [...repairs.slice(0, 1), CHOICE, ...repairs.slice(1)] };

/** The engine does not limit the class of what it does to arguments. */
export const REPAIRS_OF_CALLS: Group = { heading: "Repairs", flags: repairs.filter(({ name }) => name !== "max-class") };
