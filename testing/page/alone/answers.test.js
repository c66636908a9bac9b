// The engine of the page gives the gateway's answers, byte for byte.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";

import { gateway } from "../browser/rig.js";
import { PAGE } from "./rig.js";

const FIXTURES = process.env.LLMEND_FIXTURES;
const rows = (name) => readFileSync(join(FIXTURES, name), "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));

const SCHEMA = { type: "object", properties: { name: { type: "string" }, n: { type: "integer" }, ok: { type: "boolean" } }, required: ["n"] };
const TOOLS = [
  { name: "get_weather", parameters: { type: "object", properties: { city: { type: "string" }, days: { type: "integer" } }, required: ["city"] } },
];

/** Texts in other scripts, with characters of one to four bytes, and what texts may hold that is no letter. */
const SCRIPTS = [
  "Gerne! {“ville”: “Besançon”, “n”: ‘3’, “mood”: “🌧️→☀️”,}",
  "好的：```json\n{'城市': '東京', 'n': 12，'標籤': ['一', '二',]}\n```以上です。",
  "{'имя': 'Ольга', 'n': '7', 'ok': True, // комментарий\n}",
  "{\"الاسم\": \"ليلى\", \"n\": ٣, 'ok': 'نعم'}",
  "{'नाम': 'मीरा', 'n': None, \"עיר\": 'חיפה'",
  "{'👩‍👩‍👧‍👦': '🏳️‍🌈', 'n': 1e400, 'z': '\\ud83d', \"a\u2028b\": '\u0000'}",
  "<tool_call>{'name': 'get_weather', 'arguments': {'city': 'Łódź', 'days': '٣'}}</tool_call> Проверяю 🌦",
  "{\"steps\": [{\"id\": \"見つける\", \"tool\": \"検索\"}, {\"id\": \"б\", \"tool\": \"читать\", \"depends_on\": [\"見つける\", \"б\"]}]}",
];

let ask;
let here;
before(async () => {
  const module = await import(pathToFileURL(join(PAGE, "page/llmend_page.js")));
  module.initSync({ module: readFileSync(join(PAGE, "page/llmend_page_bg.wasm")) });
  ask = module.ask;
  here = await gateway();
});
after(() => here.stop());

/** Compares both answers to a request. Returns the status. */
async function same(path, body) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(here.url + path, { method: "POST", headers: { "content-type": "application/json" }, body: text });
  const [status, answer] = ask(path, text);
  assert.equal(status, response.status, `${path} ${text}`);
  assert.equal(answer, await response.text(), `${path} ${text}`);
  return status;
}

/** Asks each endpoint about a text. Returns how often there was an answer. */
async function sameOf(text) {
  const statuses = [
    await same("/v1/repair", { text, places: true }),
    await same("/v1/repair", { text, places: true, policy: "lenient", schema: SCHEMA }),
    await same("/v1/stream", { text, chunk_bytes: 7 }),
    await same("/v1/calls", { text, places: true }),
    await same("/v1/calls", { text, places: true, tools: TOOLS, chunk_bytes: 5 }),
    await same("/v1/plan", { text, places: true, draw: "svg", fix: true }),
    await same("/v1/workflow/check", { workflow: text, fix: true, draw: "tree" }),
    await same("/v1/workflow/patch", { workflow: text, patch: text, bridge: true }),
  ];
  return statuses.filter((status) => status === 200).length;
}

for (const name of ["dev.jsonl", "defects.jsonl"]) {
  test(`each text of ${name}`, { timeout: 600_000 }, async (t) => {
    const texts = rows(name).map((row) => row.input);
    let found = 0;
    for (const text of texts) found += await sameOf(text);
    t.diagnostic(`${texts.length} texts, ${found} answers of status 200`);
    assert.ok(texts.length > 150 && found > texts.length, `${texts.length} texts, ${found} found`);
  });
}

test("texts of other scripts", async () => {
  let found = 0;
  for (const text of SCRIPTS) found += await sameOf(text);
  assert.ok(found > 2 * SCRIPTS.length, `${found} found`);
});

test("the lists of rules, and requests that cannot be used", async () => {
  const response = await fetch(`${here.url}/v1/rules`);
  assert.deepEqual(ask("/v1/rules", ""), [200, await response.text()]);
  const refused = [
    ["/v1/repair", "{"], ["/v1/repair", "{\"text\": 1}"], ["/v1/repair", { text: "1", polcy: "x" }], ["/v1/repair", { text: "1", policy: "x" }],
    ["/v1/repair", { text: "1", rules: { x: true } }], ["/v1/repair", { text: "1", schema: { type: "x" } }],
    ["/v1/stream", { text: "1", chunk_bytes: 0 }], ["/v1/calls", { text: "f()", tools: 7 }], ["/v1/plan", { text: "[]", dialect: "x" }],
    ["/v1/plan", { text: "[]", catalog: 7 }], ["/v1/plan", { text: "[]", draw: "x" }],
  ];
  for (const [path, body] of refused) assert.equal(await same(path, body), 400, JSON.stringify(body));
});
