// Both packages on the same texts.
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { jsonrepair as theirs } from "jsonrepair";
import { jsonrepair as ours } from "llmend/jsonrepair";

/** A text of a corpus, with the value that it means. */
export interface Case {
  id: string;
  input: string;
  expected: unknown;
  accept: unknown[];
  verdict: "value" | "ambiguous" | "error";
}

/** What a package makes of a text. */
export type Made = { json: string; value: unknown } | { error: string };

export function made(by: (text: string) => string, text: string): Made {
  try {
    const json = by(text);
    return { json, value: JSON.parse(json) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

export const both = (text: string): { ours: Made; theirs: Made } => ({ ours: made(ours, text), theirs: made(theirs, text) });

export function cases(file: URL | string): Case[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Case);
}

/** Whether a result is the intended value, or a refusal where none is clearly meant. */
function isRight(result: Made, { expected, accept, verdict }: Case): boolean {
  if ("error" in result) return verdict !== "value";
  const wanted = verdict === "error" ? accept : [expected, ...accept];
  return wanted.some((value) => isDeepStrictEqual(value, result.value));
}

/** What a text says of the two: the columns of the page. */
export const KINDS = ["same text", "same value", "both right", "better", "both wrong", "refused", "wrong"] as const;
export type Kind = (typeof KINDS)[number];

/** Compares both on one text. `refused` and `wrong` are ours where theirs is right. */
export function kind(one: Case): Kind {
  const { ours, theirs } = both(one.input);
  if ("json" in ours && "json" in theirs) {
    if (ours.json === theirs.json) return "same text";
    if (isDeepStrictEqual(ours.value, theirs.value)) return "same value";
  }
  const right = [isRight(ours, one), isRight(theirs, one)];
  if (right[0]) return right[1] ? "both right" : "better";
  if (!right[1]) return "both wrong";
  return "error" in ours ? "refused" : "wrong";
}

/** Counts the kinds of texts. */
export function counted(texts: Case[]): Record<Kind, number> & { wrong: number } {
  const counts = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<Kind, number>;
  for (const one of texts) counts[kind(one)]++;
  return counts;
}
