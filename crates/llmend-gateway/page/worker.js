// Worker: asks the endpoints and converts their answers without blocking the page.

import { ask } from "./endpoint.js";
import { callChunksOf, callsOf, holdsCalls } from "./reading.js";
import { chunksOf, looksLikePlan, planOf, valueOf } from "./result.js";

/** Running tasks by kind. */
const running = new Map();

/** Parses a response body. Responses of proxies are converted to the gateway's error format. */
function read({ status, text }) {
  try {
    const body = JSON.parse(text);
    if (typeof body === "object" && body !== null) {
      const message = body.error?.message;
      return typeof message === "string" ? { ...body, error: message, status } : body;
    }
  } catch {
    // Not JSON: reported as text below.
  }
  return { error: text.slice(0, 1000) || `the answer has status ${status}`, details: [], status };
}

/** Joins members that are JSON text to an object. */
function joined(members) {
  const rows = members.filter(([, value]) => value !== null && value !== undefined);
  return `{${rows.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`;
}

async function readAnswer({ text, as, members, callMembers, planMembers, key }, signal) {
  const common = [["text", JSON.stringify(text)], ["places", "true"]];
  if (as === "auto" || as === "calls") {
    const answer = await ask("/v1/calls", joined([...common, ...callMembers]), { key, signal });
    if (answer.status === 401) return { status: 401 };
    const value = callsOf(text, read(answer));
    // A text without calls is read as a value, whatever is wrong with the tools.
    if (as === "calls" || holdsCalls(value)) {
      return { status: answer.status, value, plan: null, raw: { calls: answer.text } };
    }
  }
  const first = await ask("/v1/repair", joined([...common, ...members]), { key, signal });
  if (first.status === 401) return { status: 401 };
  const body = read(first);
  const value = valueOf(text, body);
  const wantsPlan = as === "plan"
    || (as === "auto" && (value.json === null || looksLikePlan(value.json, value.tape)));
  const result = { status: first.status, value, plan: null, raw: { repair: first.text } };
  if (!wantsPlan || planMembers === null) return result;
  const second = await ask("/v1/plan", joined([...common, ...planMembers]), { key, signal });
  const plan = planOf(text, read(second), value);
  // If nothing readable as a plan was found, show the value alone.
  if (as !== "plan" && plan.document === null) return result;
  result.plan = plan;
  result.raw.plan = second.text;
  return result;
}

/** Reads a text in chunks: its calls if there are `callMembers`, otherwise its value. */
async function play({ text, chunk, members, callMembers, key }, signal) {
  const common = [["text", JSON.stringify(text)], ["chunk_bytes", String(chunk)]];
  if (callMembers) {
    const answer = await ask("/v1/calls", joined([...common, ["places", "true"], ...callMembers]), { key, signal });
    const body = read(answer);
    if (body.chunks === undefined) return { status: answer.status, refused: body };
    return { status: 200, chunks: callChunksOf(text, body) };
  }
  const body = joined([...common, ...members]);
  const answer = await ask("/v1/stream", body, { key, signal });
  if (answer.status !== 200) return { status: answer.status, refused: read(answer) };
  const lines = answer.text.trimEnd().split("\n").map((line) => JSON.parse(line));
  return { status: 200, chunks: chunksOf(text, lines) };
}

/** Reads the lists of rules, policies, coercions and dialects. */
async function tables({ key }, signal) {
  const answer = await ask("/v1/rules", null, { key, signal });
  return { status: answer.status, body: read(answer) };
}

const TASKS = { play, read: readAnswer, tables };

self.addEventListener("message", async ({ data }) => {
  const { id, kind } = data;
  running.get(kind)?.abort();
  const controller = new AbortController();
  running.set(kind, controller);
  const { signal } = controller;
  try {
    const result = await TASKS[kind](data, signal);
    if (!signal.aborted) self.postMessage({ id, kind, result });
  } catch (error) {
    if (!signal.aborted) self.postMessage({ id, kind, failed: String(error) });
  }
});
