// What happens when: the text, the settings and what the gateway says of them, brought together.

import { askAgain } from "./again.js";
import { drawingTips, showDrawing } from "./drawing.js";
import { byId, counted, element, sized } from "./element.js";
import { EXAMPLES } from "./examples.js";
import { showChanges, showFindings } from "./findings.js";
import { ask, key, work } from "./gateway.js";
import { enter } from "./key.js";
import { player } from "./player.js";
import { openExchange, showParts, showRecent } from "./recent.js";
import { CLASSES } from "./result.js";
import { loadSettings, notJson, planMembers, saveSettings, soundSettings, textMembers, valueMembers } from "./settings.js";
import { settingsPanel } from "./settings-panel.js";
import { copy, fromShared, shared } from "./share.js";
import { tabs } from "./tabs.js";
import { textView } from "./text.js";
import { themeSwitch } from "./theme.js";
import { treeView } from "./tree.js";

/** A text from which on it is not edited in place: a field of that size makes a browser slow. */
const MOST_EDITED = 200_000;
/** How long the page waits for more before it asks, in milliseconds. */
const REST = 150;

const settings = loadSettings();
const state = {
  text: "",
  as: "auto",
  /** Schema, catalog and policy of an example or a recorded answer; the settings' own otherwise. */
  sample: null,
  result: null,
  /** Answers that a model has given to this text, the first included. */
  attempts: 1,
  asking: null,
};
let tables = null;
const docs = new Map();
const docOf = (name) => docs.get(name) ?? "";

const left = tabs(byId("left-tabs"), (name) => {
  if (name === "edit") showEditor();
});
const right = tabs(byId("right-tabs"), (name) => {
  if (name === "graph") showGraph();
  if (name === "json") showJson();
  byId("copy-json").hidden = name !== "json" || !state.result?.value.json;
});

const view = textView(byId("text"), {
  name: "text",
  doc: docOf,
  chosenMark(mark) {
    right.select("changes");
    const row = byId("changes").querySelector(`[data-change="${mark}"]`);
    row?.scrollIntoView({ block: "nearest" });
  },
  chosenPlace(place) {
    const part = partAround(place);
    if (part === -1) return;
    right.select("value");
    tree.reveal(part, { focus: false, scroll: false });
  },
});
const jsonView = textView(byId("json"), { name: "json" });
const tree = treeView(byId("tree"), { pointed: (part, scroll) => point(part, scroll) });

/** Where a part stands in the text. */
function placeOf(part) {
  const places = state.result?.value.places;
  if (!places || part < 0 || part * 2 + 1 >= places.length) return null;
  return { start: places[part * 2], end: places[part * 2 + 1] };
}

function point(part, scroll) {
  const place = placeOf(part);
  if (scroll && place && left.selected() !== "marks") left.select("marks");
  view.point(place, scroll);
}

/** The innermost part around a place of the text. */
function partAround(place) {
  const value = state.result?.value;
  if (!value?.tape) return -1;
  let best = -1;
  let width = Infinity;
  for (let part = 0; part * 2 + 1 < value.places.length; part += 1) {
    const [start, end] = [value.places[part * 2], value.places[part * 2 + 1]];
    if (start <= place && place < end && end - start <= width) {
      best = part;
      width = end - start;
    }
  }
  return best;
}

/** Goes to where a finding is to be seen. */
function goToFinding(row) {
  left.select("marks");
  if (row.start !== null && row.start !== undefined) view.point(row, true);
  if (row.part > -1) {
    right.select("value");
    tree.reveal(row.part, { focus: true, scroll: row.start === null || row.start === undefined });
    if (row.start !== null && row.start !== undefined) view.point(row, true);
  }
}

// ---- What is asked

const schemaText = () => state.sample?.schema ?? settings.schema;
const catalogText = () => state.sample?.catalog ?? settings.catalog;
/** The settings, but for what belongs to the text. */
const effective = () => ({ ...settings, policy: state.sample?.policy ?? settings.policy });

