// The package as it is installed: packed, put into an empty folder, and the README's examples run by each runtime.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { installed } from "./installed.ts";
import { examples, entries } from "./readme.ts";

const MODULES = fileURLToPath(new URL("../node_modules/", import.meta.url));
const BIN = join(MODULES, ".bin");
/** The package of the addon for this machine, built by .ci/node. */
const ADDON = process.env.ADDON ?? "";
let folder = "";

function run(command: string, args: string[], env: Record<string, string> = {}): string {
  const options = { cwd: folder, encoding: "utf8" as const, env: { ...process.env, ...env }, timeout: 120_000 };
  const { status, stdout, stderr, error } = spawnSync(command, args, options);
  assert.ok(status === 0, `${command} ${args.join(" ")}\n${stdout}\n${stderr}\n${error ?? ""}`);
  return stdout;
}

before(() => {
  folder = installed(ADDON);
  // What an example also imports.
  cpSync(join(BIN, "../zod"), join(folder, "node_modules/zod"), { recursive: true, dereference: true });
  for (const [index, code] of examples().entries()) {
    writeFileSync(join(folder, `example${index}.js`), `${code}\nconsole.log("checked " + globalThis.checked);\n`);
  }
});

after(() => rmSync(folder, { recursive: true, force: true }));

// Node as it runs this test, and the older ones that npm has for this machine.
function nodes(): [string, string][] {
  const older = [20, 22].map((version) => [`node ${version}`, join(MODULES, `node${version}-${process.platform}-${process.arch}/bin/node`)]);
  return [[`node ${process.versions.node.split(".")[0]}`, process.execPath], ...older.filter(([, path]) => existsSync(path))] as [string, string][];
}

const files = () => examples().map((_, index) => `example${index}.js`);

test("the package holds what it says, and depends on nothing but its addons", () => {
  const manifest = JSON.parse(readFileSync(join(folder, "node_modules/llmend/package.json"), "utf8"));
  assert.equal(manifest.dependencies, undefined);
  for (const [name, version] of Object.entries(manifest.optionalDependencies)) {
    assert.match(name, /^@llmend\/(darwin|linux|win32)-(arm64|x64)/);
    assert.equal(version, manifest.version);
  }
  for (const name of Object.keys(manifest.peerDependencies)) assert.ok(manifest.peerDependenciesMeta[name].optional, name);
  for (const target of Object.values(manifest.exports as Record<string, string>)) {
    assert.ok(readFileSync(join(folder, "node_modules/llmend", target)).length > 0, target);
  }
  assert.deepEqual(readdirSync(join(folder, "node_modules/llmend")).sort(), ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "dist", "package.json"]);
  for (const target of Object.values(manifest.bin as Record<string, string>)) {
    assert.match(readFileSync(join(folder, "node_modules/llmend", target), "utf8"), /^#!\/usr\/bin\/env node\n/);
  }
});

/** What runs the package, and with which engine. */
const RUNTIMES: [name: string, path: string, args: string[], engine: "addon" | "wasm"][] = [
  ...([...nodes(), ["bun", join(BIN, "bun")]] as [string, string][]).flatMap(([name, path]) =>
    (["addon", "wasm"] as const).map((engine) => [`${name}, ${engine}`, path, [], engine] as [string, string, string[], typeof engine]),
  ),
  ["deno", join(BIN, "deno"), ["run", "--allow-read"], "wasm"],
];
const env = (engine: "addon" | "wasm") => ({ DENO_NO_UPDATE_CHECK: "1", LLMEND_ENGINE: engine === "wasm" ? "wasm" : "" });

test("the README's table of runtimes has the versions that are tested, and their engines", () => {
  const { dependencies: npm, optionalDependencies: npmNodes } = JSON.parse(readFileSync(new URL("packages.json", import.meta.url), "utf8"));
  const nodeVersions = ["node20", "node22", "node"].map((name) => npmNodes[`${name}-linux-x64`].split("@").at(-1));
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  for (const [name, versions] of [["Node", nodeVersions.join(", ")], ["Bun", npm.bun], ["Deno", npm.deno], ["workerd", npm.workerd]]) {
    const engines = RUNTIMES.filter(([runtime]) => runtime.startsWith(name.toLowerCase())).map(([, , , engine]) => engine);
    const row = `| ${name} | ${engines.includes("addon") ? "addon, " : ""}WebAssembly | ${versions} |`;
    assert.ok(readme.includes(`${row}\n`), row);
  }
});

