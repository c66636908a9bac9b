// What every entry exports beside its functions.
export { LlmendError, OptionError, PlanError, RepairError, SchemaError, UnfitError, UnsureError } from "./errors.js";
export type { Issue } from "./errors.js";
export type { Arriving, CoerceOptions, ParseOptions, Policy, RepairOptions } from "./options.js";
export { Outcome, Repaired } from "./outcome.js";
export type { DeepPartial } from "./partial.js";
export { Reader } from "./reader.js";
export type { Step, StepData } from "./reader.js";
export type { Coercion, Diagnostic, Repair, RepairClass, Report, Violation } from "./report.js";
export type { Safe } from "./safely.js";
export { Pass } from "./pass.js";
export type { Source } from "./pass.js";
export { PartialStream } from "./stream.js";
export type { Text, ValueOptions } from "./text.js";
export { TextTransform } from "./transforms.js";
export type { Unsure } from "./transforms.js";
