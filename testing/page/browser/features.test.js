// Features of the page, used with a mouse.

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

test("repairs of an example are marked and explained", async () => {
  page = await here.page();
  await pick(page, "Single quotes");
  assert.match(await text("#outcome"), /Valid value/);
  const rules = await page.locator("#text .mark").evaluateAll((marks) => marks.map((mark) => mark.getAttribute("aria-label")));
  assert.ok(rules.some((label) => label.startsWith("foreign-literal, notation: False → false")), rules.join("\n"));
  // The text is as it was.
  assert.equal(await page.locator("#text .row").evaluateAll((rows) => rows.map((row) => row.textContent).join("\n")), await page.evaluate(async () => (await import("/page/examples.js")).EXAMPLES[1].text));
  await page.hover("#text .mark >> nth=0");
  assert.match(await text("#tip"), /single-quotes · notation\s+' → "/);
  await page.mouse.move(0, 0);
  assert.equal(await page.isVisible("#tip"), false);
});

test("classes differ in more than color", async () => {
  page = await here.page();
  await paste(page, "{'a': NaN, \"b\": \"say \"x\" now\", \"d\": \"cut");
  const looks = await page.evaluate(() => ["notation", "completion", "guess", "loss"].map((name) => {
    const style = getComputedStyle(document.querySelector(`.mark.${name}`));
    return `${style.textDecorationLine} ${style.textDecorationStyle}`;
  }));
  assert.equal(new Set(looks).size, 4, looks.join(", "));
  await page.click("#legend .loss");
  assert.match(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), /not-a-number, loss/);
});

test("the tree links to the text", async () => {
  page = await here.page();
  await paste(page, "Gern: {'größe': [1, {'käse': 'ja'}], 'z': NaN}");
  await page.hover("#tree .label:has-text('käse')");
  assert.equal(await highlighted(page, "text-place"), "'ja'");
  await page.click("#tree .label:has-text('größe')");
  assert.equal(await highlighted(page, "text-place"), "[1, {'käse': 'ja'}]");
  assert.match(await text("#tip"), /\/größe/);
  // And the text to the tree.
  await page.locator("#text .row").evaluate((row) => row.scrollIntoView());
  const box = await page.evaluate(() => {
    const node = [...document.querySelectorAll("#text .row")][0];
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const at = walker.currentNode.data.indexOf("1, ");
      if (at === -1) continue;
      const range = document.createRange();
      range.setStart(walker.currentNode, at);
      range.setEnd(walker.currentNode, at + 1);
      const { x, y, width, height } = range.getBoundingClientRect();
      return { x: x + width / 3, y: y + height / 2 };
    }
    return null;
  });
  await page.mouse.click(box.x, box.y);
  assert.equal(await page.locator("#tree [aria-selected=true] > .label").innerText(), "0: 1");
});

test("numbers keep their digits, and duplicate keys are both shown", async () => {
  page = await here.page();
  await paste(page, "{\"n\": 12345678901234567890.10, \"2\": 0, \"1\": 1, \"n\": 3}");
  const rows = await page.locator("#tree [role=treeitem] [role=treeitem] > .label").allInnerTexts();
  assert.deepEqual(rows.map((row) => row.replace(/\s*!.*$/, "")), ["n: 12345678901234567890.10", "2: 0", "1: 1", "n: 3"]);
});

test("violations link to their position, and the error is shown", async () => {
  page = await here.page();
  await pick(page, "Violates its schema");
  assert.match(await text("#outcome"), /422: the value does not match the schema: /);
  await page.click("#tab-findings");
  const found = await page.locator("#findings .finding.error").allInnerTexts();
  assert.equal(found.length, 3, found.join("\n"));
  await page.click("#findings .finding:has-text('schema/enum') .link");
  assert.equal(await highlighted(page, "text-place"), "\"as you like\"");
  assert.match(await text("#tree [aria-selected=true] > .label"), /pace/);
  assert.equal((await highlighted(page, "text-wrong")).includes("\"as you like\""), true);
});

test("coercions are marked and noted at their part", async () => {
  page = await here.page();
  await pick(page, "Wrong types");
  assert.equal(await page.locator("#text .mark").count(), 5);
  assert.equal(await page.locator("#tree .note").count(), 5);
  await page.click("#tab-changes");
  assert.equal(await page.locator("#changes .change").count(), 5);
  await page.click("#changes .link >> nth=2");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "\"1,250.50\"");
  await page.click("#tab-json");
  assert.match(await text("#json"), /"budget": 1250\.50/);
});

test("a plan is drawn with the findings on its nodes", async () => {
  page = await here.page();
  await pick(page, "Plan with a cycle");
  await page.click("#tab-graph");
  assert.equal(await page.locator("#graph [data-node]").count(), 4);
  await page.hover("#graph .error >> nth=-1");
  assert.match(await text("#tip"), /send/);
  assert.match(await text("#tip"), /plan\/unknown-tool/);
  await page.click("#graph [data-node='3']");
  assert.match(await highlighted(page, "text-place"), /^\{"id": "send".*\}$/s);
  // An answer that is no plan has no graph.
  await pick(page, "Nothing to repair");
  assert.equal(await page.isVisible("#tab-graph"), false);
  assert.equal(await page.isVisible("#panel-value"), true);
});

