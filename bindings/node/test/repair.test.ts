import assert from "node:assert/strict";
import { test } from "node:test";
import {
  LlmendError, OptionError, RepairError, UnsureError, parse, repair, safeParse, stream, value, type Diagnostic,
} from "llmend";
import { calls } from "llmend/calls";
import { parse as fitted } from "llmend/schema";

test("repairs a text to strict JSON and reports every change", () => {
  const text = "Sure!\n```json\n{'city': 'Oslo', 'people': 717710,}\n```";
  const { text: json, unsure, report } = repair(text);
  assert.equal(json, '{"city": "Oslo", "people": 717710}');
  assert.equal(unsure, false);
  assert.equal(report.status, "repaired");
  assert.equal(report.class, "notation");
  assert.deepEqual(report.candidate, { start: 14, end: 49, origin: "fence" });
  const comma = report.repairs.find((repair) => repair.rule === "trailing-comma");
  assert.equal(text.slice(comma?.start, comma?.end), ",");
});

test("applying the repairs to the text gives the JSON, whatever the characters", () => {
  for (const filler of ["", "é", "日本", "🙂", "a🙂é".repeat(700)]) {
    const text = `${filler} {'k${filler}': 'v${filler}', n: None, "done": True,} ${filler}`;
    const { text: json, report } = repair(text);
    let made = "";
    let at = report.candidate.start;
    for (const { start, end, replacement } of report.repairs) {
      made += text.slice(at, start) + replacement;
      at = end;
    }
    made += text.slice(at, report.candidate.end);
    assert.equal(made, json);
    assert.deepEqual(JSON.parse(json), { [`k${filler}`]: `v${filler}`, n: null, done: true });
  }
});

test("valid JSON stays as it is, short and long, as text and as bytes", () => {
  for (const count of [1, 10_000]) {
    const text = JSON.stringify(Array.from({ length: count }, (_, id) => ({ id, name: `é${id}` })));
    assert.equal(repair(text).text, text);
    assert.equal(repair(text).report.status, "unchanged");
    assert.equal(repair(new TextEncoder().encode(text)).text, text);
  }
});

test("a report can be read after other calls, and twice", () => {
  const first = repair("{'a': 1}");
  const second = parse("{b: [1, 2}");
  assert.equal(first.report.repairs.length, 2);
  assert.equal(second.report.repairs.length > 0, true);
  assert.deepEqual(first.report, first.report);
  assert.notDeepEqual(first.report, second.report);
});

test("parse returns the value with its report", () => {
  const outcome = parse<{ a: number[] }>("{'a': [1, 2");
  assert.deepEqual(outcome.value, { a: [1, 2] });
  assert.equal(outcome.unsure, true);
  assert.equal(outcome.report.truncated, true);
  assert.equal(outcome.report.cut, 11);
  assert.deepEqual(JSON.parse(JSON.stringify(outcome)).value, { a: [1, 2] });
});

test("a key named __proto__ is a key", () => {
  const { value } = parse("{__proto__: {'x': 1}}");
  assert.deepEqual(Object.keys(value as object), ["__proto__"]);
  assert.equal(({} as { x?: number }).x, undefined);
});

test("an error has a code, a place, help and the text", () => {
  const text = "🙂 nothing here";
  assert.throws(() => parse(text), (error: unknown) => {
    assert.ok(error instanceof RepairError && error instanceof LlmendError && error instanceof Error);
    assert.equal(error.name, "RepairError");
    assert.equal(error.code, "extract/no-json");
    assert.equal(error.help, "Ask for JSON only.");
    assert.equal(error.text, text);
    assert.equal(error.diagnostics[0]?.code, "extract/no-json");
    return true;
  });
});

test("the place of an error counts UTF-16 units", () => {
  const text = '{"🙂🙂": "a",\n "b" = }';
  const result = safeParse(text, { policy: "strict" });
  assert.ok(!result.ok && result.error instanceof RepairError);
  const { span, line, column } = result.error;
  assert.equal(text.slice(span?.start, (span?.start ?? 0) + 1), "=");
  assert.deepEqual([line, column], [2, 6]);
});

test("safeParse returns what parse does, or the error", () => {
  const good = safeParse<number[]>("[1, 2,]");
  assert.ok(good.ok);
  assert.deepEqual(good.value, [1, 2]);
  assert.equal(good.outcome.report.status, "repaired");
  const bad = safeParse("");
  assert.ok(!bad.ok);
  assert.equal(bad.error.code, "extract/empty");
});

