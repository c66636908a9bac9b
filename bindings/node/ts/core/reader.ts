import { decoded, passed, type Engine, type Glue, type TextEvents } from "./engine.js";
import { illFormed, UnfitError } from "./errors.js";
import type { Outcome } from "./outcome.js";
import type { DeepPartial } from "./partial.js";
import { Pieces } from "./pieces.js";
import type { Diagnostic, Repair } from "./report.js";
import type { Text } from "./text.js";
import { Tree, type EventRow, type Growth } from "./tree.js";

/** One step of a value that arrives. */
export interface Step<T> {
  /**
   * The value so far: a snapshot, which costs the length of the lists and objects that are still open. Later steps change
   * nothing of it, and take nothing back but the value of a key that comes again, of which the last one counts.
   *
   * It is made when it is first read, which has to be before the next step, and a copy as by `{...step}` does not have it.
   */
  readonly value: DeepPartial<T> | undefined;
  /**
   * The value as it grows: the same object in every step, which later steps change. For callers that render each step
   * and keep none: unlike `value`, it costs nothing for the long lists that are still open.
   */
  readonly live: DeepPartial<T> | undefined;
  /** `pending` until it is certain which part of the text is the value. */
  readonly state: "pending" | "partial" | "complete";
  /** JSON Pointers of the parts that are complete since the last step, each before the part around it. */
  readonly closed: readonly string[];
  /** The repairs since the last step. */
  readonly repairs: readonly Repair[];
  /** Returns the step as plain data, with its value. */
  toJSON(): StepData<T>;
}

/** A step as plain data. */
export type StepData<T> = Pick<Step<T>, "value" | "state" | "closed" | "repairs">;

/** How the whole text is read at the end. */
export interface Finish<T> {
  now(text: Text): Outcome<T>;
  /** Also with an asynchronous validator. Absent where there is none. */
  later?(text: Text): Promise<Outcome<T>>;
}

/**
 * Reads a value while its text arrives: `push` pieces, read `value` when you need it, and `finish`.
 *
 * A partial value, which is a `Partial`, is what the text says so far. With a schema, it has the schema's names and types
 * as far as they can be told, but the schema's validator sees the whole value only.
 */
export class Reader<T = unknown, Partial = T> {
  #engine: Engine<Glue>;
  #events: TextEvents | undefined;
  #generation: number;
  #pieces = new Pieces();
  #finish: Finish<T>;
  /** The whole text, once it has ended. @internal */
  text: Text = "";
  /** @internal */
  readonly tree: Tree;

  /** @internal */
  constructor(engine: Engine<Glue>, events: TextEvents, finish: Finish<T>, bigint?: boolean) {
    this.#engine = engine;
    this.tree = new Tree(bigint);
    this.#events = events;
    this.#generation = engine.generation;
    this.#finish = finish;
  }

  /** Reads the next piece of text, which may end anywhere, even within a character. */
  push(piece: Text): Step<Partial> {
    return this.grow(this.pushRows(piece));
  }