/** What keeps the settings from being sent, by the field that it is in. */
function wrongFields() {
  const wrong = [["schema", notJson(schemaText())], ["catalog", notJson(catalogText())]];
  for (const [field, why] of wrong) {
    byId(`${field}-error`).textContent = why === null ? "" : `This is no JSON: ${why}`;
    byId(`tab-${field}`).classList.toggle("has-wrong", why !== null);
  }
  return wrong.find(([, why]) => why !== null);
}

let timer = 0;
let reads = 0;
/** Asks the gateway anew, once nothing has changed for a moment. */
function changed() {
  clearTimeout(timer);
  timer = setTimeout(read, state.text.length > MOST_EDITED ? 3 * REST : REST);
}

async function read() {
  clearTimeout(timer);
  if (state.text === "") {
    show(null);
    return;
  }
  const wrong = wrongFields();
  if (wrong) {
    show(null);
    outcome([["wrong", `The ${wrong[0]} is no JSON: ${wrong[1]}`]]);
    return;
  }
  document.body.classList.add("busy");
  reads += 1;
  const mine = reads;
  try {
    const result = await work({
      kind: "read",
      text: state.text,
      as: state.as,
      members: valueMembers(effective(), schemaText()),
      planMembers: planMembers(effective(), catalogText()),
    });
    // Something newer was asked.
    if (result === null) return;
    if (result.status === 401) {
      await locked("The gateway does not know this key any more.");
      await read();
      return;
    }
    show(result);
    if (play.isOpen()) await play.reload();
  } catch (error) {
    show(null);
    outcome([["wrong", `The gateway does not answer: ${error.message}`]]);
  } finally {
    if (mine === reads) document.body.classList.remove("busy");
  }
}

// ---- What is shown

function outcome(chips) {
  byId("outcome").replaceChildren(...chips.filter(Boolean).map(([kind, text]) => element("span", { class: `chip ${kind}` }, text)));
}

/** The report that is told: of the plan, where it is read as one. */
const toldOf = (result) => (result.plan && result.plan.candidate ? { ...result.value, ...result.plan } : result.value);

function show(result) {
  state.result = result;
  const told = result === null ? null : toldOf(result);
  const found = result === null ? [] : (result.plan ?? result.value).findings;
  const repairs = told?.repairs ?? null;
  view.setMarks(repairs, told?.candidate, found);
  showLegend(repairs);
  showTree(result, found);
  showFindings(byId("findings"), found, state.text, goToFinding);
  byId("findings-count").textContent = found.length > 0 ? String(found.length) : "";
  byId("changes-count").textContent = "";
  byId("changes").replaceChildren();
  byId("tab-graph").hidden = !result?.plan?.drawing;
  byId("graph").replaceChildren();
  graphOf = null;
  jsonOf = null;
  if (result === null) {
    outcome([]);
    byId("again").hidden = true;
    return;
  }
  const changes = repairs.start.length + result.value.beside.length;
  byId("changes-count").textContent = changes > 0 ? changes.toLocaleString("en") : "";
  showChanges(byId("changes"), repairs, result.value.beside, state.text, { goToMark, go: goToFinding, doc: docOf });
  tellOutcome(result, told, found, changes);
  if (right.selected() === "graph") {
    if (result.plan?.drawing) showGraph();
    else right.select("value");
  }
  if (right.selected() === "json") showJson();
  byId("copy-json").hidden = right.selected() !== "json" || !result.value.json;
  byId("again").hidden = settings.model === "" || !told.error || state.attempts >= settings.attempts;
}

