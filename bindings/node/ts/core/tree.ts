import { parseJson } from "./numbers.js";
import { token } from "./place.js";
import type { Repair } from "./report.js";

/** A change of the value, as the engine writes it: a number, a key, and what goes with it. */
export type EventRow = [number: number, key?: string | null | Repair, text?: string];

type Container = unknown[] | Record<string, unknown>;

/** A container that is still open. */
interface Level {
  /** What grows, in the container around it. Only who asks for the live value has it. */
  value: Container;
  /** Its key or index in the container around it. */
  key: string;
  /** The last view of it; undefined if it changed since. */
  view: Container | undefined;
}

/** What a growing value gained in one step. */
export interface Growth {
  /** JSON Pointers of the parts that closed, each before the part around it. */
  closed: string[];
  repairs: Repair[];
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
  /** The string that is still open: its key or index, and its text. */
  #string: { key: string; text: string } | undefined;
  #root: unknown;
  #state: "pending" | "partial" | "complete" = "pending";
  #kept: { version: number; view: unknown } | undefined;

  /** With `bigint`, integers that a number cannot hold become `bigint`. */
  constructor(readonly bigint = false) {}

  /** How far the value is: nothing is certain yet, a part is, or all of it. */
  get state(): "pending" | "partial" | "complete" {
    return this.#state;
  }

  /** The value so far, which later events change. */
  get live(): unknown {
    return this.#root;
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
          this.#open({}, key as string | null, growth);
          break;
        case 1:
          this.#open([], key as string | null, growth);
          break;
        case 2:
          this.#string = { key: this.#put(key as string | null, "", growth), text: "" };
          break;
        case 3:
          this.#grow(text ?? "");
          break;
        case 4:
          this.#completeString(growth);
          break;
        case 5:
          this.#complete(key as string | null, this.#parsed(text), growth);
          break;
        case 6:
          growth.closed.push(this.#closed(this.#levels.pop()?.key ?? ""));
          break;
        case 8:
          growth.repairs.push(key as Repair);
          break;
        case 9:
          this.#replace(this.#parsed(text), growth);
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
    let inner: Level | undefined;
    for (let at = this.#levels.length - 1; at >= 0; at--) {
      const level = this.#levels[at] as Level;
      level.view ??= copied(level.value, inner);
      inner = level;
    }
    return inner ? inner.view : this.#root;
  }

  /** Keeps the view of this version after the next change. */
  keep(): void {
    this.#kept = { version: this.version, view: this.view() };
  }

  /** Returns whether the view of a version can still be had. */
  hasView(version: number): boolean {
    return version === this.version || version === this.#kept?.version;
  }

  /** Returns the view of a version that can still be had. */
  viewOf(version: number): unknown {
    return version === this.version ? this.view() : this.#kept?.view;
  }

  #parsed(json: string | undefined): unknown {
    return parseJson(json ?? "null", this.bigint);
  }

  #open(value: Container, key: string | null, growth: Growth): void {
    this.#levels.push({ key: this.#put(key, value, growth), value, view: undefined });
  }

  #grow(text: string): void {
    const string = this.#string;
    if (!string) return;
    string.text += text;
    this.#set(string.key, string.text);
  }

  #completeString(growth: Growth): void {
    const string = this.#string;
    if (!string) return;
    this.#string = undefined;
    growth.closed.push(this.#closed(string.key));
  }

  /** Makes what is open innermost a value that it did not become by growing. */
  #replace(value: unknown, growth: Growth): void {
    const key = (this.#string ?? this.#levels.pop())?.key ?? "";
    this.#string = undefined;
    this.#forget(key, growth);
    this.#set(key, value);
    addPaths(this.#closed(key), value, growth.closed);
  }

  /** Adds a part that is complete. */
  #complete(key: string | null, value: unknown, growth: Growth): void {
    addPaths(this.#closed(this.#put(key, value, growth)), value, growth.closed);
  }

  /** Adds a part to the innermost container. Returns its key or index. */
  #put(key: string | null, value: unknown, growth: Growth): string {
    const around = this.#levels.at(-1)?.value;
    const name = Array.isArray(around) ? String(around.length) : (key ?? "");
    if (around && Object.hasOwn(around, name)) this.#forget(name, growth);
    this.#set(name, value);
    return name;
  }

  /** Sets a part of the innermost container, or the whole. */
  #set(key: string, value: unknown): void {
    this.#changed();
    const around = this.#levels.at(-1)?.value;
    if (!around) this.#root = value;
    else if (Array.isArray(around)) around[Number(key)] = value;
    else set(around, key, value);
  }

  /** Drops what closed in this step within a part of the innermost container, which another one takes the place of. */
  #forget(key: string, growth: Growth): void {
    const path = this.#pathOf(key);
    growth.closed = growth.closed.filter((closed) => closed !== path && !closed.startsWith(`${path}/`));
  }

  /** Notes that a part of the innermost container is complete. Returns its path. */
  #closed(key: string): string {
    this.#changed();
    if (this.#levels.length === 0) this.#state = "complete";
    return this.#pathOf(key);
  }

  /** Returns the path of a part of the innermost container, or of the whole. */
  #pathOf(key: string): string {
    return this.#levels.length === 0 ? "" : `${this.#path()}/${token(key)}`;
  }

  /** The path of the innermost open container. */
  #path(): string {
    let path = "";
    for (let at = 1; at < this.#levels.length; at++) path += `/${token((this.#levels[at] as Level).key)}`;
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

/** Adds the paths of all parts of a complete value, each before the part around it. */
function addPaths(path: string, value: unknown, to: string[]): void {
  if (typeof value === "object" && value !== null) {
    for (const [key, part] of Object.entries(value)) addPaths(`${path}/${token(key)}`, part, to);
  }
  to.push(path);
}

/** Returns a copy of an open container, with the view of the container that is open in it. */
function copied(container: Container, inner: Level | undefined): Container {
  if (Array.isArray(container)) {
    const copy = container.slice();
    if (inner) copy[copy.length - 1] = inner.view;
    return copy;
  }
  const copy = { ...container };
  if (inner) set(copy, inner.key, inner.view);
  return copy;
}
