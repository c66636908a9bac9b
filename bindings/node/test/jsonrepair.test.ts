import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { JSONRepairError, jsonrepair } from "llmend/jsonrepair";
import { jsonrepairTransform } from "llmend/jsonrepair/stream";
import { both, cases, counted, kind } from "./jsonrepair/compared.ts";
import { small } from "../dist/core/small.js";
import { DIFFERENCES } from "./jsonrepair/differences.ts";
import { differences, page, shares } from "./jsonrepair/page.ts";

const REPOSITORY = fileURLToPath(new URL("../../..", import.meta.url));

// What jsonrepair makes of a text, to the last character.
const SAME: string[] = [
  '{"a":2.3e100,"b":"str","c":null,"d":false,"e":[1,2,3]}', "  { \n } \t ", "23", "-0", '"str"', "true", '"★"',
  "abc", "hello   world", "{a:2}", "{\n  a: 2\n}", "[a,b]", "[\na,\nb\n]", '"abc', "'abc", "{'a':'foo'}", "\u2018foo\u2019",
  '"hello\nworld"', "/* foo */ {}", "{} // comment", '{"a":"foo",/*hello*/"b":"bar"}', "callback_123({});", "callback_123(2);",
  '\\"hello world\\"', "[1,2,3,\n]", '{"a":2,}', "4,", '{"a":2},', "{", '{"a":{"b":2}', '[{"i":1,{"i":2}]', "[[1,2,3,",
  'NumberLong("2")', '{"_id":ObjectId("123")}', "True", "None", "[1,foo,4]", "{greeting: hello world!}", '"a"+"b"+"c"',
  '{"array": [{} {}]}', '{"array": [\n1\n2\n]}', '{"a" "b"}', '"foo\'bar"', "'foo\"bar'", "[1,2,3,...]",
  '"12:20', '"She said:', '"\\u2605', '"\\u26', "https://www.bible.com/", "[https://www.bible.com/]", "/[a-z]_/", "[...]",
  '"The TV has a 24" screen"', 'abc"', "undefined", '\\"hello world\\', "  /* foo bar */   callback_123({});  ",
  "\n/* foo\nbar */\ncallback_123 ({});\n\n", '"hello" + /* comment */ " world"', "`foo´", "{`a´:`b´}",
  "/* 🙂 */ {a: '🙂'} // 🙂",
];

test("what jsonrepair repairs is repaired to the same text", () => {
  for (const text of SAME) {
    const { ours, theirs } = both(text);
    assert.deepEqual(ours, theirs, text);
    assert.ok("json" in ours, text);
  }
});

test("a number that is cut off is one, and a comment alone is nothing", () => {
  for (const text of ["2e", "2e+", "1.5E-", " -1.2e "]) {
    const { ours, theirs } = both(text);
    assert.ok("json" in ours && "json" in theirs);
    assert.deepEqual(ours.value, theirs.value, text);
  }
  for (const text of ["// c", " // c\n"]) assert.throws(() => jsonrepair(text), JSONRepairError, text);
});

test("no report is made, which costs more than the repair", (context) => {
  const report = context.mock.method(small, "report");
  for (const text of SAME) jsonrepair(text);
  assert.equal(report.mock.callCount(), 0);
});

test("each difference of the page is one, and the page is up to date", () => {
  for (const { text } of DIFFERENCES) {
    const { ours, theirs } = both(text);
    const same = "json" in ours && "json" in theirs ? ours.json === theirs.json : "error" in ours && "error" in theirs;
    assert.equal(same, false, text);
  }
  assert.equal(page().part("differences"), differences(), "run node test/jsonrepair/page.ts");
});

test("where jsonrepair is right, the corpora give nothing else; the page's shares are those", () => {
  for (const name of ["dev", "defects"]) {
    const texts = cases(new URL(`../../../testing/fixtures/${name}.jsonl`, import.meta.url));
    const worse = texts.filter((one) => ["wrong", "refused"].includes(kind(one))).map((one) => one.id);
    // jsonrepair refuses it, which is right, since no reading is clearly meant.
    assert.deepEqual(worse, name === "dev" ? ["tool_args-12"] : []);
  }
  const rows = shares(undefined).split("\n").slice(2);
  for (const row of rows) assert.ok(page().part("shares").includes(row), `run node test/jsonrepair/page.ts: ${row}`);
});

