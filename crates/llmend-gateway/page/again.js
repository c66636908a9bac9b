// What is a model told of an answer of its own that does not hold, and what does it say then?
//
// As in Clickweave, `max_repair_attempts` counts answers: the one that is shown is the first.

import { ask } from "./gateway.js";

/** The most findings that a model is told. */
const MOST = 20;

/** What is asked: the answer, as the model's own, and what is wrong with it. */
export function question(text, findings, schema) {
  const rows = findings.filter((row) => (row.severity ?? "error") === "error").slice(0, MOST);
  const told = rows.map((row) => `- ${row.path ? `${row.path}: ` : ""}${row.message}${row.help ? ` (${row.help})` : ""}`);
  const wanted = schema.trim() === "" ? "" : `\n\nThe JSON Schema that it has to fit:\n${schema}`;
  return [
    { role: "assistant", content: text },
    {
      role: "user",
      content: `Your answer cannot be used:\n${told.join("\n")}${wanted}\n\nAnswer with the whole corrected JSON, and nothing else.`,
    },
  ];
}

/** The model's next answer; an error says why there is none, in the gateway's words. */
export async function askAgain(model, text, findings, schema, signal) {
  const body = JSON.stringify({ model, messages: question(text, findings, schema), stream: false });
  const answer = await ask("/v1/chat/completions", body, signal);
  const content = answer.body?.choices?.[0]?.message?.content;
  if (answer.status === 200 && typeof content === "string") return content;
  throw new Error(answer.body?.error?.message ?? `the gateway answered ${answer.status}`);
}
