// The package and the command say the same of each text of the corpora, to the last place.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { LlmendError, parse, reader, repair } from "llmend";
import { parse as parseFull } from "llmend/schema";

const FIXTURES = new URL("../../../testing/fixtures/", import.meta.url);

interface Case {
  id: string;
  input: string;
}

function read(file: string | URL): Case[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Case);
}

function cases(name: string): Case[] {
  if (name !== "generated") return read(new URL(`${name}.jsonl`, FIXTURES));
  const score = process.env.SCORE;
  assert.ok(score, "SCORE has to name the generator; .ci/node builds it");
  const folder = mkdtempSync(join(tmpdir(), "llmend-"));
  try {
    const file = join(folder, "texts.jsonl");
    const options = { cwd: new URL("../../..", import.meta.url), stdio: "ignore" as const };
    execFileSync(score, ["--corpus", "damage", "--n", "10000", "--dump", file], options);
    return read(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The command's reports on texts, in order. */
function told(texts: Case[]): Record<string, unknown>[] {
  const command = process.env.LLMEND;
  assert.ok(command, "LLMEND has to name the command; .ci/node builds it");
  const folder = mkdtempSync(join(tmpdir(), "llmend-"));
  try {
    const file = join(folder, "texts.jsonl");
    writeFileSync(file, texts.map(({ input }) => `${JSON.stringify({ input })}\n`).join(""));
    // It exits with 1 if a text was refused.
    let out: string;
    const options = { encoding: "utf8" as const, maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "ignore"] as const };
    try {
      out = execFileSync(command, ["batch", "--quiet", "--field", "input", file], { ...options, stdio: [...options.stdio] });
    } catch (error) {
      out = (error as { stdout: string }).stdout;
    }
    return out.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as Record<string, unknown>);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Makes the offsets of a record count UTF-16 units. */
function moved(record: unknown, text: string): unknown {
  const bytes = Buffer.from(text, "utf8");
  const isAscii = bytes.length === text.length;
  const unit = (at: number) => (isAscii ? at : bytes.subarray(0, at).toString("utf8").length);
  const walk = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== "object" || part === null) return part;
    const entries = Object.entries(part).map(([key, value]) => [
      key,
      (key === "start" || key === "end") && typeof value === "number" ? unit(value) : walk(value),
    ]);
    return Object.fromEntries(entries);
  };
  return walk(record);
}

/** What the package says, in the form of the command's object. */
function said(text: string): Record<string, unknown> {
  try {
    const { text: json, report } = repair(text);
    const { status, truncated, class: worst, candidate, repairs, diagnostics } = report;
    return { status, json, truncated, class: worst, candidate, repairs, diagnostics };
  } catch (error) {
    assert.ok(error instanceof LlmendError, String(error));
    return { status: "refused", json: null, code: error.code, diagnostics: error.diagnostics };
  }
}

for (const name of ["dev", "defects", "generated"]) {
  test(`${name}: the report is the command's`, () => {
    const texts = cases(name);
    const reports = told(texts);
    assert.equal(reports.length, texts.length);
    assert.ok(texts.length > 100);
    let repaired = 0;
    for (const [index, { id, input }] of texts.entries()) {
      const row = moved(reports[index], input) as Record<string, unknown>;
      const own = said(input);
      const code = (row.error as { code: string } | null)?.code;
      const wanted = own.status === "refused"
        ? { status: row.status, json: row.json, code, diagnostics: row.diagnostics }
        : Object.fromEntries(Object.keys(own).map((key) => [key, row[key]]));
      assert.deepEqual(worded(own), worded(wanted), id);
      if (own.status === "repaired") repaired++;
    }
    assert.ok(repaired > 50);
  });
}

for (const name of ["dev", "defects"]) {
  test(`${name}: the larger module and a stream give the same value`, () => {
    for (const { id, input } of cases(name)) {
      const own = said(input);
      if (own.status === "refused") continue;
      const value = JSON.parse(own.json as string);
      assert.deepEqual(parseFull(input).value, value, id);
      const first = attempt(() => parse(input, { choice: "first" }));
      const read = reader();
      for (const character of input) read.push(character);
      const streamed = attempt(() => {
        const { rows, outcome } = read.end();
        read.grow(rows);
        return outcome;
      });
      assert.deepEqual(streamed, first, id);
      if (first !== undefined) assert.deepEqual(read.value, first, `${id}: the last view`);
    }
  });
}

function attempt(work: () => { value: unknown }): unknown {
  try {
    return work().value;
  } catch (error) {
    assert.ok(error instanceof LlmendError, String(error));
    return undefined;
  }
}

/** Spells options as the crates do. */
function worded(record: unknown): unknown {
  return JSON.parse(JSON.stringify(record).replace(/`max([A-Z])(\w+)`/g, (_, first: string, rest: string) => `\`max_${first.toLowerCase()}${rest}\``));
}
