// Which two texts may become more than text?
//
// The browser is told to refuse every other (Trusted Types), so that no slip elsewhere can make markup
// or a script of what a model wrote.

const passed = { createHTML: (svg) => svg, createScriptURL: (url) => url };

const policy = globalThis.trustedTypes?.createPolicy("llmend", passed) ?? passed;

/** The styles that a drawing brings along. Its texts are escaped, so that this is found nowhere else. */
const STYLES = /<style>[^<]*<\/style>|(?<=^<svg[^<>]*) style="[^"]*"/g;

/**
 * A drawing of the gateway as a document of its own, in which nothing runs. It is copied, never shown.
 * Styles are left out beforehand: the page has its own, and the browser would report that it refused them.
 */
export function parsedDrawing(svg) {
  return new DOMParser().parseFromString(policy.createHTML(svg.replace(STYLES, "")), "image/svg+xml");
}

/** The page's one worker. */
export function readingWorker() {
  return new Worker(policy.createScriptURL("/page/worker.js"), { type: "module" });
}
