// The page and its gateway: keys, recorded answers, retries and failures.

import assert from "node:assert/strict";
import { test } from "node:test";

import { faults, paste, rig, settled } from "./rig.js";

const outcome = (page) => page.innerText("#outcome");

test("with client keys the page needs one, and stores it for the tab only", async (t) => {
  const here = await rig({ keys: true });
  t.after(() => here.stop());
  const page = await here.page();
  await page.waitForSelector("#key[open]");
  assert.equal(await page.locator("#policy option").count(), 0);
  await page.keyboard.press("Escape");
  assert.equal(await page.isVisible("#key"), true);
  await page.fill("#key-value", "wrong");
  await page.click("#key-use");
  await page.waitForFunction(() => document.getElementById("key-error").textContent.includes("unknown gateway key"));
  await page.fill("#key-value", "secret");
  await page.keyboard.press("Enter");
  await settled(page);
  assert.match(await outcome(page), /Valid value/);
  assert.equal(await page.inputValue("#key-value"), "");
  assert.doesNotMatch(await page.evaluate(() => JSON.stringify({ ...localStorage }) + document.cookie + location.href), /secret/);
  // It stays for as long as the tab, and no longer.
  await page.reload();
  await settled(page);
  assert.equal(await page.isVisible("#key"), false);
  const other = await here.page();
  await other.waitForSelector("#key[open]");
  // A key that is taken back is asked for again.
  await page.evaluate(() => sessionStorage.setItem("llmend.key", "gone"));
  await page.selectOption("#policy", "lenient");
  await page.waitForSelector("#key[open]");
  assert.deepEqual([...await faults(page), ...await faults(other)], []);
});

/** Asks the gateway as a program does that wants a city. */
async function ask(url) {
  await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      model: "small",
      messages: [{ role: "user", content: "A city?" }],
      response_format: {
        type: "json_schema",
        json_schema: { name: "city", schema: { type: "object", properties: { city: { type: "string" }, days: { type: "integer" } }, required: ["city"] } },
      },
    }),
  });
}

test("recorded answers are listed and opened", async (t) => {
  const here = await rig({ recording: "memory", answers: ["Sure: {'city': 'Oslo', 'days': '3'}", "{\"days\": 1}"] });
  t.after(() => here.stop());
  await ask(here.url);
  await ask(here.url);
  const page = await here.page();
  await page.waitForFunction(() => document.querySelectorAll("#recent option").length === 2);
  const rows = await page.locator("#recent option").allTextContents();
  assert.match(rows[1], /small/);
  const value = await page.locator("#recent option").last().getAttribute("value");
  await page.selectOption("#source", value);
  await page.waitForFunction(() => document.getElementById("text").textContent.includes("Oslo"));
  await settled(page);
  assert.match(await page.innerText("#tree"), /days: 3/);
  assert.match(await page.inputValue("#schema"), /"days"/);
  await page.selectOption("#source", await page.locator("#recent option").first().getAttribute("value"));
  await page.waitForFunction(() => document.getElementById("outcome").textContent.includes("422"));
  assert.deepEqual(await faults(page), []);
});

