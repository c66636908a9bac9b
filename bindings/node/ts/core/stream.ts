import type { Outcome } from "./outcome.js";
import type { Reader, Step } from "./reader.js";
import type { Text } from "./text.js";

/** Where pieces of text come from: an async or plain iterable, or a `ReadableStream`. */
export type Source = AsyncIterable<Text> | Iterable<Text> | ReadableStream<Text>;

/**
 * A value that arrives: iterate over its steps, or over the `items` of one list, and await `final`.
 *
 * There is one pass over the text. Awaiting `final` alone reads it to the end.
 */
export class PartialStream<T = unknown> implements AsyncIterable<Step<T>> {
  #reader: Reader<T>;
  #source: Source;
  #isRead = false;
  #resolve!: (outcome: Outcome<T>) => void;
  #reject!: (reason: unknown) => void;
  #final: Promise<Outcome<T>>;

  /** @internal */
  constructor(reader: Reader<T>, source: Source) {
    this.#reader = reader;
    this.#source = source;
    this.#final = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Who iterates is told by the iterator too, and need not await `final`.
    this.#final.catch(() => {});
  }

  /** The whole value and its report. Rejects if the text gives no value, or one that does not fit its schema. */
  get final(): Promise<Outcome<T>> {
    if (!this.#isRead) void this.#drain();
    return this.#final;
  }

  /** The steps of the value, each after a piece that changed it. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Step<T>, void, undefined> {
    if (this.#isRead) throw new TypeError("expected an unread stream: there is one pass over the text");
    this.#isRead = true;
    try {
      for await (const piece of pieces(this.#source)) {
        const rows = this.#reader.pushRows(piece);
        if (rows.length > 0) yield this.#reader.grow(rows);
      }
      const { rows, outcome } = this.#reader.end();
      if (rows.length > 0) yield this.#reader.grow(rows);
      this.#resolve(outcome);
    } catch (error) {
      this.#reject(error);
      throw error;
    } finally {
      // Of no effect once the value is there.
      this.#reject(new TypeError("the stream was left before its end"));
    }
  }

  /** The items of the list at a JSON Pointer, each as soon as it is complete. */
  async *items<Item = unknown>(pointer: string): AsyncGenerator<Item, void, undefined> {
    if (pointer !== "" && !pointer.startsWith("/")) {
      throw new TypeError(`expected a JSON Pointer, which is empty or starts with "/", found ${JSON.stringify(pointer)}`);
    }
    let given = 0;
    for await (const step of this) {
      if (!step.closed.some((path) => isItem(path, pointer))) continue;
      const list = at(step.value, pointer);
      if (!Array.isArray(list)) continue;
      for (const path of step.closed) {
        if (isItem(path, pointer) && Number(path.slice(pointer.length + 1)) === given) {
          yield list[given++] as Item;
        }
      }
    }
  }

  async #drain(): Promise<void> {
    try {
      for await (const _ of this);
    } catch {
      // `final` rejects.
    }
  }
}

/** Returns whether a path is that of an item of the list at `pointer`. */
function isItem(path: string, pointer: string): boolean {
  return path.startsWith(`${pointer}/`) && /^\d+$/.test(path.slice(pointer.length + 1));
}

/** Returns the part of a value at a JSON Pointer. */
function at(value: unknown, pointer: string): unknown {
  let part = value;
  for (const token of pointer.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof part !== "object" || part === null || !Object.hasOwn(part, key)) return undefined;
    part = (part as Record<string, unknown>)[key];
  }
  return part;
}

/** Iterates over a source; a `ReadableStream` also where it is no iterable. */
async function* pieces(source: Source): AsyncGenerator<Text, void, undefined> {
  if (typeof source === "string") throw new TypeError("expected an iterable of texts, found a string; call `parse`");
  if (Symbol.asyncIterator in source || Symbol.iterator in source) {
    yield* source;
    return;
  }
  const reader = (source as ReadableStream<Text>).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
