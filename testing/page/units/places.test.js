// Positions of parts.

import assert from "node:assert/strict";
import { test } from "node:test";

import { notesOf, partAround, placeOf } from "../../../crates/llmend-gateway/page/places.js";

/** `{"a": [1]}`: the object, its key, the list, the number. */
const value = { tape: {}, places: [0, 10, 1, 4, 6, 9, 7, 8], coercions: [{ part: 3, class: "coercion", kind: "k", before: "1", after: "2" }] };

test("a part has a span if it is known", () => {
  assert.deepEqual(placeOf(value, 2), { start: 6, end: 9 });
  for (const part of [-1, 4]) assert.equal(placeOf(value, part), null);
  assert.equal(placeOf(undefined, 0), null);
});

test("a position maps to the innermost part", () => {
  for (const [place, part] of [[0, 0], [2, 1], [5, 0], [6, 2], [7, 3], [9, 0], [10, -1]]) {
    assert.equal(partAround(value, place), part);
  }
  assert.equal(partAround({ tape: null, places: [0, 9] }, 1), -1);
});

test("findings and coercions are noted at their part", () => {
  const found = [
    { part: 1, severity: "warning", message: "w" },
    { part: 1, severity: "error", message: "e" },
    { part: 2, severity: "info", message: "i" },
    { part: -1, severity: "error", message: "nowhere" },
  ];
  const notes = notesOf(value, found);
  assert.deepEqual([...notes.keys()], [1, 3]);
  assert.deepEqual(notes.get(1).map((note) => note.sign), ["!", "✕"]);
  assert.equal(notes.get(3)[0].kind, "coercion");
});
