// What does a model say when it is told what is wrong with its answer?
//
// As in Clickweave, `max_repair_attempts` counts answers: the one that is shown is the first.

import { question } from "./feedback.js";
import { ask } from "./gateway.js";

/** The model's next answer; an error says why there is none, in the gateway's words. */
export async function askAgain(model, text, findings, schema, signal) {
  const body = JSON.stringify({ model, messages: question(text, findings, schema), stream: false });
  const answer = await ask("/v1/chat/completions", body, signal);
  const content = answer.body?.choices?.[0]?.message?.content;
  if (answer.status === 200 && typeof content === "string") return content;
  throw new Error(answer.body?.error?.message ?? `the gateway answered ${answer.status}`);
}
