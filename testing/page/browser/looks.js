// Pictures of a page, and what keeps people from using it.

import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Where pictures go, if somebody wants to look at them. */
const PICTURES = process.env.LLMEND_PICTURES ?? null;

/** Findings of axe that matter. It comes over the debugger, since the page's own policy lets no script in. */
export async function serious(page) {
  await page.context().newCDPSession(page).then((session) => session.send("Runtime.evaluate", { expression: AXE }));
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return found.violations
    .filter((row) => row.impact === "serious" || row.impact === "critical")
    .map((row) => `${row.id}: ${row.nodes.map((node) => `${node.target} ${node.failureSummary}`).slice(0, 3).join("; ")}`);
}

/** Takes a picture. */
export async function picture(page, name) {
  if (PICTURES === null) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
}
