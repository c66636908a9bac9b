import { loader } from "#engine";
import { Engine, type Glue, type Maybe } from "../core/engine.js";
import { RepairError } from "../core/errors.js";
import { full } from "../core/full.js";
import { valueOf, type Arguments } from "./arguments.js";
import { Exit, Failure, refusal } from "./failure.js";
import { readSource, type Source } from "./input.js";
import { indented } from "./json.js";
import { summary } from "./messages.js";
import { emit, failed, say, switchedOff } from "./output.js";
import { finding, ofFailure, ofValue, rowOf, written, type Row } from "./report.js";
import { checkCoercions, loadSchema, textOptions } from "./settings.js";

/** Runs `repair` or `validate`. Returns the exit status. */
export async function runRepair(of: Arguments, disabled: string | undefined): Promise<number> {
  const schema = valueOf(of, "schema");
  const isReported = of.given.has("report");
  if (schema !== undefined && of.command.name === "repair") checkCoercions(of);
  const options = textOptions(of, disabled, schema !== undefined);
  try {
    const compiled = schema === undefined ? undefined : loadSchema(schema);
    const source = await readSource(of.file, Number(valueOf(of, "max-bytes")));
    const found = compiled
      ? made(full, source, () => compiled.fitBytes(source.bytes, options))
      : made(small, source, (glue) => glue.repairBytes(source.bytes, options));
    if (!of.given.has("quiet")) say(summary(found.row, source.text) + switchedOff(disabled));
    return emit(isReported ? written(ofValue(found.row, found.json), of.given.has("pretty")) : value(of, found.json), Exit.value);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const failure = of.command.name === "validate" ? validating(error) : error;
    failed(failure, disabled);
    const report = () => written(ofFailure(failure, schema !== undefined), of.given.has("pretty"));
    return emit(isReported ? report() : "", failure.exit);
  }
}

/** The module that repairs starts faster than the one that also knows schemas. */
const small = new Engine<Glue>(loader);

/** Calls the engine. Throws a `Failure` if there is no value, or if it does not fit. */
function made<G extends Glue>(
  engine: Engine<G>,
  source: Source,
  work: (glue: G) => Maybe,
): { json: string; row: Row } {
  const { bytes, text, name } = source;
  try {
    const json = engine.run(bytes, work) ?? text;
    const isUnfit = (engine.flags() & 2) !== 0;
    const row = rowOf(engine.report(engine.call, () => {}), text);
    if (!isUnfit) return { json, row };
    throw new Failure(Exit.refused, (row.violations ?? []).map(finding)).in(name, text).with(row);
  } catch (error) {
    throw error instanceof RepairError ? refusal(error, text).in(name, text) : error;
  }
}

/** Returns what is written for a value. */
function value(of: Arguments, json: string): string {
  if (of.command.name === "validate") return "";
  if (of.given.has("pretty")) return `${indented(json)}\n`;
  // An unchanged text keeps its own line end.
  return json.endsWith("\n") ? json : `${json}\n`;
}

/** Returns a failure with the advice of `validate`. */
function validating(failure: Failure): Failure {
  const isOfText = failure.exit === Exit.refused && failure.row === undefined && failure.hint !== undefined;
  if (!isOfText || failure.diagnostics[0]?.code.startsWith("limit/")) return failure;
  const hint = "Use `llmend repair` for text that is not strict JSON.";
  return new Failure(failure.exit, failure.diagnostics, hint).in(failure.file, failure.text);
}
