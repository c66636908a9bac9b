// Writes the page without a server: `build.mjs MODULES FOLDER`. MODULES has the WebAssembly module and its script.
//
// The page is the gateway's. Two of its modules are replaced by those beside this script, and what only a gateway has
// is left out.
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [modules, folder] = process.argv.slice(2);
const here = import.meta.dirname;
const gateway = join(here, "../../crates/llmend-gateway/page");

/** Modules that ask a gateway for what only it has. */
const ONLY_GATEWAY = ["again.js", "feedback.js", "gateway.js", "key.js", "model.js", "recent.js"];
/** Modules in place of the gateway's, and what belongs to them. */
const OURS = ["endpoint.js", "fragment.js", "host.js", "icon-192.png", "icon-512.png", "icon-maskable.png"];
/** The engine. */
const ENGINE = ["llmend_page.js", "llmend_page_bg.wasm"];

const page = join(folder, "page");
mkdirSync(page);
for (const name of readdirSync(gateway)) {
  if (name !== "index.html" && !ONLY_GATEWAY.includes(name) && !OURS.includes(name)) copyFileSync(join(gateway, name), join(page, name));
}
for (const name of OURS) copyFileSync(join(here, name), join(page, name));
for (const name of ENGINE) copyFileSync(join(modules, name), join(page, name));
copyFileSync(join(here, "manifest.webmanifest"), join(folder, "manifest.webmanifest"));

const [first, charset, rest] = readFileSync(join(gateway, "index.html"), "utf8").split(/(<meta charset="utf-8">\n)/);
const shared = rest.replace(/<!-- gateway -->\n.*?<!-- \/gateway -->\n/gs, "");
writeFileSync(join(folder, "index.html"), first + charset + readFileSync(join(here, "head.html"), "utf8") + shared);

const hash = (name, bytes) => createHash(name).update(bytes).digest("base64");
const names = ["manifest.webmanifest", ...readdirSync(page).sort().map((name) => `page/${name}`)];
const files = [["./", "index.html"], ...names.map((name) => [name, name])]
  .map(([address, name]) => [address, `sha256-${hash("sha256", readFileSync(join(folder, name)))}`]);
const list = JSON.stringify(files, null, 2);
const before = `const FILES = ${list};\nconst VERSION = ${JSON.stringify(hash("sha256", list).slice(0, 16))};\n\n`;
writeFileSync(join(folder, "offline.js"), before + readFileSync(join(here, "offline.js"), "utf8"));
