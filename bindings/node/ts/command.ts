#!/usr/bin/env node
// The command `llmend` of the npm package.
import { host } from "./command/host.js";
import { run } from "./command/run.js";

host.exitCode = await run(host.argv.slice(2));
