// The page without a gateway: what it shows, links, use without a network, and that nothing leaves it.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { faults, paste, pick, settled } from "../browser/rig.js";
import { kept, PAGE, rig } from "./rig.js";

let here;
before(async () => { here = await rig(); });
after(() => here.stop());

const outcome = (page) => page.innerText("#outcome");

/** The link to what a page shows. */
async function linkOf(page) {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.click("#link");
  await page.waitForFunction(() => document.getElementById("link").textContent === "Copied");
  return page.evaluate(() => navigator.clipboard.readText());
}

test("a text is read, and what only a gateway has is absent", async () => {
  const page = await here.page();
  await settled(page);
  assert.match(await outcome(page), /Valid value/);
  await paste(page, "Sure! {'city': 'Oslo', 'days': 3,}");
  assert.match(await outcome(page), /Valid value.*in prose.*class notation/s);
  assert.match(await page.innerText("#tree"), /city: "Oslo"/);
  assert.match(await page.innerText("#private"), /Nothing you enter leaves this browser/);
  for (const id of ["recent", "part-field", "again", "model", "models", "key"]) {
    assert.equal(await page.locator(`#${id}`).count(), 0, id);
  }
  assert.deepEqual(await faults(page), []);
  await page.context().close();
});

test("calls, plans, violations and streams are as in front of a gateway", async () => {
  const page = await here.page();
  await pick(page, "Tool calls between");
  assert.match(await outcome(page), /2 valid calls/);
  await pick(page, "Violates its schema");
  assert.match(await outcome(page), /422: the value does not match the schema/);
  await pick(page, "Plan with a cycle");
  await page.click("#tab-graph");
  assert.equal(await page.locator("#graph [data-node]").count(), 4);
  await pick(page, "Single quotes");
  await page.click("#play-open");
  await page.waitForFunction(() => /chunk [2-9]/.test(document.getElementById("player-state").textContent));
  await page.click("#play-open");
  await page.click("#settings-open");
  await page.fill("#rule-filter", "single-quotes");
  await page.uncheck("#rule-single-quotes");
  await page.click("#settings-close");
  await page.waitForFunction(() => document.getElementById("outcome").textContent.includes("422"));
  assert.deepEqual(await faults(page), []);
  await page.context().close();
});

test("a link opens its text with its settings, and stays until another text is shown", async () => {
  const page = await here.page();
  await settled(page);
  await pick(page, "Wrong types");
  await page.selectOption("#policy", "lenient");
  await settled(page);
  const link = await linkOf(page);
  assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/some\/folder\/#1\.[\w-]+$/);
  assert.doesNotMatch(link, /Ghent/);
  const other = await here.page({ fragment: new URL(link).hash });
  await settled(other);
  assert.match(await other.innerText("#text"), /Ghent/);
  assert.equal(await other.inputValue("#policy"), "lenient");
  assert.match(await other.inputValue("#schema"), /nights/);
  assert.equal(other.url(), link);
  await other.reload();
  await settled(other);
  assert.match(await other.innerText("#text"), /Ghent/);
  await paste(other, "[1, 2,]");
  assert.equal(new URL(other.url()).hash, "");
  // A link may be opened in a page that is open.
  await other.evaluate((hash) => { location.hash = hash; }, new URL(link).hash);
  await other.waitForFunction(() => document.getElementById("text").textContent.includes("Ghent"));
  assert.deepEqual([...await faults(page), ...await faults(other)], []);
  await page.context().close();
  await other.context().close();
});

test("any text survives a link, and what cannot be one says so", async () => {
  const page = await here.page();
  await settled(page);
  const text = "{'naïve': '城市 🏳️‍🌈 \u2028 </script>', 'n': 12345678901234567890}";
  await paste(page, text);
  const { hash } = new URL(await linkOf(page));
  const other = await here.page({ fragment: hash });
  await settled(other);
  await other.click("#tab-edit");
  assert.equal(await other.inputValue("#edit"), text);
  for (const [fragment, why] of [["#1.AAAA", /Cannot open this link/], ["#1.%", /Cannot open this link/], [hash.slice(0, -9), /Cannot open this link/]]) {
    const damaged = await here.page({ fragment });
    await settled(damaged);
    assert.match(await outcome(damaged), why, fragment);
    await damaged.context().close();
  }
  const noise = Array.from({ length: 100_000 }, (_, at) => Math.imul(at + 1, 2_654_435_761) >>> 0);
  await paste(page, JSON.stringify(noise));
  await page.click("#link");
  await page.waitForFunction(() => document.getElementById("outcome").textContent.includes("too long for a link"));
  assert.deepEqual([...await faults(page), ...await faults(other)], []);
  await page.context().close();
  await other.context().close();
});

