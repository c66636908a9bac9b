// What is asked of a client for Node, and what comes of it? As `scenarios.py` has it for Python.

import { readFileSync } from "node:fs";

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