test("options are in camel case, and unknown ones are errors", () => {
  assert.throws(() => parse("{a: 1}", { policy: "strict" }), RepairError);
  assert.throws(() => parse("{a: hello}", { forbid: ["bare-string"] }), { code: "repair/refused" });
  assert.throws(() => parse("[[[1]]]", { maxDepth: 2 }), (error: unknown) => {
    assert.ok(error instanceof RepairError);
    assert.equal(error.code, "limit/depth");
    assert.match(`${error.message} ${error.help}`, /`maxDepth`/);
    assert.doesNotMatch(`${error.message} ${error.help}`, /max_depth/);
    return true;
  });
  assert.deepEqual(parse('{"a": 1} then {"a": 2}', { choice: "last" }).value, { a: 2 });
  assert.throws(() => parse("1", { policy: "loose" as "strict" }), OptionError);
  assert.throws(() => parse("1", { maxDeph: 2 } as object), OptionError);
  assert.throws(() => parse("1", { forbid: ["no-such-rule"] }), OptionError);
});

test("an option that is unknown, or works elsewhere, is named with where it works", () => {
  const wrong = (work: () => unknown, message: string, help: RegExp) =>
    assert.throws(work, (error: unknown) => {
      assert.ok(error instanceof OptionError);
      assert.equal(error.message, message);
      assert.match(error.help ?? "", help);
      return true;
    });
  const any = (options: object) => options as never;
  const valid = /^Use one of `policy`, .*`bigint`\.$/;
  wrong(() => parse("1", any({ max_depth: 5 })), "unknown option `max_depth`; did you mean `maxDepth`?", valid);
  wrong(() => parse("1", any({ colour: 5 })), "unknown option `colour`", valid);
  wrong(() => parse("1", any({ schema: {} })), "unknown option `schema`: it is an option of `llmend/schema`", valid);
  wrong(() => parse("1", any({ unsure: "throw" })), "unknown option `unsure`: it is an option of `value` and `repairStream`", valid);
  wrong(() => repair("1", any({ coerce: {} })), "unknown option `coerce`: it is an option of `llmend/schema` and `llmend/calls`", valid);
  wrong(() => value("1", any({ unsure: "reject" })), "option `unsure`: unknown value `reject`, expected one of: throw, accept", /Correct `unsure`/);
  for (const [found, shown] of [[NaN, "NaN"], [Infinity, "Infinity"], [-1, "-1"], [1.5, "1.5"], ["5", '"5"'], [null, "null"]]) {
    wrong(() => parse("1", any({ maxDepth: found })), `option \`maxDepth\`: expected a whole number, found ${shown}`, /Correct `maxDepth`/);
  }
  wrong(() => parse("1", any({ forbid: "x" })), 'option `forbid`: expected a list of strings, found "x"', /Correct `forbid`/);
  wrong(() => parse("1", any({ bigint: 1 })), "option `bigint`: expected true or false, found 1", /Correct `bigint`/);
  wrong(
    () => parse("1", { policy: "loose" as "strict" }),
    "option `policy`: unknown value `loose`, expected one of: strict, extract, conservative, standard, lenient",
    /Correct `policy`, or leave it out\./,
  );
  wrong(() => parse("1", { allow: ["singel-quotes"] }), "option `allow`: unknown rule `singel-quotes`; did you mean `single-quotes`?", /Correct `allow`/);
  assert.throws(() => parse("1", any(null as never)), { name: "TypeError", message: "expected options as an object, found null" });
  assert.deepEqual(parse("[1", { maxDepth: undefined, policy: "lenient" }).value, [1]);
});

test("value takes JSON as it is, and refuses a value that may lack something", () => {
  assert.deepEqual(value('{"a": 1}'), { a: 1 });
  assert.deepEqual(value("{'a': 1}"), { a: 1 });
  assert.throws(() => value("{'a': [1, 2"), (error: unknown) => {
    assert.ok(error instanceof UnsureError && error instanceof RepairError);
    assert.deepEqual([error.code, error.value], ["value/truncated", { a: [1, 2] }]);
    assert.equal(error.report.truncated, true);
    assert.match(error.message, /cut off at character 11/);
    return true;
  });
  assert.deepEqual(value("{'a': [1, 2", { unsure: "accept" }), { a: [1, 2] });
});

test("integers that a number cannot hold are reported, or become bigint", () => {
  const text = "{'id': 12345678901234567890, 'ok': 9007199254740991, 'exact': 9007199254740992}";
  const { value, report } = parse<{ id: number }>(text);
  assert.equal(value.id, 12345678901234567000);
  const rows = report.diagnostics.filter((row) => row.code === "value/rounded");
  assert.equal(rows.length, 1);
  assert.match(rows[0]?.message ?? "", /12345678901234567890/);
  const exact = parse(text, { bigint: true });
  assert.deepEqual(exact.value, { id: 12345678901234567890n, ok: 9007199254740991, exact: 9007199254740992 });
  assert.equal(exact.report.diagnostics.some((row) => row.code === "value/rounded"), false);
});

