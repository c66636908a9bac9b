import { decoded, passed, type Engine, type Glue, type TextEvents } from "./engine.js";
import { SchemaError, UnfitError, type Issue } from "./errors.js";
import { parseJson } from "./numbers.js";
import { optionsJson, type CoerceOptions, type ParseOptions } from "./options.js";
import { Outcome } from "./outcome.js";
import { lineColumn } from "./place.js";
import { readReport, type Diagnostic, type Report } from "./report.js";
import { isStandard, type AnySchema, type JsonSchema, type Result } from "./standard.js";
import { OWN, parseWith, withLost, type Text } from "./text.js";

/** A JSON Schema in the module. */
export interface CompiledSchema {
  fit(text: string, options: string, call: number): string;
  fitBytes(bytes: Uint8Array, options: string, call: number): string;
  stream(options: string): TextEvents;
}

/** A module that knows schemas. */
export interface FitGlue extends Glue {
  Schema: new (json: string, isOfType: boolean) => CompiledSchema;
}

/** Options of fitting a value to a schema. */
export interface FitOptions extends ParseOptions {
  /** How values are coerced. */
  coerce?: CoerceOptions;
}

/** Options that the package reads itself where values are fitted. */
const FITTING = OWN.filter((name) => name !== "coerce");

/** A schema as it is used. */
interface Prepared {
  /** What coerces; absent if the schema cannot be written as JSON Schema. */
  compiled: CompiledSchema | undefined;
  validate: ((value: unknown) => Result<unknown> | Promise<Result<unknown>>) | undefined;
  /** Why nothing is coerced. */
  note: Diagnostic | undefined;
}

/** Fits values to schemas, each of which it compiles once. */
export class Fitter {
  #engine: Engine<FitGlue>;
  #prepared = new WeakMap<object, { generation: number; prepared: Prepared }>();

  constructor(engine: Engine<FitGlue>) {
    this.#engine = engine;
  }

  /** Parses a text and fits its value. Throws if the schema's validator is asynchronous. */
  parse(text: Text, schema: AnySchema, options: FitOptions | undefined): Outcome<unknown> {
    const prepared = this.#of(schema);
    const outcome = this.#fitted(text, prepared, options);
    const result = prepared.validate?.(outcome.value);
    if (result instanceof Promise) {
      result.catch(() => {});
      const advice = "await parseAsync, or iterate over stream";
      throw new TypeError(`expected a schema that validates at once, found one that returns a promise: ${advice}`);
    }
    return validated(text, outcome, result);
  }

  /** Parses a text and fits its value, also with an asynchronous validator. */
  async parseAsync(text: Text, schema: AnySchema, options: FitOptions | undefined): Promise<Outcome<unknown>> {
    const prepared = this.#of(schema);
    const outcome = this.#fitted(text, prepared, options);
    return validated(text, outcome, await prepared.validate?.(outcome.value));
  }

  /** Returns the JSON of a text's value made to fit a JSON Schema; nothing if it does not fit. */
  json(text: Text, schema: JsonSchema, options: FitOptions | undefined): { json: string; unsure: boolean } | undefined {
    const { compiled, note } = this.#of(schema);
    // What zod writes as JSON Schema is a Standard Schema as well.
    if (!compiled) throw new SchemaError({ code: "schema/unreadable", message: note?.message ?? UNWRITTEN, help: note?.help });
    const { json, flags } = this.#made(text, compiled, options);
    return (flags & 2) === 0 ? { json, unsure: (flags & 1) !== 0 } : undefined;
  }

  /** Begins to read a text, whose events are those of the value as it fits where the schema can be used for that. */
  events(schema: AnySchema, options: FitOptions | undefined): TextEvents {
    const { compiled } = this.#of(schema);
    if (!compiled) return this.#engine.run("", (glue) => new glue.TextEvents(optionsJson(options, OWN)));
    return this.#engine.run("", () => compiled.stream(optionsJson(options, FITTING)));
  }

  #fitted(text: Text, prepared: Prepared, options: FitOptions | undefined): Outcome<unknown> {
    const { compiled, note } = prepared;
    if (!compiled) {
      const outcome = parseWith(this.#engine, text, options);
      return note ? withNote(outcome, note) : outcome;
    }
    const { json, call, flags, again } = this.#made(text, compiled, options);
    const report = () => {
      const report = readReport(this.#engine.report(call, again));
      return withLost(report, json, options?.bigint);
    };
    const outcome = new Outcome(parseJson(json, options?.bigint), (flags & 1) !== 0, report);
    // What validates may accept more than its JSON Schema says.
    if ((flags & 2) !== 0 && !prepared.validate) throw unfit(text, outcome, []);
    return outcome;
  }

  /** Calls the engine. */
  #made(text: Text, compiled: CompiledSchema, options: FitOptions | undefined) {
    const settings = optionsJson(options, FITTING);
    const fit = () =>
      this.#engine.run(text, (_, call) =>
        passed(
          text,
          (text) => compiled.fit(text, settings, call),
          (bytes) => compiled.fitBytes(bytes, settings, call),
        ),
      );
    const json = fit();
    return { json, call: this.#engine.call, flags: this.#engine.flags(), again: fit };
  }

