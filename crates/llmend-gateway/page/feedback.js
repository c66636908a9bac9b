// Messages that ask a model to correct its answer.

/** Maximum number of findings in a message. */
const MAX_FINDINGS = 20;

/** Returns the messages: the answer as the assistant's, and a request to correct it. */
export function question(text, findings, schema) {
  const rows = findings.filter((row) => (row.severity ?? "error") === "error").slice(0, MAX_FINDINGS);
  const errors = rows.map((row) => `- ${row.path ? `${row.path}: ` : ""}${row.message}${row.help ? ` (${row.help})` : ""}`);
  const wanted = schema.trim() === "" ? "" : `\n\nThe JSON Schema that it has to fit:\n${schema}`;
  return [
    { role: "assistant", content: text },
    {
      role: "user",
      content: `Your answer cannot be used:\n${errors.join("\n")}${wanted}\n\nAnswer with the whole corrected JSON, and nothing else.`,
    },
  ];
}
