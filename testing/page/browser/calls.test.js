// Tool calls: their cards, their links to the text, and their playback.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";

import { faults, highlighted, paste, pick, rig, settled } from "./rig.js";

let here;
let page;
before(async () => { here = await rig(); });
after(() => here.stop());
afterEach(async () => {
  assert.deepEqual(await faults(page), []);
  await page.context().close();
});

const text = (selector) => page.locator(selector).innerText();
const argument = (call, name) => `#panel-calls [data-call='${call}'] [data-argument='${name}']`;

test("a call is a card with its arguments beside their schema", async () => {
  page = await here.page();
  await pick(page, "Tool calls between");
  assert.match(await text("#outcome"), /2 valid calls/);
  assert.equal(await page.getAttribute("#tab-calls", "aria-selected"), "true");
  assert.deepEqual(await page.locator("#panel-calls .card h3").allInnerTexts(), ["get_weather", "book_table"]);
  assert.match(await text("#panel-calls [data-call='0'] .card-head"), /fits its tool.*hermes notation.*class notation/s);
  const rows = await page.locator("#panel-calls [data-call='0'] [data-argument]").evaluateAll((all) => all.map((row) => `${row.dataset.argument} ${row.dataset.state}`));
  assert.deepEqual(rows, ["city fits", "days coerced", "unit coerced"]);
  assert.match(await text(argument(0, "days")), /days\s+3\s+number-from-text: "3" → 3\s+≈ coerced\s+integer, required/);
  assert.match(await text(argument(0, "unit")), /"celsius" \| "fahrenheit"/);
  // Prose and reasoning are apart, and hold no mark.
  assert.equal(await text("[aria-label='Text'].said p"), "I will check the forecast and book for you.");
  assert.match(await text("[aria-label='Reasoning'].said p"), /^They are two on Friday/);
  assert.doesNotMatch(await text("#panel-calls"), /tool_call>|<think/);
  // The calls are a value too.
  await page.click("#tab-json");
  assert.deepEqual(JSON.parse(await text("#json")).map((call) => call.name), ["get_weather", "book_table"]);
  await page.click("#tab-changes");
  assert.equal(await page.locator("#changes .change").count(), 3);
});

test("what is missing, wrong, undeclared or no call is said", async () => {
  page = await here.page();
  await pick(page, "Tool calls with faults");
  assert.match(await text("#outcome"), /422: a call cannot be used/);
  assert.match(await text(argument(0, "days")), /✕ missing\s+integer, required/);
  assert.match(await text(argument(0, "unit")), /"kelvin" is not one of the allowed values.*✕ does not fit/s);
  assert.match(await text(argument(1, "wishes")), /– not given/);
  assert.match(await text(argument(1, "smoking")), /! undeclared/);
  assert.match(await text("#panel-calls .refused"), /call_taxi.*not a call.*qwen-coder notation.*unknown tool `call_taxi`/s);
  await page.click("#tab-findings");
  await page.focus("#findings .finding:has-text('schema/enum') .link");
  await page.keyboard.press("Enter");
  assert.equal(await highlighted(page, "text-place"), "kelvin");
  assert.match(await text("#tree [aria-selected=true] > .label"), /unit/);
});

test("cards link to the text, with a mouse and with the keyboard", async () => {
  page = await here.page();
  await pick(page, "Tool calls with faults");
  await page.click("#tab-edit");
  await page.click(`${argument(1, "guests")} .link`);
  assert.equal(await page.getAttribute("#tab-marks", "aria-selected"), "true");
  assert.equal(await highlighted(page, "text-place"), "2");
  await page.click("#panel-calls .refused .link");
  assert.match(await highlighted(page, "text-place"), /^<function=call_taxi>.*<\/function>$/s);
  // Every link is in the order of the tab key, after the tabs and the panel.
  await page.focus("#tab-calls");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.id), "panel-calls");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "show in text: get_weather");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.equal(await highlighted(page, "text-place"), "Ghent");
  // The arrows pass over tabs that are not shown.
  await page.focus("#tab-changes");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.evaluate(() => document.activeElement.id), "tab-json");
});