function tellOutcome(result, told, found, changes) {
  const errors = found.filter((row) => row.severity === "error").length;
  const { plan } = result;
  outcome([
    told.error === null || told.error === undefined ? null : ["wrong", `${told.status}: ${told.error}`],
    told.error ? null : ["good", plan ? `A ${plan.dialect} plan that can be used` : "A value"],
    told.candidate === null ? null : ["quiet", { whole: "the whole text", fence: "in a fence", wrapper: "in a wrapper", bare: "in open text", unbraced: "without its braces", escaped: "under escapes" }[told.candidate.origin] ?? told.candidate.origin],
    told.class === null ? null : [told.class, `class ${told.class}`],
    told.candidate === null ? null : ["quiet", changes === 0 ? "nothing changed" : counted(changes, "change")],
    told.truncated ? ["wrong", "cut off"] : null,
    errors > 1 ? ["wrong", counted(errors, "error")] : null,
    settings.attempts === 0 && schemaText().trim() !== "" ? ["quiet", "not checked: max_repair_attempts is 0"] : null,
    state.attempts > 1 ? ["quiet", `answer ${state.attempts} of the model`] : null,
    ["quiet", sized(new Blob([state.text]).size)],
  ]);
}

function showLegend(repairs) {
  const counts = CLASSES.map((_, at) => (repairs === null ? 0 : repairs.class.reduce((sum, one) => sum + (one === at ? 1 : 0), 0)));
  byId("legend").replaceChildren(...CLASSES.map((name, at) => element(
    "button",
    { type: "button", class: `key ${name}`, disabled: counts[at] === 0, title: `Go to the next repair of class ${name}`, onclick: () => {
      left.select("marks");
      view.nextOf(name);
    } },
    element("span", { class: "swatch", "aria-hidden": "true" }, "ab"),
    name,
    element("b", {}, counts[at] > 0 ? counts[at].toLocaleString("en") : ""),
  )));
}

function showTree(result, found) {
  const none = byId("value-none");
  const value = result?.value;
  if (!value?.json) {
    tree.show("", null, new Map());
    none.hidden = false;
    none.textContent = state.text === ""
      ? "Paste what a model wrote, or pick an example."
      : "There is no value to be shown.";
    return;
  }
  none.hidden = true;
  const notes = new Map();
  const add = (part, note) => {
    if (part < 0) return;
    if (!notes.has(part)) notes.set(part, []);
    notes.get(part).push(note);
  };
  for (const row of found) {
    if (row.severity === "info") continue;
    add(row.part, { kind: row.severity ?? "error", sign: row.severity === "warning" ? "!" : "✕", text: ` ${row.message}` });
  }
  for (const row of value.coercions) add(row.part, { kind: row.class, sign: "≈", text: ` ${row.kind}: ${row.before} became ${row.after}` });
  tree.show(value.json, value.tape, notes);
}

let graphOf = null;
function showGraph() {
  const plan = state.result?.plan;
  if (!plan?.drawing || graphOf === plan) return;
  graphOf = plan;
  showDrawing(byId("graph"), plan.drawing, (node) => {
    const place = plan.items[node];
    if (!place) return;
    left.select("marks");
    view.point({ start: place[0], end: place[1] }, true);
  });
}

let jsonOf = null;
function showJson() {
  const json = state.result?.value.json ?? "";
  if (jsonOf === json) return;
  jsonOf = json;
  jsonView.setText(json);
}

function goToMark(mark) {
  left.select("marks");
  view.goTo(mark);
}

// ---- Where a text comes from

/** Shows another text, with what belongs to it. */
function setText(text, { sample = null, as = null, source = "own" } = {}) {
  state.asking?.abort();
  state.text = text.toWellFormed();
  state.result = null;
  state.sample = sample;
  state.attempts = 1;
  if (as !== null) {
    state.as = as;
    byId("as").value = as;
  }
  byId("source").value = source;
  if (!source.startsWith("exchange:")) byId("part-field").hidden = true;
  play.close();
  view.setText(state.text);
  byId("schema").value = schemaText();
  byId("catalog").value = catalogText();
  byId("policy").value = effective().policy;
  if (left.selected() === "edit") showEditor();
  read();
}

function showExample(at) {
  const { text, schema = "", catalog = "", as = "auto" } = EXAMPLES[at];
  setText(text, { sample: { schema, catalog }, as, source: `example:${at}` });
}

