// What is asked of a client for Node, and what comes of it? As `scenarios.py` has it for Python.

import { readFileSync } from "node:fs";

/** What `written.py` has for clients. */
const WRITTEN = JSON.parse(readFileSync(process.env.LLMEND_WRITTEN, "utf8"));
const SCENARIOS = JSON.parse(readFileSync(new URL("scenarios.json", import.meta.url), "utf8"));
export const PROMPT = "Plan a trip to the north.";
export const TOOL = "trip";
export const KEY = "sk-of-the-client";

export const SCHEMA = {
  type: "object",
  properties: {
    city: { type: "string" },
    days: { type: "integer" },
    sights: { type: "array", items: { type: "string" } },
  },
  required: ["city", "days", "sights"],
  additionalProperties: false,
};

/** A value of which the client tells that the answer was cut off. */
export class Got {
  constructor(value, cutOff) {
    Object.assign(this, { value, cutOff });
  }
}

/** `ways`: by name, what a way asks for (`content` or `calls`), and the function that asks. */
export async function run(client, ways) {
  for (const [way, [kind, ask]] of Object.entries(ways)) {
    for (const [scenario, said] of Object.entries(SCENARIOS)) {
      if (!(kind in said)) continue;
      for (const via of ["direct", "gateway"]) {
        const model = `${scenario}/${client}/${way}/${via}`;
        const row = { client, way, kind, scenario, via, model };
        try {
          let got = await ask(process.env[`LLMEND_${via.toUpperCase()}`], model);
          if (!(got instanceof Got)) got = new Got(got, false);
          Object.assign(row, { value: got.value ?? null, cut_off: got.cutOff });
        } catch (error) {
          Object.assign(row, { error: error?.constructor?.name ?? typeof error, message: `${error?.message ?? error}` });
        }
        console.log(JSON.stringify(row));
      }
    }
  }
}

/** Prints what came of asking. */
async function tell(row, ask) {
  row.model = `${row.scenario}/${row.client}/${row.way}/${row.via}`;
  try {
    Object.assign(row, await ask(process.env[`LLMEND_${row.via.toUpperCase()}`], row.model));
  } catch (error) {
    Object.assign(row, { error: error?.constructor?.name ?? typeof error, message: `${error?.message ?? error}` });
  }
  console.log(JSON.stringify(row));
}

/** `ways`: by name, whether a way asks for a stream, and the function that asks; it returns the calls and the text. */
export async function runWritten(client, ways) {
  for (const [way, [isStream, ask]] of Object.entries(ways)) {
    for (const { kind, scenario, is_stream, tools } of WRITTEN.asks) {
      if (is_stream !== isStream || kind !== "written") continue;
      // Whole answers show what comes without the gateway.
      for (const via of isStream ? ["gateway"] : ["direct", "gateway"]) {
        await tell({ client, way, kind, scenario, via }, async (url, model) => {
          const [calls, text] = await ask(url, model, tools);
          return { calls, text };
        });
      }
    }
  }
}

/** `ways`: by name, the function that has an agent go on until its model calls no tool any more; it returns the last text. */
export async function runLoops(client, ways) {
  for (const [way, go] of Object.entries(ways)) {
    for (const scenario of WRITTEN.loops) {
      for (const via of ["direct", "gateway"]) {
        const calls = [];
        const record = ({ number, note }) => {
          calls.push([number, note]);
          return `recorded ${number}`;
        };
        await tell({ client, way, kind: "loop", scenario, via, calls }, async (url, model) => ({ text: await go(url, model, record) }));
      }
    }
  }
}
