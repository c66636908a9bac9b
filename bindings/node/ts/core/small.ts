import { loader } from "#engine";
import { Engine } from "./engine.js";

/** The module without schemas, calls and plans. */
export const small = new Engine(loader);

/**
 * Starts the WebAssembly module of `llmend` and `llmend/jsonrepair`; all other entries share another one, with an `init`
 * of its own. Browsers need it once before any other call; elsewhere the first call starts what it needs, and addresses
 * are ignored.
 *
 * @param source Where the module is, if it was moved: an address, a response, or the module.
 */
export async function init(source?: unknown): Promise<void> {
  await loader.init(source);
  small.started();
}
