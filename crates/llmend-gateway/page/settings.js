// What is asked of the gateway besides the text? Kept in this browser.

const STORE = "llmend.settings";

export const DEFAULTS = Object.freeze({
  policy: "standard",
  /** Rules that are allowed or forbidden, whatever the policy says. */
  rules: {},
  dialect: "auto",
  fix: false,
  /** As of Clickweave: 0 checks nothing, 1 checks, more ask the model again once less. */
  attempts: 3,
  model: "",
  schema: "",
  catalog: "",
});

/** Only what there is, and of the right kind: what is kept may be of another version. */
export function soundSettings(kept) {
  const settings = { ...DEFAULTS };
  for (const [name, value] of Object.entries(DEFAULTS)) {
    if (typeof kept?.[name] === typeof value && kept[name] !== null) settings[name] = kept[name];
  }
  const rules = Object.entries(settings.rules).filter(([, is]) => typeof is === "boolean");
  settings.rules = Object.fromEntries(rules);
  settings.attempts = Math.max(0, Math.min(10, Math.trunc(settings.attempts)));
  return settings;
}

export function loadSettings(store = localStorage) {
  try {
    return soundSettings(JSON.parse(store.getItem(STORE) ?? "{}"));
  } catch {
    return soundSettings({});
  }
}

export function saveSettings(settings, store = localStorage) {
  store.setItem(STORE, JSON.stringify(settings));
}

/** Members of a request for the value, as JSON text: a schema goes as it was written. */
export function valueMembers(settings, schema) {
  const holds = settings.attempts > 0 && schema.trim() !== "";
  return [...textMembers(settings), ["schema", holds ? schema : null]];
}

/** Members of any request on a text. */
export function textMembers(settings) {
  return [
    ["policy", JSON.stringify(settings.policy)],
    ["rules", Object.keys(settings.rules).length > 0 ? JSON.stringify(settings.rules) : null],
  ];
}

/** Members of a request for a plan; nothing where nothing is to be checked. */
export function planMembers(settings, catalog) {
  if (settings.attempts === 0) return null;
  return [
    ...textMembers(settings),
    ["dialect", JSON.stringify(settings.dialect)],
    ["fix", settings.fix ? "true" : null],
    ["catalog", catalog.trim() === "" ? null : catalog],
    ["draw", '"svg"'],
  ];
}

/** Why a text cannot go as JSON; nothing if it can, or if it is empty. */
export function notJson(text) {
  if (text.trim() === "") return null;
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return error.message;
  }
}
