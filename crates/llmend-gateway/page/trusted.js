// Trusted Types policy: the only places where text becomes markup or the address of a script.
//
// The browser rejects all others, so that no bug elsewhere can turn the output of a model into markup.

const passed = { createHTML: (svg) => svg, createScriptURL: (url) => url };

const policy = globalThis.trustedTypes?.createPolicy("llmend", passed) ?? passed;

/** Styles of a drawing. Its texts are escaped, so the pattern matches nothing else. */
const STYLES = /<style>[^<]*<\/style>|(?<=^<svg[^<>]*) style="[^"]*"/g;

/**
 * Parses a drawing into a separate document, which is copied, never shown. Styles are removed first, because
 * the page has its own and the browser would report blocked styles.
 */
export function parsedDrawing(svg) {
  return new DOMParser().parseFromString(policy.createHTML(svg.replace(STYLES, "")), "image/svg+xml");
}

/** Returns the address of a script of the page, from its place beside this one. `name` is no text of anybody else. */
export function ownScript(name) {
  return policy.createScriptURL(new URL(name, import.meta.url).href);
}

/** Starts the worker. */
export function readingWorker() {
  return new Worker(ownScript("worker.js"), { type: "module" });
}
