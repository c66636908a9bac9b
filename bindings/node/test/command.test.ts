// The command as npm installs it, beside the native one.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { installed } from "./installed.ts";

const FIXTURES = new URL("../../../testing/fixtures/", import.meta.url);
const RUNTIMES = fileURLToPath(new URL("../node_modules/.bin", import.meta.url));
const NATIVE = process.env.LLMEND ?? "";

interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

let folder = "";

before(() => {
  folder = installed();
  writeFileSync(join(folder, "broken.txt"), "Sure!\n```json\n{'city': 'Oslo', 'people': '717710',}\n```\n");
  writeFileSync(join(folder, "quotes.txt"), "{'city': 'Oslo'}");
  const schema = { type: "object", properties: { city: { type: "string" }, people: { type: "integer" } } };
  writeFileSync(join(folder, "schema.json"), JSON.stringify({ $defs: { City: schema }, ...schema }));
});

after(() => rmSync(folder, { recursive: true, force: true }));

/** The environment with the runtimes of the tests, and without settings. */
function environment(more: Record<string, string> = {}): Record<string, string> {
  const { LLMEND: _, ...rest } = process.env;
  return { ...rest, PATH: `${RUNTIMES}${delimiter}${process.env.PATH}`, ...more } as Record<string, string>;
}

function ran(command: string, line: string[], options: { input?: string | Uint8Array; env?: Record<string, string> } = {}): Ended {
  const { input = "", env = {} } = options;
  const { status, stdout, stderr } = spawnSync(command, line, { cwd: folder, input, env: environment(env), encoding: "utf8", timeout: 120_000 });
  return { status, stdout, stderr };
}

const llmend = (line: string[], options = {}) => ran(join(folder, "node_modules/.bin/llmend"), line, options);
const native = (line: string[], options = {}) => ran(NATIVE, line, options);

/** Returns what is said last, unless the text was refused: the native command draws the rest. */
const summary = ({ status, stderr }: Ended) => (status === 0 ? stderr.trimEnd().split("\n").at(-1) : "");

/** Runs each line with both commands, and compares. */
function compare(lines: string[][]): Ended[] {
  assert.ok(NATIVE, "LLMEND has to name the command; .ci/node builds it");
  writeFileSync(join(folder, "lines.json"), JSON.stringify(lines));
  const runner = fileURLToPath(new URL("command/lines.ts", import.meta.url));
  const run = join(folder, "node_modules/llmend/dist/command/run.js");
  const { status, stderr } = ran(process.execPath, [runner, run, "lines.json", "out.json"]);
  assert.equal(status, 0, stderr);
  const results = JSON.parse(readFileSync(join(folder, "out.json"), "utf8")) as Ended[];
  assert.equal(results.length, lines.length);
  for (const [index, line] of lines.entries()) {
    const wanted = native(line);
    const found = results[index] as Ended;
    const rows = [found, wanted].map((ended) => ({ ...ended, stderr: summary(ended) }));
    assert.deepEqual(rows[0], rows[1], line.join(" "));
  }
  return results;
}

/** Writes the texts of a corpus to files. Returns their names. */
function texts(corpus: string, key: "input" | "text"): { file: string; row: Record<string, unknown> }[] {
  const lines = readFileSync(new URL(`${corpus}.jsonl`, FIXTURES), "utf8").split("\n").filter((line) => line !== "");
  const name = corpus.replaceAll("/", "-");
  mkdirSync(join(folder, name), { recursive: true });
  return lines.map((line, index) => {
    const row = JSON.parse(line) as Record<string, unknown>;
    const file = `${name}/${index}.txt`;
    writeFileSync(join(folder, file), row[key] as string);
    return { file, row };
  });
}

for (const corpus of ["dev", "defects"]) {
  test(`repair writes what the native command does: ${corpus}`, () => {
    const files = texts(corpus, "input").map(({ file }) => file);
    const flags = [[], ["--pretty"], ["--report", "json"], ["--report=json", "--pretty", "-q"], ["--policy", "conservative"], ["--whole", "--choice=first"]];
    const results = compare(flags.flatMap((flags) => files.map((file) => ["repair", ...flags, file])));
    for (const status of [0, 1]) assert.ok(results.filter((one) => one.status === status).length > 10, String(status));
  });
}

for (const corpus of ["calls/wild", "calls/published"]) {
  test(`calls writes what the native command does: ${corpus}`, () => {
    const lines = texts(corpus, "text").flatMap(({ file, row }) => {
      const tools = `${file}.tools.json`;
      writeFileSync(join(folder, tools), JSON.stringify(row.tools ?? []));
      return [["--tools", tools], ["--tools", tools, "--report", "json"], ["--pretty", "--marked"]].map((flags) => ["calls", ...flags, file]);
    });
    const results = compare(lines);
    assert.ok(results.filter(({ stdout }) => stdout.includes('"arguments":')).length > 50);
  });
}

