// Cards of tool calls: their arguments beside what their tool declares, and what was said around them.

import { counted, element, visible } from "./element.js";
import { paged } from "./findings.js";
import { ofCall, saidAfter } from "./reading.js";

/** Maximum length of a shown text or value, in code units. */
const MAX_TEXT = 20_000;
const MAX_VALUE = 1000;

/** Signs and words for the states of arguments. */
const STATES = {
  fits: ["✓", "fits"],
  coerced: ["≈", "coerced"],
  wrong: ["✕", "does not fit"],
  missing: ["✕", "missing"],
  absent: ["–", "not given"],
  undeclared: ["!", "undeclared"],
  unchecked: ["–", "not checked"],
};

const shortened = (text, most) => (text.length > most ? `${text.slice(0, most)}…` : text);

/** Shows the calls, then the text and the reasoning. `go` shows a place in the text. */
export function showCards(root, said, go) {
  const all = [...said.calls.map((call, at) => () => callCard(call, at, go)), ...said.refused.map((one) => () => refusedCard(one, go))];
  const list = element("ul", { class: "cards" });
  paged(list, all.length, (at) => all[at]());
  root.replaceChildren(...[
    all.length === 0 ? element("p", { class: "none" }, "No calls.") : list,
    ...around(said),
  ]);
}

/** Shows what is known of a played text after `at` chunks, and says how many calls are certain. */
export function showCardsAfter(root, { said, events, end }, at, go) {
  if (at === end.length) {
    showCards(root, said, go);
    return `${counted(said.calls.length, "call")} complete`;
  }
  const known = saidAfter(events, at);
  const cards = known.calls.map((call, index) => {
    const whole = said.calls[index];
    const isIt = call.isDone && whole?.name === call.name && whole.json === call.json;
    return isIt ? callCard(whole, index, go) : growingCard(call);
  });
  root.replaceChildren(
    element("ul", { class: "cards" }, cards, known.refused.map((one) => refusedCard(one, go))),
    ...around(known),
  );
  return `${counted(known.calls.filter((call) => call.isDone).length, "call")} complete`;
}

/** Returns the text and the reasoning, if there is any. */
function around({ text, reasoning }) {
  return [["Text", text], ["Reasoning", reasoning]]
    .filter(([, words]) => words.trim() !== "")
    .map(([title, words]) => element(
      "section",
      { class: "said", "aria-label": title },
      element("h3", {}, title),
      element("p", {}, shortened(words.trim(), MAX_TEXT)),
    ));
}

function head(name, ...beside) {
  return element("div", { class: "card-head" }, element("h3", {}, element("code", {}, visible(name))), ...beside);
}

const chip = (kind, text) => element("span", { class: `chip ${kind}` }, text);

function linkTo(place, text, go, label = null) {
  return element("button", { class: "link", type: "button", "aria-label": label, onclick: () => go(place) }, text);
}

function callCard(call, at, go) {
  const wrong = call.violations.length;
  return element(
    "li",
    { class: "card", "data-call": at },
    head(
      call.name,
      wrong === 0 ? null : chip("wrong", counted(wrong, "error")),
      wrong > 0 || call.parameters === null ? null : chip("good", "fits its tool"),
      element("span", { class: "quiet" }, `${call.notation} notation`),
      call.class === null ? null : chip(call.class, `class ${call.class}`),
      call.id === null ? null : element("span", { class: "quiet" }, `id ${visible(call.id)}`),
      linkTo(call, "show in text", go, `show in text: ${visible(call.name)}`),
    ),
    call.written_name === null ? null : element("p", { class: "help" }, `Written as ${visible(call.written_name)}.`),
    argumentTable(call, go),
    ofCall(call).map((row) => element("p", { class: "note-row" }, row.message)),
  );
}

function argumentTable(call, go) {
  if (call.rows.length === 0) return element("p", { class: "help" }, "No arguments.");
  return element(
    "table",
    { class: "arguments" },
    element("caption", { class: "spoken" }, `Arguments of ${visible(call.name)}`),
    element("thead", {}, element("tr", {}, ["Argument", "Value", "Schema"].map((title) => element("th", { scope: "col" }, title)))),
    element("tbody", {}, call.rows.map((row) => argumentRow(row, go))),
  );
}

function argumentRow(row, go) {
  const [sign, word] = STATES[row.state];
  const name = visible(row.name);
  const type = row.type === "" ? "" : visible(row.type, 120);
  return element(
    "tr",
    { "data-state": row.state, "data-argument": row.name },
    element("th", { scope: "row" }, row.place === null ? element("code", {}, name) : linkTo(row.place, element("code", {}, name), go)),
    element(
      "td",
      {},
      row.value === null ? element("span", { class: "quiet" }, "–") : element("code", {}, visible(row.value, MAX_VALUE)),
      row.coercions.map((one) => element("p", { class: "help" }, `${one.kind}: ${visible(String(one.before ?? ""))} → ${visible(String(one.after ?? ""))}`)),
      row.violations.map((one) => element("p", { class: "help" }, [one.message, one.hint].filter(Boolean).join("; "))),
    ),
    element(
      "td",
      {},
      element("span", { class: "state" }, element("span", { "aria-hidden": "true" }, `${sign} `), word),
      element("p", { class: "help" }, [type, row.required ? "required" : ""].filter(Boolean).join(", ")),
    ),
  );
}

function refusedCard({ name, notation, diagnostic, start, end }, go) {
  return element(
    "li",
    { class: "card refused" },
    head(
      name ?? "no name",
      chip("wrong", "not a call"),
      element("span", { class: "quiet" }, `${notation} notation`),
      linkTo({ start, end }, "show in text", go, `show in text: ${visible(name ?? "no name")}`),
    ),
    element("p", { class: "note-row" }, diagnostic.message),
    diagnostic.help ? element("p", { class: "help" }, diagnostic.help) : null,
  );
}

/** Returns the card of a call that is arriving: its arguments as a client gets them. */
function growingCard({ name, json, isDone }) {
  return element(
    "li",
    { class: "card growing-card" },
    head(name, element("span", { class: "quiet" }, isDone ? "complete" : "arriving")),
    element("p", { class: "sent" }, shortened(json, MAX_TEXT), isDone ? "" : "▌"),
  );
}
