// Flat table of the parts of a JSON text.
//
// `JSON.parse` would lose digits of numbers, the order of numeric keys, and duplicate keys. A tape has a row
// for each part in the order of the text, including keys, numbered as in the gateway's `places`: row n of
// `places` is the span of part n in the answer.

export const KIND = Object.freeze({
  null: 0, true: 1, false: 2, number: 3, string: 4, array: 5, object: 6, key: 7,
});

const WORD = /[^\s,\]}]+/y;

/** Returns the end of the string that starts at `at`. */
function stringEnd(json, at) {
  let end = json.indexOf('"', at + 1);
  while (end !== -1) {
    let slashes = 0;
    while (json[end - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return end + 1;
    end = json.indexOf('"', end + 1);
  }
  return json.length;
}

function wordKind(json, at) {
  switch (json[at]) {
    case "n": return KIND.null;
    case "t": return KIND.true;
    case "f": return KIND.false;
    default: return KIND.number;
  }
}

/**
 * Returns the tape of a strict JSON text: for each part its kind, its start and end in the text, the next part
 * after its contents, its container (-1 for the root) and the number of its children.
 */
export function tapeOf(json) {
  const [kind, start, end, after, parent, count] = [[], [], [], [], [], []];
  const open = [];
  let isKey = false;
  const push = (what, from, to) => {
    const inside = open.length > 0 ? open[open.length - 1] : -1;
    if (inside !== -1 && what !== KIND.key) count[inside] += 1;
    kind.push(what);
    start.push(from);
    end.push(to);
    after.push(kind.length);
    parent.push(inside);
    count.push(0);
  };
  let at = 0;
  while (at < json.length) {
    switch (json.charCodeAt(at)) {
      case 0x7b:
      case 0x5b: {
        const what = json[at] === "{" ? KIND.object : KIND.array;
        push(what, at, at);
        open.push(kind.length - 1);
        isKey = what === KIND.object;
        at += 1;
        break;
      }
      case 0x7d:
      case 0x5d: {
        const closed = open.pop();
        at += 1;
        end[closed] = at;
        after[closed] = kind.length;
        isKey = false;
        break;
      }
      case 0x2c:
        isKey = kind[open[open.length - 1]] === KIND.object;
        at += 1;
        break;
      case 0x3a:
        isKey = false;
        at += 1;
        break;
      case 0x22: {
        const to = stringEnd(json, at);
        push(isKey ? KIND.key : KIND.string, at, to);
        at = to;
        break;
      }
      case 0x20:
      case 0x09:
      case 0x0a:
      case 0x0d:
        at += 1;
        break;
      default:
        WORD.lastIndex = at;
        WORD.test(json);
        push(wordKind(json, at), at, WORD.lastIndex);
        at = Math.max(WORD.lastIndex, at + 1);
    }
  }
  return {
    length: kind.length,
    kind: Uint8Array.from(kind),
    start: Uint32Array.from(start),
    end: Uint32Array.from(end),
    after: Uint32Array.from(after),
    parent: Int32Array.from(parent),
    count: Uint32Array.from(count),
  };
}

/** Returns whether a part is an array or an object. */
export function isContainer(tape, part) {
  return tape.kind[part] === KIND.array || tape.kind[part] === KIND.object;
}

/** Returns the values in a container. The key of a member is the part before its value. */
export function childrenOf(tape, part) {
  const children = new Uint32Array(tape.count[part]);
  const step = tape.kind[part] === KIND.object ? 1 : 0;
  let child = part + 1 + step;
  for (let at = 0; at < children.length; at += 1) {
    children[at] = child;
    child = tape.after[child] + step;
  }
  return children;
}

/** Decodes a string or key, up to about `most` code units of it. */
export function textOf(json, tape, part, most = Infinity) {
  const whole = json.slice(tape.start[part], tape.end[part]);
  if (whole.length <= most) return JSON.parse(whole);
  // The cut may be within an escape sequence, which has at most six code units.
  for (let cut = most; cut > most - 12; cut -= 1) {
    try {
      return JSON.parse(`${whole.slice(0, cut)}"`);
    } catch {
      continue;
    }
  }
  return whole.slice(1, most);
}

/** Returns the key of a value, or null if it is not a member of an object. */
export function keyOf(json, tape, part, most) {
  const inside = tape.parent[part];
  if (inside === -1 || tape.kind[inside] !== KIND.object) return null;
  return textOf(json, tape, part - 1, most);
}

const unescaped = (token) => token.replaceAll("~1", "/").replaceAll("~0", "~");

/** Resolves a JSON Pointer to a part, or to the innermost existing part on its way. */
export function partAt(json, tape, pointer) {
  let part = 0;
  if (tape.length === 0) return -1;
  for (const token of pointer.split("/").slice(1)) {
    if (!isContainer(tape, part)) return part;
    const children = childrenOf(tape, part);
    const next = tape.kind[part] === KIND.array
      ? children[/^\d+$/.test(token) ? Number(token) : -1]
      : children.findLast((child) => textOf(json, tape, child - 1) === unescaped(token));
    if (next === undefined) return part;
    part = next;
  }
  return part;
}

/** Returns the JSON Pointer of a value. */
export function pointerOf(json, tape, part) {
  const tokens = [];
  for (let at = part; tape.parent[at] !== -1; at = tape.parent[at]) {
    const key = keyOf(json, tape, at);
    tokens.push(key === null
      ? String(childrenOf(tape, tape.parent[at]).indexOf(at))
      : key.replaceAll("~", "~0").replaceAll("/", "~1"));
  }
  return tokens.reverse().map((token) => `/${token}`).join("");
}
