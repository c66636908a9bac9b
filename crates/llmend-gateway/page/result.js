// What of an answer of the gateway does the page show, in the units of the page?
//
// Pure functions from what was sent and what came back to plain columns, which go from the worker to
// the page without being copied one by one.

import { Offsets } from "./offsets.js";
import { KIND, partAt, tapeOf, textOf } from "./tape.js";

/** The most findings that are shown. */
const MOST_ROWS = 1000;

/**
 * What was done to the text and to the value, in the order of the text, as far as each has a place of its
 * own there; and the coercions that have none.
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
    // Repairs are disjoint; a coercion may be of something in which others are.
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

/** Repairs as columns, with their places in code units. */
export function columnsOf(repairs, offsets) {
  const size = repairs.length;
  const names = [];
  const known = new Map();
  const columns = {
    start: new Uint32Array(size),
    end: new Uint32Array(size),
    rule: new Uint16Array(size),
    class: new Uint8Array(size),
    /** All replacements one after the other, and where each ends. */
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

/** From harmless to grave. */
export const CLASSES = ["notation", "completion", "guess", "loss"];

/** What a repair puts in. */
export function replacementOf(columns, at) {
  return columns.texts.slice(at === 0 ? 0 : columns.cut[at - 1], columns.cut[at]);
}

/** Places of parts as a column of starts and ends in code units. */
export function placesOf(places, offsets) {
  const column = new Uint32Array(places.length * 2);
  places.forEach(([start, end], at) => {
    column[at * 2] = offsets.unit(start);
    column[at * 2 + 1] = offsets.unit(end);
  });
  return column;
}

/** Findings with their places in code units, and the part of the value that each is about. */
export function rowsOf(rows, offsets, json, tape) {
  return rows.slice(0, MOST_ROWS).map((row) => ({
    ...row,
    start: row.start === null || row.start === undefined ? null : offsets.unit(row.start),
    end: row.end === null || row.end === undefined ? null : offsets.unit(row.end),
    part: tape === null || typeof row.path !== "string" ? -1 : partAt(json, tape, row.path),
  }));
}

/** Members of a value that only a plan, a workflow or a patch has. */
const OF_PLANS = new Set([
  "steps", "tasks", "nodes", "edges", "plan", "workflow", "tool_calls",
]);

/** Whether a value looks like a plan or a workflow. */
export function looksLikePlan(json, tape) {
  if (tape.length === 0) return false;
  for (let part = 1; part < tape.length && tape.kind[0] === KIND.object; part = tape.after[part + 1]) {
    if (OF_PLANS.has(textOf(json, tape, part, 40))) return true;
  }
  return false;
}

/** What `/v1/repair` said of a text. */
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
    /** Every coercion, for the parts that they are about; and those that have no mark in the text. */
    coercions: rowsOf(body.coercions ?? [], offsets, json, tape),
    beside: rowsOf(beside, offsets, json, tape),
  };
}

/** What `/v1/plan` said of a text. The places of its findings are in the value that `value` is of. */
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
    candidate: body.candidate
      ? {
        start: offsets.unit(body.candidate.start),
        end: offsets.unit(body.candidate.end),
        origin: body.candidate.origin,
      }
      : null,
    repairs: columnsOf(body.repairs ?? [], offsets),
    findings: rowsOf([...found, ...further], offsets, json, tape),
  };
}

/** What `/v1/stream` said of a text: columns with a row for each chunk, and what there is at its end. */
export function chunksOf(text, lines) {
  const offsets = new Offsets(text);
  const last = lines[lines.length - 1];
  const chunks = lines.slice(0, -1);
  const repairs = [];
  chunks.forEach((chunk, at) => chunk.repairs.forEach((repair) => repairs.push({ ...repair, at })));
  const told = new Set(repairs.map((repair) => `${repair.start} ${repair.end} ${repair.rule}`));
  for (const repair of last.repairs ?? []) {
    // What was not certain before the end.
    if (!told.has(`${repair.start} ${repair.end} ${repair.rule}`)) {
      repairs.push({ ...repair, at: chunks.length });
    }
  }
  repairs.sort((a, b) => a.start - b.start || a.end - b.end);
  // How many repairs are certain after each chunk; those of the end come behind the last.
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
