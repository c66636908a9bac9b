// Entry point: connects the text, the settings and what reads the text.

import { showCards, showCardsAfter } from "./cards.js";
import { drawingTips, showDrawing } from "./drawing.js";
import { byId, element, sized } from "./element.js";
import { EXAMPLES } from "./examples.js";
import { showChanges, showFindings } from "./findings.js";
import { showGrown } from "./grown.js";
import { attach, locked, SILENT } from "./host.js";
import { outcome, showLegend, showOutcome, shownReport } from "./outcome.js";
import { notesOf, partAround, placeOf } from "./places.js";
import { player } from "./player.js";
import {
  callMembers, loadSettings, notJson, planMembers, saveSettings, textMembers, validSettings, valueMembers,
} from "./settings.js";
import { settingsPanel } from "./settings-panel.js";
import { copied, fromShared, shared } from "./share.js";
import { tabs } from "./tabs.js";
import { textView } from "./text.js";
import { themeSwitch } from "./theme.js";
import { treeView } from "./tree.js";
import { work } from "./work.js";

/** Maximum length of a text that can be edited in place: larger fields are slow. */
const MAX_EDITED = 200_000;
/** Delay between a change and the request, in milliseconds. */
const DELAY = 150;

const settings = loadSettings();
const state = {
  text: "",
  as: "auto",
  /** Schema, tools and policy of an example or a recorded answer, which override the settings. */
  sample: null,
  result: null,
  /** Number of answers of the model, including the first. */
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
    const part = partAround(state.result?.value, place);
    if (part === -1) return;
    right.select("value");
    tree.reveal(part, { focus: false, scroll: false });
  },
});
const jsonView = textView(byId("json"), { name: "json" });
const tree = treeView(byId("tree"), { pointed: (part, scroll) => point(part, scroll) });

function point(part, scroll) {
  const place = placeOf(state.result?.value, part);
  if (scroll && place && left.selected() !== "marks") left.select("marks");
  view.point(place, scroll);
}

/** Shows the location of a finding. */
function goToFinding(row) {
  left.select("marks");
  if (row.start !== null && row.start !== undefined) view.point(row, true);
  if (row.part > -1) {
    right.select("value");
    tree.reveal(row.part, { focus: true, scroll: row.start === null || row.start === undefined });
    if (row.start !== null && row.start !== undefined) view.point(row, true);
  }
}

// ---- Requests

const schemaText = () => state.sample?.schema ?? settings.schema;
const toolsText = () => state.sample?.tools ?? settings.tools;
/** Returns the settings with the overrides of the current text. */
const effective = () => ({ ...settings, policy: state.sample?.policy ?? settings.policy });

/** Shows the syntax errors of the schema and the tools, and returns the first. */
function firstInvalidField() {
  const wrong = [["schema", notJson(schemaText())], ["tools", notJson(toolsText())]];
  for (const [field, why] of wrong) {
    byId(`${field}-error`).textContent = why === null ? "" : `Invalid JSON: ${why}`;
    byId(`tab-${field}`).classList.toggle("has-wrong", why !== null);
  }
  return wrong.find(([, why]) => why !== null);
}

let timer = 0;
let reads = 0;
/** Sends a new request once nothing has changed for a moment. */
function changed() {
  clearTimeout(timer);
  timer = setTimeout(read, state.text.length > MAX_EDITED ? 3 * DELAY : DELAY);
}

async function read() {
  clearTimeout(timer);
  if (state.text === "") {
    show(null);
    return;
  }
  const wrong = firstInvalidField();
  if (wrong) {
    show(null);
    outcome([["wrong", `Invalid JSON in the ${wrong[0]}: ${wrong[1]}`]]);
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
      callMembers: callMembers(effective(), toolsText()),
      planMembers: planMembers(effective(), toolsText()),
    });
    // A newer request replaced this one.
    if (result === null) return;
    if (result.status === 401) {
      await locked("The gateway no longer accepts this key.");
      await read();
      return;
    }
    show(result);
    if (play.isOpen()) await play.reload();
  } catch (error) {
    show(null);
    outcome([["wrong", `${SILENT}: ${error.message}`]]);
  } finally {
    if (mine === reads) document.body.classList.remove("busy");
  }
}

