// A table whose rows are measured in processes of their own: those of each engine of llmend, and those of other packages.
import { spawnSync } from "node:child_process";

// The path of an addon; without one, its rows are left out.
const addon = process.env.LLMEND_ENGINE;
const ENGINES = { ...(addon ? { addon } : {}), WebAssembly: "wasm", others: "wasm" };

/**
 * Prints a table of what a benchmark measures. `own` measures llmend, and `others` the rest; both return rows, each its name
 * and its cells. A process of its own measures for each engine, so that none runs what another one has optimized.
 */
export async function table(columns, own, others) {
  const [part] = process.argv.slice(2);
  if (part !== undefined) {
    console.log(JSON.stringify(await (part === "others" ? others : own)()));
    return;
  }
  console.log(`| | ${columns.join(" | ")} |`);
  console.log(`|---|${"---:|".repeat(columns.length)}`);
  for (const [part, LLMEND_ENGINE] of Object.entries(ENGINES)) {
    const env = { ...process.env, LLMEND_ENGINE };
    const { status, stdout } = spawnSync(process.execPath, [process.argv[1], part], { env, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
    if (status !== 0) process.exit(1);
    for (const [name, cells] of JSON.parse(stdout)) {
      console.log(`| ${name}${part === "others" ? "" : `, ${part}`} | ${cells.map((time) => (time === null ? "" : shown(time))).join(" | ")} |`);
    }
  }
}

/** A time as it is printed; an estimate is printed as it is. */
const shown = (time) => (typeof time === "string" ? time : time < 100 ? time.toFixed(1) : Math.round(time).toLocaleString("en-US"));
