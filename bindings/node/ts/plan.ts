/**
 * Reads and checks the plan or workflow that a language model wrote.
 *
 * @module
 */
import { wellFormed } from "./core/engine.js";
import { PLAN, expectOptions } from "./core/expected.js";
import { full } from "./core/full.js";
import { optionsJson, type RepairOptions } from "./core/options.js";
import { rawMember } from "./core/raw.js";
import type { Diagnostic, Report } from "./core/report.js";
import { withLost, type Text } from "./core/text.js";
import { readCatalog, type ToolsInput } from "./core/tools.js";
import { wholeUtf8 } from "./core/utf8.js";

export * from "./core/public.js";
export { init } from "./core/full.js";
export type { ToolLike, ToolsInput } from "./core/tools.js";

/** Options of reading plans. */
export interface PlanOptions extends RepairOptions {
  /** The form of the plan; `docs/reference/dialects.md` lists them. @default "auto" */
  dialect?: string;
  /**
   * Whether only the names and types of the form are accepted (`strict`), or also those that models use instead
   * (`lenient`). @default "lenient", or "strict" for the form `openmanus`
   */
  strictness?: string;
  /**
   * What is done with a step that cannot be read, is of a type that is not allowed, or has an unknown tool: it is an error,
   * is left out, or is left out and the steps around it are connected. @default "fail", or "drop" for Clickweave's forms
   */
  onBadStep?: "fail" | "drop" | "bridge";
  /** Types of nodes that are not allowed: of `tool`, `ai_step`, `ai_transform`, `if`, `switch`, `loop` and `end_loop`. */
  disabled?: readonly string[];
  /** The tools that steps may use. Without it, a step may use any. */
  catalog?: ToolsInput;
  /** Whether a near miss of a tool's name is corrected, or only the tool suggested. @default "suggest" */
  onNearTool?: "suggest" | "rename";
  /** What is done with an argument that its tool's schema forbids. @default "keep" */
  onExtraArgument?: "keep" | "drop";
  /** The most steps or nodes, and the most edges. @default 100000 */
  maxItems?: number;
  /** Whether safe fixes are made, or only reported. @default "offer" */
  fixes?: "offer" | "make";
}

/** A plan, workflow, patch or task result, with what was found in it. */
export interface Review {
  /** What the document is. */
  kind: "plan" | "workflow" | "patch" | "task_result" | (string & {});
  /** The document in llmend's own form. Do not use one with errors: a part of it may not have been read. */
  document: Record<string, unknown>;
  /** Whether any finding is an error. */
  hasErrors: boolean;
  /** Whether all of the document could be read; a part lacks what the errors name. */
  extent: "whole" | "part";
  /** Whether the document may lack something that the answer says. */
  unsure: boolean;
  /** The form that was read. */
  dialect: string;
  /** What was found in the document. */
  diagnostics: Diagnostic[];
  /** The number of safe fixes: that were made, or, unless the option `fixes` is `"make"`, that could be. */
  fixes: number;
  /** What was done to the text. */
  report: Report;
}

const OWN = [
  "dialect", "strictness", "onBadStep", "disabled", "catalog", "onNearTool", "onExtraArgument", "maxItems", "fixes",
];

/**
 * Reads, infers and checks the plan or workflow in a text. Throws a `PlanError` if there is none, or if the catalog cannot
 * be read.
 *
 * @example
 * import { plan } from "llmend/plan";
 *
 * const review = plan("{steps: [{id: 'a', tool: 'search'}, {id: 'b', depends_on: ['A', 'c']}]}");
 * review.hasErrors; // true
 * review.diagnostics.map((found) => found.path); // ["/steps/1/depends_on/0","/steps/1/depends_on/1"]
 * review.diagnostics[0].help; // did you mean `a`?
 */
export function plan(text: Text, options?: PlanOptions): Review {
  expectOptions(options, PLAN);
  const source = typeof text === "string" ? text : wholeUtf8(full, text);
  const given = (options ?? {}) as Record<string, unknown>;
  const own = Object.fromEntries(OWN.map((name) => [name, given[name]]));
  const read = options?.catalog && readCatalog(options.catalog);
  if (read) own.catalog = read.catalog;
  const [forText, forPlan] = [optionsJson(options, OWN), optionsJson(own)];
  const json = full.run(source, (glue) => glue.review(wellFormed(source), forText, forPlan));
  const row = JSON.parse(json) as Review;
  const report: Report = { ...row.report, coercions: [], violations: [] };
  const diagnostics = [...row.diagnostics, ...(read ? [...read.notes.remarks.values()].flat() : [])];
  return {
    ...row,
    diagnostics,
    report: withLost(report, rawMember(json, "document") ?? "", false, "Ask for it as a string."),
    hasErrors: row.diagnostics.some((found) => found.severity === "error"),
  };
}
