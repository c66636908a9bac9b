import type { Glue } from "../core/engine.js";
import type { Starter } from "../core/loader.js";

/** The version of this package, which an addon has to have as well. */
const VERSION = "0.1.0";

/** The part of Node's process object that is used: Bun has it too. */
declare const process: {
  platform: string;
  arch: string;
  cwd(): string;
  env: Record<string, string | undefined>;
  getBuiltinModule(name: "node:module"): { createRequire(from: string): (name: string) => unknown };
  getBuiltinModule(name: "node:path"): { resolve(...parts: string[]): string };
};

/** Returns the addon that the environment names; `undefined` if the WebAssembly modules are to be used. */
function addon(): unknown {
  const wanted = process.env.LLMEND_ENGINE ?? "";
  if (wanted === "wasm") return undefined;
  if (wanted === "" || wanted === "addon") {
    const { found, reason } = installed();
    if (found === undefined && wanted === "addon") {
      throw new Error("LLMEND_ENGINE asks for the addon, and there is none", { cause: reason });
    }
    return found;
  }
  if (!wanted.endsWith(".node")) {
    throw new Error(`LLMEND_ENGINE: expected \`wasm\`, \`addon\` or the path of an addon (.node), found \`${wanted}\``);
  }
  const path = process.getBuiltinModule("node:path").resolve(process.cwd(), wanted);
  return ofThisVersion(process.getBuiltinModule("node:module").createRequire(path)(path), path);
}

/** Returns the addon that was installed for this platform, or why there is none. */
function installed(): { found?: unknown; reason?: unknown } {
  let reason: unknown;
  // An addon for the other C library fails to load.
  for (const suffix of process.platform === "linux" ? ["-gnu", "-musl"] : [""]) {
    const name = `@llmend/${process.platform}-${process.arch}${suffix}`;
    try {
      return { found: ofThisVersion(process.getBuiltinModule("node:module").createRequire(import.meta.url)(name), name) };
    } catch (error) {
      reason ??= error;
    }
  }
  return { reason };
}

function ofThisVersion(addon: unknown, name: string): unknown {
  const version = (addon as { version?(): string }).version?.();
  if (version !== VERSION) throw new Error(`${name} has version ${version}, and llmend ${VERSION}`);
  return addon;
}

/**
 * Returns the addon for this platform, if it is installed and can be loaded. The environment variable `LLMEND_ENGINE`
 * selects another engine: `wasm`, `addon`, which is an error where there is none, or the path of an addon.
 */
export function native<G extends Glue>(): Starter<G> | undefined {
  const glue = addon();
  if (glue === undefined) return undefined;
  const hasCode = (thrown: unknown, code: string) => (thrown as { code?: unknown } | undefined)?.code === code;
  return {
    glue: glue as G,
    start() {},
    refused: (thrown) => (hasCode(thrown, "LLMEND_REFUSED") ? (thrown as Error).message : undefined),
    // Nothing has to be made anew after a panic, but the stream that was read is in no state to go on.
    restarted: (thrown) => hasCode(thrown, "LLMEND_PANICKED"),
    async init() {},
  };
}
