// Conversion of the gateway's responses to the page's data.
//
// Pure functions that return plain columns, which are cheap to pass from the worker to the page.

import { Offsets } from "./offsets.js";
import { KIND, partAt, tapeOf, textOf } from "./tape.js";

/** Maximum number of findings shown. */
const MAX_ROWS = 1000;

/**
 * Merges repairs and coercions in the order of the text. Coercions without a span of their own are returned
 * in `beside`.
 */
export function changesOf(repairs, coercions) {
  const placed = coercions.filter((row) => typeof row.start === "number" && row.end > row.start);
  const rows = [
    ...repairs,
    ...placed.map((row) => ({ ...row, rule: row.kind, replacement: String(row.after ?? "") })),
  ];
  rows.sort((a, b) => a.start - b.start || a.end - b.end);
  const changes = [];
  const beside = coercions.filter((row) => !placed.includes(row));
  let end = -1;
  for (const row of rows) {
    // Repairs are disjoint, but a coercion may contain other changes.
    if (row.kind !== undefined && row.start < end) beside.push(row);
    else {
      while (changes.length > 0 && changes.at(-1).kind !== undefined && changes.at(-1).end > row.start) {
        beside.push(changes.pop());
      }
      changes.push(row);
      end = Math.max(end, row.end);
    }
  }
  return { changes, beside };
}

/** Converts repairs to columns, with offsets in code units. */
export function columnsOf(repairs, offsets) {
  const size = repairs.length;
  const names = [];
  const known = new Map();
  const columns = {
    start: new Uint32Array(size),
    end: new Uint32Array(size),
    rule: new Uint16Array(size),
    class: new Uint8Array(size),
    /** All replacements concatenated, and the end of each. */
    texts: "",
    cut: new Uint32Array(size),
    names,
  };
  const texts = [];
  let length = 0;
  repairs.forEach((repair, at) => {
    if (!known.has(repair.rule)) {
      known.set(repair.rule, names.length);
      names.push(repair.rule);
    }
    columns.start[at] = offsets.unit(repair.start);
    columns.end[at] = offsets.unit(repair.end);
    columns.rule[at] = known.get(repair.rule);
    columns.class[at] = CLASSES.indexOf(repair.class);
    texts.push(repair.replacement);
    length += repair.replacement.length;
    columns.cut[at] = length;
  });
  columns.texts = texts.join("");
  return columns;
}

/** Repair classes, safest first. */
export const CLASSES = ["notation", "completion", "guess", "loss"];

/** Returns the replacement of a repair. */
export function replacementOf(columns, at) {
  return columns.texts.slice(at === 0 ? 0 : columns.cut[at - 1], columns.cut[at]);
}

/** Converts the spans of parts to a column of starts and ends in code units. */
export function placesOf(places, offsets) {
  const column = new Uint32Array(places.length * 2);
  places.forEach(([start, end], at) => {
    column[at * 2] = offsets.unit(start);
    column[at * 2 + 1] = offsets.unit(end);
  });
  return column;
}

/** Adds to each finding its offsets in code units and its part of the value. */
export function rowsOf(rows, offsets, json, tape) {
  return rows.slice(0, MAX_ROWS).map((row) => ({
    ...row,
    start: row.start === null || row.start === undefined ? null : offsets.unit(row.start),
    end: row.end === null || row.end === undefined ? null : offsets.unit(row.end),
    part: tape === null || typeof row.path !== "string" ? -1 : partAt(json, tape, row.path),
  }));
}

/** Keys that only plans, workflows and patches have. */
const OF_PLANS = new Set([
  "steps", "tasks", "nodes", "edges", "plan", "workflow", "tool_calls",
]);

/** Returns whether a value looks like a plan or a workflow. */
export function looksLikePlan(json, tape) {
  if (tape.length === 0) return false;
  for (let part = 1; part < tape.length && tape.kind[0] === KIND.object; part = tape.after[part + 1]) {
    if (OF_PLANS.has(textOf(json, tape, part, 40))) return true;
  }
  return false;
}

