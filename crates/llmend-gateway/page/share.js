// How does what is shown get to somebody else?

import { byId } from "./element.js";

/** What tells such a text from any other JSON. */
const MARK = "llmend_page";

/** All that somebody needs to see the same: what was asked, and what came of it. */
export function shared({ text, as, settings, schema, catalog, raw }) {
  const parsed = (body) => {
    if (body === null || body === undefined) return null;
    try {
      return JSON.parse(body);
    } catch {
      return body;
    }
  };
  return JSON.stringify({
    [MARK]: 1,
    text,
    read_as: as,
    policy: settings.policy,
    rules: settings.rules,
    dialect: settings.dialect,
    fix: settings.fix,
    max_repair_attempts: settings.attempts,
    schema,
    catalog,
    repair: parsed(raw?.repair),
    plan: parsed(raw?.plan),
  }, null, 2);
}

/** What was shared, if a text is that. */
export function fromShared(text) {
  if (!text.startsWith("{") || !text.slice(0, 100).includes(`"${MARK}"`)) return null;
  try {
    const found = JSON.parse(text);
    return found[MARK] === 1 && typeof found.text === "string" ? found : null;
  } catch {
    return null;
  }
}

/** Copies a text; where the browser does not let the page, it is shown to be copied by hand. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const dialog = byId("copy");
    byId("copy-text").value = text;
    dialog.showModal();
    byId("copy-text").select();
    return false;
  }
}
