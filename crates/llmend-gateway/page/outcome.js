// Summary of the result.

import { byId, counted, element, sized } from "./element.js";
import { CLASSES } from "./result.js";

/** Shows labels, each with its kind. */
export function outcome(chips) {
  byId("outcome").replaceChildren(...chips.filter(Boolean).map(([kind, text]) => element("span", { class: `chip ${kind}` }, text)));
}

/** Returns the report to show: that of the plan, if the text was read as one. */
export const shownReport = (result) => (result.plan?.origin ? { ...result.value, ...result.plan } : result.value);

/** Says what was read. */
function verdict({ plan, value }) {
  if (value.said) return value.said.calls.length === 0 ? "No calls" : counted(value.said.calls.length, "valid call");
  return plan ? `Valid ${plan.dialect} plan` : "Valid value";
}

/** Shows the summary. `request` has the text, its schema and the number of attempts. */
export function showOutcome(result, found, changes, request) {
  const report = shownReport(result);
  const errors = found.filter((row) => row.severity === "error").length;
  outcome([
    report.error === null || report.error === undefined ? null : ["wrong", `${report.status}: ${report.error}`],
    report.error ? null : ["good", verdict(result)],
    report.origin === null ? null : ["quiet", { whole: "whole text", fence: "in a code block", wrapper: "in a wrapper", bare: "in prose", unbraced: "without braces", escaped: "in an escaped string" }[report.origin] ?? report.origin],
    report.class === null ? null : [report.class, `class ${report.class}`],
    report.inside.length === 0 ? null : ["quiet", changes === 0 ? "no changes" : counted(changes, "change")],
    report.truncated ? ["wrong", "truncated"] : null,
    errors > 1 ? ["wrong", counted(errors, "error")] : null,
    request.most === 0 && request.schema.trim() !== "" ? ["quiet", "not validated: max_repair_attempts is 0"] : null,
    request.attempts > 1 ? ["quiet", `attempt ${request.attempts}`] : null,
    ["quiet", sized(new Blob([request.text]).size)],
  ]);
}

/** Shows the number of repairs of each class; `next` goes to the next one. */
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
