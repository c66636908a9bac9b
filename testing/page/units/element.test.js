// Display of untrusted texts.

import assert from "node:assert/strict";
import { test } from "node:test";

import { titled, visible } from "../../../crates/llmend-gateway/page/element.js";

test("bidirectional and invisible characters are named", () => {
  const rows = [
    ["gpt-5", "gpt-5"],
    ["a\u202eb", "a⟨U+202E⟩b"],
    ["\u2066x\u2069", "⟨U+2066⟩x⟨U+2069⟩"],
    ["a\u0007\u2028b", "a⟨U+0007⟩⟨U+2028⟩b"],
    ["a\tb\r\n", "a⇥b␍↵"],
    ["\ufeff\u200b", "⟨BOM⟩⟨ZWSP⟩"],
    ["👩‍🔬 שלום", "👩‍🔬 שלום"],
  ];
  for (const [text, expected] of rows) assert.equal(visible(text), expected);
});

test("a title joins the existing words, made visible", () => {
  assert.equal(titled("12:00", "m\u202eodel", null, undefined, 422), "12:00 · m⟨U+202E⟩odel · 422");
  assert.ok(titled("x".repeat(999)).length < 80);
});
