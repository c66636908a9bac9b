import { onceAsked } from "../core/loader.js";
import * as glue from "../wasm/llmend_full.js";

/** The module, fetched from beside this file. */
export const loader = onceAsked(
  glue,
  () => new URL("../wasm/llmend_full_bg.wasm", import.meta.url),
  "llmend/schema, llmend/calls and the other entries with schemas",
);
