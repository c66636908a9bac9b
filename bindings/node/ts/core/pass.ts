import { found } from "./engine.js";
import type { Text } from "./text.js";

/** Where pieces of text come from: an async or plain iterable, a `ReadableStream`, or a `Response`, whose body is read. */
export type Source = AsyncIterable<Text> | Iterable<Text> | ReadableStream<Text> | { readonly body: ReadableStream<Uint8Array> | null };

/**
 * One pass over a text: iterate over what is found, and await `final`.
 *
 * Awaiting `final` alone reads the text to the end: accessing `final` before iterating consumes the stream.
 */
export class Pass<Item, Final> implements AsyncIterable<Item> {
  #items: () => AsyncGenerator<Item, Final, undefined>;
  #isRead = false;
  #resolve!: (final: Final) => void;
  #reject!: (reason: unknown) => void;
  #final: Promise<Final>;

  /** @internal */
  constructor(items: () => AsyncGenerator<Item, Final, undefined>) {
    this.#items = items;
    this.#final = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // The iterator reports the error as well, so that `final` need not be awaited.
    this.#final.catch(() => {});
  }

  /**
   * What is known at the end. Rejects if the text cannot be read. Taken before the iteration has begun, it reads the text
   * itself, so that iterating throws.
   */
  get final(): Promise<Final> {
    if (!this.#isRead) void this.#drain();
    return this.#final;
  }

  /** What is found, each as soon as it is. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    if (this.#isRead) {
      throw new TypeError("stream already consumed; start iterating before you access `final`");
    }
    this.#isRead = true;
    try {
      this.#resolve(yield* this.#items());
    } catch (error) {
      this.#reject(error);
      throw error;
    } finally {
      // Of no effect once the value is there.
      this.#reject(new TypeError("the stream was left before its end"));
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

/** Iterates over a source; a `ReadableStream` also where it is no iterable. */
export async function* pieces(source: Source): AsyncGenerator<Text, void, undefined> {
  if (typeof source !== "object" || source === null) throw noSource(source);
  if (Symbol.asyncIterator in source || Symbol.iterator in source) {
    yield* source;
    return;
  }
  const readable = "body" in source ? source.body : source;
  if (!readable || !("getReader" in readable)) throw noSource(source);
  const reader = (readable as ReadableStream<Text>).getReader();
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

function noSource(source: unknown): TypeError {
  return new TypeError(`expected an iterable of texts, a ReadableStream or a Response with a body, found ${found(source)}`);
}
