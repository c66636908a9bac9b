import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

function compiles(folder: string): void {
  const tsc = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));
  const project = fileURLToPath(new URL(folder, import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, "--project", project], { encoding: "utf8" });
  assert.equal(status, 0, stdout + stderr);
}

test("tsc --strict infers what is expected, for each schema library", () => compiles("types"));

test("the declarations of every entry stand on their own", () => compiles("types/entries"));

test("what only the package calls is not declared", () => {
  for (const name of ["reader", "stream", "outcome", "pass"]) {
    const text = readFileSync(new URL(`../dist/core/${name}.d.ts`, import.meta.url), "utf8");
    assert.doesNotMatch(text, /\b(tree|pushRows|grow|endLater|withoutList|free)\b|@internal/, name);
  }
});
