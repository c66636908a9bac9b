// Settings dialog.

import { byId, element } from "./element.js";
import { DEFAULTS } from "./settings.js";

/** Sets up the dialog. `tables` is the answer of `/v1/rules`, and `changed` is called after every change. */
export function settingsPanel(tables, settings, changed) {
  const dialog = byId("settings");
  const list = byId("rules");
  const filter = byId("rule-filter");

  const option = (name) => element("option", { value: name }, name);
  byId("dialect").replaceChildren(...tables.dialects.map(option));

  const isAllowed = (rule) => settings.rules[rule.name] ?? policyOf().rules.includes(rule.name);
  const policyOf = () => tables.policies.find((policy) => policy.name === settings.policy) ?? tables.policies[0];

  function showRules() {
    const wanted = filter.value.trim().toLowerCase();
    const fits = (rule) => rule.name.includes(wanted) || rule.doc.toLowerCase().includes(wanted);
    list.replaceChildren(...tables.rules.filter(fits).map((rule) => {
      const own = rule.name in settings.rules;
      const box = element("input", { type: "checkbox", id: `rule-${rule.name}`, "aria-describedby": `doc-${rule.name}` });
      box.checked = isAllowed(rule);
      box.addEventListener("change", () => {
        const byPolicy = policyOf().rules.includes(rule.name);
        if (box.checked === byPolicy) delete settings.rules[rule.name];
        else settings.rules[rule.name] = box.checked;
        applied();
        box.closest("li").classList.toggle("own", rule.name in settings.rules);
      });
      return element(
        "li",
        { class: `${rule.class}${own ? " own" : ""}` },
        box,
        element("label", { for: `rule-${rule.name}` }, rule.name, element("span", { class: "class" }, rule.class)),
        element("p", { id: `doc-${rule.name}`, class: "help" }, rule.doc),
      );
    }));
    showCount();
  }

  function showCount() {
    const count = Object.keys(settings.rules).length;
    byId("rules-own").textContent = count === 0 ? "All rules follow the policy." : `${count} changed from the policy.`;
    byId("rules-reset").disabled = count === 0;
  }

  function applied() {
    showCount();
    changed();
  }

  function show() {
    byId("dialect").value = settings.dialect;
    byId("fix").checked = settings.fix;
    byId("attempts").value = String(settings.attempts);
    showRules();
  }

  filter.addEventListener("input", showRules);
  byId("rules-reset").addEventListener("click", () => {
    settings.rules = {};
    showRules();
    changed();
  });
  byId("settings-reset").addEventListener("click", () => {
    Object.assign(settings, structuredClone({ ...DEFAULTS, schema: settings.schema, tools: settings.tools }));
    show();
    changed();
  });
  byId("dialect").addEventListener("change", ({ target }) => {
    settings.dialect = target.value;
    changed();
  });
  byId("fix").addEventListener("change", ({ target }) => {
    settings.fix = target.checked;
    changed();
  });
  byId("attempts").addEventListener("change", ({ target }) => {
    settings.attempts = Math.max(0, Math.min(10, Math.trunc(Number(target.value) || 0)));
    target.value = String(settings.attempts);
    changed();
  });
  byId("settings-open").addEventListener("click", () => {
    show();
    dialog.showModal();
  });
  byId("settings-close").addEventListener("click", () => dialog.close());
  return { refresh: show };
}
