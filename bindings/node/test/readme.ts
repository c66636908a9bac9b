// The examples of the README and of the guide as modules that check themselves.
import { readFileSync } from "node:fs";

const CHECK = `
function check(found, wanted, line) {
  const shown = typeof found === "string" ? found : JSON.stringify(found);
  if (shown !== wanted) throw new Error(line + "\\n  gave " + shown);
  globalThis.checked = (globalThis.checked ?? 0) + 1;
}
`;

/** Returns the code blocks of a page. */
export function blocks(page: string): string[] {
  const text = readFileSync(new URL(page, import.meta.url), "utf8");
  return [...text.matchAll(/```[jt]s\n([^]*?)\n```\n/g)].map(([, code]) => code ?? "");
}

/** Returns each example of a page: a line `EXPRESSION; // VALUE` is checked. */
export function examples(page = "../README.md"): string[] {
  return blocks(page).map((code) => {
    const lines = code.split("\n").map((line) => {
      const [, expression, wanted] = /^(\S.*); \/\/ (.+)$/.exec(line) ?? [];
      if (expression === undefined || expression.startsWith("import ")) return line;
      return `check(${expression}, ${JSON.stringify(wanted)}, ${JSON.stringify(line)});`;
    });
    return lines.join("\n") + CHECK;
  });
}

/** Returns the names of the functions that an example imports from entries of the package. */
export function entries(code: string): string[] {
  return [...code.matchAll(/from "(llmend[^"]*)"/g)].map(([, name]) => name ?? "");
}