/** Converts a response of `/v1/repair`. */
export function valueOf(text, body) {
  const offsets = new Offsets(text);
  const json = typeof body.json === "string" ? body.json : null;
  const tape = json === null ? null : tapeOf(json);
  const { changes, beside } = changesOf(body.repairs ?? [], body.coercions ?? []);
  return {
    json,
    tape,
    places: placesOf(body.places ?? [], offsets),
    ...reportOf(body, offsets, json, tape),
    repairs: columnsOf(changes, offsets),
    /** All coercions, and those without a mark in the text. */
    coercions: rowsOf(body.coercions ?? [], offsets, json, tape),
    beside: rowsOf(beside, offsets, json, tape),
  };
}

/** Converts a response of `/v1/plan`. Paths of findings refer to `value`. */
export function planOf(text, body, value) {
  const offsets = new Offsets(text);
  const lists = body.places ?? {};
  const named = "nodes" in lists ? "nodes" : "steps";
  const places = (lists[named] ?? []).map((place) => (place === null
    ? null
    : [offsets.unit(place[0]), offsets.unit(place[1])]));
  return {
    document: body.document ?? null,
    dialect: body.dialect ?? null,
    valid: body.valid ?? null,
    drawing: body.drawing ?? null,
    items: places,
    ...reportOf(body, offsets, value?.json ?? null, value?.tape ?? null),
  };
}

function reportOf(body, offsets, json, tape) {
  const found = body.details ?? body.diagnostics ?? [];
  const seen = new Set(found.map((row) => `${row.code} ${row.path} ${row.start}`));
  const further = body.details === undefined
    ? []
    : (body.diagnostics ?? []).filter((row) => !seen.has(`${row.code} ${row.path} ${row.start}`));
  return {
    error: body.error ?? null,
    status: body.status ?? null,
    class: body.class ?? null,
    truncated: body.truncated ?? false,
    origin: body.candidate?.origin ?? null,
    /** The spans of what was read. */
    inside: (body.candidate ? [body.candidate] : body.calls ?? []).map(({ start, end }) => ({
      start: offsets.unit(start), end: offsets.unit(end),
    })),
    repairs: columnsOf(body.repairs ?? [], offsets),
    findings: rowsOf([...found, ...further], offsets, json, tape),
  };
}

/** Converts a response of `/v1/stream`: columns with a row for each chunk, and the final result. */
export function chunksOf(text, lines) {
  const offsets = new Offsets(text);
  const last = lines[lines.length - 1];
  const chunks = lines.slice(0, -1);
  const repairs = [];
  chunks.forEach((chunk, at) => chunk.repairs.forEach((repair) => repairs.push({ ...repair, at })));
  const reported = new Set(repairs.map((repair) => `${repair.start} ${repair.end} ${repair.rule}`));
  for (const repair of last.repairs ?? []) {
    // Repairs that were not certain before the end.
    if (!reported.has(`${repair.start} ${repair.end} ${repair.rule}`)) {
      repairs.push({ ...repair, at: chunks.length });
    }
  }
  repairs.sort((a, b) => a.start - b.start || a.end - b.end);
  // Number of certain repairs after each chunk. Those of the end come after the last chunk.
  const known = new Uint32Array(chunks.length);
  for (const { at } of repairs) if (at < known.length) known[at] += 1;
  for (let at = 1; at < known.length; at += 1) known[at] += known[at - 1];
  return {
    ...valueOf(text, last),
    end: Uint32Array.from(chunks, (chunk) => offsets.unit(chunk.end)),
    parts: Uint32Array.from(chunks, (chunk) => chunk.parts),
    growing: Int32Array.from(chunks, (chunk) => chunk.growing ?? -1),
    repairs: columnsOf(repairs, offsets),
    certain: Uint32Array.from(repairs, (repair) => repair.at),
    known,
  };
}
