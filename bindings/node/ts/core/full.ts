import { loader } from "#full";
import { Engine } from "./engine.js";
import { Fitter } from "./fit.js";

/** The module with schemas, calls and plans, which their entries share. */
export const full = new Engine(loader);

/** What fits values to schemas. */
export const fitter = new Fitter(full);

/**
 * Starts the WebAssembly module that all entries share but `llmend` and `llmend/jsonrepair`, which have one of their own.
 * Browsers need it once before any other call; elsewhere the first call starts what it needs, and addresses
 * are ignored.
 *
 * @param source Where the module is, if it was moved: an address, a response, or the module.
 */
export async function init(source?: unknown): Promise<void> {
  await loader.init(source);
  full.started();
}