function showEditor() {
  const isLong = state.text.length > MOST_EDITED;
  byId("edit").hidden = isLong;
  byId("edit-long").hidden = !isLong;
  byId("edit-long").textContent = isLong
    ? `This text has ${sized(state.text.length)}, too much to be edited here. Paste another one to take its place.`
    : "";
  byId("edit").value = isLong ? "" : state.text;
}

function pasted(text) {
  const found = fromShared(text);
  if (found === null) {
    setText(text, { as: "auto" });
    left.select("marks");
    return;
  }
  const { policy, rules, dialect, fix, max_repair_attempts: attempts } = found;
  Object.assign(settings, soundSettings({ ...settings, policy, rules, dialect, fix, attempts }));
  byId("policy").value = settings.policy;
  setText(found.text, { as: found.read_as ?? "auto", sample: { schema: String(found.schema ?? ""), catalog: String(found.catalog ?? "") } });
  left.select("marks");
}

document.addEventListener("paste", (event) => {
  const text = event.clipboardData?.getData("text/plain") ?? "";
  const field = event.target.closest?.("input, textarea");
  const isOurs = field === null || field === undefined;
  const isWhole = field === byId("edit") && (text.length > MOST_EDITED || byId("edit").value === "" || fromShared(text) !== null);
  if (text === "" || document.querySelector("dialog[open]") || !(isOurs || isWhole)) return;
  event.preventDefault();
  pasted(text);
});

byId("edit").addEventListener("input", ({ target }) => {
  state.asking?.abort();
  state.text = target.value.toWellFormed();
  state.result = null;
  state.attempts = 1;
  byId("source").value = "own";
  byId("part-field").hidden = true;
  play.close();
  view.setText(state.text);
  changed();
});

for (const field of ["schema", "catalog"]) {
  byId(field).addEventListener("input", ({ target }) => {
    // What is typed is one's own from now on, also where it began as that of an example.
    Object.assign(settings, { schema: byId("schema").value, catalog: byId("catalog").value, [field]: target.value });
    state.sample = null;
    saveSettings(settings);
    changed();
  });
}

byId("examples").append(...EXAMPLES.map((example, at) => element("option", { value: `example:${at}` }, example.name)));

byId("source").addEventListener("change", async ({ target }) => {
  const [kind, id] = target.value.split(/:(.*)/s);
  if (kind === "example") {
    showExample(Number(id));
  } else if (kind === "exchange") {
    const source = target.value;
    try {
      showParts(await openExchange(id), (part) => {
        const schema = part.schema === null || part.schema === undefined ? "" : JSON.stringify(part.schema, null, 2);
        const policy = tables.policies.some((one) => one.name === part.policy) ? part.policy : null;
        setText(part.text ?? "", { sample: { schema, catalog: "", policy }, as: "auto", source });
      });
    } catch (error) {
      outcome([["wrong", error.message]]);
    }
  } else {
    setText("", { as: "auto" });
    left.select("edit");
    byId("edit").focus();
  }
  left.select(kind === "own" ? "edit" : "marks");
});
// The list is as new as the moment at which it is looked at.
byId("source").addEventListener("focus", () => refreshRecent());

let refreshed = 0;
async function refreshRecent() {
  if (Date.now() - refreshed < 3000 || byId("source").value.startsWith("exchange:")) return;
  refreshed = Date.now();
  await showRecent(byId("recent"));
}

byId("as").addEventListener("change", ({ target }) => {
  state.as = target.value;
  read();
});
byId("policy").addEventListener("change", ({ target }) => {
  settings.policy = target.value;
  if (state.sample) state.sample.policy = null;
  saveSettings(settings);
  read();
});

// ---- As it arrives

