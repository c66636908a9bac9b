// Requests to the gateway.
//
// The key is stored for the lifetime of the tab (sessionStorage), and sent in a header, never in a URL.

import { ask as askEndpoint } from "./endpoint.js";

const STORE = "llmend.key";

export const key = {
  get: () => sessionStorage.getItem(STORE),
  set: (value) => sessionStorage.setItem(STORE, value),
  drop: () => sessionStorage.removeItem(STORE),
};

/** Sends a small request. Returns the status and the body, as JSON if possible, otherwise as text. */
export async function ask(path, body = null, signal = null) {
  const { status, text } = await askEndpoint(path, body, { key: key.get(), signal });
  try {
    return { status, body: JSON.parse(text) };
  } catch {
    return { status, body: text };
  }
}
