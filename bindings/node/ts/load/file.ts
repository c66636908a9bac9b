/** The part of Node's process object that is used: Bun and Deno have it too. */
declare const process: { getBuiltinModule(name: "node:fs"): { readFileSync(file: URL): BufferSource } };

/** Reads and compiles a module. */
export function compiled(file: URL): WebAssembly.Module {
  return new WebAssembly.Module(process.getBuiltinModule("node:fs").readFileSync(file));
}
