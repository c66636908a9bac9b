import { errorOf, illFormed } from "./errors.js";

/** A text, or nothing: modules return `undefined`, and addons `null`. */
export type Maybe = string | null | undefined;

/** What every WebAssembly module of this package has, and the addon. */
export interface Glue {
  repair(text: string, options: string): Maybe;
  repairBytes(bytes: Uint8Array, options: string): Maybe;
  lastCall(): number;
  report(call: number): Maybe;
  flags(): number;
  found(): Iterable<number>;
  missingList(json: string, pointer: string): Maybe;
  TextEvents: new (options: string) => TextEvents;
}

/** A stream in the engine. */
export interface TextEvents {
  push(piece: string): Maybe;
  pushBytes(piece: Uint8Array): Maybe;
  finish(): Maybe;
  takeText(): string | Uint8Array;
  free(): void;
}

/** How an engine is started in this runtime. */
export interface Loader<G extends Glue> {
  glue: G;
  /** Starts the engine at once. Throws where that is not possible. */
  start(): void;
  /** Returns the JSON of an error that the engine has thrown; nothing if something else was. */
  refused(thrown: unknown): string | undefined;
  /** Returns whether what was thrown has ended the instance, and makes a new one then. */
  restarted(thrown: unknown): boolean;
}

/** As many calls have numbers of their own in an instance. */
const CALLS = 2 ** 32;

/** The length from which encoding a text here beats encoding it piece by piece into the module's memory. */
const LONG = 256;

const encoder = new TextEncoder();

/** Where texts are encoded that fit: memory that is new for each costs more than the encoding. */
const kept = new Uint8Array(1 << 17);

/** An engine, and how it is called. */
export class Engine<G extends Glue> {
  #started = false;
  #generation = 0;

  constructor(readonly loader: Loader<G>) {}

  /** Says that the engine has been started. */
  started(): void {
    this.#started = true;
  }

  /** Calls the engine. What it throws becomes an error about `text`. */
  run<R>(text: string | Uint8Array, work: (glue: G) => R): R {
    if (!this.#started) {
      this.loader.start();
      this.#started = true;
    }
    try {
      return work(this.loader.glue);
    } catch (thrown) {
      throw this.#failure(thrown, text);
    }
  }

  /** The number of instances that were dropped. What was made in one is of no use in the next. */
  get generation(): number {
    return this.#generation;
  }

  /** Calls what was made in an instance. Throws if that was dropped. */
  runIn<R>(generation: number, text: string | Uint8Array, work: () => R): R {
    if (generation !== this.#generation) throw new Error("the stream is lost: the engine was restarted after an internal error");
    return this.run(text, work);
  }

  /** Frees what was made in an instance; one that was dropped took it along. */
  free(handle: { free(): void } | undefined, generation: number): void {
    if (generation === this.#generation) handle?.free();
  }

  /** The number of the last call, and of its instance. */
  get call(): number {
    return this.#generation * CALLS + this.loader.glue.lastCall();
  }

  /** Returns what the last call found: 1 if the value may lack something, plus 2 if it does not fit. */
  flags(): number {
    return this.loader.glue.flags();
  }

  /** Returns the JSON of the report of a call, or of the same call made again. */
  report(call: number, again: () => void): string {
    const isOfInstance = Math.floor(call / CALLS) === this.#generation;
    const json = isOfInstance ? this.loader.glue.report(call % CALLS) : undefined;
    if (json) return json;
    again();
    return this.loader.glue.report(this.loader.glue.lastCall()) ?? "{}";
  }

  #failure(thrown: unknown, text: string | Uint8Array): unknown {
    const refused = this.loader.refused(thrown);
    if (refused !== undefined) return errorOf(refused, decoded(text));
    if (this.loader.restarted(thrown)) {
      this.#generation++;
      const message = "internal error: the engine was restarted; open streams are lost";
      return new Error(message, { cause: thrown });
    }
    return thrown;
  }
}

/** Passes a text in the way that is quickest for its length. */
export function passed<R>(
  text: string | Uint8Array,
  short: (text: string) => R,
  long: (bytes: Uint8Array) => R,
): R {
  if (typeof text !== "string") return long(checked(text));
  return wellFormed(text).length < LONG ? short(text) : long(encoded(text));
}

/** Names the type of a typed array of any realm, and nothing else, whatever that says it is. */
const arrayType = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag)?.get;

/** Returns a text. Throws for what is none, which a caller without types may pass. */
export function checked<T extends string | Uint8Array>(text: T): T {
  if (typeof text === "string") return text;
  if (arrayType?.call(text) === "Uint8Array") {
    // Bytes that were handed to another thread look empty. This throws.
    if (text.length === 0) new Uint8Array(text.buffer);
    return text;
  }
  throw new TypeError(`expected text, as a string or a Uint8Array, found ${found(text)}`);
}

/** Returns what a value is, for a message: of an object, its members, or its constructor where those say nothing. */
export function found(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "object") return typeof value;
  const keys = Array.isArray(value) || ArrayBuffer.isView(value) ? [] : Object.keys(value).slice(0, 4);
  return `an object (${keys.join(", ") || (value.constructor?.name ?? "")})`;
}

/** Returns a text in UTF-8, which the next one may overwrite. */
function encoded(text: string): Uint8Array {
  if (text.length <= kept.length) {
    const { read, written } = encoder.encodeInto(text, kept);
    if (read === text.length) return kept.subarray(0, written);
  }
  return encoder.encode(text);
}

/** Returns a text that UTF-8 can hold. Throws for any other. */
export function wellFormed(text: string): string {
  if (!checked(text).isWellFormed()) throw illFormed(text);
  return text;
}

/** Returns a text that may be bytes as a string. */
export function decoded(text: string | Uint8Array): string {
  return typeof text === "string" ? text : new TextDecoder().decode(text);
}