function settingsChanged() {
  saveSettings(settings);
  byId("policy").value = effective().policy;
  changed();
}

// ---- Display

function show(result) {
  state.result = result;
  const report = result === null ? null : shownReport(result);
  const found = result === null ? [] : (result.plan ?? result.value).findings;
  const repairs = report?.repairs ?? null;
  view.setMarks(repairs, report?.inside, found);
  showLegend(repairs, goToNext);
  showTree(result, found);
  showCalls(result);
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
    host.shown(null);
    return;
  }
  const changes = repairs.start.length + result.value.beside.length;
  byId("changes-count").textContent = changes > 0 ? changes.toLocaleString("en") : "";
  showChanges(byId("changes"), repairs, result.value.beside, state.text, { goToMark, go: goToFinding, doc: docOf });
  const { text, attempts } = state;
  showOutcome(result, found, changes, { text, attempts, most: settings.attempts, schema: schemaText() });
  if (right.selected() === "graph") {
    if (result.plan?.drawing) showGraph();
    else right.select("value");
  }
  if (right.selected() === "json") showJson();
  byId("copy-json").hidden = right.selected() !== "json" || !result.value.json;
  host.shown(report);
}

function showTree(result, found) {
  const none = byId("value-none");
  const value = result?.value;
  if (!value?.json) {
    tree.show("", null, new Map());
    none.hidden = false;
    none.textContent = state.text === ""
      ? "Paste the output of a model, or choose an example."
      : "No value to show.";
    return;
  }
  none.hidden = true;
  tree.show(value.json, value.tape, notesOf(value, found));
}

/** Shows the calls. They come before the value that they are as well. */
function showCalls(result) {
  const said = result?.value.said;
  const isNew = Boolean(said) && byId("tab-calls").hidden;
  byId("tab-calls").hidden = !said;
  if (said) showCards(byId("panel-calls"), said, (place) => goToFinding({ ...place, part: -1 }));
  if (isNew && right.selected() === "value") right.select("calls");
  if (!said && right.selected() === "calls") right.select("value");
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

/** Goes to the next repair of a class. */
function goToNext(name) {
  left.select("marks");
  view.nextOf(name);
}

function goToMark(mark) {
  left.select("marks");
  view.goTo(mark);
}

// ---- Text sources

/** Replaces the text and its overrides. */
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
  host.sourceChanged(source);
  play.close();
  view.setText(state.text);
  byId("schema").value = schemaText();
  byId("tools").value = toolsText();
  byId("policy").value = effective().policy;
  if (left.selected() === "edit") showEditor();
  read();
}

function showExample(at) {
  const { text, schema = "", tools = "", as = "auto" } = EXAMPLES[at];
  setText(text, { sample: { schema, tools }, as, source: `example:${at}` });
}

function showEditor() {
  const isLong = state.text.length > MAX_EDITED;
  byId("edit").hidden = isLong;
  byId("edit-long").hidden = !isLong;
  byId("edit-long").textContent = isLong
    ? `This text is too large to edit here (${sized(state.text.length)}). Paste another text to replace it.`
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
  Object.assign(settings, validSettings({ ...settings, policy, rules, dialect, fix, attempts }));
  byId("policy").value = settings.policy;
  setText(found.text, { as: found.read_as ?? "auto", sample: { schema: String(found.schema ?? ""), tools: String(found.tools ?? "") } });
  left.select("marks");
}

document.addEventListener("paste", (event) => {
  const text = event.clipboardData?.getData("text/plain") ?? "";
  const field = event.target.closest?.("input, textarea");
  const isOurs = field === null || field === undefined;
  const isWhole = field === byId("edit") && (text.length > MAX_EDITED || byId("edit").value === "" || fromShared(text) !== null);
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
  host.sourceChanged("own");
  play.close();
  view.setText(state.text);
  changed();
});