test("once opened, the page works without a network", async () => {
  const page = await here.page();
  await kept(page);
  here.unplug(true);
  try {
    await page.reload();
    await kept(page);
    await paste(page, "Offline: {'n': 1,}");
    assert.match(await outcome(page), /Valid value/);
    await pick(page, "Plan with a cycle");
    assert.match(await outcome(page), /422: invalid plan/);
    assert.deepEqual(await faults(page), []);
  } finally {
    here.unplug(false);
  }
  await page.context().close();
});

test("nothing is asked for but the files of the page", async () => {
  const from = here.asked.length;
  const page = await here.page();
  await kept(page);
  await paste(page, "{'password': 'hunter2',}");
  await page.selectOption("#policy", "lenient");
  await settled(page);
  await linkOf(page);
  const files = ["", "offline.js", "manifest.webmanifest", ...readdirSync(join(PAGE, "page")).map((name) => `page/${name}`)];
  const asked = new Set(here.asked.slice(from));
  for (const one of asked) assert.ok(files.some((name) => one === `GET /some/folder/${name}`), one);
  assert.ok(asked.size >= files.length - 1, `${asked.size} of ${files.length}`);
  const tried = await page.evaluate(() => fetch("http://127.0.0.1:9/?hunter2").then(() => "sent", () => "refused"));
  assert.equal(tried, "refused");
  // The attempt above is what the policy reported, and all of it.
  assert.ok((await faults(page)).every((fault) => fault.includes("127.0.0.1:9")), (await faults(page)).join("\n"));
  await page.context().close();
});

test("the page can be installed", async () => {
  const page = await here.page();
  await kept(page);
  const session = await page.context().newCDPSession(page);
  const { errors, url, data } = await session.send("Page.getAppManifest");
  assert.deepEqual(errors, []);
  assert.match(url, /\/some\/folder\/manifest\.webmanifest$/);
  const manifest = JSON.parse(data);
  for (const icon of manifest.icons) assert.ok(readFileSync(join(PAGE, icon.src)).length > 100, icon.src);
  const { installabilityErrors } = await session.send("Page.getInstallabilityErrors");
  // A window of a test is a private one, in which nothing is installed.
  assert.deepEqual(installabilityErrors.map((error) => error.errorId).filter((id) => id !== "in-incognito"), []);
  await page.context().close();
});

test("five megabytes are read without freezing the page", { timeout: 300_000 }, async (t) => {
  const page = await here.page();
  page.setDefaultTimeout(240_000);
  await settled(page);
  const row = (at) => `{'id': ${at}, 'name': 'Row number ${at} — ünï', 'tags': ['a', 'b',], 'ok': True}`;
  const text = `{'rows': [\n${Array.from({ length: 60_000 }, (_, at) => row(at)).join(",\n")}\n]}`;
  assert.ok(Buffer.byteLength(text) > 5e6, `${Buffer.byteLength(text)} bytes`);
  await page.evaluate(() => globalThis.long.splice(0));
  const start = performance.now();
  await paste(page, text);
  await page.waitForFunction(() => /Valid value/.test(document.getElementById("outcome").textContent));
  const whole = Math.round(performance.now() - start);
  const longest = await page.evaluate(() => Math.max(0, ...globalThis.long));
  t.diagnostic(`${Buffer.byteLength(text)} bytes are shown after ${whole} ms, the longest task takes ${longest} ms`);
  // An engine in the page itself would be nearly all of it, however busy the machine is.
  assert.ok(longest < whole / 4, `${longest} of ${whole} ms`);
  await page.locator("#text").evaluate((view) => { view.scrollTop = view.scrollHeight; });
  await page.waitForFunction(() => document.getElementById("text").innerText.includes("Row number 59999"));
  assert.deepEqual(await faults(page), []);
  await page.context().close();
});