  /** Reads the next piece, and returns its events. @internal */
  pushRows(piece: Text): EventRow[] {
    const events = this.#events;
    if (!events) throw new TypeError("expected an open stream, found a finished one");
    const whole = this.#pieces.join(piece);
    if (whole.length === 0) return [];
    const json = this.#engine.runIn(this.#generation, whole, () =>
      passed(
        whole,
        (text) => events.push(text),
        (bytes) => events.pushBytes(bytes),
      ),
    );
    return JSON.parse(json ?? "[]") as EventRow[];
  }

  /** The value so far, and undefined while nothing is certain. */
  get value(): DeepPartial<Partial> | undefined {
    return this.tree.view() as DeepPartial<Partial> | undefined;
  }

  /** The value as it grows: the same object each time, which later pieces change. */
  get live(): DeepPartial<Partial> | undefined {
    return this.tree.live as DeepPartial<Partial> | undefined;
  }

  /** How far the value is. */
  get state(): Step<T>["state"] {
    return this.tree.state;
  }

  /** Returns the error if the value has no list at a JSON Pointer. @internal */
  withoutList(pointer: string, { value, report }: Outcome<T>): UnfitError | undefined {
    const json = JSON.stringify(this.live ?? null, (_, part) => (typeof part === "bigint" ? Number(part) : part));
    const missing = this.#engine.run(json, (glue) => glue.missingList(json, pointer));
    if (!missing) return undefined;
    const finding = JSON.parse(missing) as Diagnostic;
    const { code, help } = finding;
    const message = `the value has no list at \`${pointer}\`: ${finding.message}`;
    const place = { path: pointer, schemaPath: "", keyword: "", start: null, end: null };
    const violation = { code, message: finding.message, expected: "array", found: "", hint: help, ...place };
    const row = { code, message, help, diagnostics: [{ ...finding, start: null, end: null }] };
    return new UnfitError(row, decoded(this.text), value, report, [violation], []);
  }

  /**
   * Ends the text, and returns the value and its report. Throws if the text gives no value, or one that does not fit: then
   * the `value` of the reader is still what it was, without what only the end makes certain. An `UnfitError` has the whole.
   *
   * A schema whose validator returns a promise is an error here: iterate over `stream`, or await `parseAsync`.
   */
  finish(): Outcome<T> {
    const { rows, outcome } = this.end();
    // The last step is still to be read: nobody makes another one.
    this.tree.keep();
    this.grow(rows);
    return outcome;
  }

  /** Ends the text, and returns its last events too. @internal */
  end(): { rows: EventRow[]; outcome: Outcome<T> } {
    const { rows, text } = this.#last();
    return { rows, outcome: this.#finish.now(text) };
  }

  /** Ends the text like `end`, also with an asynchronous validator. @internal */
  async endLater(): Promise<{ rows: EventRow[]; outcome: Outcome<T> }> {
    const { rows, text } = this.#last();
    const { later } = this.#finish;
    return { rows, outcome: later ? await later(text) : this.#finish.now(text) };
  }

  /** Frees what the engine keeps of a text that is not read to its end. @internal */
  free(): void {
    this.#engine.free(this.#events, this.#generation);
    this.#events = undefined;
  }

  /** Returns the last events, and the whole text. */
  #last(): { rows: EventRow[]; text: Text } {
    const events = this.#events;
    if (!events) throw new TypeError("expected an open stream, found a finished one");
    this.#events = undefined;
    const { json, text } = this.#engine.runIn(this.#generation, "", () => ({ json: events.finish(), text: events.takeText() }));
    events.free();
    const { half } = this.#pieces;
    if (half !== "") throw illFormed(decoded(text) + half);
    this.text = text;
    return { rows: JSON.parse(json ?? "[]") as EventRow[], text };
  }

  /** Applies events to the value. @internal */
  grow(rows: EventRow[]): Step<Partial> {
    return new TreeStep<Partial>(this.tree, this.tree.apply(rows));
  }
}

/** A step whose value is made when it is first read, which has to be before the next step; the last one's may be later. */
class TreeStep<T> implements Step<T> {
  readonly state: Step<T>["state"];
  readonly closed: readonly string[];
  readonly repairs: readonly Repair[];
  #tree: Tree;
  #version: number;
  #value: DeepPartial<T> | undefined;
  #isMade = false;

  constructor(tree: Tree, growth: Growth) {
    this.#tree = tree;
    this.#version = tree.version;
    this.state = tree.state;
    this.closed = growth.closed;
    this.repairs = growth.repairs;
  }

  get live(): DeepPartial<T> | undefined {
    return this.#tree.live as DeepPartial<T> | undefined;
  }

  get value(): DeepPartial<T> | undefined {
    if (!this.#isMade) {
      if (!this.#tree.hasView(this.#version)) {
        throw new TypeError("`value` of an earlier step is no longer available; read it before the next step");
      }
      this.#value = this.#tree.viewOf(this.#version) as DeepPartial<T> | undefined;
      this.#isMade = true;
    }
    return this.#value;
  }

  /** Returns the step as plain data. */
  toJSON(): StepData<T> {
    const { value, state, closed, repairs } = this;
    return { value, state, closed, repairs };
  }
}
