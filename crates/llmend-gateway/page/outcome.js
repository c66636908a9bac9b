// In which words is it told what came of a text?

import { byId, counted, element, sized } from "./element.js";
import { CLASSES } from "./result.js";

/** Tells it in a few words, each with its kind. */
export function outcome(chips) {
  byId("outcome").replaceChildren(...chips.filter(Boolean).map(([kind, text]) => element("span", { class: `chip ${kind}` }, text)));
}

/** The report that is told: of the plan, where it is read as one. */
export const toldOf = (result) => (result.plan && result.plan.candidate ? { ...result.value, ...result.plan } : result.value);

/** What came of a text. `asked` is what it was held against, and how often a model was asked. */
export function tellOutcome(result, found, changes, asked) {
  const told = toldOf(result);
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
    asked.most === 0 && asked.schema.trim() !== "" ? ["quiet", "not checked: max_repair_attempts is 0"] : null,
    asked.attempts > 1 ? ["quiet", `answer ${asked.attempts} of the model`] : null,
    ["quiet", sized(new Blob([asked.text]).size)],
  ]);
}

/** How many repairs there are of each class; `next` goes to the next one. */
export function showLegend(repairs, next) {
  const counts = CLASSES.map((_, at) => (repairs === null ? 0 : repairs.class.reduce((sum, one) => sum + (one === at ? 1 : 0), 0)));
  byId("legend").replaceChildren(...CLASSES.map((name, at) => element(
    "button",
    { type: "button", class: `key ${name}`, disabled: counts[at] === 0, title: `Go to the next repair of class ${name}`, onclick: () => next(name) },
    element("span", { class: "swatch", "aria-hidden": "true" }, "ab"),
    name,
    element("b", {}, counts[at] > 0 ? counts[at].toLocaleString("en") : ""),
  )));
}
