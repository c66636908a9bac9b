/**
 * The interface of the package jsonrepair on llmend's engine.
 *
 * @module
 */
import { found } from "./core/engine.js";
import { RepairError } from "./core/errors.js";
import type { RepairOptions } from "./core/options.js";
import { small } from "./core/small.js";
import { locatedWith } from "./core/text.js";

export { init } from "./core/small.js";

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

/**
 * Repairs a text to JSON. Throws a `JSONRepairError` if that is not possible.
 *
 * @example
 * import { jsonrepair } from "llmend/jsonrepair";
 *
 * jsonrepair("{name: 'Ada', langs: ['en', 'fr',]}"); // {"name": "Ada", "langs": ["en", "fr"]}
 */
export function jsonrepair(text: string): string {
  if (typeof text !== "string") throw new TypeError(`expected a string, found ${found(text)}`);
  try {
    const { json, start, end, isBare } = locatedWith(small, text);
    const list = isBare ? documents(text) : undefined;
    return list ?? blank(text.slice(0, start)) + json + blank(text.slice(end));
  } catch (error) {
    if (!(error instanceof RepairError)) throw error;
    const json = argument(text) ?? plain(text);
    if (json === undefined) throw new JSONRepairError(error.message, error.span?.start ?? 0);
    return json;
  }
}

/** What a text was read as. */
interface Read {
  json: string;
  value: unknown;
  class: string | undefined;
}

/** Reads a text; nothing if that fails. */
function read(text: string, options: RepairOptions = { search: "off" }): Read | undefined {
  try {
    const { json, class: worst } = locatedWith(small, text, options);
    return { json, value: JSON.parse(json), class: worst };
  } catch (error) {
    if (error instanceof RepairError) return undefined;
    throw error;
  }
}

/** Returns the documents of a text that holds several and nothing else. Elsewhere the best of them is the answer. */
function documents(text: string): string | undefined {
  const list = read(`[${text}`);
  const isDocument = (item: unknown) => typeof item === "object" && item !== null;
  if (!Array.isArray(list?.value) || list.value.length < 2 || !list.value.every(isDocument)) return undefined;
  return list.class === "completion" ? list.json : undefined;
}

/** Items of a list without brackets. */
interface Items {
  /** The JSON of the list; of one item, what would be between the brackets. */
  json: string;
  value: unknown[];
  class: string | undefined;
}

/** Returns what a text without an object is: a string, a number, a word, or a list of them. */
function plain(text: string): string | undefined {
  const list = items(text);
  if (list && list.class !== "guess" && list.class !== "loss") return list.json;
  const whole = read(text);
  if (whole) return whole.json;
  return list && isToken(text, list) ? list.json : words(text);
}

/** Reads the items of a list without brackets. */
function items(text: string): Items | undefined {
  const list = read(`[${text}]`);
  if (!Array.isArray(list?.value) || list.value.length === 0) return undefined;
  const json = list.value.length > 1 ? list.json : list.json.slice(1).replace(/\](\s*)$/, "$1");
  return { json, value: list.value, class: list.class };
}

/** Characters of which words have none. */
const MARKS = "\"'`{}[]():|+*\\<>=";

/** Returns words as a string, if nothing in them can be meant as more and they do not begin with a comment. */
function words(text: string): string | undefined {
  if ([...text].some((character) => MARKS.includes(character))) return undefined;
  if (/^\s*((true|false|null)\b|\/\/)/.test(text)) return undefined;
  return read(text, { withoutJson: "text" })?.json;
}

/** Returns a text without quotes, escapes and what separates values. */
const said = (text: string) => text.replace(/[\s"'`\\,;]/g, "");

/** Returns whether a text is one item in one piece or in quotes, such as an address, of which nothing is left out. */
function isToken(text: string, { value }: Items): boolean {
  if (value.length !== 1 || /[{}]/.test(text) || !/^\s*(["'`]|\S+\s*$)/.test(text)) return false;
  return typeof value[0] === "number" || said(String(value[0])) === said(text);
}

const COMMENT = /\/\*[^]*?(\*\/|$)|\/\/.*/g;

/** The name of a call and what may stand before it. */
const CALL = /^\s*(?:\/\*(?:[^*]|\*(?!\/))*\*\/\s*)*[\w$.]+\s*\(/;

/** Returns the argument of a call around the whole text, as in JSONP. */
function argument(text: string): string | undefined {
  const call = CALL.exec(text)?.[0];
  if (call === undefined) return undefined;
  const rest = text.slice(call.length);
  const without = (end: string, part: string) => (part.endsWith(end) ? part.slice(0, -1).trimEnd() : part);
  const inner = without(")", without(";", rest.trimEnd()));
  const json = plain(inner);
  return json === undefined ? undefined : spaces(call.slice(0, -1).trimEnd()) + json + spaces(rest.slice(inner.length));
}

/** Returns the white space of a text without its comments. */
const spaces = (text: string) => text.replace(COMMENT, "").replace(/\S/g, "");

/** Returns the white space of a text around a value, of which comments are no part; nothing if there is more. */
function blank(text: string): string {
  const rest = text.replace(COMMENT, "");
  return /^[ \t\r\n]*$/.test(rest) ? rest : "";
}
