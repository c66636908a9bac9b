import { onceAsked } from "../core/loader.js";
import * as glue from "../wasm/llmend.js";

/** The module, fetched from beside this file. */
export const loader = onceAsked(glue, () => new URL("../wasm/llmend_bg.wasm", import.meta.url), "llmend and llmend/jsonrepair");
