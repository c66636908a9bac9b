// The model that is asked again, in the settings dialog.

import { byId, element } from "./element.js";
import { ask } from "./gateway.js";

/** Returns the available models. Called only when the settings are opened. */
async function models() {
  const answer = await ask("/v1/models").catch(() => null);
  const rows = answer?.status === 200 && Array.isArray(answer.body.data) ? answer.body.data : [];
  return rows.map((model) => String(model.id));
}

/** Sets up the field. `changed` is called after every change. */
export function modelField(settings, changed) {
  const show = () => {
    byId("model").value = settings.model;
  };
  byId("model").addEventListener("change", ({ target }) => {
    settings.model = target.value.trim();
    changed();
  });
  byId("settings-reset").addEventListener("click", show);
  byId("settings-open").addEventListener("click", async () => {
    show();
    byId("models").replaceChildren(...(await models()).map((name) => element("option", { value: name }, name)));
  });
}
