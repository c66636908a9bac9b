// Tasks of the worker.

import { credential } from "./host.js";
import { readingWorker } from "./trusted.js";

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
    worker.postMessage({ id, key: credential(), ...task });
  });
}
