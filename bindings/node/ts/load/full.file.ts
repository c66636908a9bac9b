import { atOnce } from "../core/loader.js";
import * as glue from "../wasm/llmend_full.js";
import { compiled } from "./file.js";

/** The module, from its file. */
export const loader = atOnce(glue, () => compiled(new URL("../wasm/llmend_full_bg.wasm", import.meta.url)));
