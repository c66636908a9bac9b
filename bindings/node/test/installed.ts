// The package as npm installs it: packed, and put into an empty folder.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));

/** Installs the package, beside others in folders. Returns the folder, which the caller removes. */
export function installed(...others: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "llmend-installed-"));
  const npm = process.env.NPM ?? "npm";
  for (const cwd of [PACKAGE, ...others]) {
    execFileSync(npm, ["pack", "--silent", "--pack-destination", folder], { cwd, stdio: "ignore" });
  }
  writeFileSync(join(folder, "package.json"), '{"private": true, "type": "module"}');
  const tarballs = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  const options = ["--silent", "--offline", "--no-package-lock", "--no-audit", "--no-fund"];
  execFileSync(npm, ["install", ...options, ...tarballs.map((name) => `./${name}`)], { cwd: folder, stdio: "ignore" });
  return folder;
}