for (const [runtime, path, args, engine] of RUNTIMES) {
  test(`${runtime} runs the examples`, () => {
    assert.ok(files().length >= 4);
    for (const file of files()) assert.match(run(path, [...args, file], env(engine)), /checked [1-9]/);
    const used = 'import { full } from "./node_modules/llmend/dist/core/full.js"; console.log("initSync" in full.loader.glue ? "wasm" : "addon");';
    writeFileSync(join(folder, "used.js"), used);
    assert.equal(run(path, [...args, "used.js"], env(engine)).trim(), engine);
  });
}

const LEFT = `
import { partialStream } from "llmend";
const settled = (final) => Promise.race([final.catch((error) => error.message), new Promise((give) => setTimeout(give, 5000, "hangs"))]);
const source = (end) => new ReadableStream({ start(controller) { controller.enqueue("[1, 2, 3"); end(controller); } });
const left = partialStream();
const reader = source(() => {}).pipeThrough(left).getReader();
await reader.read();
await reader.cancel();
const lost = partialStream();
await source((controller) => controller.error(new Error("connection lost"))).pipeThrough(lost).getReader().read().catch(() => {});
console.log([await settled(left.final), await settled(lost.final)].join(", "));
process.exit();
`;
for (const [runtime, path, args, engine] of RUNTIMES) {
  test(`${runtime}: the \`final\` of a transform settles where it is left or its source fails`, () => {
    writeFileSync(join(folder, "left.js"), LEFT.replace(/^/, 'import process from "node:process";'));
    assert.match(run(path, [...args, "left.js"], env(engine)), /^the stream was left before its end, connection lost$/m);
  });
}

test("CommonJS requires the package", () => {
  const code = 'const { value } = require("llmend"); if (value("{a: 1}").a !== 1) throw 1; console.log("required");';
  writeFileSync(join(folder, "required.cjs"), code);
  const paths = [...nodes().map(([, path]) => path), join(BIN, "bun")];
  for (const path of paths) assert.match(run(path, ["required.cjs"]), /required/);
});

test("workers: each thread has an engine of its own, and keeps its own results while all are busy", () => {
  const code = `
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { parse, reader, value } from "llmend";
import { calls } from "llmend/calls";
import { parse as fit } from "llmend/schema";
const schema = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] };
const tools = { search: schema };
if (isMainThread) {
  const all = Array.from({ length: 4 }, (_, own) => new Promise((done, fail) => {
    new Worker(new URL(import.meta.url), { workerData: own }).on("message", done).on("error", fail);
  }));
  console.log(JSON.stringify(await Promise.all(all)));
} else {
  let checked = 0;
  const same = (found, wanted) => {
    if (found !== wanted) throw new Error(found + " is not " + wanted);
    checked++;
  };
  for (let round = 0; round < 2000; round++) {
    const id = workerData * 10000 + round;
    const text = "Here: {'id': '" + id + "', name: 'é🙂',}";
    same(value(text).id, String(id));
    const outcome = parse(text);
    const read = reader();
    read.push("[" + id + ", ");
    same(fit(text, { schema }).value.id, id);
    same(outcome.report.repairs.length > 2, true);
    same(read.push("12, ").value[0], id);
    same(read.finish().value.length, 2);
    if (round % 10 > 0) continue;
    const call = '<tool_call>{"name": "search", "arguments": {"id": "' + id + '"}}</tool_call>';
    same(calls(call, { tools }).calls[0].arguments.id, id);
    try {
      value("no json " + id);
    } catch (error) {
      same(error.text, "no json " + id);
    }
  }
  parentPort.postMessage(checked);
}`;
  writeFileSync(join(folder, "threads.js"), code);
  for (const engine of ["addon", "wasm"] as const) {
    assert.equal(run(process.execPath, ["threads.js"], env(engine)).trim(), "[10400,10400,10400,10400]");
  }
});

