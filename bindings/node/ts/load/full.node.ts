import { loader as module } from "./full.file.js";
import { native } from "./native.js";

/** The addon, or the module. */
export const loader = native<typeof module.glue>() ?? module;
