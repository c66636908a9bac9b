// The endpoints that read texts, in the browser.
//
// The engine is a WebAssembly module that gives the gateway's answers, byte for byte. Nothing is sent anywhere.

import start, { __wbg_reset_state as startAnew, ask as answered } from "./llmend_page.js";

let starting = null;

/** Loads the engine, once. What failed is tried again with the next text. */
function started() {
  starting ??= start({ module_or_path: new URL("llmend_page_bg.wasm", import.meta.url) }).catch((error) => {
    starting = null;
    throw error;
  });
  return starting;
}

/** Returns the status and the text of the answer. `body` is the JSON text of a request, or null. */
export async function ask(path, body, { signal }) {
  await started();
  // What came in the meantime may have canceled this, and nothing can once it has begun.
  await new Promise((resolve) => { setTimeout(resolve); });
  signal.throwIfAborted();
  try {
    const [status, text] = answered(path, body ?? "");
    return { status, text };
  } catch (error) {
    // Nobody can trust the memory of an instance that stopped.
    startAnew();
    throw error;
  }
}
