import type { Issue } from "./errors.js";

/** Escapes a key for a JSON Pointer. */
export function token(key: string): string {
  return key.includes("~") || key.includes("/") ? key.replaceAll("~", "~0").replaceAll("/", "~1") : key;
}

/** Returns where a validator's issue is, as a JSON Pointer. */
export function pointerOf(issue: Issue): string {
  return (issue.path ?? []).map((part) => `/${token(String(typeof part === "object" ? part.key : part))}`).join("");
}

/** Returns the line and column of an offset, from 1. Columns count characters. */
export function lineColumn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: [...(before.at(-1) ?? "")].length + 1 };
}
