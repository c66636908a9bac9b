import type { Glue } from "../core/engine.js";
import type { Starter } from "../core/loader.js";

/** The part of Node's process object that is used: Bun has it too. */
declare const process: {
  platform: string;
  arch: string;
  env: Record<string, string | undefined>;
  getBuiltinModule(name: "node:module"): { createRequire(from: string): (name: string) => unknown };
};

/** What the addon throws. */
interface Thrown {
  code?: unknown;
  message: string;
}

/** Returns the addon; nothing where the modules have to do. */
function addon(): unknown {
  const require = process.getBuiltinModule("node:module").createRequire(import.meta.url);
  const wanted = process.env.LLMEND_ENGINE;
  if (wanted === "wasm") return undefined;
  if (wanted) return require(wanted);
  // Which C library there is shows when its addon is loaded.
  for (const suffix of process.platform === "linux" ? ["-gnu", "-musl"] : [""]) {
    try {
      return require(`@llmend/${process.platform}-${process.arch}${suffix}`);
    } catch {
      // There is none, or this machine cannot load it: the modules do the same.
    }
  }
  return undefined;
}

/**
 * The addon for this machine, if its package is installed. The variable `LLMEND_ENGINE` asks for another engine: `wasm` for the
 * modules, or the path of an addon.
 */
export function native<G extends Glue>(): Starter<G> | undefined {
  const glue = addon();
  if (glue === undefined) return undefined;
  return {
    glue: glue as G,
    start() {},
    refused: (thrown) => ((thrown as Thrown | undefined)?.code === "LLMEND_REFUSED" ? (thrown as Thrown).message : undefined),
    // A panic unwinds: the next call is as good as any.
    restarted: () => false,
    async init() {},
  };
}
