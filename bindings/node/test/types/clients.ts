// What the packages of OpenAI and Anthropic take.
import Anthropic from "@anthropic-ai/sdk";
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
import { llmendMiddleware, repairing } from "llmend/anthropic";
import { repairingFetch } from "llmend/openai";
import OpenAI from "openai";
import { z } from "zod";

export const openai = new OpenAI({ fetch: repairingFetch() });
export const anthropic = new Anthropic({ middleware: [llmendMiddleware({ unsure: "accept" })] });

const City = z.object({ city: z.string() });
export async function city(): Promise<string | undefined> {
  const output_config = { format: repairing(zodOutputFormat(City)) };
  const { parsed_output } = await anthropic.messages.parse({ model: "m", max_tokens: 9, messages: [], output_config });
  return parsed_output?.city;
}
