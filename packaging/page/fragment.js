// Texts and settings in the fragment of a link, which browsers do not send.

/** Begins a fragment, with the number of its form. */
const MARK = "#1.";
/** Maximum length of a fragment: browsers and chats cut longer links. */
const MAX_LENGTH = 100_000;
/** Maximum length of a text: a short fragment may stand for one that fills the memory. */
const MAX_TEXT = 20_000_000;

const through = (bytes, stream) => new Blob([bytes]).stream().pipeThrough(stream);

/** Returns the fragment for a text, or null if it would be too long. */
export async function toFragment(text) {
  const packed = await new Response(through(text, new CompressionStream("deflate-raw"))).arrayBuffer();
  // Four characters stand for three bytes.
  if (MARK.length + packed.byteLength * 4 / 3 > MAX_LENGTH) return null;
  const binary = Array.from(new Uint8Array(packed), (byte) => String.fromCharCode(byte)).join("");
  return MARK + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Returns the text of a fragment, or null if it has none. Throws if it is damaged. */
export async function fromFragment(fragment) {
  if (!fragment.startsWith(MARK)) return null;
  const binary = atob(fragment.slice(MARK.length).replaceAll("-", "+").replaceAll("_", "/"));
  const packed = Uint8Array.from(binary, (one) => one.charCodeAt(0));
  const decoder = new TextDecoder("utf-8", { fatal: true });
  // Not every browser can iterate over a stream.
  const reader = through(packed, new DecompressionStream("deflate-raw")).getReader();
  let text = "";
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    text += decoder.decode(next.value, { stream: true });
    if (text.length > MAX_TEXT) throw new Error("its text is too long");
  }
  return text + decoder.decode();
}
