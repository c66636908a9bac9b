/**
 * llmend in LangChain.js: a parser that streams, and a step that repairs tool calls.
 *
 * @module
 */
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { BaseTransformOutputParser } from "@langchain/core/output_parsers";
import { RunnableLambda } from "@langchain/core/runnables";
import { nearest } from "./ai/nearest.js";
import { settled, type AiOptions } from "./ai/repairs.js";
import { decoded } from "./core/engine.js";
import { unsureError } from "./core/errors.js";
import { FIT_STREAM, expectOptions } from "./core/expected.js";
import type { FitOptions } from "./core/fit.js";
import type { Outcome } from "./core/outcome.js";
import type { AnySchema, InferOutput, JsonSchema } from "./core/standard.js";
import { jsonSchemaOf } from "./core/tools.js";
import type { Unsure } from "./core/transforms.js";
import { parse, parseAsync, reader } from "./schema.js";

export { init } from "./schema.js";
export type { AiOptions } from "./ai/repairs.js";

/** Options of `LlmendOutputParser`. */
export interface ParserOptions<S extends AnySchema> extends FitOptions {
  /** What the value should be. Without it, any value is taken. */
  schema?: S;
  /** Whether a value that may lack something is an `UnsureError`, or is returned. @default "throw" */
  unsure?: Unsure;
}

/**
 * An output parser in place of `JsonOutputParser` and `StructuredOutputParser`: it repairs, fits the value to the schema,
 * and streams values that take nothing back. The last one is the fitted value. A stream takes the first value of an
 * answer, and refuses `choice`.
 *
 * @example
 * const chain = prompt.pipe(model).pipe(new LlmendOutputParser({ schema: City }));
 */
export class LlmendOutputParser<S extends AnySchema = true, T = S extends true ? unknown : InferOutput<S>> extends BaseTransformOutputParser<T> {
  /** @hidden */
  lc_namespace = ["llmend", "output_parsers"];
  #options: ParserOptions<AnySchema>;
  #isAccepted: boolean;

  /** @hidden */
  static override lc_name(): string {
    return "LlmendOutputParser";
  }

  constructor(options?: ParserOptions<S>) {
    super();
    this.#options = options ?? {};
    expectOptions(options, FIT_STREAM);
    this.#isAccepted = this.#options.unsure === "accept";
  }

  /**
   * Parses a whole answer. Throws a `RepairError` if it has no value, an `UnfitError` if the value does not fit, and an
   * `UnsureError` if it may lack something.
   */
  async parse(text: string): Promise<T> {
    const { unsure: _, schema, ...rest } = this.#options;
    const outcome = schema === undefined ? parse(text, rest) : await parseAsync(text, { ...rest, schema });
    return this.#sure(text, outcome);
  }

  /** Yields the value so far whenever it has grown, and the whole at the end. */
  override async *_transform(input: AsyncGenerator<string | BaseMessage>): AsyncGenerator<T> {
    const { unsure: _, schema, ...rest } = this.#options;
    const read = reader({ ...rest, schema: schema ?? true });
    try {
      for await (const chunk of input) {
        const rows = read.pushRows(typeof chunk === "string" ? chunk : chunk.text);
        if (rows.length === 0) continue;
        const { value } = read.grow(rows);
        if (value !== undefined) yield value as T;
      }
      const { outcome } = await read.endLater();
      yield this.#sure(decoded(read.text), outcome);
    } finally {
      read.free();
    }
  }

  /** Returns what a prompt should say: that the answer is JSON, and the JSON Schema if the schema can be written as one. */
  getFormatInstructions(): string {
    const schema = this.#options.schema === undefined ? undefined : jsonSchemaOf(this.#options.schema);
    if (schema === undefined) return "Answer with one JSON value only.";
    return `Answer with one JSON value only, which fits this JSON Schema:\n${JSON.stringify(schema)}`;
  }

  #sure(text: string, outcome: Outcome<unknown>): T {
    if (outcome.unsure && !this.#isAccepted) {
      throw unsureError(text, outcome.value, outcome.report);
    }
    return outcome.value as T;
  }
}

/** What is read of a tool of LangChain's. */
interface NamedTool {
  name: string;
  schema?: unknown;
}

/**
 * Returns a step that moves `invalid_tool_calls` of a message to `tool_calls` where they can be repaired: the arguments
 * are made to fit the tool's schema, and a near miss of a name is corrected.
 *
 * @example
 * const chain = model.bindTools(tools).pipe(repairToolCalls({ tools }));
 */
export function repairToolCalls(
  options: AiOptions & { tools: readonly NamedTool[] },
): RunnableLambda<AIMessage, AIMessage> {
  const { tools, ...rest } = options;
  return RunnableLambda.from((message: AIMessage) => {
    const invalid = message.invalid_tool_calls ?? [];
    if (invalid.length === 0) return message;
    const left: typeof invalid = [];
    const calls = [...(message.tool_calls ?? [])];
    for (const call of invalid) {
      const tool = toolOf(call.name ?? "", tools);
      const json = tool && settled(call.args || "{}", jsonSchemaOf(tool.schema) as JsonSchema | undefined, rest);
      const args = json === undefined ? undefined : (JSON.parse(json) as unknown);
      if (!tool || typeof args !== "object" || args === null || Array.isArray(args)) left.push(call);
      else calls.push({ name: tool.name, args: args as Record<string, unknown>, id: call.id, type: "tool_call" });
    }
    const { content, id, name, additional_kwargs, response_metadata, usage_metadata } = message;
    const kept = { content, id, name, additional_kwargs, response_metadata, usage_metadata };
    return new AIMessage({ ...kept, tool_calls: calls, invalid_tool_calls: left } as ConstructorParameters<typeof AIMessage>[0]);
  });
}

function toolOf(name: string, tools: readonly NamedTool[]): NamedTool | undefined {
  const exact = tools.find((tool) => tool.name === name);
  if (exact) return exact;
  const near = nearest(name, tools.map((tool) => tool.name));
  return tools.find((tool) => tool.name === near);
}
