// The tables of docs/guide/typescript/from-jsonrepair.md. `node page.ts` writes them; a test compares.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { KINDS, both, cases, counted, type Made } from "./compared.ts";
import { DIFFERENCES } from "./differences.ts";

const PAGE = new URL("../../../../docs/guide/typescript/from-jsonrepair.md", import.meta.url);
const FIXTURES = new URL("../../../../testing/fixtures/", import.meta.url);

const code = (text: string) => `\`\` ${text.replaceAll("|", "\\|")} \`\``;
const shown = (made: Made) => ("json" in made ? code(JSON.stringify(made.json).slice(1, -1).replaceAll('\\"', '"')) : "refused");

/** The table of shares in percent. */
export function shares(generated: string | undefined): string {
  const rows = [["dev", new URL("dev.jsonl", FIXTURES)], ["defects", new URL("defects.jsonl", FIXTURES)]] as [string, URL | string][];
  if (generated) rows.push(["generated", generated]);
  const lines = rows.map(([name, file]) => {
    const texts = cases(file);
    const counts = counted(texts);
    return `| ${name} (${texts.length}) | ${KINDS.map((kind) => ((100 * counts[kind]) / texts.length).toFixed(1)).join(" | ")} |`;
  });
  return [`| | ${KINDS.join(" | ")} |`, `|---|${"---:|".repeat(KINDS.length)}`, ...lines].join("\n");
}

/** The table of differences. */
export function differences(): string {
  const lines = DIFFERENCES.map(({ text, why }) => {
    const { ours, theirs } = both(text);
    const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
    return `| ${code(escaped)} | ${shown(theirs)} | ${shown(ours)} | ${why} |`;
  });
  return ["| text | jsonrepair | llmend | why |", "|---|---|---|---|", ...lines].join("\n");
}

/** The page and what is between its marks. */
export function page(): { text: string; part: (name: string) => string } {
  const text = readFileSync(PAGE, "utf8");
  const part = (name: string) => text.split(`<!-- ${name} -->\n`)[1]?.split(`\n<!-- end of ${name} -->`)[0] ?? "";
  return { text, part };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  let { text } = page();
  for (const [name, table] of [["shares", shares(process.argv[2])], ["differences", differences()]] as const) {
    const marks = new RegExp(`(<!-- ${name} -->\n)[^]*?(\n<!-- end of ${name} -->)`);
    text = text.replace(marks, (_, before: string, after: string) => before + table + after);
  }
  writeFileSync(PAGE, text);
}
