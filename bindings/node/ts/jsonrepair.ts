/**
 * The interface of the package `jsonrepair` on llmend's engine.
 *
 * @module
 */
import { RepairError, repair } from "./index.js";

export { init } from "./index.js";

/** A text that cannot be repaired. */
export class JSONRepairError extends Error {
  override name = "JSONRepairError";

  constructor(
    message: string,
    /** The place in the text, in UTF-16 units. */
    public position: number,
  ) {
    super(`${message} at position ${position}`);
  }
}

/** Repairs a text to JSON. Throws a `JSONRepairError` if that is not possible. */
export function jsonrepair(text: string): string {
  try {
    const { text: json, report } = repair(text);
    const { start, end, origin } = report.candidate;
    const list = documents(text, origin);
    return list ?? blank(text.slice(0, start)) + json + blank(text.slice(end));
  } catch (error) {
    if (!(error instanceof RepairError)) throw error;
    const json = scalars(text) ?? words(text) ?? argument(text);
    if (json === undefined) throw new JSONRepairError(error.message, error.span?.start ?? 0);
    return json;
  }
}

/** A list that nobody opened. */
interface Listed {
  /** The JSON of the list. */
  json: string;
  items: unknown[];
  class: string | null;
}

/** Reads the whole text as the items of a list without brackets. */
function listed(text: string): Listed | undefined {
  const list = bracketed(`[${text}`);
  // A number at the end of a text that is cut off may lack digits, but this text is whole.
  return typeof list?.items.at(-1) === "number" ? (bracketed(`[${text}]`) ?? list) : list;
}

/** Reads a list, whose closing bracket may be missing. */
function bracketed(text: string): Listed | undefined {
  try {
    const { text: json, report } = repair(text, { search: "off" });
    return { json, items: JSON.parse(json) as unknown[], class: report.class };
  } catch (error) {
    if (error instanceof RepairError) return undefined;
    throw error;
  }
}

/** Returns the documents of a text that holds several and nothing else. Elsewhere the best of them is the answer. */
function documents(text: string, origin: string): string | undefined {
  if (origin !== "bare") return undefined;
  const list = listed(text);
  const isDocument = (item: unknown) => typeof item === "object" && item !== null;
  if (!list || list.items.length < 2 || !list.items.every(isDocument)) return undefined;
  return list.class === "completion" ? list.json : undefined;
}

/** Returns a string, number or word, or a list of them: what a text without brackets may be. */
function scalars(text: string): string | undefined {
  const list = listed(text);
  if (!list || list.items.length === 0 || list.class === "guess" || list.class === "loss") return undefined;
  // Of one item, what is between the brackets is its JSON.
  return list.items.length > 1 ? list.json : list.json.slice(1).replace(/\](\s*)$/, "$1");
}

/** Characters of which words have none. */
const MARKS = "\"'`{}[]():|+*\\<>=";

/** Returns words as a string, if nothing in them can be meant as more. */
function words(text: string): string | undefined {
  if ([...text].some((character) => MARKS.includes(character))) return undefined;
  if (/^\s*(true|false|null)\b/.test(text)) return undefined;
  try {
    return repair(text, { withoutJson: "text" }).text;
  } catch (error) {
    if (error instanceof RepairError) return undefined;
    throw error;
  }
}

/** Returns the argument of a call around the whole text, as in JSONP. */
function argument(text: string): string | undefined {
  const inner = /^\s*[\w$.]+\s*\(([^()]*)\)?\s*;?\s*$/.exec(text)?.[1];
  return inner === undefined ? undefined : scalars(inner);
}

/** Returns the white space of a text around a value, of which comments are no part; nothing if there is more. */
function blank(text: string): string {
  const rest = text.replace(/\/\*[^]*?(\*\/|$)|\/\/.*/g, "");
  return /^[ \t\r\n]*$/.test(rest) ? rest : "";
}
