import { files, host, write } from "../command/host.js";
import { version } from "../command/version.js";
import { jsonrepair } from "../jsonrepair.js";

/** What a command line asks for. */
interface Asked {
  shown: "version" | "help" | undefined;
  overwrite: boolean;
  input: string | undefined;
  output: string | undefined;
}

const HELP = `
llmend-jsonrepair

Repair JSON documents with llmend, by the command line of jsonrepair. If a document cannot be repaired, nothing is
written.

Usage:
    llmend-jsonrepair [filename] {OPTIONS}

Options:
    --version, -v       Show the version of llmend
    --help,    -h       Show this message
    --output,  -o       Output file
    --overwrite         Overwrite the input file
    --buffer            Accepted, such as 64K or 1M, and of no effect: documents are read whole
`;

/** Runs a command line. Returns the exit status. */
export async function runJsonrepair(line: readonly string[]): Promise<number> {
  try {
    const asked = readLine(line);
    if (asked.shown === "version") return await shown(`${version()}\n`);
    if (asked.shown === "help") return await shown(`${HELP}\n`);
    return await repaired(asked);
  } catch (error) {
    await write(host.stderr, `${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}\n`);
    return 1;
  }
}

async function repaired({ overwrite, input, output }: Asked): Promise<number> {
  if (overwrite && input === undefined) throw new Error("cannot use --overwrite: no input file provided");
  if (overwrite && output !== undefined) throw new Error("cannot use --overwrite: there is also an --output provided");
  const bytes = input === undefined ? await everything(host.stdin) : files().readFileSync(input);
  const json = jsonrepair(new TextDecoder().decode(bytes));
  if (input !== undefined && overwrite) replace(input, json);
  else if (output !== undefined) files().writeFileSync(output, json);
  else return await shown(json);
  return 0;
}

/** Writes a file beside another, and puts it in its place: nobody sees half of it. */
function replace(file: string, text: string): void {
  const beside = `${file}.repair-${new Date().toISOString().replace(/\W/g, "-")}.json`;
  files().writeFileSync(beside, text);
  files().renameSync(beside, file);
}

async function shown(text: string): Promise<number> {
  const error = text === "" ? undefined : await write(host.stdout, text);
  if (error === undefined) return 0;
  // A reader that closed the pipe has read all that it wanted.
  if (error.code !== "EPIPE") throw error;
  return 1;
}

function readLine(line: readonly string[]): Asked {
  const asked: Asked = { shown: undefined, overwrite: false, input: undefined, output: undefined };
  const rest = [...line];
  const valueOf = (flag: string): string => {
    const value = rest.shift();
    if (value === undefined) throw new Error(`Missing value of "${flag}"`);
    return value;
  };
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    if (argument === "-v" || argument === "--version") asked.shown = "version";
    else if (argument === "-h" || argument === "--help") asked.shown ??= "help";
    else if (argument === "--overwrite") asked.overwrite = true;
    else if (argument === "--buffer") checkSize(valueOf(argument));
    else if (argument === "-o" || argument === "--output") asked.output = valueOf(argument);
    else if (asked.input === undefined) asked.input = argument;
    else throw new Error(`Unexpected argument "${argument}"`);
  }
  return asked;
}

function checkSize(size: string): void {
  if (!/^\d+[KMG]?$/.test(size)) throw new Error(`Buffer size "${size}" not recognized. Examples: 65536, 512K, 2M`);
}

async function everything(source: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(piece);
  const all = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
