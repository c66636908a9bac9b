import { replaced } from "./errors.js";
import type { Outcome } from "./outcome.js";
import { Pass, pieces, type Source } from "./pass.js";
import type { Reader, Step } from "./reader.js";

/**
 * A value that arrives: iterate over its steps, or over the `items` of one list, and await `final`, the whole value and
 * its report. `final` rejects if the text gives no value, or one that does not fit its schema.
 *
 * There is one pass over the text. Awaiting `final` alone reads it to the end, so take it once the iteration has begun.
 * `Partial` is what the steps show: with a schema, the value as it fits, which its validator has not seen yet.
 */
export class PartialStream<T = unknown, Partial = T> extends Pass<Step<Partial>, Outcome<T>> {
  #reader: Reader<T, Partial>;

  /** @internal */
  constructor(reader: Reader<T, Partial>, source: Source) {
    super(() => steps(reader, source));
    this.#reader = reader;
  }

  /**
   * The items of the list at a JSON Pointer, each as soon as it is complete. Throws an `UnfitError` (`items/no-list`) at
   * the end if the value has no list there, and an error (`stream/replaced`) as soon as items that were given are no
   * longer in the list: a key before it came again, whose last value counts.
   */
  async *items<Item = unknown>(pointer: string): AsyncGenerator<Item, void, undefined> {
    if (typeof pointer !== "string" || (pointer !== "" && !pointer.startsWith("/"))) {
      throw new TypeError(`expected a JSON Pointer, which is empty or starts with "/", found ${JSON.stringify(pointer)}`);
    }
    let given = 0;
    let list: unknown[] = [];
    // Returns the list, and throws if it does not begin with what was given.
    const latest = (): unknown[] | undefined => {
      const found = at(this.#reader.live, pointer);
      if (!Array.isArray(found)) return undefined;
      if (found !== list && written(found.slice(0, given)) !== written(list.slice(0, given))) throw replaced();
      return (list = found);
    };
    for await (const step of this) {
      if (!step.closed.some((path) => isItem(path, pointer))) continue;
      // The live value: what is complete in it stays, and a view would copy the list for each item.
      if (!latest()) continue;
      for (const path of step.closed) {
        if (isItem(path, pointer) && Number(path.slice(pointer.length + 1)) === given) {
          yield list[given++] as Item;
        }
      }
    }
    const outcome = await this.final;
    if (latest()) return;
    const error = this.#reader.withoutList(pointer, outcome);
    if (error) throw error;
  }
}

/** The steps of a value, each after a piece that changed it. Returns the whole value. */
async function* steps<T, Partial>(reader: Reader<T, Partial>, source: Source): AsyncGenerator<Step<Partial>, Outcome<T>, undefined> {
  try {
    for await (const piece of pieces(source)) {
      const rows = reader.pushRows(piece);
      if (rows.length > 0) yield reader.grow(rows);
    }
    const { rows, outcome } = await reader.endLater();
    if (rows.length > 0) yield reader.grow(rows);
    return outcome;
  } finally {
    reader.free();
  }
}

/** Returns whether a path is that of an item of the list at `pointer`. */
function isItem(path: string, pointer: string): boolean {
  return path.startsWith(`${pointer}/`) && /^\d+$/.test(path.slice(pointer.length + 1));
}

/** Returns the JSON of items, with `bigint` in digits. */
function written(items: unknown[]): string {
  return JSON.stringify(items, (_, part: unknown) => (typeof part === "bigint" ? String(part) : part));
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
