// Requests to the gateway.
//
// The key is stored for the lifetime of the tab (sessionStorage), and sent in a header, never in a URL.

import { readingWorker } from "./trusted.js";

const STORE = "llmend.key";

export const key = {
  get: () => sessionStorage.getItem(STORE),
  set: (value) => sessionStorage.setItem(STORE, value),
  drop: () => sessionStorage.removeItem(STORE),
};

/** Sends a small request. Returns the status and the body, as JSON if possible, otherwise as text. */
export async function ask(path, body = null, signal = null) {
  const headers = key.get() ? { authorization: `Bearer ${key.get()}` } : {};
  if (body !== null) headers["content-type"] = "application/json";
  const response = await fetch(path, {
    method: body === null ? "GET" : "POST",
    headers,
    body,
    signal,
    cache: "no-store",
    credentials: "omit",
    redirect: "error",
  });
  const text = await response.text();
  try {
    return { status: response.status, body: JSON.parse(text) };
  } catch {
    return { status: response.status, body: text };
  }
}

const worker = readingWorker();
/** Pending tasks by kind. */
const waiting = new Map();
let last = 0;

worker.addEventListener("message", ({ data }) => {
  const task = waiting.get(data.kind);
  if (task?.id !== data.id) return;
  waiting.delete(data.kind);
  if (data.failed === undefined) task.resolve(data.result);
  else task.reject(new Error(data.failed));
});

/** Runs a task in the worker. An earlier task of the same kind is canceled and resolves to null. */
export function work(task) {
  last += 1;
  const id = last;
  waiting.get(task.kind)?.resolve(null);
  return new Promise((resolve, reject) => {
    waiting.set(task.kind, { id, resolve, reject });
    worker.postMessage({ id, key: key.get(), ...task });
  });
}