test("a recorded call that was text is opened with its tool, and played", async (t) => {
  const call = "<tool_call>\n{\"name\": \"plan\", \"arguments\": {\"city\": \"Oslo\", \"days\": \"3\"}}\n</tool_call>";
  const here = await rig({ recording: "memory", answers: [`Looking.\n${call}`] });
  t.after(() => here.stop());
  const parameters = { type: "object", properties: { city: { type: "string" }, days: { type: "integer" } }, required: ["city"] };
  const body = JSON.stringify({
    model: "small", messages: [{ role: "user", content: "A trip?" }], tools: [{ type: "function", function: { name: "plan", parameters } }],
  });
  await fetch(`${here.url}/v1/chat/completions`, { method: "POST", headers: { "content-type": "application/json" }, body });
  const page = await here.page();
  await page.waitForFunction(() => document.querySelectorAll("#recent option:not([disabled])").length === 1);
  await page.selectOption("#source", await page.locator("#recent option").first().getAttribute("value"));
  await page.waitForSelector("#panel-calls .card");
  assert.equal(await page.inputValue("#as"), "calls");
  assert.match(await page.innerText("#panel-calls [data-argument='days']"), /3\s+number-from-text: "3" → 3\s+≈ coerced/);
  assert.deepEqual(JSON.parse(await page.inputValue("#tools")), [{ name: "plan", parameters }]);
  // The marks are not recorded, and without them a call is decided at the end.
  await page.click("#play-open");
  await page.waitForFunction(() => /0 calls complete/.test(document.getElementById("player-state").textContent));
  await page.locator("#player-at").fill(await page.getAttribute("#player-at", "max"));
  assert.match(await page.innerText("#player-state"), /1 call complete/);
  assert.equal(await page.locator("#panel-calls [data-call]").count(), 1);
  assert.deepEqual(await faults(page), []);
});

test("without recording no answers are listed", async (t) => {
  const here = await rig();
  t.after(() => here.stop());
  const page = await here.page();
  await settled(page);
  await page.focus("#source");
  assert.equal(await page.locator("#recent").evaluate((group) => group.hidden), true);
  assert.deepEqual(await faults(page), []);
});

test("a model is retried up to max_repair_attempts", async (t) => {
  // S3-20, S3-21: the answer that is there is the first.
  const here = await rig({ answers: ["{\"n\": \"many\"}", "{\"n\": \"a few\"}", "{\"n\": 7}"] });
  t.after(() => here.stop());
  const page = await here.page();
  await settled(page);
  await page.click("#tab-schema");
  await page.fill("#schema", "{\"type\": \"object\", \"properties\": {\"n\": {\"type\": \"integer\"}}, \"required\": [\"n\"]}");
  await page.click("#settings-open");
  await page.fill("#model", "small");
  await page.fill("#attempts", "2");
  await page.locator("#attempts").blur();
  await page.waitForFunction(() => document.querySelectorAll("#models option").length === 2);
  await page.click("#settings-close");
  await paste(page, "{\"n\": \"x\"}");
  await page.click("#again");
  // Behind "Asking small: attempt 2 of 2", which is shown while the model answers.
  await page.waitForFunction(() => /(?<!: )attempt 2/.test(document.getElementById("outcome").textContent));
  assert.equal(here.upstream.asked.length, 1);
  assert.match(JSON.stringify(here.upstream.asked[0].messages), /integer is wanted|integer/);
  assert.equal(await page.isVisible("#again"), false);
  await page.click("#settings-open");
  await page.fill("#attempts", "4");
  await page.locator("#attempts").blur();
  await page.click("#settings-close");
  await page.waitForSelector("#again");
  await page.click("#again");
  await page.waitForFunction(() => document.getElementById("outcome").textContent.includes("Valid value"));
  assert.equal(here.upstream.asked.length, 3);
  assert.match(await page.innerText("#tree"), /n: 7/);
  assert.deepEqual(await faults(page), []);
});

test("an unreachable gateway is reported, and the text stays", async (t) => {
  const here = await rig();
  t.after(() => here.stop());
  const page = await here.page();
  await settled(page);
  await page.route("**/v1/repair", (route) => route.abort());
  await paste(page, "{'a': 1}");
  assert.match(await outcome(page), /The gateway does not respond/);
  assert.match(await page.innerText("#text"), /'a'/);
  await page.unroute("**/v1/repair");
  await page.route("**/v1/repair", (route) => route.fulfill({ status: 503, contentType: "text/html", body: "<h1>down</h1>" }));
  await paste(page, "{'a': 2}");
  assert.match(await outcome(page), /503: <h1>down<\/h1>/);
});
