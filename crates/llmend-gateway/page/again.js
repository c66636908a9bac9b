// Retries: asking a model to correct its answer.
//
// As in Clickweave, `max_repair_attempts` counts answers, including the first.

import { question } from "./feedback.js";
import { ask } from "./gateway.js";

/** Returns the model's next answer, or throws the gateway's error message. */
export async function askAgain(model, text, findings, schema, signal) {
  const body = JSON.stringify({ model, messages: question(text, findings, schema), stream: false });
  const answer = await ask("/v1/chat/completions", body, signal);
  const content = answer.body?.choices?.[0]?.message?.content;
  if (answer.status === 200 && typeof content === "string") return content;
  throw new Error(answer.body?.error?.message ?? `the gateway answered ${answer.status}`);
}
