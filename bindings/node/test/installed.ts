// The package as npm installs it: packed, and put into an empty folder.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));

/** Installs the package. Returns the folder, which the caller removes. */
export function installed(): string {
  const folder = mkdtempSync(join(tmpdir(), "llmend-installed-"));
  const npm = process.env.NPM ?? "npm";
  execFileSync(npm, ["pack", "--silent", "--pack-destination", folder], { cwd: PACKAGE, stdio: "ignore" });
  writeFileSync(join(folder, "package.json"), '{"private": true, "type": "module"}');
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
  const options = ["--silent", "--offline", "--no-package-lock", "--no-audit", "--no-fund"];
  execFileSync(npm, ["install", ...options, `./${tarball}`], { cwd: folder, stdio: "ignore" });
  return folder;
}
