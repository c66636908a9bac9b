import type { Glue, Loader } from "./engine.js";

/** The functions that wasm-bindgen writes beside those of a module. */
export interface Bindgen extends Glue {
  default(options: { module_or_path: unknown }): Promise<unknown>;
  initSync(options: { module: WebAssembly.Module }): unknown;
  __wbg_reset_state(): void;
}

/** A loader that can also be asked to start. */
export interface Starter<G extends Glue> extends Loader<G> {
  /** Starts the module; nothing where it needs no start. Safe to call more than once. */
  init(source?: unknown): Promise<void>;
}

/** What a module throws: a text, or an abort, after which nobody can trust the memory of its instance. */
const thrownBy = (glue: Bindgen) => ({
  refused: (thrown: unknown) => (typeof thrown === "string" ? thrown : undefined),
  restarted(thrown: unknown): boolean {
    const aborted = thrown instanceof WebAssembly.RuntimeError || thrown instanceof RangeError;
    if (aborted) glue.__wbg_reset_state();
    return aborted;
  },
});

/** Returns the loader of a runtime that compiles at once. `compile` is called for the first text. */
export function atOnce<G extends Bindgen>(glue: G, compile: () => WebAssembly.Module): Starter<G> {
  let module: WebAssembly.Module | undefined;
  return {
    glue,
    start() {
      module ??= compile();
      glue.initSync({ module });
    },
    ...thrownBy(glue),
    async init(source) {
      // An address is where a browser finds the module.
      if (source === undefined || typeof source === "string" || source instanceof URL) this.start();
      else await glue.default({ module_or_path: source });
    },
  };
}

/** Returns the loader of a runtime that compiles only in the background. `entries` are those which share the module. */
export function onceAsked<G extends Bindgen>(glue: G, address: () => URL, entries: string): Starter<G> {
  let starting: Promise<unknown> | undefined;
  return {
    glue,
    start() {
      const found = starting === undefined ? "has not been started" : "is not ready";
      throw new TypeError(`the engine of ${entries} ${found}: await the \`init()\` of that entry first`);
    },
    ...thrownBy(glue),
    async init(source) {
      starting ??= glue.default({ module_or_path: source ?? address() });
      try {
        await starting;
      } catch (error) {
        starting = undefined;
        throw error;
      }
    },
  };
}
