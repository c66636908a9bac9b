// Conversion of UTF-8 bytes to UTF-16 code units.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Offsets } from "../../../crates/llmend-gateway/page/offsets.js";

const bytes = (text) => new TextEncoder().encode(text).length;

test("every character is found by its byte offset", () => {
  const texts = ["", "abc", "é", "a→b", "日本", "😀", "x😀y😀", "é😀日a", "\u0000\u007f\u0080\u07ff\u0800\uffff"];
  for (const text of texts) {
    const offsets = new Offsets(text);
    assert.equal(offsets.bytes, bytes(text), text);
    let unit = 0;
    for (const character of text) {
      assert.equal(offsets.unit(bytes(text.slice(0, unit))), unit, `${text} at ${unit}`);
      unit += character.length;
    }
    assert.equal(offsets.unit(bytes(text)), text.length, text);
  }
});

test("a byte within a character maps to its start", () => {
  const offsets = new Offsets("a😀b");
  assert.deepEqual([1, 2, 3, 4, 5].map((byte) => offsets.unit(byte)), [1, 1, 1, 1, 3]);
});

test("long texts use the table, wherever its rows fall", () => {
  for (const piece of ["é", "😀", "ab日", "aaaaaaa😀"]) {
    const text = piece.repeat(3000);
    const offsets = new Offsets(text);
    for (let unit = 0; unit <= text.length; unit += 1) {
      const low = text.charCodeAt(unit);
      if (low >= 0xdc00 && low < 0xe000) continue;
      if (unit % 97 !== 0 && unit % 1024 > 2) continue;
      assert.equal(offsets.unit(bytes(text.slice(0, unit))), unit, `${piece} at ${unit}`);
    }
  }
});

test("an offset past the end is the end", () => {
  assert.equal(new Offsets("abc").unit(9), 3);
  assert.equal(new Offsets("é").unit(9), 1);
});