for (const field of ["schema", "tools"]) {
  byId(field).addEventListener("input", ({ target }) => {
    // An edited schema or list of tools of an example becomes the user's own.
    Object.assign(settings, { schema: byId("schema").value, tools: byId("tools").value, [field]: target.value });
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
    await host.open(id);
  } else {
    setText("", { as: "auto" });
    left.select("edit");
    byId("edit").focus();
  }
  left.select(kind === "own" ? "edit" : "marks");
});

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

// ---- Streaming

const play = player({
  async load(chunk) {
    const isCalls = Boolean(state.result?.value.said);
    const result = await work({
      kind: "play",
      text: state.text,
      chunk,
      members: textMembers(effective()),
      callMembers: isCalls ? callMembers(effective(), toolsText()) : null,
    })
      .catch((error) => ({ status: 0, refused: { error: error.message } }));
    if (result === null) return null;
    if (result.chunks === undefined) {
      outcome([["wrong", `${result.status}: ${result.refused?.error ?? "no answer"}`]]);
      return null;
    }
    view.setMarks(result.chunks.repairs, result.chunks.inside);
    byId("tree").hidden = true;
    right.select(isCalls ? "calls" : "value");
    left.select("marks");
    return result.chunks;
  },
  showAt(run, at) {
    const isEnd = at === run.end.length;
    view.play(at === 0 ? 0 : run.end[at - 1], (mark) => !isEnd && run.certain[mark] >= at);
    if (run.said) return showCardsAfter(byId("panel-calls"), run, at, (place) => view.point(place, true));
    return showGrown(byId("grown"), run, at);
  },
  stopped() {
    byId("tree").hidden = false;
    byId("grown").replaceChildren();
    showCalls(state.result);
    byId("play-open").setAttribute("aria-pressed", "false");
    view.stop();
    const report = state.result === null ? null : shownReport(state.result);
    view.setMarks(report?.repairs ?? null, report?.inside, (state.result?.plan ?? state.result?.value)?.findings);
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

// ---- Copying

byId("share").addEventListener("click", ({ target }) => copied(target, shared({
  text: state.text, as: state.as, settings: effective(), schema: schemaText(), tools: toolsText(), raw: state.result?.raw,
})));
byId("copy-json").addEventListener("click", ({ target }) => copied(target, state.result?.value.json ?? ""));
byId("copy-close").addEventListener("click", () => byId("copy").close());

// ---- Start

const host = attach({
  state,
  settings,
  tables: () => tables,
  schemaText,
  toolsText,
  effective,
  settingsChanged,
  setText,
  pasted,
  /** Replaces the text, but not what it is read with. */
  async replaceText(text) {
    state.text = text.toWellFormed();
    state.result = null;
    view.setText(state.text);
    await read();
  },
});

async function begin() {
  themeSwitch(byId("theme"));
  drawingTips(byId("graph"));
  const asked = () => work({ kind: "tables" }).catch((error) => ({ status: 0, body: { error: error.message } }));
  let answer = await asked();
  while (answer.status === 401) {
    await locked("The gateway does not accept this key.");
    answer = await asked();
  }
  if (answer.status !== 200) {
    outcome([["wrong", `Cannot load the rules: ${answer.body?.error ?? answer.status}`]]);
    return;
  }
  tables = answer.body;
  for (const row of [...tables.rules, ...tables.coercions]) docs.set(row.name, row.doc);
  byId("policy").replaceChildren(...tables.policies.map((policy) => element("option", { value: policy.name, title: policy.doc }, policy.name)));
  if (!tables.policies.some((policy) => policy.name === settings.policy)) settings.policy = tables.policy;
  byId("policy").value = settings.policy;
  settingsPanel(tables, settings, settingsChanged);
  showLegend(null, goToNext);
  const isShown = await host.began();
  // The user may already have entered a text.
  if (!isShown && state.text === "") showExample(0);
}

begin();