test("workerd runs the examples", () => {
  const config = ["using Workerd = import \"/workerd/workerd.capnp\";", "const config :Workerd.Config = (services = ["];
  for (const [index] of files().entries()) {
    const out = `worker${index}`;
    // An import in the handler, so that what fails there is told.
    const entry = `export default { async test() { await import("./example${index}.js"); } };`;
    writeFileSync(join(folder, `${out}.in.js`), entry);
    const bundling = ["--bundle", "--format=esm", "--conditions=workerd,worker", "--loader:.wasm=copy", "--log-level=error"];
    run(join(BIN, "esbuild"), [`${out}.in.js`, ...bundling, `--outdir=${out}`, "--asset-names=[name]", "--entry-names=main"]);
    const modules = readdirSync(join(folder, out)).sort((one) => (one === "main.js" ? -1 : 1)).map((name) => {
      const kind = name.endsWith(".wasm") ? "wasm" : "esModule";
      return `(name = "${name}", ${kind} = embed "${out}/${name}")`;
    });
    config.push(`(name = "${out}", worker = (compatibilityDate = "2026-01-01", modules = [${modules.join(", ")}])),`);
  }
  writeFileSync(join(folder, "workerd.capnp"), [...config, "]);"].join("\n"));
  run(join(BIN, "workerd"), ["test", "workerd.capnp"]);
});

test("Chromium runs the examples once the engine is started", async () => {
  const site = join(folder, "site");
  mkdirSync(site, { recursive: true });
  const bundling = ["--bundle", "--format=esm", "--log-level=error", `--outdir=${site}`];
  for (const [index, code] of examples().entries()) {
    const entry = entries(code)[0];
    // The engine is started before the example is, in the same bundle.
    const start = `import { init } from "${entry}"; await init(new URL("${entry === "llmend" ? "llmend" : "llmend_full"}_bg.wasm", location.href)); export {};`;
    writeFileSync(join(folder, `start${index}.js`), start);
    const main = `import "./start${index}.js"; import "./example${index}.js"; document.title += globalThis.checked > 0 ? " ${index}" : ""; fetch("done");`;
    writeFileSync(join(folder, `page${index}.js`), main);
  }
  run(join(BIN, "esbuild"), [...files().map((_, index) => `page${index}.js`), ...bundling]);
  cpSync(join(folder, "node_modules/llmend/dist/wasm"), site, { recursive: true });
  const scripts = files().map((_, index) => `<script type="module" src="page${index}.js"></script>`);
  writeFileSync(join(site, "index.html"), `<!doctype html><title>checked</title><img src="all">${scripts.join("")}`);
  const types: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };
  // The page has loaded when its picture has an answer: once all examples have run, or after too long.
  let done = 0;
  let release = () => {};
  const all = new Promise<void>((ready) => {
    release = ready;
    setTimeout(ready, 30_000).unref();
  });
  const server = createServer(async (request, response) => {
    const name = request.url === "/" ? "index.html" : (request.url ?? "").slice(1);
    if (name === "done" && ++done === files().length) release();
    if (name === "all") await all;
    try {
      const body = readFileSync(join(site, name));
      response.writeHead(200, { "content-type": types[extname(name)] ?? "text/plain" }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  try {
    const { port } = server.address() as { port: number };
    const { execFile } = await import("node:child_process");
    const args = ["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", `http://127.0.0.1:${port}/`];
    const dom = await new Promise<string>((done, fail) =>
      execFile(process.env.CHROMIUM ?? "chromium", args, { timeout: 120_000 }, (error, stdout) => (error ? fail(error) : done(stdout))),
    );
    const title = /<title>(.*?)<\/title>/.exec(dom)?.[1];
    assert.deepEqual(title?.split(" ").slice(1).sort(), files().map((_, index) => String(index)), title);
  } finally {
    server.close();
  }
});
