// Offsets in UTF-16 units, as the engine counts for JavaScript, and in bytes, as native reports count.

const encoder = new TextEncoder();
const bytes = (text: string) => encoder.encode(text).length;

/** Returns what gives the byte offset for an offset in UTF-16 units. It is quick for offsets that rise. */
export function byteAt(text: string): (offset: number) => number {
  let last = 0;
  let count = 0;
  return (offset) => {
    if (offset >= last) count += bytes(text.slice(last, offset));
    else count -= bytes(text.slice(offset, last));
    last = offset;
    return count;
  };
}

/** Returns a record with its offsets in bytes. No part of it is a value of the user. */
export function inBytes<T>(record: T, at: (offset: number) => number): T {
  if (Array.isArray(record)) return record.map((part) => inBytes(part, at)) as T;
  if (typeof record !== "object" || record === null) return record;
  const moved = Object.entries(record).map(([key, value]) => {
    const isPlace = key === "start" || key === "end" || key === "cut";
    return [key, isPlace && typeof value === "number" ? at(value) : inBytes(value as unknown, at)];
  });
  return Object.fromEntries(moved) as T;
}

/** Returns the line and column of a byte offset, from 1. Columns count characters. */
export function lineColumn(text: string, offset: number): [line: number, column: number] {
  const before = new TextDecoder("utf-8", { ignoreBOM: true }).decode(encoder.encode(text).subarray(0, offset)).split("\n");
  return [before.length, [...(before.at(-1) ?? "")].length + 1];
}
