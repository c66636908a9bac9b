// What is a model told of an answer of its own that does not hold?

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
