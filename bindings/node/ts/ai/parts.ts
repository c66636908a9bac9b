/** A part of a model's answer, whole or in a stream, as versions 3 and 4 of the AI SDK's specification have it. */
export interface Part {
  type: string;
  id?: string;
  delta?: string;
  text?: string;
  toolName?: string;
  input?: string;
  finishReason?: unknown;
  [other: string]: unknown;
}

/** What a model is asked. */
export interface Params {
  tools?: readonly { type: string; name: string; inputSchema?: unknown }[];
  responseFormat?: { type: string; schema?: unknown };
}

/** A model's whole answer. */
export interface Answer {
  content: Part[];
  finishReason: unknown;
}

/** Returns the schemas of the tools that the caller runs, by name. */
export function offered(params: Params): Record<string, unknown> {
  const own = (params.tools ?? []).filter((tool) => tool.type === "function");
  return Object.fromEntries(own.map((tool) => [tool.name, tool.inputSchema ?? {}]));
}

/** Returns schemas without their validators, such as zod adds to JSON Schema: what they say is for the package that asked. */
export function withoutValidators(tools: Record<string, unknown>): Record<string, never> {
  const plain = Object.entries(tools).map(([name, schema]) => [name, typeof schema === "object" ? { ...schema } : schema]);
  return Object.fromEntries(plain) as Record<string, never>;
}

/** Returns the reason for which an answer with calls ended. */
export function withCalls(reason: unknown): unknown {
  if (reason === "stop") return "tool-calls";
  const { unified } = (reason ?? {}) as { unified?: string };
  return unified === "stop" ? { ...(reason as object), unified: "tool-calls" } : reason;
}

/** Returns a new id for a call that has none. */
export function newId(): string {
  return `call_${crypto.randomUUID().replaceAll("-", "")}`;
}
