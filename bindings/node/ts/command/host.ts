/** The file system, as far as it is used. */
interface Files {
  readFileSync(path: string | URL): Uint8Array;
  existsSync(path: string): boolean;
  writeFileSync(path: string, text: string): void;
  renameSync(from: string, to: string): void;
}

/** What a stream of the process can do. */
interface Output {
  write(text: string, done: (error?: Failed | null) => void): boolean;
  on(event: "error", listener: (error: Failed) => void): void;
}

/** An error of the system. */
export interface Failed extends Error {
  code?: string;
}

/** The part of Node's process object that is used: Bun and Deno have it too. */
interface Process {
  argv: string[];
  env: Record<string, string | undefined>;
  exitCode: number | undefined;
  stdin: AsyncIterable<Uint8Array> & { isTTY?: boolean };
  stdout: Output;
  stderr: Output;
  getBuiltinModule(name: "node:fs"): Files;
}

declare const process: Process;

/** The process. */
export const host: Process = process;

/** Returns the file system. */
export const files = (): Files => host.getBuiltinModule("node:fs");

/** Writes a text. Returns the error if that failed. */
export function write(output: Output, text: string): Promise<Failed | undefined> {
  return new Promise((done) => {
    // Without a listener, a closed pipe ends the process with a stack trace.
    output.on("error", done);
    output.write(text, (error) => done(error ?? undefined));
  });
}
