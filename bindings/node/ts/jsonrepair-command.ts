#!/usr/bin/env node
// The command of the package `jsonrepair` on llmend's engine: the same arguments, output and exit statuses.
import { host } from "./command/host.js";
import { runJsonrepair } from "./jsonrepair/command.js";

host.exitCode = await runJsonrepair(host.argv.slice(2));