test("a text can be played, paused, stepped and scrubbed", async () => {
  page = await here.page();
  await pick(page, "Single quotes");
  await page.selectOption("#player-speed", "4", { force: true });
  await page.click("#play-open");
  await page.waitForFunction(() => /chunk [2-9]/.test(document.getElementById("player-state").textContent));
  await page.click("#player-play");
  assert.equal(await text("#player-play"), "Play");
  const state = await text("#player-state");
  const ahead = await highlighted(page, "text-ahead");
  assert.ok(ahead.length > 10, ahead);
  await page.click("#player-step");
  assert.notEqual(await text("#player-state"), state);
  assert.ok((await highlighted(page, "text-ahead")).length < ahead.length);
  await page.locator("#player-at").fill(await page.locator("#player-at").getAttribute("max"));
  assert.equal(await highlighted(page, "text-ahead"), "");
  assert.match(await text("#grown"), /quota: null/);
  // What is certain is part of what comes: no row of a smaller state is missing from a later one.
  await page.locator("#player-at").fill("6");
  const early = (await text("#grown")).split("\n").filter((row) => !row.includes("▌"));
  await page.locator("#player-at").fill("9");
  const late = await text("#grown");
  for (const row of early) assert.ok(late.includes(row), `${row}\n${late}`);
  await page.selectOption("#player-chunk", "1");
  await page.waitForFunction(() => / of 9\d /.test(document.getElementById("player-state").textContent));
  await page.click("#play-open");
  assert.equal(await page.isVisible("#player"), false);
  assert.equal(await page.isVisible("#tree"), true);
});

test("policy and rules take effect and are stored", async () => {
  page = await here.page();
  await paste(page, "[1, 2,]");
  assert.match(await text("#outcome"), /Valid value/);
  await page.selectOption("#policy", "extract");
  await page.waitForFunction(() => document.getElementById("outcome").textContent.includes("422"));
  await page.selectOption("#policy", "standard");
  await page.waitForFunction(() => document.getElementById("outcome").textContent.includes("Valid value"));
  await page.click("#settings-open");
  await page.fill("#rule-filter", "trailing");
  await page.uncheck("#rule-trailing-comma");
  assert.match(await text("#rules-own"), /^1 changed from the policy/);
  await page.click("#settings-close");
  await page.waitForFunction(() => document.getElementById("outcome").textContent.includes("422"));
  assert.match(await text("#outcome"), /trailing-comma/);
  await page.reload();
  await settled(page);
  await paste(page, "[1, 2,]");
  assert.match(await text("#outcome"), /422/);
  await page.click("#settings-open");
  await page.click("#rules-reset");
  await page.click("#settings-close");
  await page.waitForFunction(() => document.getElementById("outcome").textContent.includes("Valid value"));
});

test("schema and tools are stored, and their syntax errors shown", async () => {
  page = await here.page();
  await paste(page, "{'n': '3'}");
  await page.click("#tab-schema");
  await page.fill("#schema", "{\"properties\": {\"n\": {\"type\": \"integer\"");
  await page.waitForFunction(() => document.getElementById("schema-error").textContent.includes("Invalid JSON"));
  await page.fill("#schema", "{\"properties\": {\"n\": {\"type\": \"integer\"}}}");
  await page.waitForFunction(() => document.querySelectorAll("#tree .note").length === 1);
  await page.reload();
  await settled(page);
  await paste(page, "{'n': '4'}");
  assert.match(await text("#tree"), /n: 4/);
  // That of an example comes with it, and goes with it.
  await pick(page, "Wrong types");
  assert.match(await page.inputValue("#schema"), /nights/);
  await paste(page, "{'n': '5'}");
  assert.doesNotMatch(await page.inputValue("#schema"), /nights/);
  assert.match(await text("#tree"), /n: 5/);
});

test("max_repair_attempts 0 disables validation", async () => {
  // S3-18
  page = await here.page();
  await pick(page, "Violates its schema");
  await page.click("#settings-open");
  await page.fill("#attempts", "0");
  await page.locator("#attempts").blur();
  await page.click("#settings-close");
  await page.waitForFunction(() => document.getElementById("outcome").textContent.includes("max_repair_attempts is 0"));
  assert.match(await text("#outcome"), /Valid value/);
});

test("typing shows the result of the latest text only", async () => {
  page = await here.page();
  await page.selectOption("#source", "own");
  await page.locator("#edit").pressSequentially("{'a': [1, 2", { delay: 5 });
  await page.waitForFunction(() => document.querySelector("#tree")?.textContent.includes("[2]"));
  assert.equal(await page.evaluate(() => document.activeElement.id), "edit");
  await page.fill("#edit", "");
  await page.waitForFunction(() => document.getElementById("value-none").textContent.startsWith("Paste"));
});

test("a copied result can be pasted back", async () => {
  page = await here.page();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await pick(page, "Wrong types");
  await page.selectOption("#policy", "lenient");
  await settled(page);
  await page.click("#share");
  await page.waitForFunction(() => document.getElementById("share").textContent === "Copied");
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  const found = JSON.parse(copied);
  assert.equal(found.policy, "lenient");
  assert.equal(found.repair.value.nights, 3);
  await pick(page, "Truncated within");
  await paste(page, copied);
  assert.match(await text("#text"), /Ghent/);
  assert.match(await page.inputValue("#schema"), /nights/);
});

test("an unrepairable answer shows an error and its position", async () => {
  page = await here.page();
  await pick(page, "Not repairable: an expression");
  assert.match(await text("#outcome"), /422: cannot read a value/);
  await page.click("#tab-findings");
  await page.click("#findings .link >> nth=0");
  assert.ok((await highlighted(page, "text-place")).length > 0);
  assert.match(await text("#value-none"), /No value/);
});