test("tools decide what a call is, are stored, and their faults are shown", async () => {
  page = await here.page();
  const words = "[add(1, b='2')]";
  await paste(page, words);
  assert.equal(await page.isVisible("#tab-calls"), false, "without tools, only marked calls are");
  await page.click("#tab-tools");
  await page.fill("#tools", "{\"add\": {\"properties\": {\"b\": {\"type\": \"integer\"}, \"a\"");
  await page.waitForFunction(() => document.getElementById("tools-error").textContent.includes("Invalid JSON"));
  // Positional arguments follow the order of the schema, which is not that of the alphabet.
  await page.fill("#tools", "{\"add\": {\"properties\": {\"z\": {\"type\": \"integer\"}, \"b\": {\"type\": \"integer\"}}, \"required\": [\"z\", \"b\"]}}");
  await page.waitForSelector("#panel-calls .card");
  assert.match(await text(argument(0, "z")), /1\s+✓ fits/);
  assert.match(await text(argument(0, "b")), /2\s+number-from-text: "2" → 2\s+≈ coerced/);
  await page.reload();
  await settled(page);
  await paste(page, words);
  assert.equal(await page.locator("#panel-calls .card").count(), 1);
  await page.click("#tab-tools");
  await page.fill("#tools", "[7]");
  await page.selectOption("#as", "calls");
  await page.waitForFunction(() => document.getElementById("outcome").textContent.includes("400: invalid tools"));
  // A text without calls is still a value, whatever is wrong with the tools.
  await paste(page, "{'n': 1}");
  assert.match(await text("#outcome"), /Valid value/);
  assert.equal(await page.isVisible("#tab-calls"), false);
  await page.click("#tab-tools");
  await page.fill("#tools", "[]");
  await page.selectOption("#as", "calls");
  await page.waitForFunction(() => document.getElementById("outcome").textContent.includes("No calls"));
  assert.match(await text("#panel-calls"), /No calls\.\s+Text\s+\{'n': 1\}/);
});

test("calls are played: the name first, arguments as they become certain, then the card", async () => {
  page = await here.page();
  await pick(page, "Tool calls between");
  await page.selectOption("#player-speed", "4", { force: true });
  await page.click("#play-open");
  await page.waitForFunction(() => document.getElementById("player-state").textContent.startsWith("chunk"));
  await page.click("#player-play");
  const at = async (chunk) => {
    await page.locator("#player-at").fill(String(chunk));
    return text("#panel-calls");
  };
  const most = Number(await page.getAttribute("#player-at", "max"));
  const seen = [];
  for (let chunk = 1; chunk <= most; chunk += 1) seen.push(await at(chunk));
  for (const shown of seen) assert.doesNotMatch(shown, /tool_call|think>/);
  const named = seen.findIndex((shown) => /get_weather\s+arriving/.test(shown));
  const whole = seen.findIndex((shown) => /≈ coerced/.test(shown));
  assert.ok(named > 0 && whole > named, `${named} ${whole}`);
  // What was sent is never taken back.
  const sent = seen.slice(named, whole).map((shown) => /arriving\s+(.*)▌/.exec(shown)?.[1]).filter((one) => one !== undefined);
  assert.ok(sent.length > 3, sent.join("\n"));
  sent.reduce((before, now) => {
    assert.ok(now.startsWith(before), `${before}\n${now}`);
    return now;
  });
  assert.match(seen.at(-1), /book_table.*window seat/s);
  assert.match(await text("#player-state"), /2 calls complete/);
  await at(named + 1);
  await page.click("#play-open");
  assert.equal(await page.locator("#panel-calls .card").count(), 2, "the whole is back");
});
