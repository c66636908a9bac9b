// The tape of a JSON text, compared with JSON.parse.

import assert from "node:assert/strict";
import { test } from "node:test";

import { childrenOf, isContainer, KIND, keyOf, partAt, pointerOf, tapeOf, textOf } from "../../../crates/llmend-gateway/page/tape.js";

const TEXTS = [
  "1", "\"a\"", "null", "[]", "{}", "[1,2,[3,[]],{}]", "{\"a\":{\"b\":[true,false,null]}}",
  " { \"a\\\"b\" : [ -1.5e3 , \"x\\\\\" ] , \"\" : \"\" } ", "{\"a\":\"{[,:]}\",\"b\":[\"\\u00e9\"]}",
];

/** The value that a tape says. */
function valueOf(json, tape, part) {
  switch (tape.kind[part]) {
    case KIND.array: return [...childrenOf(tape, part)].map((child) => valueOf(json, tape, child));
    case KIND.object: return Object.fromEntries([...childrenOf(tape, part)].map((child) => [keyOf(json, tape, child), valueOf(json, tape, child)]));
    default: return JSON.parse(json.slice(tape.start[part], tape.end[part]));
  }
}

test("the tape agrees with JSON.parse", () => {
  for (const json of TEXTS) {
    assert.deepEqual(valueOf(json, tapeOf(json), 0), JSON.parse(json), json);
  }
});

test("containers span their contents", () => {
  for (const json of TEXTS) {
    const tape = tapeOf(json);
    for (let part = 0; part < tape.length; part += 1) {
      assert.ok(tape.end[part] > tape.start[part], json);
      if (!isContainer(tape, part)) continue;
      assert.match(json.slice(tape.start[part], tape.end[part]), /^[[{][^]*[\]}]$/);
      for (let inside = part + 1; inside < tape.after[part]; inside += 1) {
        assert.ok(tape.start[inside] > tape.start[part] && tape.end[inside] < tape.end[part], json);
      }
    }
  }
});

test("pointers resolve to parts and back", () => {
  const json = "{\"a/b\": [1, {\"~\": 2}], \"\": {\"x\": [[3]]}}";
  const tape = tapeOf(json);
  for (const pointer of ["", "/a~1b", "/a~1b/0", "/a~1b/1/~0", "/", "//x/0/0"]) {
    assert.equal(pointerOf(json, tape, partAt(json, tape, pointer)), pointer);
  }
  // What is not there is shown at what is around it.
  assert.equal(pointerOf(json, tape, partAt(json, tape, "/a~1b/7")), "/a~1b");
  assert.equal(pointerOf(json, tape, partAt(json, tape, "/none/0")), "");
  assert.equal(pointerOf(json, tape, partAt(json, tape, "/a~1b/0/deep")), "/a~1b/0");
});

test("the last of duplicate keys counts, and both are parts", () => {
  const json = "{\"a\": 1, \"a\": 2}";
  const tape = tapeOf(json);
  assert.equal(childrenOf(tape, 0).length, 2);
  assert.equal(json.slice(tape.start[partAt(json, tape, "/a")], tape.end[partAt(json, tape, "/a")]), "2");
});

test("numbers keep their digits, and keys their order", () => {
  const json = "{\"10\": 12345678901234567890.10, \"2\": 0}";
  const tape = tapeOf(json);
  const [first] = childrenOf(tape, 0);
  assert.equal(keyOf(json, tape, first), "10");
  assert.equal(json.slice(tape.start[first], tape.end[first]), "12345678901234567890.10");
});

test("long texts are cut between escapes", () => {
  const escapes = ["\\n", "\\u00e9", "\\\\", "\\\"", "\\ud83d\\ude00"];
  for (const escape of escapes) {
    const json = JSON.stringify(JSON.parse(`"${escape.repeat(100)}"`)).replaceAll("é", "\\u00e9");
    const raw = `"${escape.repeat(100)}"`;
    for (const text of [json, raw]) {
      const tape = tapeOf(text);
      const whole = textOf(text, tape, 0);
      for (let most = 20; most < 40; most += 1) assert.ok(whole.startsWith(textOf(text, tape, 0, most)), escape);
    }
  }
});

test("deep nesting does not recurse", () => {
  const json = "[".repeat(100_000) + "]".repeat(100_000);
  assert.equal(tapeOf(json).length, 100_000);
});