  #of(schema: AnySchema): Prepared {
    if (typeof schema === "boolean") return this.#prepare(schema);
    const known = this.#prepared.get(schema);
    if (known && known.generation === this.#engine.generation) return known.prepared;
    const prepared = this.#prepare(schema);
    this.#prepared.set(schema, { generation: this.#engine.generation, prepared });
    return prepared;
  }

  #prepare(schema: AnySchema): Prepared {
    if (!isStandard(schema)) return { compiled: this.#compile(schema, false), validate: undefined, note: undefined };
    const { validate } = schema["~standard"];
    try {
      const json = schema["~standard"].jsonSchema?.input({ target: "draft-2020-12" });
      const compiled = json && this.#compile(json, true);
      const note = compiled ? undefined : notCoerced(VALUE, schema, UNWRITTEN);
      return { compiled, validate, note };
    } catch (error) {
      if (!validate) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      return { compiled: undefined, validate, note: notCoerced(VALUE, schema, reason) };
    }
  }

  #compile(schema: unknown, isOfType: boolean): CompiledSchema {
    const json = JSON.stringify(schema);
    if (json === undefined) {
      const message = `expected a schema, found ${typeof schema}`;
      throw new SchemaError({ code: "schema/unreadable", message, help: "Pass a Standard Schema or a JSON Schema." });
    }
    return this.#engine.run("", (glue) => new glue.Schema(json, isOfType));
  }
}

const VALUE = "the value was";

/** Why a schema without JSON Schema does not coerce. */
export const UNWRITTEN = "it cannot be written as JSON Schema";

/** Returns the remark that something is not made to fit. */
export function notCoerced(subject: string, schema: unknown, reason: string): Diagnostic {
  const vendor = isStandard(schema) ? schema["~standard"].vendor : undefined;
  const help =
    vendor === "valibot"
      ? "Pass `toStandardJsonSchema(schema)` of `@valibot/to-json-schema`."
      : "Pass a schema that can be written as JSON Schema.";
  const message = `${subject} not coerced to the schema${vendor ? ` of ${vendor}` : ""}: ${reason}`;
  const place = { class: null, path: null, start: null, end: null, edit: null };
  return { code: "schema/not-coerced", severity: "info", message, help, ...place };
}

function withNote(outcome: Outcome<unknown>, note: Diagnostic): Outcome<unknown> {
  const report = (): Report => ({ ...outcome.report, diagnostics: [...outcome.report.diagnostics, note] });
  return new Outcome(outcome.value, outcome.unsure, report);
}

/** Returns the outcome with the value that the validator made. */
function validated(text: Text, outcome: Outcome<unknown>, result: Result<unknown> | undefined): Outcome<unknown> {
  if (!result) return outcome;
  if (result.issues) throw unfit(text, outcome, result.issues);
  return new Outcome(result.value, outcome.unsure, () => ({ ...outcome.report, violations: [] }));
}

/** Returns the error for a value that does not fit. */
function unfit(text: Text, outcome: Outcome<unknown>, issues: readonly Issue[]): UnfitError {
  const { report, value } = outcome;
  const source = decoded(text);
  const [first] = report.violations;
  const others = (issues.length || report.violations.length) - 1;
  const place = first?.path ? ` (at \`${first.path}\`)` : "";
  const shown = issues[0] ? `${issues[0].message}${at(issues[0])}` : first ? `${first.message}${place}` : "";
  const more = others < 1 ? "" : others === 1 ? ", and one more violation" : `, and ${others} more violations`;
  const span = first && first.start !== null ? { start: first.start, end: first.end, ...lineColumn(source, first.start) } : {};
  const diagnostics = report.violations.map((row): Diagnostic => {
    const { code, path, message, hint: help, start, end } = row;
    return { code, severity: "error", class: null, path, message, help, start, end, edit: null };
  });
  const code = first?.code ?? "schema/issue";
  const help = first?.hint ?? "Ask for a value that fits the schema.";
  const message = `the value does not fit the schema: ${shown}${more}`;
  return new UnfitError({ code, message, help, ...span, diagnostics }, source, value, report, report.violations, issues);
}

/** Returns where an issue is, as a JSON Pointer. */
function at(issue: Issue): string {
  const keys = (issue.path ?? []).map((part) => String(typeof part === "object" ? part.key : part));
  return keys.length === 0 ? "" : ` (at \`/${keys.join("/")}\`)`;
}
