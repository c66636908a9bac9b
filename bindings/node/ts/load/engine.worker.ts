// Workers compile no bytes: the module is imported, which their tools do.
import module from "../wasm/llmend_bg.wasm";
import { atOnce } from "../core/loader.js";
import * as glue from "../wasm/llmend.js";

/** The module, as the runtime compiled it. */
export const loader = atOnce(glue, () => module as WebAssembly.Module);