test("repair --schema and validate write what the native command does", () => {
  const names = readdirSync(new URL("schema/", FIXTURES)).filter((name) => name.endsWith(".json"));
  const lines = names.flatMap((name) => {
    const { schema, answer, text: written } = JSON.parse(readFileSync(new URL(`schema/${name}`, FIXTURES), "utf8")) as Record<string, unknown>;
    const text = written ?? answer;
    writeFileSync(join(folder, `s-${name}`), JSON.stringify(schema));
    writeFileSync(join(folder, `v-${name}`), typeof text === "string" ? text : JSON.stringify(text));
    const schemas = ["--schema", `s-${name}`, `v-${name}`];
    return [
      ["repair", ...schemas],
      ["repair", "--report", "json", "--on-extra", "drop", "--units=strip", "--near", "off", "--on-bad-item", "drop", "--emphasis", ...schemas],
      ["validate", "--report", "json", ...schemas],
      ["validate", ...schemas],
    ];
  });
  const results = compare(lines);
  for (const status of [0, 1]) assert.ok(results.filter((one) => one.status === status).length > 20, String(status));
});

test("numbers keep their digits, and keys their order", () => {
  const text = 'Ho: {"2": 1.0, "1": 12345678901234567890, "1": -0, "é\\u0041": [1e5, {}, []], "__proto__": 0.10,}';
  writeFileSync(join(folder, "numbers.txt"), text);
  writeFileSync(join(folder, "call.txt"), `👋 <tool_call>{"name": "f", "arguments": ${text.slice(4)}}</tool_call>`);
  const lines = [["repair"], ["repair", "--pretty"], ["repair", "--report", "json"]].map((line) => [...line, "numbers.txt"]);
  const calls = [["calls"], ["calls", "--pretty"], ["calls", "--report", "json"]].map((line) => [...line, "call.txt"]);
  for (const { stdout } of compare([...lines, ...calls])) assert.match(stdout, /12345678901234567890/);
});

test("standard input, files and parts of files are read", () => {
  const wanted = '{"city": "Oslo", "people": 717710}\n';
  const input = readFileSync(join(folder, "broken.txt"), "utf8");
  for (const schema of ["schema.json", "schema.json#/$defs/City"]) {
    for (const file of [[], ["-"], ["broken.txt"]]) {
      const { status, stdout, stderr } = llmend(["repair", "--schema", schema, ...file], { input });
      assert.deepEqual([status, JSON.parse(stdout), stderr.split(":")[0]], [0, JSON.parse(wanted), "llmend"]);
    }
  }
});

test("what is wrong with a line, a file or a text has the native command's exit status", () => {
  const lines: [string[], number, RegExp][] = [
    [[], 2, /Usage: llmend/],
    [["repiar"], 2, /'repiar'[^]*'repair'/],
    [["plan", "a.txt"], 2, /`plan` needs the native command: `cargo install llmend-cli`/],
    [["repair", "--reprt", "json"], 2, /'--reprt' found[^]*'--report'/],
    [["repair", "--explain"], 2, /`--explain` needs the native command: `cargo install llmend-cli`/],
    [["repair", "-x"], 2, /'-x' found/],
    [["repair", "--report", "xml"], 2, /\[possible values: json\]/],
    [["repair", "--policy"], 2, /a value is required for '--policy <POLICY>'/],
    [["repair", "--policy", "lenient", "--policy", "strict"], 2, /cannot be used multiple times/],
    [["repair", "--pretty=1"], 2, /unexpected value '1'/],
    [["repair", "--rule", "singel-quotes"], 2, /singel-quotes/],
    [["repair", "--rule", "inner-quotes", "--no-rule", "inner-quotes"], 2, /given to both/],
    [["repair", "--max-depth", "x"], 2, /'x' for '--max-depth <LEVELS>'/],
    [["repair", "--max-bytes", "0"], 2, /'0' for '--max-bytes <BYTES>'/],
    [["repair", "--on-extra", "drop"], 2, /--schema <FILE>/],
    [["repair", "a", "b"], 2, /'b' found/],
    [["repair", "no-such-file"], 3, /cannot read `no-such-file`: no such file/],
    [["repair", "."], 3, /is a directory/],
    [["repair", "--max-bytes", "9", "broken.txt"], 1, /limit\/bytes[^]*--max-bytes/],
    [["repair", "--max-depth", "0", "broken.txt"], 1, /limit\/depth[^]*--max-depth/],
    [["repair", "--policy", "strict", "broken.txt"], 1, /broken.txt:1:1/],
    [["repair", "--schema", "broken.txt", "broken.txt"], 2, /the schema is not strict JSON[^]*broken.txt:1:1/],
    [["repair", "--schema", "none.json", "broken.txt"], 3, /cannot read `none.json`/],
    [["repair", "--schema", "schema.json#/none", "broken.txt"], 2, /nothing at `\/none`/],
    [["calls", "--tools", "broken.txt", "broken.txt"], 2, /the list of tools is not strict JSON/],
    [["calls", "--notation", "hermez", "broken.txt"], 2, /hermez/],
    [["validate", "broken.txt"], 2, /--schema <FILE>/],
    [["validate", "--pretty", "--schema", "schema.json", "broken.txt"], 2, /--report <FORMAT>/],
    [["validate", "--schema", "schema.json", "broken.txt"], 1, /broken.txt:1:1/],
    [["validate", "--schema", "schema.json", "quotes.txt"], 1, /llmend repair/],
  ];
  for (const [line, status, said] of lines) {
    const found = llmend(line);
    assert.deepEqual([found.status, found.stdout], [status, ""], line.join(" "));
    assert.match(found.stderr, said, line.join(" "));
    if (!/needs the native command/.test(found.stderr)) assert.equal(native(line).status, status, line.join(" "));
  }
});

