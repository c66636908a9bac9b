import { decoded, passed, type Engine, type Glue, type TextEvents } from "./engine.js";
import { SchemaError, UnfitError, type Issue } from "./errors.js";
import { parseJson } from "./numbers.js";
import { optionsJson, type CoerceOptions, type ParseOptions } from "./options.js";
import { Outcome } from "./outcome.js";
import { lineColumn } from "./place.js";
import { issueRows, readReport, type Diagnostic, type Report } from "./report.js";
import { isLater, isStandard, standardJson, type AnySchema, type JsonSchema, type Result, type Validate } from "./standard.js";
import { OWN, parseWith, withLost, type Text } from "./text.js";

/** A JSON Schema in the engine. */
export interface CompiledSchema {
  fit(text: string, options: string): string;
  fitBytes(bytes: Uint8Array, options: string): string;
  stream(options: string): TextEvents;
  places(text: string, options: string, pointers: string[]): string;
}

/** A module that knows schemas. */
export interface FitGlue extends Glue {
  Schema: new (json: string, isOfType: boolean) => CompiledSchema;
  places(text: string, options: string, pointers: string[]): string;
}

/** Options of fitting a value to a schema. */
export interface FitOptions extends ParseOptions {
  /** How the value is made to fit. */
  coerce?: CoerceOptions;
}

/** Options that the package reads itself where values are fitted. */
const FITTING = OWN.filter((name) => name !== "coerce");

/** A schema as it is used. */
interface Prepared {
  /** What coerces; absent if the schema cannot be written as JSON Schema. */
  compiled: CompiledSchema | undefined;
  validate: Validate | undefined;
  /** Why nothing is coerced. */
  note: Diagnostic | undefined;
}

/** A value, coerced as far as possible. */
interface Fitted {
  outcome: Outcome<unknown>;
  /** Whether it fits the JSON Schema. */
  fits: boolean;
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
    const fitted = this.#fitted(text, schema, prepared, options);
    const result = prepared.validate?.(fitted.outcome.value);
    if (result && isLater(result)) {
      Promise.resolve(result).catch(() => {});
      const advice = "await parseAsync, or iterate over stream";
      throw new TypeError(`expected a schema that validates at once, found one that returns a promise: ${advice}`);
    }
    return this.#validated(text, fitted, result, prepared, options);
  }

  /** Parses a text and fits its value, also with an asynchronous validator. */
  async parseAsync(text: Text, schema: AnySchema, options: FitOptions | undefined): Promise<Outcome<unknown>> {
    const prepared = this.#of(schema);
    const fitted = this.#fitted(text, schema, prepared, options);
    return this.#validated(text, fitted, await prepared.validate?.(fitted.outcome.value), prepared, options);
  }

  /** Parses a text and coerces its value as far as possible, without validating it. */
  coerced(text: Text, schema: AnySchema, options: FitOptions | undefined): Outcome<unknown> {
    return this.#fitted(text, schema, this.#of(schema), options).outcome;
  }

  /** Returns the JSON of a text's value made to fit a JSON Schema; nothing if it does not fit. */
  json(text: Text, schema: JsonSchema, options: FitOptions | undefined): { json: string; unsure: boolean } | undefined {
    const { compiled, note } = this.#of(schema);
    // What zod writes as JSON Schema is a Standard Schema as well.
    if (!compiled) throw new SchemaError({ code: "schema/unusable", message: note?.message ?? UNWRITTEN, help: note?.help });
    const { json, flags } = this.#made(text, schema, compiled, options);
    return (flags & 2) === 0 ? { json, unsure: (flags & 1) !== 0 } : undefined;
  }

  /** Begins to read a text, whose events are those of the value as it fits where the schema can be used for that. */
  events(schema: AnySchema, options: FitOptions | undefined): TextEvents {
    const { compiled } = this.#of(schema);
    if (!compiled) return this.#engine.run("", (glue) => new glue.TextEvents(optionsJson(options, OWN)));
    return this.#engine.run("", () => compiled.stream(optionsJson(options, FITTING)));
  }

  #fitted(text: Text, schema: AnySchema, { compiled, note }: Prepared, options: FitOptions | undefined): Fitted {
    if (!compiled) {
      const outcome = parseWith(this.#engine, text, options);
      return { outcome: note ? withNote(outcome, note) : outcome, fits: true };
    }
    const { json, call, flags, again } = this.#made(text, schema, compiled, options);
    const report = () => {
      const report = readReport(this.#engine.report(call, again));
      return withLost(report, json, options?.bigint);
    };
    const outcome = new Outcome(parseJson(json, options?.bigint), (flags & 1) !== 0, report);
    return { outcome, fits: (flags & 2) === 0 };
  }

  /** Returns the outcome with the value that the validator made: it may accept more than its JSON Schema says. */
  #validated(
    text: Text, { outcome, fits }: Fitted, result: Result<unknown> | undefined, prepared: Prepared, options: FitOptions | undefined,
  ): Outcome<unknown> {
    if (!result && fits) return outcome;
    if (!result || result.issues) throw this.#unfit(text, outcome, result?.issues, prepared, options);
    return new Outcome(result.value, outcome.unsure, () => ({ ...outcome.report, violations: [] }));
  }

  /** Returns the error for a value that does not fit. */
  #unfit(
    text: Text, outcome: Outcome<unknown>, issues: readonly Issue[] | undefined, { compiled, note }: Prepared, options: FitOptions | undefined,
  ): UnfitError {
    const { report, value } = outcome;
    const source = decoded(text);
    const found = issues ? issueRows(issues, report.violations) : report.violations;
    const settings = optionsJson(options, compiled ? FITTING : OWN);
    const places = this.#engine.run(source, (glue) => (compiled ?? glue).places(source, settings, found.map((row) => row.path)));
    const spans = JSON.parse(places) as [start: number, end: number][];
    const diagnostics = found.map((row, index): Diagnostic => {
      const { code, path, message, hint: help } = row;
      const [start, end] = row.start === null ? (spans[index] as [number, number]) : [row.start, row.end];
      return { code, severity: "error", class: null, path, message, help, start, end, edit: null };
    });
    const [first] = diagnostics as [Diagnostic];
    const others = found.length - 1;
    const more = others < 1 ? "" : others === 1 ? ", and one more violation" : `, and ${others} more violations`;
    const at = first.path === "" ? "" : ` (at \`${first.path}\`)`;
    const message = `the value does not fit the schema: ${first.message}${at}${more}${note ? `; ${note.message}` : ""}`;
    const place = { start: first.start, end: first.end, ...lineColumn(source, first.start as number) };
    const row = { code: first.code, message, help: first.help, ...place, diagnostics: [...diagnostics, ...(note ? [note] : [])] };
    return new UnfitError(row, source, value, report, report.violations, issues ?? []);
  }

  /** Calls the engine. */
  #made(text: Text, schema: AnySchema, compiled: CompiledSchema, options: FitOptions | undefined) {
    const settings = optionsJson(options, FITTING);
    const fit = (compiled: CompiledSchema) =>
      this.#engine.run(text, () =>
        passed(
          text,
          (text) => compiled.fit(text, settings),
          (bytes) => compiled.fitBytes(bytes, settings),
        ),
      );
    const json = fit(compiled);
    // After an abort, that of the new instance.
    const again = () => fit(this.#of(schema).compiled ?? compiled);
    return { json, call: this.#engine.call, flags: this.#engine.flags(), again };
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
      const json = standardJson(schema);
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
      throw new SchemaError({ code: "schema/unusable", message, help: "Pass a Standard Schema or a JSON Schema." });
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
