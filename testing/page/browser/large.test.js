// Responsiveness with an answer of a megabyte.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { faults, paste, rig } from "./rig.js";

/**
 * The longest that the page may be busy at a time, in milliseconds. On a machine of its own it is a third of
 * that; a page that freezes takes seconds.
 */
const LONGEST = Number(process.env.LLMEND_LONGEST_TASK ?? 400);
/**
 * How often all is done again where something took longer. What else a machine does shows once; what the page
 * does itself shows each time.
 */
const ROUNDS = 3;

let here;
before(async () => { here = await rig(); });
after(() => here.stop());

const row = (at) => `{'id': ${at}, 'name': 'Row number ${at} — ünï', 'tags': ['a', 'b',], 'ok': True}`;
const rows = Array.from({ length: 12_500 }, (_, at) => row(at));

/** Each about a megabyte. */
const TEXTS = {
  "one line with 200,000 repairs": `{'rows': [${rows.join(", ")}]}`,
  "12,500 lines with 200,000 repairs": `{'rows': [\n  ${rows.join(",\n  ")}\n]}`,
  "300,000 numbers": `[${Array.from({ length: 300_000 }, (_, at) => at % 10).join(", ")}]`,
  "one string": `{'a': "${"lorem ipsum ".repeat(85_000)}"}`,
};

/** What the longest task was since the last time. */
const longest = (page) => page.evaluate(() => Math.max(0, ...globalThis.long.splice(0)));

/** Does with a text whatever can be done with it. Returns the longest task of each thing that was done. */
async function usedWith(answer) {
  const page = await here.page();
  await page.waitForFunction(() => document.querySelector("#tree li") !== null);
  await longest(page);
  const told = new Map();
  const after = async (what) => told.set(what, await longest(page));
  await paste(page, answer);
  await page.waitForFunction(() => /Valid value/.test(document.getElementById("outcome").textContent), null, { timeout: 60_000 });
  await after("to show it");
  for (let step = 1; step <= 12; step += 1) {
    await page.evaluate((part) => new Promise((resolve) => {
      const text = document.getElementById("text");
      text.scrollTop = text.scrollHeight * part;
      requestAnimationFrame(() => requestAnimationFrame(resolve));
    }), step / 12);
  }
  assert.ok((await page.locator("#text").innerText()).length > 100);
  await after("to go through it");
  for (const tab of ["json", "changes", "findings", "value"]) await page.click(`#tab-${tab}`);
  await after("to look at each panel");
  await page.locator("#tree").focus().catch(() => {});
  await page.locator("#tree li").first().focus();
  for (const key of ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "End", "ArrowRight", "ArrowRight", "ArrowDown", "Home"]) await page.keyboard.press(key);
  await after("to walk through the tree");
  await page.click("#tab-edit");
  assert.match(await page.locator("#edit-long").innerText(), /too large to edit/);
  await page.click("#tab-marks");
  await page.click("#play-open");
  await page.waitForFunction(() => /chunk [1-9]/.test(document.getElementById("player-state").textContent), null, { timeout: 60_000 });
  await page.click("#player-play");
  await page.locator("#player-at").fill("200");
  await page.click("#play-open");
  await after("to play it");
  assert.deepEqual(await faults(page), []);
  await page.context().close();
  return told;
}

for (const [name, answer] of Object.entries(TEXTS)) {
  test(`a megabyte does not freeze the page: ${name}`, { timeout: 300_000 }, async (t) => {
    const least = new Map();
    const slow = () => [...least].filter(([, most]) => most > LONGEST);
    for (let round = 0; round === 0 || (round < ROUNDS && slow().length > 0); round += 1) {
      const told = await usedWith(answer);
      t.diagnostic([...told].map(([what, most]) => `${what} ${most} ms`).join(", "));
      for (const [what, most] of told) least.set(what, Math.min(most, least.get(what) ?? Infinity));
    }
    assert.deepEqual(slow(), []);
  });
}

test("only blocks near the viewport are laid out", async () => {
  const page = await here.page();
  await paste(page, TEXTS["12,500 lines with 200,000 repairs"]);
  const count = () => page.evaluate(() => document.querySelectorAll("#text .row").length);
  assert.ok(await count() < 1000, `${await count()} rows`);
  await page.locator("#text").evaluate((text) => { text.scrollTop = text.scrollHeight; });
  await page.waitForFunction(() => document.querySelector("#text").innerText.includes("Row number 12499"));
  assert.ok(await count() < 1500, `${await count()} rows`);
  // A part that is far away is laid out when it is pointed at.
  await page.locator("#tree li").first().focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(() => document.querySelector("#text").innerText.includes("Row number 0 "));
  await page.context().close();
});