test("what the engine does not have is refused", () => {
  const schema = ["--schema", "schema.json", "broken.txt"];
  for (const line of [["repair", "--max-class", "guess", ...schema], ["repair", "--max-depth", "600", ...schema], ["calls", "--max-class", "guess"]]) {
    const { status, stderr } = llmend(line);
    assert.deepEqual([status, /`--max-[^`]+`.* needs the native command: `cargo install llmend-cli`/.test(stderr)], [2, true], stderr);
  }
  assert.equal(llmend(["repair", "--max-class", "notation", "broken.txt"]).status, native(["repair", "--max-class", "notation", "broken.txt"]).status);
});

test("invalid UTF-8 is refused at its place", () => {
  const input = Uint8Array.from([0x5b, 0xc3, 0xa9, 0xff, 0x5d]);
  const line = ["repair", "--report", "json"];
  const found = llmend(line, { input });
  assert.deepEqual([found.status, found.stdout], [1, native(line, { input }).stdout]);
  assert.match(found.stdout, /"start":3/);
  assert.match(llmend(["repair"], { input: Uint8Array.from([0xff, 0xfe, 0x7b, 0]) }).stderr, /iconv/);
});

test("the environment disables repair", () => {
  const off = { env: { LLMEND_REPAIR: "0" } };
  const found = llmend(["repair", "broken.txt"], off);
  assert.deepEqual([found.status, found.stdout], [1, ""]);
  assert.match(found.stderr, /repair is disabled by LLMEND_REPAIR/);
  assert.deepEqual(llmend(["repair", "schema.json"], off), native(["repair", "schema.json"], off));
  assert.equal(llmend(["repair"], { env: { LLMEND_REPAIR: "x" } }).status, 2);
});

test("a reader that closes the pipe hears nothing more", async () => {
  const long = `[${'"a",'.repeat(1_000_000)}]`;
  writeFileSync(join(folder, "long.txt"), long);
  const child = spawn(join(folder, "node_modules/.bin/llmend"), ["repair", "--quiet", "long.txt"], { cwd: folder, env: environment() });
  let said = "";
  child.stderr.on("data", (piece) => (said += piece));
  child.stdout.once("data", () => child.stdout.destroy());
  const status = await new Promise((done) => child.on("close", done));
  assert.deepEqual([status, said], [3, ""]);
});

test("the help has the native command's words, and the version is its version", () => {
  assert.deepEqual(llmend(["--version"]), native(["--version"]));
  const words = (text: string) => text.trim().replaceAll(/\s+/g, " ");
  for (const name of ["repair", "calls", "validate"]) {
    // What the native command lists, this one leaves to the reference.
    const known = words(native([name, "-h"]).stdout).replaceAll(/; see `llmend \w+`( and `llmend \w+`)?/g, "");
    assert.doesNotMatch(llmend([name, "--help"]).stdout, /`llmend/);
    const { status, stdout } = llmend([name, "--help"]);
    assert.equal(status, 0);
    const flags = stdout.split("\n").map(words).filter((line) => line.startsWith("-") && !line.startsWith("-h"));
    assert.ok(flags.length >= 6);
    for (const line of flags) assert.ok(known.includes(line), `${name}: ${line}`);
    assert.deepEqual(llmend(["help", name]).stdout, stdout);
  }
  assert.match(llmend(["--help"]).stdout, /cargo install llmend-cli/);
});

for (const [runtime, line] of [["bun", ["run", "--bun"]], ["deno", ["run", "--allow-read", "--allow-env"]]] as [string, string[]][]) {
  test(`${runtime} runs the command`, () => {
    const command = join(folder, "node_modules/llmend/dist/command.js");
    const { status, stdout } = ran(join(RUNTIMES, runtime), [...line, command, "repair", "--quiet"], { input: "{a: 1}", env: { DENO_NO_UPDATE_CHECK: "1" } });
    assert.deepEqual([status, stdout], [0, '{"a": 1}\n']);
  });
}
