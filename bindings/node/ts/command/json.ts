// Strict JSON as text: `JSON.parse` would round numbers and move keys.

/** Returns the offset after the string that begins at an offset. */
function stringEnd(json: string, start: number): number {
  let at = start;
  for (;;) {
    at = json.indexOf('"', at + 1);
    if (at < 0) return json.length;
    let slashes = 0;
    while (json[at - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
}

const BLANK = /[ \t\r\n]/;
const PUNCTUATION = "{}[]:,";

/** Returns the tokens of strict JSON with their offsets. */
function* tokens(json: string): Generator<{ token: string; start: number }> {
  let at = 0;
  while (at < json.length) {
    const start = at;
    const first = json[at] as string;
    if (first === '"') at = stringEnd(json, at);
    else if (PUNCTUATION.includes(first)) at++;
    else if (BLANK.test(first)) {
      at++;
      continue;
    } else while (at < json.length && !PUNCTUATION.includes(json[at] as string) && !BLANK.test(json[at] as string)) at++;
    yield { token: json.slice(start, at), start };
  }
}

/** Returns the texts of the items of a list, or of the keys and values of an object in turn. */
function parts(json: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let from = 0;
  for (const { token, start } of tokens(json)) {
    const closes = token === "}" || token === "]";
    if (depth === 1 && (closes || token === "," || token === ":")) {
      const part = json.slice(from, start).trim();
      if (part !== "") found.push(part);
      from = start + 1;
    }
    if (token === "{" || token === "[") depth++;
    else if (closes) depth--;
    if (depth === 1 && from === 0) from = start + 1;
  }
  return found;
}

/** Returns the texts of the items of a list. */
export function items(json: string): string[] {
  return json.trimStart().startsWith("[") ? parts(json) : [];
}

/** Returns the keys of an object, each with the text of its value. */
export function members(json: string): [key: string, value: string][] {
  if (!json.trimStart().startsWith("{")) return [];
  const found = parts(json);
  return Array.from({ length: found.length / 2 }, (_, at) => [JSON.parse(found[2 * at] ?? '""') as string, found[2 * at + 1] ?? ""]);
}

/** Returns the JSON of an object of texts. */
export function object(members: readonly (readonly [key: string, value: string])[]): string {
  return `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(",")}}`;
}

/** Returns the text at a JSON Pointer; nothing if there is none. */
export function pointed(json: string, pointer: string): string | undefined {
  let at: string | undefined = json;
  for (const token of pointer.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    const list: string[] = items(at);
    at = /^(0|[1-9]\d*)$/.test(key) && list.length > 0 ? list[Number(key)] : new Map(members(at)).get(key);
    if (at === undefined) return undefined;
  }
  return at;
}

/** Indents JSON by two spaces per level. Numbers keep their digits. */
export function indented(json: string): string {
  const out: string[] = [];
  let depth = 0;
  let last = "";
  const line = () => `\n${"  ".repeat(depth)}`;
  for (const { token } of tokens(json)) {
    const closes = token === "}" || token === "]";
    if (closes) {
      depth--;
      if (last !== "{" && last !== "[") out.push(line());
    } else if (last === "{" || last === "[" || last === ",") out.push(line());
    if (token === ":") out.push(": ");
    else out.push(token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : token);
    if (token === "{" || token === "[") depth++;
    last = token;
  }
  return out.join("");
}
