// Hostile answers: they stay text, and nothing is blocked because nothing is tried.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { faults, paste, pick, rig } from "./rig.js";

let here;
before(async () => { here = await rig(); });
after(() => here.stop());

const MARKUP = "<img src=x onerror=alert(1)><script>alert(2)</script><svg onload=alert(3)><a href=\"javascript:alert(4)\">x</a></svg>";

/** Texts in each of which markup stands somewhere else: in prose, keys, values, comments, names of tools. */
const HOSTILE = [
  MARKUP,
  `${MARKUP} {'${"k".repeat(3)}<b>': '${MARKUP.replaceAll("\"", "")}', /* ${MARKUP} */ "n": 1,}`,
  `{"a": '${MARKUP.replaceAll("\"", "&quot;")}', "<style>*{display:none}</style>": NaN}`,
  `{"__proto__": {"x": 1}, "constructor": 2, "toString": [3], "innerHTML": "${MARKUP.replaceAll("\"", "'")}"}`,
  `{"a": "\u0000\u0001\u202e\u2066txet", 'b': "\\ud800", "c": "\u2028\u2029"}`,
  `{"steps": [{"id": "<script>alert(5)</script>", "tool": "</title><script>alert(6)</script>", "depends_on": ["<b>"]}, {"id": "]]><script>x</script>", "tool": "x", "description": "${MARKUP.replaceAll("\"", "'")}"}]}`,
];

/** Calls with markup in names, keys, values and the text around them. A name with a bracket has to be offered. */
const CALLS = [
  `${MARKUP} <think>${MARKUP}</think><tool_call>{"name": "x&lt;b", "arguments": {"<img src=x onerror=alert(7)>": "${MARKUP.replaceAll("\"", "'")}"}}</tool_call>`,
  `<tool_call>{"name": "f", "arguments": {"a": "<script>alert(8)</script>", "__proto__": {"x": 1}, "toString": 2}}</tool_call>`,
  `<tool_call>{"name": "<b>x</b>", "arguments": {}}</tool_call> <tool_call>{"name": "f", "arguments": {}}</tool_call>`,
];
const TOOLS = JSON.stringify([{ name: "<b>x</b>" }, { name: "f", parameters: { type: "object", properties: { a: { enum: ["<img src=x onerror=alert(9)>"] } } } }]);

test("markup in calls stays text", async () => {
  const page = await here.page();
  for (const tools of ["", TOOLS]) {
    await page.evaluate((value) => {
      document.getElementById("tools").value = value;
      document.getElementById("tools").dispatchEvent(new Event("input"));
    }, tools);
    for (const answer of CALLS) {
      await paste(page, answer);
      assert.ok(await page.locator("#panel-calls .card").count() > 0, answer);
      await page.click("#play-open");
      await page.waitForFunction(() => document.getElementById("player-state").textContent.startsWith("chunk"));
      await page.locator("#player-at").fill("10");
      await page.click("#play-open");
      const made = await page.evaluate(() => document.querySelectorAll("main :is(script, img, iframe, a, style, link), #panel-calls b").length);
      assert.equal(made, 0, answer);
    }
  }
  assert.equal(await page.title(), "llmend");
  assert.deepEqual(await faults(page), []);
  await page.context().close();
});

test("markup in an answer stays text, in every panel", async () => {
  const page = await here.page();
  for (const answer of HOSTILE) {
    await paste(page, answer);
    assert.equal(await page.locator("#text .row").evaluateAll((rows) => rows.map((row) => row.textContent).join("").includes("<")), answer.includes("<"));
    for (const tab of ["findings", "changes", "json", "graph", "value"]) {
      if (await page.isVisible(`#tab-${tab}`)) await page.click(`#tab-${tab}`);
      const node = page.locator("#graph [data-node]").first();
      if (tab === "graph" && await node.count() > 0) await node.hover();
    }
    const mark = page.locator("#text .mark").first();
    if (await mark.count() > 0) await mark.hover();
    await page.click("#play-open");
    await page.click("#play-open");
    const made = await page.evaluate(() => document.querySelectorAll(
      "main :is(script, img, iframe, object, embed, a, style, link, b), main [onload], main [onerror], #tip :is(img, script)",
    ).length);
    assert.equal(made - await page.evaluate(() => document.querySelectorAll("#legend b").length), 0, answer);
  }
  assert.equal(await page.title(), "llmend");
  assert.deepEqual(await faults(page), []);
  await page.context().close();
});

test("the script injection example stays text", async () => {
  const page = await here.page();
  await pick(page, "Script injection");
  assert.match(await page.locator("#tree").innerText(), /<script>document\.title/);
  assert.equal(await page.title(), "llmend");
  assert.deepEqual(await faults(page), []);
  await page.context().close();
});

test("the browser blocks markup from texts, inline scripts and styles, and other origins", async () => {
  const page = await here.page();
  const tried = await page.evaluate(async () => {
    const outcomes = [];
    const attempt = async (name, work) => {
      try {
        await work();
        outcomes.push(`${name} went through`);
      } catch {
        outcomes.push("refused");
      }
    };
    await attempt("markup", () => { document.createElement("div").innerHTML = "<b>x</b>"; });
    await attempt("worker", () => new Worker("/page/worker.js"));
    await attempt("policy", () => trustedTypes.createPolicy("other", {}));
    await attempt("again", () => trustedTypes.createPolicy("llmend", {}));
    await attempt("server", () => fetch("http://127.0.0.1:9/"));
    const script = document.createElement("script");
    await attempt("script", () => {
      script.text = "globalThis.ran = true";
      document.head.append(script);
    });
    await attempt("handler", () => document.head.setAttribute("onclick", "globalThis.ran = true"));
    const style = document.createElement("style");
    style.textContent = "body { opacity: 0 }";
    document.head.append(style);
    outcomes.push(globalThis.ran === undefined ? "refused" : "a script ran");
    outcomes.push(getComputedStyle(document.body).opacity === "1" ? "refused" : "a style held");
    return outcomes;
  });
  assert.deepEqual(tried, Array(9).fill("refused"));
  await page.context().close();
});

test("the page cannot be framed", async () => {
  const page = await here.page();
  const response = await page.goto(here.url);
  assert.match(response.headers()["content-security-policy"], /frame-ancestors 'none'/);
  await page.context().close();
});
