// Every entry, for a reader whose compiler checks the declarations of packages too.
import { llmendMiddleware } from "llmend/ai";
import { repairing as repairingFormat } from "llmend/anthropic";
import { calls } from "llmend/calls";
import { parse, stream } from "llmend";
import { jsonrepair } from "llmend/jsonrepair";
import { repairing } from "llmend/openai";
import { plan } from "llmend/plan";
import { parse as fit } from "llmend/schema";

export const every = [calls, fit, jsonrepair, llmendMiddleware, parse, plan, repairing, repairingFormat, stream];
