// Copying results as JSON.

import { byId } from "./element.js";

/** Marks a copied text. */
const MARK = "llmend_page";

/** Returns everything needed to reproduce a result, as JSON: text, settings and responses. */
export function shared({ text, as, settings, schema, tools, raw }) {
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
    tools,
    calls: parsed(raw?.calls),
    repair: parsed(raw?.repair),
    plan: parsed(raw?.plan),
  }, null, 2);
}

/** Parses a text that `shared` returned, or returns null. */
export function fromShared(text) {
  if (!text.startsWith("{") || !text.slice(0, 100).includes(`"${MARK}"`)) return null;
  try {
    const found = JSON.parse(text);
    return found[MARK] === 1 && typeof found.text === "string" ? found : null;
  } catch {
    return null;
  }
}

/** Copies a text. Where the browser does not allow that, shows it to be copied by hand. */
async function copy(text) {
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

/** Copies a text, and says so on the button for a moment. */
export async function copied(button, text) {
  if (!await copy(text)) return;
  const before = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => {
    button.textContent = before;
  }, 1200);
}
