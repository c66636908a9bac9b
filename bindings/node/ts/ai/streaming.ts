import { callReader } from "../calls.js";
import type { CallReader } from "../core/callreader.js";
import { RepairError } from "../core/errors.js";
import { full } from "../core/full.js";
import { optionsJson } from "../core/options.js";
import { Reader } from "../core/reader.js";
import type { CallEvent } from "../core/reading.js";
import { OWN, parseWith } from "../core/text.js";
import { JsonWriter } from "../core/transforms.js";
import { newId, offered, withCalls, type Params, type Part } from "./parts.js";
import { withInput, type AiOptions } from "./repairs.js";

/** Where parts go. */
type Send = (part: Part) => void;

/** What becomes of one text of a stream. */
interface TextRewriter {
  push(delta: string): void;
  end(part: Part): void;
}

/** Returns the transform of a stream of parts. What is sent cannot be taken back, so it is sent once it is settled. */
export function rewritten(params: Params, options: AiOptions | undefined): TransformStream<Part, Part> {
  const tools = offered(params);
  const texts = new Map<string, TextRewriter>();
  let called = false;
  const begin = (start: Part, send: Send): TextRewriter | undefined => {
    if (Object.keys(tools).length > 0) return new CallsOfText(start, tools, options, send, () => (called = true));
    return params.responseFormat?.type === "json" ? new JsonOfText(start, options, send) : undefined;
  };
  return new TransformStream({
    transform(part, controller) {
      const send: Send = (part) => controller.enqueue(part);
      const text = part.id === undefined ? undefined : texts.get(part.id);
      if (part.type === "text-start") {
        const rewriter = begin(part, send);
        if (rewriter) texts.set(part.id as string, rewriter);
        else send(part);
      } else if (part.type === "text-delta" && text) {
        text.push(part.delta ?? "");
      } else if (part.type === "text-end" && text) {
        texts.delete(part.id as string);
        text.end(part);
      } else if (part.type === "tool-call") {
        send(withInput(part, tools, options));
      } else if (part.type === "finish" && called) {
        send({ ...part, finishReason: withCalls(part.finishReason) });
      } else {
        send(part);
      }
    },
  });
}

/** A text that is JSON, or becomes it. */
class JsonOfText implements TextRewriter {
  #reader: Reader;
  #writer = new JsonWriter();
  #raw = "";
  #isSent = false;

  constructor(
    readonly start: Part,
    options: AiOptions | undefined,
    readonly send: Send,
  ) {
    const { unsure: _, coerce: __, ...rest } = options ?? {};
    const finish = { now: (text: Uint8Array) => parseWith(full, text, { ...rest, choice: "first" }) };
    const events = full.run("", (glue) => new glue.TextEvents(optionsJson(rest, OWN)));
    this.#reader = new Reader(full, events, finish);
    send(start);
  }

  push(delta: string): void {
    if (!this.#isSent) this.#raw += delta;
    this.#give(this.#writer.write(this.#reader.pushRows(delta)));
  }

  end(part: Part): void {
    try {
      this.#give(this.#writer.write(this.#reader.end().rows));
    } catch (error) {
      if (!(error instanceof RepairError)) throw error;
      // Nothing in it is JSON, so that nothing was sent.
      if (!this.#isSent) this.#give(this.#raw);
    }
    this.send(part);
  }

  #give(delta: string): void {
    if (delta === "") return;
    this.#isSent = true;
    this.send({ type: "text-delta", id: this.start.id as string, delta });
  }
}

/** A text with the calls in it. */
class CallsOfText implements TextRewriter {
  #reader: CallReader;
  #isOpen = false;
  #reasoning: string | undefined;

  constructor(
    readonly start: Part,
    tools: Record<string, unknown>,
    options: AiOptions | undefined,
    readonly send: Send,
    readonly called: () => void,
  ) {
    const { unsure: _, ...rest } = options ?? {};
    this.#reader = callReader({ ...rest, tools: tools as Record<string, never> });
  }

  push(delta: string): void {
    this.#pass(this.#reader.push(delta));
  }

  end(part: Part): void {
    this.#pass(this.#reader.finish().events);
    this.#endReasoning();
    if (this.#isOpen) this.send(part);
  }

  #pass(events: CallEvent[]): void {
    for (const event of events) {
      if (event.type === "text") this.#text(event.text);
      else if (event.type === "refused") this.#text(event.refused.text);
      else if (event.type === "reasoning") this.#think(event.text);
      else if (event.type === "done") this.#call(event.call.id ?? newId(), event.call.name, JSON.stringify(event.call.arguments));
    }
  }

  #text(delta: string): void {
    this.#endReasoning();
    if (!this.#isOpen) this.send(this.start);
    this.#isOpen = true;
    this.send({ type: "text-delta", id: this.start.id as string, delta });
  }

  #think(delta: string): void {
    if (this.#reasoning === undefined) {
      this.#reasoning = newId();
      this.send({ type: "reasoning-start", id: this.#reasoning });
    }
    this.send({ type: "reasoning-delta", id: this.#reasoning, delta });
  }

  #endReasoning(): void {
    if (this.#reasoning === undefined) return;
    this.send({ type: "reasoning-end", id: this.#reasoning });
    this.#reasoning = undefined;
  }

  /** Sends a whole call: one that had only begun may yet turn out to be none. */
  #call(id: string, toolName: string, input: string): void {
    this.#endReasoning();
    this.called();
    this.send({ type: "tool-input-start", id, toolName });
    this.send({ type: "tool-input-delta", id, delta: input });
    this.send({ type: "tool-input-end", id });
    this.send({ type: "tool-call", toolCallId: id, toolName, input });
  }
}
