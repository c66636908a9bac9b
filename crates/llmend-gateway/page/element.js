// Creation of elements and texts for display. Texts become text nodes, never markup.

/** Creates an element with attributes, handlers (`onclick`) and children. Null and false are skipped. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : String(value));
  }
  made.append(...children.flat().filter((child) => child !== null && child !== false));
  return made;
}

/** Returns the element with an id. */
export function byId(id) {
  return document.getElementById(id);
}

/** Replaces invisible characters by visible ones, and shortens long texts. */
export function visible(text, most = 60) {
  const cut = text.length > most ? `${text.slice(0, most)}…` : text;
  return cut
    .replaceAll("\r", "␍").replaceAll("\n", "↵").replaceAll("\t", "⇥")
    .replaceAll("\u00a0", "⍽").replaceAll("\ufeff", "⟨BOM⟩").replaceAll("\u200b", "⟨ZWSP⟩")
    // Control characters, line separators and bidirectional marks become their code point.
    .replace(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, (one) => `⟨U+${one.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** Joins words to one line. Missing words are skipped. */
export function titled(...words) {
  return words.filter(Boolean).map((word) => visible(String(word))).join(" · ");
}

/** Formats a count: `1 repair`, `2 repairs`. */
export function counted(count, word) {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}

/** Formats a size in bytes. */
export function sized(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
