import { readArguments, UsageError, type Shown } from "./arguments.js";
import { runCalls } from "./calls.js";
import { Exit } from "./failure.js";
import { help } from "./help.js";
import { emit, say } from "./output.js";
import { runRepair } from "./repair.js";
import { disabledBy } from "./settings.js";
import { version } from "./version.js";
import { OptionError } from "../core/errors.js";

/** Runs a command line. Returns the exit status. */
export async function run(line: readonly string[]): Promise<number> {
  try {
    const read = readArguments(line);
    if ("shown" in read) return await shown(read, line.length === 0);
    const { name } = read.command;
    // `validate` repairs nothing anyway.
    const disabled = name === "validate" ? undefined : disabledBy();
    return await (name === "calls" ? runCalls : runRepair)(read, disabled);
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof OptionError)) throw error;
    say(`error: ${error.message}`);
    return emit("", Exit.usage);
  }
}

/** Shows help or the version. Without any argument, that is a usage error. */
async function shown({ shown, command }: Shown, isMissing: boolean): Promise<number> {
  if (shown === "version") return emit(`llmend ${version()}\n`, Exit.value);
  if (!isMissing) return emit(`${help(command)}\n`, Exit.value);
  say(help(command));
  return emit("", Exit.usage);
}
