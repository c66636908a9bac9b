import type { Repair } from "./report.js";

/** A change of the value, as the engine writes it: a number, a key, and what goes with it. */
export type EventRow = [number: number, key?: string | null | Repair, text?: string];

type Container = unknown[] | Record<string, unknown>;

/** A container that is still open. */
interface Level {
  /** What grows. Nobody else has it. */
  value: Container;
  key: string | null;
  /** The last view of it; undefined if it changed since. */
  view: Container | undefined;
}

/** What a growing value gained in one step. */
export interface Growth {
  /** JSON Pointers of the parts that closed, each before the part around it. */
  closed: string[];
  repairs: Repair[];
}

/** Escapes a key for a JSON Pointer. */
function token(key: string): string {
  return key.includes("~") || key.includes("/") ? key.replaceAll("~", "~0").replaceAll("/", "~1") : key;
}

/** Sets a member as `JSON.parse` does: `__proto__` is a key like any other. */
function set(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

/** A value that grows by events. */
export class Tree {
  #levels: Level[] = [];
  #string: { key: string | null; text: string } | undefined;
  #root: unknown;
  #state: "pending" | "partial" | "complete" = "pending";

  /** How far the value is: nothing is certain yet, a part is, or all of it. */
  get state(): "pending" | "partial" | "complete" {
    return this.#state;
  }

  /** The number of changes so far. */
  version = 0;

  /** Applies events, and says what closed. */
  apply(rows: readonly EventRow[]): Growth {
    if (rows.length > 0) this.version++;
    const growth: Growth = { closed: [], repairs: [] };
    for (const [number, key, text] of rows) {
      switch (number) {
        case 0:
          this.#open({}, key as string | null);
          break;
        case 1:
          this.#open([], key as string | null);
          break;
        case 2:
          this.#string = { key: key as string | null, text: "" };
          this.#changed();
          break;
        case 3:
          if (this.#string) this.#string.text += text ?? "";
          this.#changed();
          break;
        case 4:
          this.#completeString(growth);
          break;
        case 5:
          this.#changed();
          growth.closed.push(this.#place(key as string | null, JSON.parse(text ?? "null")));
          break;
        case 6:
          this.#close(growth);
          break;
        case 8:
          growth.repairs.push(key as Repair);
          break;
      }
    }
    return growth;
  }

  /**
   * Returns the value so far. Parts that are closed are shared between views, and only what is open is copied, so that
   * a later step changes no view.
   */
  view(): unknown {
    if (this.#levels.length === 0) return this.#string ? this.#string.text : this.#root;
    let inner: { key: string | null; value: unknown } | undefined;
    if (this.#string) inner = { key: this.#string.key, value: this.#string.text };
    for (let at = this.#levels.length - 1; at >= 0; at--) {
      const level = this.#levels[at] as Level;
      level.view ??= copied(level.value, inner);
      inner = { key: level.key, value: level.view };
    }
    return inner?.value;
  }

  #open(value: Container, key: string | null): void {
    this.#changed();
    this.#levels.push({ value, key, view: undefined });
  }

  #completeString(growth: Growth): void {
    const string = this.#string;
    if (!string) return;
    this.#string = undefined;
    this.#changed();
    growth.closed.push(this.#place(string.key, string.text));
  }

  #close(growth: Growth): void {
    const level = this.#levels.pop();
    if (!level) return;
    this.#changed();
    growth.closed.push(this.#place(level.key, level.value));
  }

  /** Puts a complete part into the container around it, and returns its path. */
  #place(key: string | null, value: unknown): string {
    const around = this.#levels.at(-1);
    if (!around) {
      this.#root = value;
      this.#state = "complete";
      return "";
    }
    const path = this.#path();
    if (Array.isArray(around.value)) {
      around.value.push(value);
      return `${path}/${around.value.length - 1}`;
    }
    set(around.value, key ?? "", value);
    return `${path}/${token(key ?? "")}`;
  }

  /** The path of the innermost open container. */
  #path(): string {
    let path = "";
    for (let at = 1; at < this.#levels.length; at++) {
      const around = (this.#levels[at - 1] as Level).value;
      const key = (this.#levels[at] as Level).key;
      path += `/${Array.isArray(around) ? around.length : token(key ?? "")}`;
    }
    return path;
  }

  #changed(): void {
    if (this.#state === "pending") this.#state = "partial";
    for (let at = this.#levels.length - 1; at >= 0; at--) {
      const level = this.#levels[at] as Level;
      if (level.view === undefined) break;
      level.view = undefined;
    }
  }
}

/** Returns a copy of an open container with the part that is open in it. */
function copied(container: Container, inner: { key: string | null; value: unknown } | undefined): Container {
  if (Array.isArray(container)) {
    const copy = container.slice();
    if (inner) copy.push(inner.value);
    return copy;
  }
  const copy = { ...container };
  if (inner) set(copy, inner.key ?? "", inner.value);
  return copy;
}
