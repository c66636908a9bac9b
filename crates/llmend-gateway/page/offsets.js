// Where in a string of JavaScript does a byte of its UTF-8 form stand?

/** Code units between two rows of the table. */
const STRIDE = 1024;

/** Bytes that a code unit stands for: a pair counts all of its bytes at its first half. */
function width(unit) {
  if (unit < 0x80) return 1;
  if (unit < 0x800) return 2;
  if (unit >= 0xd800 && unit < 0xdc00) return 4;
  return unit >= 0xdc00 && unit < 0xe000 ? 0 : 3;
}

/**
 * The places of a text. The gateway counts bytes of UTF-8, a string counts code units of UTF-16.
 * A text must be well-formed (`toWellFormed`), as what is sent is.
 */
export class Offsets {
  #text;
  /** How many bytes come before each STRIDE-th code unit; nothing for a text that is all ASCII. */
  #rows = null;

  constructor(text) {
    this.#text = text;
    const rows = new Uint32Array(Math.floor(text.length / STRIDE) + 1);
    let bytes = 0;
    for (let at = 0; at < text.length; at += 1) {
      if (at % STRIDE === 0) rows[at / STRIDE] = bytes;
      bytes += width(text.charCodeAt(at));
    }
    if (text.length % STRIDE === 0) rows[text.length / STRIDE] = bytes;
    this.bytes = bytes;
    if (bytes !== text.length) this.#rows = rows;
  }

  /** The code unit at a byte; the one that begins the character, if the byte is within one. */
  unit(byte) {
    if (this.#rows === null) return Math.min(byte, this.#text.length);
    let low = 0;
    let high = this.#rows.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#rows[middle] <= byte) low = middle;
      else high = middle - 1;
    }
    let at = low * STRIDE;
    let bytes = this.#rows[low];
    while (at < this.#text.length && bytes + width(this.#text.charCodeAt(at)) <= byte) {
      bytes += width(this.#text.charCodeAt(at));
      at += 1;
    }
    return at;
  }
}
