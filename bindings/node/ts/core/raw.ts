// Strict JSON as it is written, where `JSON.parse` would round its numbers.

/** A part of a container: its key, which is empty in a list, and its JSON. */
export interface RawPart {
  key: string;
  json: string;
}

/** Returns where the string that begins at `start` ends. */
export function endOfString(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at > 0; at = json.indexOf('"', at + 1)) {
    let escapes = 0;
    while (json[at - 1 - escapes] === "\\") escapes++;
    if (escapes % 2 === 0) return at + 1;
  }
  return json.length;
}

/** Returns the JSON of a member of the object that a text in strict JSON is. */
export function rawMember(json: string, key: string): string | undefined {
  return rawParts(json).find((part) => part.key === key)?.json;
}

/** Returns the parts of the container that a text in strict JSON is. */
export function rawParts(json: string): RawPart[] {
  const parts: RawPart[] = [];
  let depth = 0;
  let key = "";
  let start = 0;
  const add = (end: number) => {
    const part = json.slice(start, end).trim();
    if (part !== "") parts.push({ key, json: part });
    key = "";
    start = end + 1;
  };
  const marks = /["{}[\],:]/g;
  for (let mark = marks.exec(json); mark; mark = marks.exec(json)) {
    const [sign] = mark;
    const at = mark.index;
    if (sign === '"') marks.lastIndex = endOfString(json, at);
    else if (sign === "{" || sign === "[") {
      if (depth++ === 0) start = at + 1;
    } else if (sign === "}" || sign === "]") {
      if (--depth === 0) add(at);
    } else if (depth === 1 && sign === ",") add(at);
    else if (depth === 1 && sign === ":") {
      key = JSON.parse(json.slice(start, at)) as string;
      start = at + 1;
    }
  }
  return parts;
}
