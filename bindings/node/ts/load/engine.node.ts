import { loader as module } from "./engine.file.js";
import { native } from "./native.js";

/** The addon, or the module. */
export const loader = native<typeof module.glue>() ?? module;
