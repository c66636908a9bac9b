// The page without a gateway for everyone: keyboard, small windows, themes and screen readers.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { picture, serious } from "../browser/looks.js";
import { faults, pick, settled } from "../browser/rig.js";
import { kept, rig } from "./rig.js";

let here;
before(async () => { here = await rig(); });
after(() => here.stop());

const SCENES = [["fence", "Code block", "value"], ["findings", "Violates", "findings"], ["calls", "Tool calls between", "calls"], ["loop", "Plan with a cycle", "graph"]];

for (const width of [360, 1280]) {
  for (const scheme of ["light", "dark"]) {
    test(`nothing serious is found at ${width} px, ${scheme}`, async () => {
      const page = await here.page({ width, height: width === 360 ? 740 : 800, scheme });
      await kept(page);
      for (const [name, example, tab] of SCENES) {
        await pick(page, example);
        await page.click(`#tab-${tab}`);
        await picture(page, `alone-${name}-${width}-${scheme}`);
        assert.deepEqual(await serious(page), [], name);
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(over <= 0, `${name} is ${over} px too wide`);
      }
      await page.click("#settings-open");
      await picture(page, `alone-settings-${width}-${scheme}`);
      assert.deepEqual(await serious(page), [], "settings");
      assert.deepEqual(await faults(page), []);
      await page.context().close();
    });
  }
}

test("a text is entered, read and shared with the keyboard alone", async () => {
  const page = await here.page();
  await settled(page);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.getAttribute("role") || document.activeElement.tagName);
  const tabTo = async (wanted) => {
    for (let step = 0; step < 40; step += 1) {
      if (await focused() === wanted) return;
      await page.keyboard.press("Tab");
    }
    assert.fail(`${wanted} is not reached; the last one was ${await focused()}`);
  };
  await tabTo("tab-marks");
  await page.keyboard.press("ArrowRight");
  assert.equal(await focused(), "tab-edit");
  await tabTo("edit");
  await page.keyboard.press("ControlOrMeta+A");
  // At once: what is read of a part of it, while a busy machine types the rest, would be shown first.
  await page.keyboard.insertText("{'city': 'Oslo', 'days': 3,}");
  await page.waitForFunction(() => document.getElementById("tree").textContent.includes("Oslo"));
  await tabTo("treeitem");
  await page.keyboard.press("ArrowDown");
  assert.match(await page.locator("#tree [aria-selected=true] > .label").innerText(), /city/);
  // Around the end of the page to its beginning.
  await tabTo("link");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.getElementById("link").textContent === "Copied");
  const other = await here.page({ fragment: new URL(await page.evaluate(() => navigator.clipboard.readText())).hash });
  await settled(other);
  assert.match(await other.innerText("#tree"), /days: 3/);
  assert.deepEqual([...await faults(page), ...await faults(other)], []);
  await page.context().close();
  await other.context().close();
});

test("a screen reader finds what the page says and does", async () => {
  const page = await here.page();
  await kept(page);
  await pick(page, "Single quotes");
  const spoken = await page.locator("body").ariaSnapshot();
  for (const one of [
    /heading "llmend" \[level=1\]/, /paragraph: Nothing you enter leaves this browser\. This page also works offline\./, /combobox "Answer"/,
    /button "Copy link"/, /button "Copy as JSON"/, /status: .*Valid value/s, /tab "Value" \[selected\]/, /tree "Value"/, /treeitem "user: \\?"Noor/,
    /region "Text with repairs"/,
  ]) assert.match(spoken, one);
  await page.context().close();
});
