// How is an element made of plain data? Texts become text, never markup.

/** An element with attributes, handlers (`onclick`) and children; what is null or false is left out. */
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

/** The element of the page with an id. */
export function byId(id) {
  return document.getElementById(id);
}

/** A text with what is invisible in it made visible, and cut where it is long. */
export function visible(text, most = 60) {
  const cut = text.length > most ? `${text.slice(0, most)}…` : text;
  return cut
    .replaceAll("\r", "␍").replaceAll("\n", "↵").replaceAll("\t", "⇥")
    .replaceAll("\u00a0", "⍽").replaceAll("\ufeff", "⟨BOM⟩").replaceAll("\u200b", "⟨ZWSP⟩")
    // What turns the line round, or ends it, is named by its number.
    .replace(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, (one) => `⟨U+${one.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** One line of several words, some of which may come from a model; what is missing is left out. */
export function titled(...words) {
  return words.filter(Boolean).map((word) => visible(String(word))).join(" · ");
}

/** A number of things: `1 repair`, `2 repairs`. */
export function counted(count, word) {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}

/** A size in bytes, for people. */
export function sized(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
