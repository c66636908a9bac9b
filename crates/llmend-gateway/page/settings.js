// Settings, stored in the browser.

const STORE = "llmend.settings";

export const DEFAULTS = Object.freeze({
  policy: "standard",
  /** Rules enabled or disabled in addition to the policy. */
  rules: {},
  dialect: "auto",
  fix: false,
  /** As in Clickweave: 0 validates nothing, 1 validates, n allows n - 1 retries. */
  attempts: 3,
  model: "",
  schema: "",
  tools: "",
});

/** Keeps only known settings of the right type, because another version may have stored them. */
export function validSettings(stored) {
  const settings = { ...DEFAULTS };
  for (const [name, value] of Object.entries(DEFAULTS)) {
    if (typeof stored?.[name] === typeof value && stored[name] !== null) settings[name] = stored[name];
  }
  const rules = Object.entries(settings.rules).filter(([, is]) => typeof is === "boolean");
  settings.rules = Object.fromEntries(rules);
  settings.attempts = Math.max(0, Math.min(10, Math.trunc(settings.attempts)));
  return settings;
}

export function loadSettings(store = localStorage) {
  try {
    return validSettings(JSON.parse(store.getItem(STORE) ?? "{}"));
  } catch {
    return validSettings({});
  }
}

export function saveSettings(settings, store = localStorage) {
  store.setItem(STORE, JSON.stringify(settings));
}

/** Returns the members of a request for the value, as JSON text: the schema is sent verbatim. */
export function valueMembers(settings, schema) {
  const validates = settings.attempts > 0 && schema.trim() !== "";
  return [...textMembers(settings), ["schema", validates ? schema : null]];
}

/** Returns the members of any request about a text. */
export function textMembers(settings) {
  return [
    ["policy", JSON.stringify(settings.policy)],
    ["rules", Object.keys(settings.rules).length > 0 ? JSON.stringify(settings.rules) : null],
  ];
}

/** Returns the members of a request for calls. The tools are sent verbatim. */
export function callMembers(settings, tools) {
  return [...textMembers(settings), ["tools", tools.trim() === "" ? null : tools]];
}

/** Returns the members of a request for a plan, or null if nothing is validated. */
export function planMembers(settings, tools) {
  if (settings.attempts === 0) return null;
  return [
    ...textMembers(settings),
    ["dialect", JSON.stringify(settings.dialect)],
    ["fix", settings.fix ? "true" : null],
    ["catalog", tools.trim() === "" ? null : tools],
    ["draw", '"svg"'],
  ];
}

/** Returns what a recorded part is read with: as calls of its tool if it was a call in a text, and otherwise by its schema. */
export function sampleOf({ kind, notation, tool, schema }) {
  const isCall = kind === "call" && notation;
  const parameters = schema ?? undefined;
  return {
    as: isCall ? "calls" : "auto",
    schema: isCall || !schema ? "" : JSON.stringify(schema, null, 2),
    tools: isCall ? JSON.stringify([{ name: tool, parameters }], null, 2) : "",
  };
}

/** Returns the syntax error of a JSON text, or null if it is valid or empty. */
export function notJson(text) {
  if (text.trim() === "") return null;
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return error.message;
  }
}
