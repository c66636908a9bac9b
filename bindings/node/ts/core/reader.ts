import { passed, type Engine, type Glue, type TextEvents } from "./engine.js";
import type { Outcome } from "./outcome.js";
import type { DeepPartial } from "./partial.js";
import type { Repair } from "./report.js";
import type { Text } from "./text.js";
import { Tree, type EventRow, type Growth } from "./tree.js";

/** One step of a value that arrives. */
export interface Step<T> {
  /** The value so far. Later steps change nothing of it and take nothing back. */
  readonly value: DeepPartial<T> | undefined;
  /** `pending` until it is certain which part of the text is the value. */
  readonly state: "pending" | "partial" | "complete";
  /** JSON Pointers of the parts that are complete since the last step, each before the part around it. */
  readonly closed: readonly string[];
  /** The repairs since the last step. */
  readonly repairs: readonly Repair[];
}

/** How the whole text is read at the end. */
export type Finish<T> = (text: Uint8Array) => Outcome<T>;

/**
 * Reads a value while its text arrives: `push` pieces, read `value` when you need it, and `finish`.
 *
 * A partial value is what the text says so far. It is fitted to a schema at the end.
 */
export class Reader<T = unknown> {
  #engine: Engine<Glue>;
  #events: TextEvents | undefined;
  #finish: Finish<T>;
  /** @internal */
  readonly tree = new Tree();

  /** @internal */
  constructor(engine: Engine<Glue>, options: string, finish: Finish<T>) {
    this.#engine = engine;
    this.#events = engine.run("", (glue) => new glue.TextEvents(options));
    this.#finish = finish;
  }

  /** Reads the next piece of text, which may end anywhere, if it is bytes even within a character. */
  push(piece: Text): Step<T> {
    return this.grow(this.pushRows(piece));
  }

  /** Reads the next piece, and returns its events. @internal */
  pushRows(piece: Text): EventRow[] {
    const events = this.#events;
    if (!events) throw new TypeError("expected an open stream, found a finished one");
    const json = this.#engine.run(piece, () =>
      passed(
        piece,
        (text) => events.push(text),
        (bytes) => events.pushBytes(bytes),
      ),
    );
    return json === undefined ? [] : (JSON.parse(json) as EventRow[]);
  }

  /** The value so far, and undefined while nothing is certain. */
  get value(): DeepPartial<T> | undefined {
    return this.tree.view() as DeepPartial<T> | undefined;
  }

  /** How far the value is. */
  get state(): Step<T>["state"] {
    return this.tree.state;
  }

  /** Ends the text, and returns the value and its report. Throws if the text gives no value. */
  finish(): Outcome<T> {
    return this.end().outcome;
  }

  /** Ends the text, and returns its last events too. @internal */
  end(): { rows: EventRow[]; outcome: Outcome<T> } {
    const events = this.#events;
    if (!events) throw new TypeError("expected an open stream, found a finished one");
    this.#events = undefined;
    const { json, text } = this.#engine.run("", () => ({ json: events.finish(), text: events.takeText() }));
    events.free();
    const outcome = this.#finish(text);
    return { rows: json === undefined ? [] : (JSON.parse(json) as EventRow[]), outcome };
  }

  /** Applies events to the value. @internal */
  grow(rows: EventRow[]): Step<T> {
    return new TreeStep<T>(this.tree, this.tree.apply(rows));
  }
}

/** A step whose value is made when it is first read, which has to be before the next step. */
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

  get value(): DeepPartial<T> | undefined {
    if (!this.#isMade) {
      if (this.#tree.version !== this.#version) {
        throw new TypeError("expected the latest step: read `value` before the next one is made");
      }
      this.#value = this.#tree.view() as DeepPartial<T> | undefined;
      this.#isMade = true;
    }
    return this.#value;
  }
}