test("generated texts: right where jsonrepair is, but for refusals", () => {
  const score = process.env.SCORE;
  assert.ok(score, "SCORE has to name the generator; .ci/node builds it");
  const folder = mkdtempSync(join(tmpdir(), "llmend-"));
  try {
    const file = join(folder, "damage.jsonl");
    execFileSync(score, ["--corpus", "damage", "--n", "10000", "--dump", file], { cwd: REPOSITORY, stdio: "ignore" });
    const texts = cases(file);
    const counts = counted(texts);
    assert.equal(texts.length, 10_000);
    assert.ok(counts.wrong <= 5 && counts.refused <= 50, JSON.stringify(counts));
    assert.ok(page().part("shares").includes(shares(file).split("\n").at(-1) ?? ""), "run node test/jsonrepair/page.ts FILE");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the error is named as theirs, with a position in UTF-16 units", () => {
  assert.throws(() => jsonrepair("🙂 {{{ [[ 🙂"), (error: unknown) => {
    assert.ok(error instanceof JSONRepairError && error instanceof Error);
    assert.equal(typeof error.position, "number");
    assert.ok(error.message.endsWith(` at position ${error.position}`));
    return true;
  });
  const text = '{"🙂🙂": "resize", "b"c": {"d": 1}}]';
  assert.throws(() => jsonrepair(text), (error: unknown) => {
    assert.ok(error instanceof JSONRepairError);
    assert.equal(text.slice(error.position, error.position + 3), '"re');
    return true;
  });
});

test("the stream writes what the function returns, in pieces", async () => {
  const text = `[${Array.from({ length: 500 }, (_, id) => `{id: ${id}, 'name': 'é🙂'},`).join("\n")}`;
  const bytes = Buffer.from(text);
  for (const size of [1, 7, 10_000]) {
    const source = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
    let out = "";
    for await (const piece of Readable.from(source).pipe(jsonrepairTransform({ chunkSize: 100, bufferSize: 10 }))) out += piece;
    assert.equal(out, jsonrepair(text));
  }
  const failing = Readable.from([""]).pipe(jsonrepairTransform());
  await assert.rejects(async () => {
    for await (const _ of failing);
  }, JSONRepairError);
  assert.ok(isDeepStrictEqual(JSON.parse(jsonrepair(text)).length, 500));
});

test("the command takes jsonrepair's arguments, and ends as it does", () => {
  const folder = mkdtempSync(join(tmpdir(), "llmend-"));
  const ours = fileURLToPath(new URL("../dist/jsonrepair-command.js", import.meta.url));
  const theirs = fileURLToPath(new URL("../node_modules/jsonrepair/bin/cli.js", import.meta.url));
  const ran = (script: string, line: string[], input = "") => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...line], { cwd: folder, input, encoding: "utf8" });
    return { status, stdout, failed: stderr !== "" };
  };
  const broken = "{'id': 1, name: 'é🙂',}";
  try {
    writeFileSync(join(folder, "broken.json"), broken);
    const lines: [string[], string?][] = [
      [["broken.json"]], [[], broken], [["--buffer", "64K"], broken], [["--buffer", "2M", "broken.json"]],
      [["-o", "out.json", "broken.json"]], [["broken.json", "--output", "out.json"]],
      [[], ""], [["missing.json"]], [["broken.json", "another.json"]], [["--buffer", "many", "broken.json"]],
      [["--overwrite"], broken], [["broken.json", "--overwrite", "-o", "out.json"]], [["broken.json", "--overwrite"]],
    ];
    for (const [line, input] of lines) {
      const made = [ours, theirs].map((script) => {
        writeFileSync(join(folder, "broken.json"), broken);
        rmSync(join(folder, "out.json"), { force: true });
        const ended = ran(script, line, input);
        const written = readdirSync(folder).sort().map((name) => [name, readFileSync(join(folder, name), "utf8")]);
        return { ...ended, written };
      });
      assert.deepEqual(made[0], made[1], line.join(" "));
    }
    assert.equal(readFileSync(join(folder, "broken.json"), "utf8"), jsonrepair(broken));
    const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };
    for (const flag of ["-v", "--version"]) assert.deepEqual(ran(ours, [flag]), { status: 0, stdout: `${version}\n`, failed: false });
    for (const flag of ["-h", "--help"]) {
      const [own, their] = [ran(ours, [flag]), ran(theirs, [flag])];
      assert.equal(own.status, 0);
      for (const option of their.stdout.match(/(?<= )--?\w+/g) ?? []) assert.ok(own.stdout.includes(option), option);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
