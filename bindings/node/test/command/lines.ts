// Runs many command lines in one process: `node lines.ts RUN.js LINES.json OUT.json`. Starting one for each takes minutes.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [module = "", lines = "", out = ""] = process.argv.slice(2);
const { run } = await import(pathToFileURL(module).href);

let written = { stdout: "", stderr: "" };
for (const name of ["stdout", "stderr"] as const) {
  process[name].setMaxListeners(0);
  process[name].write = ((text: string, done: () => void) => {
    written[name] += text;
    done();
    return true;
  }) as typeof process.stdout.write;
}

const results: object[] = [];
for (const line of JSON.parse(readFileSync(lines, "utf8")) as string[][]) {
  written = { stdout: "", stderr: "" };
  const status = await run(line);
  results.push({ status, ...written });
}
writeFileSync(out, JSON.stringify(results));