test("numbers that JavaScript makes Infinity or 0 are reported, in parse, streams, calls and with a schema", async () => {
  const lost = (report: { diagnostics: Diagnostic[] }) =>
    report.diagnostics.flatMap((row) => (row.code === "value/rounded" ? [row.message] : []));
  const infinite = ["number 1e400 exceeds what a number holds, and became Infinity"];
  const schema = { type: "object", properties: { a: { type: "number" } } };
  for (const bigint of [false, true]) {
    const outcome = parse("{a: 1e400}", { bigint });
    assert.deepEqual([outcome.value, lost(outcome.report)], [{ a: Infinity }, infinite]);
    assert.deepEqual(lost(fitted("{a: 1e400}", { schema, bigint }).report), infinite);
    assert.deepEqual(lost((await stream(["{a: 1e", "400}"], { bigint }).final).report), infinite);
  }
  const [call] = calls('<tool_call>{"name": "a", "arguments": {"q": 1e400}}</tool_call>').calls;
  assert.deepEqual(lost(call as { diagnostics: Diagnostic[] }), infinite);
  for (const [text, message] of [
    ["[-1e-400]", "number -1e-400 exceeds what a number holds, and became 0"],
    ["[1e999, 5E-999]", "number 1e999 and 1 more exceeds what a number holds, and became Infinity or 0"],
    [`[1${"0".repeat(309)}]`, `number 1${"0".repeat(309)} exceeds what a number holds, and became Infinity`],
  ] as const) assert.deepEqual(lost(parse(text).report), [message]);
  assert.deepEqual(lost(parse('[0e999, 0.0e-999, 1e308, "1e999"]').report), []);
  assert.deepEqual(lost(parse(`[1${"0".repeat(309)}]`, { bigint: true }).report), []);
});

test("half of a surrogate pair is refused with its place", () => {
  for (const text of ['{"a": "\ud83d"}', `{"a": "${"x".repeat(5000)}\ude00"}`]) {
    assert.throws(() => repair(text), (error: unknown) => {
      assert.ok(error instanceof RepairError);
      assert.equal(error.code, "input/utf16");
      assert.match(text.slice(error.span?.start, error.span?.end), /[\ud800-\udfff]/);
      return true;
    });
  }
});

test("invalid UTF-8 is refused after the valid part", () => {
  const bytes = Uint8Array.of(0x7b, 0x22, 0xc3, 0xa9, 0xff, 0x22);
  assert.throws(() => parse(bytes), (error: unknown) => {
    assert.ok(error instanceof RepairError);
    assert.equal(error.code, "input/utf8");
    assert.deepEqual([error.span?.start, error.line, error.column], [3, 1, 4]);
    return true;
  });
});

test("deep nesting is refused or read, and never ends the engine", () => {
  assert.throws(() => parse("[".repeat(100_000)), { code: "limit/depth" });
  const deep = `${"[".repeat(500)}1${"]".repeat(500)}`;
  assert.equal(repair(deep).text, deep);
  assert.equal(JSON.stringify(parse(`${"{a:".repeat(400)}1${"}".repeat(400)}`).value).length, 400 * 6 + 1);
});

test("rounded integers are found by what is written, outside of strings", () => {
  const rows = (text: string) => parse(text).report.diagnostics.filter((row) => row.code === "value/rounded");
  const big = "12345678901234567890";
  for (const text of [`["${big}"]`, `{"a\\\\\\"${big}": "\\\\"}`, `[${big}.5]`, `[${big}e1]`, "[9007199254740992, -9007199254740992]"]) {
    assert.deepEqual(rows(text), [], text);
  }
  for (const text of [`["\\\\", ${big}]`, `{"a\\"": -${big}}`, big, `["", "x", ${big}, "y"]`]) {
    assert.match(rows(text)[0]?.message ?? "", new RegExp(`integer -?${big} exceeds`), text);
  }
  assert.match(rows(`[${big}, 7, ${big}1, "${big}"]`)[0]?.message ?? "", /and 1 more/);
});

test("a value that may lack something is refused with its place", () => {
  assert.throws(() => value("{'a':\n [1, 2"), (error: unknown) => {
    assert.ok(error instanceof UnsureError);
    assert.deepEqual([error.span?.start, error.line, error.column], [12, 2, 7]);
    return true;
  });
});
