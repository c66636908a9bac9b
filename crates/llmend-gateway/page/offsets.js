// Conversion of UTF-8 byte offsets to UTF-16 code units.

/** Code units per row of the table. */
const STRIDE = 1024;

/** Returns the UTF-8 bytes of a code unit. A surrogate pair counts as four bytes in its first half. */
function width(unit) {
  if (unit < 0x80) return 1;
  if (unit < 0x800) return 2;
  if (unit >= 0xd800 && unit < 0xdc00) return 4;
  return unit >= 0xdc00 && unit < 0xe000 ? 0 : 3;
}

/**
 * Offsets of a text. The gateway counts UTF-8 bytes, JavaScript counts UTF-16 code units. The text must be
 * well-formed (`toWellFormed`), as the text that is sent is.
 */
export class Offsets {
  #text;
  /** Bytes before each STRIDE-th code unit; null for ASCII texts. */
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

  /** Returns the code unit at a byte, or the first of the character that the byte belongs to. */
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
