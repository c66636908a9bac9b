// Accessibility: keyboard, small windows, themes and screen readers.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { picture, serious } from "./looks.js";
import { faults, highlighted, pick, rig } from "./rig.js";

let here;
before(async () => { here = await rig(); });
after(() => here.stop());

const SCENES = [
  ["fence", "Code block", "value"],
  ["findings", "Violates", "findings"],
  ["changes", "Quotes within", "changes"],
  ["loop", "Plan with a cycle", "graph"],
  ["workflow", "Workflow", "graph"],
  ["alphabets", "Non-Latin", "json"],
  ["calls", "Tool calls between", "calls"],
  ["faulty-calls", "Tool calls with faults", "calls"],
  ["unrepairable", "Not repairable: no JSON", "value"],
];

for (const width of [360, 1280]) {
  for (const scheme of ["light", "dark"]) {
    test(`nothing serious is found at ${width} px, ${scheme}`, async () => {
      const page = await here.page({ width, height: width === 360 ? 740 : 800, scheme });
      for (const [name, example, tab] of SCENES) {
        await pick(page, example);
        await page.click(`#tab-${tab}`);
        await picture(page, `${name}-${width}-${scheme}`);
        assert.deepEqual(await serious(page), [], name);
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(over <= 0, `${name} is ${over} px too wide`);
      }
      await pick(page, "Quotes within");
      await page.click("#play-open");
      await page.waitForFunction(() => /chunk [3-9]/.test(document.getElementById("player-state").textContent));
      await page.click("#player-play");
      await picture(page, `player-${width}-${scheme}`);
      assert.deepEqual(await serious(page), [], "player");
      await page.click("#play-open");
      await pick(page, "Tool calls between");
      await page.click("#play-open");
      await page.waitForSelector(".growing-card");
      await page.click("#player-play");
      await picture(page, `played-calls-${width}-${scheme}`);
      assert.deepEqual(await serious(page), [], "played calls");
      await page.click("#play-open");
      await page.click("#settings-open");
      await picture(page, `settings-${width}-${scheme}`);
      assert.deepEqual(await serious(page), [], "settings");
      await page.click("#settings-close");
      for (const tab of ["edit", "schema", "tools"]) {
        await page.click(`#tab-${tab}`);
        assert.deepEqual(await serious(page), [], tab);
      }
      assert.deepEqual(await faults(page), []);
      await page.context().close();
    });
  }
}

test("the theme switch overrides the system and is stored", async () => {
  const page = await here.page({ scheme: "light" });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.click("#theme");
  assert.equal(await ground(), light);
  await page.click("#theme");
  const dark = await ground();
  assert.notEqual(dark, light);
  await page.reload();
  assert.equal(await ground(), dark);
  await page.click("#theme");
  assert.equal(await ground(), light);
  await page.context().close();
});

test("everything can be used with the keyboard alone", async () => {
  const page = await here.page();
  const focused = () => page.evaluate(() => {
    const at = document.activeElement;
    return at.id || at.dataset.mark || at.getAttribute("role") || at.tagName;
  });
  const tabTo = async (wanted, most = 40) => {
    for (let step = 0; step < most; step += 1) {
      if (await focused() === wanted) return;
      await page.keyboard.press("Tab");
    }
    assert.fail(`${wanted} is not reached; the last one was ${await focused()}`);
  };
  await pick(page, "Single quotes");
  await page.evaluate(() => document.activeElement.blur());
  // Every control, in an order that makes sense, and one mark of the many.
  const order = [];
  for (let step = 0; step < 22; step += 1) {
    await page.keyboard.press("Tab");
    order.push(await focused());
  }
  for (const id of ["source", "as", "policy", "play-open", "share", "settings-open", "theme", "tab-marks", "text", "tab-value", "treeitem"]) {
    assert.ok(order.includes(id), `${id} in ${order.join(", ")}`);
  }
  assert.equal(order.filter((one) => /^\d+$/.test(one)).length, 1, "one mark is in the order of the tab key");
  assert.equal(order.filter((one) => one === "treeitem").length, 1, "one row is in the order of the tab key");

  // Marks: the arrows go from one to the next, and each says what it is.
  await page.evaluate(() => document.activeElement.blur());
  await tabTo("text");
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "0");
  await page.keyboard.press("ArrowRight");
  assert.equal(await focused(), "1");
  assert.match(await page.innerText("#tip"), /single-quotes · notation/);
  await page.keyboard.press("Escape");
  assert.equal(await page.isVisible("#tip"), false);
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  assert.equal(await page.getAttribute("#tab-changes", "aria-selected"), "true");

  // Tabs: the arrows change them.
  await tabTo("tab-changes");
  await page.keyboard.press("Home");
  assert.equal(await focused(), "tab-value");
  await tabTo("treeitem");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.equal(await highlighted(page, "text-place"), "False");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await page.locator("#tree > li").getAttribute("aria-expanded"), "false");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.locator("#tree > li").getAttribute("aria-expanded"), "true");

  // A dialog takes the focus and gives it back.
  await page.focus("#settings-open");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.querySelector("#settings").contains(document.activeElement)), true);
  await page.keyboard.press("Escape");
  assert.equal(await focused(), "settings-open");

  // The edges of a graph of which something was found, and then its nodes.
  await pick(page, "Plan with a cycle");
  await page.focus("#tab-graph");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  assert.match(await page.innerText("#tip"), /error plan\/cycle/);
  await page.keyboard.press("Tab");
  assert.match(await page.innerText("#tip"), /find/);
  await page.keyboard.press("Enter");
  assert.match(await highlighted(page, "text-place"), /^\{"id": "find"/);
  assert.deepEqual(await faults(page), []);
  await page.context().close();
});
