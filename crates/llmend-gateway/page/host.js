// What the page has behind it: a gateway, with its keys, recorded answers and models.
//
// The page that needs no gateway has another module in place of this one.

import { askAgain } from "./again.js";
import { byId } from "./element.js";
import { key } from "./gateway.js";
import { enter } from "./key.js";
import { modelField } from "./model.js";
import { outcome, shownReport } from "./outcome.js";
import { openExchange, showParts, showRecent } from "./recent.js";
import { sampleOf } from "./settings.js";

/** Begins the message of a request without an answer. */
export const SILENT = "The gateway does not respond";

/** Returns what the worker needs to ask. */
export const credential = () => key.get();

/** Asks for a key after one was refused, or none was sent. */
export async function locked(message) {
  const said = key.get() ? message : "";
  key.drop();
  await enter(said);
}

/** Adds to the page what a gateway has. `page` is what `main.js` lets others do. */
export function attach(page) {
  const { state, settings } = page;
  modelField(settings, page.settingsChanged);

  byId("again").addEventListener("click", async ({ target }) => {
    target.disabled = true;
    state.asking = new AbortController();
    const { signal } = state.asking;
    try {
      while (!signal.aborted && state.attempts < settings.attempts && shownReport(state.result).error) {
        const found = (state.result.plan ?? state.result.value).findings;
        outcome([["quiet", `Asking ${settings.model}: attempt ${state.attempts + 1} of ${settings.attempts}`]]);
        const text = await askAgain(settings.model, state.text, found, page.schemaText(), signal);
        state.attempts += 1;
        await page.replaceText(text);
        if (state.result === null) break;
      }
    } catch (error) {
      if (!signal.aborted) outcome([["wrong", `No answer from the model: ${error.message}`]]);
    } finally {
      target.disabled = false;
    }
  });

  let refreshed = 0;
  async function refreshRecent() {
    if (Date.now() - refreshed < 3000 || byId("source").value.startsWith("exchange:")) return;
    refreshed = Date.now();
    await showRecent(byId("recent"));
  }
  // Refresh the list when it is opened.
  byId("source").addEventListener("focus", () => refreshRecent());

  return {
    /** Called when the rules are known. Returns whether there is a text to show first. */
    began() {
      refreshRecent();
      return false;
    },
    /** Called when a text has another source. */
    sourceChanged(source) {
      if (!source.startsWith("exchange:")) byId("part-field").hidden = true;
    },
    /** Called when a result is shown; null without one. */
    shown(report) {
      byId("again").hidden = !report?.error || settings.model === "" || state.attempts >= settings.attempts;
    },
    /** Opens a source of this host by its id. */
    async open(id) {
      const source = byId("source").value;
      try {
        showParts(await openExchange(id), (part) => {
          const policy = page.tables().policies.some((one) => one.name === part.policy) ? part.policy : null;
          const { as, ...sample } = sampleOf(part);
          page.setText(part.text ?? "", { sample: { ...sample, policy }, as, source });
        });
      } catch (error) {
        outcome([["wrong", error.message]]);
      }
    },
  };
}
