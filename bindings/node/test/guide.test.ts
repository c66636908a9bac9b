// The examples of the guide and of the reference: most run, and those for frameworks name what the packages have.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { blocks, examples } from "./readme.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const GUIDE = "../../../docs/guide/typescript/";

/** Does something in a folder in which the package and its peers are found. */
async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(HERE, "guide-"));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const REFERENCE = "../../reference/typescript.md";
const PAGES = ["start.md", "from-jsonrepair.md", REFERENCE, "../../../README.md"];

/** Other blocks of the reference are signatures, and examples for frameworks. */
const isProgram = (page: string) => (code: string) => page !== REFERENCE || code.startsWith("import ");

for (const page of PAGES) {
  test(`${page}: what the examples say is what they give`, () =>
    inFolder(async (folder) => {
      const counted = globalThis as { checked?: number };
      counted.checked = 0;
      const found = examples(GUIDE + page).filter(isProgram(page));
      for (const [index, code] of found.entries()) {
        const file = join(folder, `${index}.mts`);
        writeFileSync(file, code);
        await import(file);
      }
      assert.ok(counted.checked > 0);
    }));
}

// What an example for a framework takes from the program around it.
const GIVEN = ["City", "client", "input", "instructions", "max_tokens", "messages", "model", "OpenAI", "prompt", "provider", "repairingFetch", "schema", "tools"];

for (const [page, least, names] of [...PAGES.map((page) => [page, 1, []] as const), ["with-frameworks.md", 9, GIVEN] as const]) {
  test(`${page}: the examples are programs, to the compiler`, () =>
    inFolder(async (folder) => {
      const found = blocks(GUIDE + page).filter(isProgram(page));
      assert.ok(found.length >= least);
      for (const [index, code] of found.entries()) {
        const own = (name: string) => new RegExp(`(const|import) [^;]*\\b${name}\\b[^;]* (=|from) `).test(code);
        const given = names.filter((name) => !own(name)).map((name) => `declare const ${name}: any;`);
        writeFileSync(join(folder, `${index}.ts`), [...given, code, "export {};"].join("\n"));
      }
      const options = { ...OPTIONS, types: [], noEmit: true };
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, include: ["*.ts"] }));
      const tsc = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));
      const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, "--project", folder], { encoding: "utf8" });
      assert.equal(status, 0, stdout + stderr);
    }));
}

const OPTIONS = {
  target: "ES2022", lib: ["ES2024", "DOM", "DOM.AsyncIterable"], module: "NodeNext", moduleResolution: "NodeNext",
  strict: true, skipLibCheck: true,
};
