// Marks in ranges of a text.

import assert from "node:assert/strict";
import { test } from "node:test";

import { blockAt, blocksOf, heightOf } from "../../../crates/llmend-gateway/page/blocks.js";
import { firstFrom, stretches } from "../../../crates/llmend-gateway/page/marks.js";

const marksOf = (rows) => ({ start: rows.map(([start]) => start), end: rows.map(([, end]) => end) });
const told = (text, rows) => rows.map(({ from, to, mark, outside }) => [text.slice(from, to), mark, outside]);

test("a range has its marks and the text between them", () => {
  const text = "abcdefgh";
  const marks = marksOf([[1, 2], [4, 4], [5, 7]]);
  const inside = [{ start: 1, end: 7 }];
  assert.deepEqual(told(text, stretches(0, 8, marks, inside, true)), [
    ["a", -1, true], ["b", 0, false], ["cd", -1, false], ["", 1, false], ["e", -1, false], ["fg", 2, false], ["h", -1, true],
  ]);
});

test("text between what was read is outside", () => {
  const inside = [{ start: 1, end: 3 }, { start: 5, end: 8 }];
  assert.deepEqual(told("abcdefgh", stretches(0, 8, marksOf([[6, 7]]), inside, true)), [
    ["a", -1, true], ["bc", -1, false], ["de", -1, true], ["f", -1, false], ["g", 0, false], ["h", -1, false],
  ]);
  assert.deepEqual(told("abc", stretches(0, 3, marksOf([]), [{ start: 0, end: 3 }], true)), [["abc", -1, false]]);
});

test("a mark across a boundary is in both ranges, an insertion in one", () => {
  const text = "abcdef";
  const inside = [{ start: 0, end: 6 }];
  const across = marksOf([[2, 4]]);
  assert.deepEqual(told(text, stretches(0, 3, across, inside, false)), [["ab", -1, false], ["c", 0, false]]);
  assert.deepEqual(told(text, stretches(3, 6, across, inside, true)), [["d", 0, false], ["ef", -1, false]]);
  const between = marksOf([[3, 3], [6, 6]]);
  assert.deepEqual(told(text, stretches(0, 3, between, inside, false)), [["abc", -1, false]]);
  assert.deepEqual(told(text, stretches(3, 6, between, inside, true)), [["", 0, false], ["def", -1, false], ["", 1, false]]);
});

test("a removal and an insertion at its end stay apart", () => {
  const marks = marksOf([[1, 2], [2, 2]]);
  const rows = stretches(0, 3, marks, [{ start: 0, end: 3 }], true);
  assert.deepEqual(rows.map(({ from, to, mark }) => [from, to, mark]), [[0, 1, -1], [1, 2, 0], [2, 2, 1], [2, 3, -1]]);
});

test("ranges cover the text, with every mark exactly once", () => {
  const text = "x".repeat(60);
  const marks = marksOf([[0, 0], [0, 5], [7, 7], [9, 20], [20, 20], [20, 33], [59, 60], [60, 60]]);
  for (let size = 1; size < 20; size += 1) {
    let at = 0;
    const begun = [];
    for (let from = 0; from < text.length; from += size) {
      const to = Math.min(from + size, text.length);
      for (const row of stretches(from, to, marks, [{ start: 3, end: 10 }, { start: 22, end: 40 }], to === text.length)) {
        assert.equal(row.from, at);
        at = row.to;
        if (row.mark !== -1 && row.from === marks.start[row.mark]) begun.push(row.mark);
      }
    }
    assert.equal(at, text.length);
    assert.deepEqual(begun, [0, 1, 2, 3, 4, 5, 6, 7], `pieces of ${size}`);
  }
});

test("the first mark is found by binary search", () => {
  const marks = marksOf([[1, 2], [2, 2], [4, 6]]);
  assert.deepEqual([0, 1, 2, 3, 5, 6, 7].map((at) => firstFrom(marks, at)), [0, 0, 1, 2, 2, 3, 3]);
});

test("blocks cover the text, in rows with line numbers", () => {
  const long = "y".repeat(4999) + "😀".repeat(2000);
  for (const text of ["", "a", "a\n", "\n\n", "a\r\nb", Array.from({ length: 500 }, (_, at) => `line ${at}`).join("\n"), long, `a\n${long}\nb`]) {
    const blocks = blocksOf(text);
    let at = 0;
    const lines = [];
    for (const block of blocks) {
      assert.equal(block.from, at);
      for (const row of block.rows) {
        assert.equal(row.from, at);
        assert.ok(row.next - row.to <= 1 && text.slice(row.to, row.next).replace("\n", "") === "");
        assert.ok(text.slice(row.from, row.to).isWellFormed?.() ?? true);
        at = row.next;
        if (row.line > 0) lines.push(row.line);
      }
      assert.equal(block.to, at);
    }
    assert.equal(at, text.length);
    assert.deepEqual(lines, text.split("\n").map((_, index) => index + 1));
  }
});

test("positions are in their block, and its height is that of its rows", () => {
  const blocks = blocksOf("ab\n".repeat(1000));
  for (const place of [0, 1, 119, 120, 121, 2999, 3000]) {
    const block = blocks[blockAt(blocks, place)];
    assert.ok(block.from <= place && place <= block.to, String(place));
  }
  assert.equal(heightOf(blocksOf("a\n\n" + "b".repeat(25))[0], 10), 1 + 1 + 3);
});
