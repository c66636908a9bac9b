import { RepairError } from "../core/errors.js";
import { repair } from "../index.js";
import { Failure, Exit, plain, refusal, unreadable } from "./failure.js";
import { files, host, type Failed } from "./host.js";

/** A text that was read. */
export interface Source {
  name: string;
  bytes: Uint8Array;
  text: string;
}

/** Files that configure the command may be so long. */
const MOST_OF_A_FILE = 64 << 20;

/** Reads a file, or standard input for `-` and none. */
export async function readSource(file: string | undefined, most: number): Promise<Source> {
  const isFile = file !== undefined && file !== "-";
  const name = isFile ? file : "<stdin>";
  const bytes = isFile ? bytesOf(file) : await fromStdin(most);
  if (bytes.length > most) throw tooLong(most).in(name, "");
  return { name, bytes, text: decode(bytes, name) };
}

/** Reads a schema or tools. */
export function readSetting(file: string): Source {
  const bytes = bytesOf(file);
  if (bytes.length > MOST_OF_A_FILE) throw new Failure(Exit.usage, tooLong(MOST_OF_A_FILE).diagnostics).in(file, "");
  // Some editors start every file with a byte order mark.
  const text = decode(bytes, file).replace(/^\uFEFF/, "");
  return { name: file, bytes, text };
}

function bytesOf(file: string): Uint8Array {
  try {
    return files().readFileSync(file);
  } catch (error) {
    throw unreadable(file, error as Failed).in(file, "");
  }
}

async function fromStdin(most: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  if (host.stdin.isTTY) host.stderr.write("llmend: reading from the terminal; press Ctrl-D on an empty line to end\n", () => {});
  try {
    for await (const piece of host.stdin) {
      pieces.push(piece);
      length += piece.length;
      if (length > most) throw tooLong(most).in("<stdin>", "");
    }
  } catch (error) {
    throw error instanceof Failure ? error : unreadable("<stdin>", error as Failed).in("<stdin>", "");
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

function tooLong(most: number): Failure {
  const message = `the text is longer than the limit of ${most} bytes`;
  const { diagnostics } = plain(Exit.refused, "limit/bytes", message, "Raise `max_bytes`.");
  return new Failure(Exit.refused, diagnostics, "Raise `--max-bytes` to read longer text.");
}

function decode(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw undecodable(bytes).in(name, lossy(bytes));
  }
}

const lossy = (bytes: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

/** Returns the failure for invalid UTF-8: the engine knows where. */
function undecodable(bytes: Uint8Array): Failure {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const hint = isUtf16 ? "Convert it from UTF-16 first, as with `iconv -f UTF-16 -t UTF-8`." : undefined;
  try {
    repair(bytes);
  } catch (error) {
    if (error instanceof RepairError) return new Failure(Exit.refused, refusal(error, lossy(bytes)).diagnostics, hint);
    throw error;
  }
  throw new TypeError("the engine and the runtime differ in what is UTF-8");
}