const play = player({
  async load(chunk) {
    const result = await work({ kind: "play", text: state.text, chunk, members: textMembers(effective()) })
      .catch((error) => ({ status: 0, refused: { error: error.message } }));
    if (result === null) return null;
    if (result.chunks === undefined) {
      outcome([["wrong", `${result.status}: ${result.refused?.error ?? "the gateway does not answer"}`]]);
      return null;
    }
    view.setMarks(result.chunks.repairs, result.chunks.candidate);
    byId("tree").hidden = true;
    right.select("value");
    left.select("marks");
    return result.chunks;
  },
  showAt: (end, isUnsure) => view.play(end, isUnsure),
  stopped() {
    byId("tree").hidden = false;
    byId("play-open").setAttribute("aria-pressed", "false");
    view.stop();
    const told = state.result === null ? null : toldOf(state.result);
    view.setMarks(told?.repairs ?? null, told?.candidate, (state.result?.plan ?? state.result?.value)?.findings);
  },
});
byId("play-open").addEventListener("click", ({ target }) => {
  if (play.isOpen()) {
    play.close();
    return;
  }
  if (state.text === "") return;
  target.setAttribute("aria-pressed", "true");
  play.open(new Blob([state.text]).size);
});

// ---- Asking a model again, copying

byId("again").addEventListener("click", async ({ target }) => {
  target.disabled = true;
  state.asking = new AbortController();
  const { signal } = state.asking;
  try {
    while (!signal.aborted && state.attempts < settings.attempts && toldOf(state.result).error) {
      const found = (state.result.plan ?? state.result.value).findings;
      outcome([["quiet", `${settings.model} is asked for answer ${state.attempts + 1} of ${settings.attempts}`]]);
      const text = await askAgain(settings.model, state.text, found, schemaText(), signal);
      state.attempts += 1;
      state.text = text.toWellFormed();
      state.result = null;
      view.setText(state.text);
      await read();
      if (state.result === null) break;
    }
  } catch (error) {
    if (!signal.aborted) outcome([["wrong", `The model gave no answer: ${error.message}`]]);
  } finally {
    target.disabled = false;
  }
});

async function copied(button, text) {
  if (!await copy(text)) return;
  const before = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => {
    button.textContent = before;
  }, 1200);
}
byId("share").addEventListener("click", ({ target }) => copied(target, shared({
  text: state.text, as: state.as, settings: effective(), schema: schemaText(), catalog: catalogText(), raw: state.result?.raw,
})));
byId("copy-json").addEventListener("click", ({ target }) => copied(target, state.result?.value.json ?? ""));
byId("copy-close").addEventListener("click", () => byId("copy").close());

// ---- The beginning

async function locked(message) {
  key.drop();
  const answer = await enter(message);
  return answer;
}

/** The models that can be asked. The upstream is not bothered before somebody wants to know. */
async function models() {
  const answer = await ask("/v1/models").catch(() => null);
  const rows = answer?.status === 200 && Array.isArray(answer.body.data) ? answer.body.data : [];
  return rows.map((model) => String(model.id));
}

async function begin() {
  themeSwitch(byId("theme"));
  drawingTips(byId("graph"));
  let answer = await ask("/v1/rules").catch((error) => ({ status: 0, body: { error: error.message } }));
  if (answer.status === 401) answer = await locked(key.get() ? "The gateway does not know this key." : "");
  if (answer.status !== 200) {
    outcome([["wrong", `The gateway does not say what may be done: ${answer.body?.error ?? answer.status}`]]);
    return;
  }
  tables = answer.body;
  for (const row of [...tables.rules, ...tables.coercions]) docs.set(row.name, row.doc);
  byId("policy").replaceChildren(...tables.policies.map((policy) => element("option", { value: policy.name, title: policy.doc }, policy.name)));
  if (!tables.policies.some((policy) => policy.name === settings.policy)) settings.policy = tables.policy;
  byId("policy").value = settings.policy;
  settingsPanel(tables, settings, models, () => {
    saveSettings(settings);
    byId("policy").value = effective().policy;
    changed();
  });
  showLegend(null);
  refreshRecent();
  // Whoever was quick has put in a text already.
  if (state.text === "") showExample(0);
}

begin();
