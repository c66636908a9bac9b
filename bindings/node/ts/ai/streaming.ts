import { callReader } from "../calls.js";
import type { CallReader } from "../core/callreader.js";
import { LlmendError, RepairError } from "../core/errors.js";
import { Pieces } from "../core/pieces.js";
import type { Reader } from "../core/reader.js";
import { argumentsJson, type CallEvent } from "../core/reading.js";
import type { JsonSchema } from "../core/standard.js";
import { Transform } from "../core/transform.js";
import { JsonWriter } from "../core/transforms.js";
import { newId, offered, withCalls, withoutValidators, type Params, type Part } from "./parts.js";
import { acceptsUnsure, arrivingJson, passes, textOptions, withInput, type AiOptions } from "./repairs.js";

/** Where parts go. */
type Send = (part: Part) => void;

/** What becomes of one text of a stream. */
interface TextRewriter {
  push(delta: string): void;
  end(part: Part): void;
  /** Frees what is kept of a text that is not read to its end. */
  free(): void;
}

/** Returns the transform of a stream of parts. What is sent cannot be taken back, so it is sent once it is settled. */
export function rewritten(params: Params, options: AiOptions | undefined): TransformStream<Part, Part> {
  const tools = offered(params);
  const texts = new Map<string, TextRewriter>();
  let called = false;
  const begin = (start: Part, send: Send): TextRewriter | undefined => {
    const { type, schema } = params.responseFormat ?? {};
    const json = () => (type === "json" ? new JsonOfText(start.id as string, schema as JsonSchema | undefined, options, send) : undefined);
    const calls = Object.keys(tools).length > 0 ? callsOfText(start, tools, options, json, send, () => (called = true)) : undefined;
    if (calls) return calls;
    const rewriter = json();
    send(start);
    return rewriter;
  };
  return new Transform<Part, Part>({
    push(part, send) {
      const text = part.id === undefined ? undefined : texts.get(part.id);
      if (part.type === "text-start") {
        const rewriter = begin(part, send);
        if (rewriter) texts.set(part.id as string, rewriter);
      } else if (part.type === "text-delta" && text) {
        text.push(part.delta ?? "");
      } else if (part.type === "text-end" && text) {
        text.end(part);
        texts.delete(part.id as string);
      } else if (part.type === "tool-call") {
        send(withInput(part, tools, options));
      } else if (part.type === "finish" && called) {
        send({ ...part, finishReason: withCalls(part.finishReason) });
      } else {
        send(part);
      }
    },
    // A stream may end within a text.
    end() {
      for (const [id, text] of texts) text.end({ type: "text-end", id });
    },
    left() {
      for (const text of texts.values()) text.free();
    },
  });
}

/** Joins pieces to text that UTF-8 can hold: half of a surrogate pair that stays alone is replaced, as encoders do. */
class Joined {
  #pieces = new Pieces();

  join(delta: string): string {
    return this.#pieces.join(delta).toWellFormed();
  }

  /** Returns what is left at the end. */
  end(): string {
    return this.#pieces.half.toWellFormed();
  }
}

/** A text that is JSON, or becomes it. */
class JsonOfText implements TextRewriter {
  #reader: Reader;
  #writer = new JsonWriter();
  #raw = "";
  #joined = new Joined();
  #isAccepted: boolean;
  #isSent = false;
  /** Whether what was sent is no longer the beginning of the JSON. */
  #isBroken = false;

  constructor(
    readonly id: string,
    readonly schema: JsonSchema | undefined,
    readonly options: AiOptions | undefined,
    readonly send: Send,
  ) {
    this.#isAccepted = acceptsUnsure(options);
    this.#reader = arrivingJson(schema, options);
  }

  push(delta: string): void {
    if (!this.#isSent) this.#raw += delta;
    this.#read(this.#joined.join(delta));
  }

  end(part: Part): void {
    this.close();
    this.send(part);
  }

  /** Sends what completes the JSON, or the text itself if nothing was sent. */
  close(): void {
    this.#read(this.#joined.end());
    const rest = this.#write(() => {
      const { rows, outcome } = this.#reader.end();
      return outcome.unsure && !this.#isAccepted ? undefined : this.#writer.write(rows) + this.#writer.end();
    });
    if (rest !== undefined) this.#give(rest);
    else if (!this.#isSent) this.#give(this.#raw);
  }

  free(): void {
    this.#reader.free();
  }

  #read(text: string): void {
    this.#give(this.#write(() => this.#writer.write(this.#reader.pushRows(text))) ?? "");
  }

  /** Returns what is written; nothing if there is no value, or if it is not what was sent. */
  #write(work: () => string | undefined): string | undefined {
    if (this.#isBroken) return undefined;
    try {
      return work();
    } catch (error) {
      this.#isBroken = error instanceof LlmendError && error.code === "stream/replaced";
      if (!this.#isBroken && !(error instanceof RepairError)) throw error;
      return undefined;
    }
  }

  #give(delta: string): void {
    if (delta === "") return;
    this.#isSent = true;
    this.send({ type: "text-delta", id: this.id, delta });
  }
}

/** Returns what reads a text with calls in it; nothing if the tools cannot be read. */
function callsOfText(...all: ConstructorParameters<typeof CallsOfText>): TextRewriter | undefined {
  try {
    return new CallsOfText(...all);
  } catch (error) {
    if (passes(error)) return undefined;
    throw error;
  }
}

/** A text with the calls in it, which may also be JSON up to the first of them. */
class CallsOfText implements TextRewriter {
  #reader: CallReader;
  #joined = new Joined();
  #json: JsonOfText | undefined;
  #isOpen = false;
  #reasoning: string | undefined;

  constructor(
    readonly start: Part,
    tools: Record<string, unknown>,
    options: AiOptions | undefined,
    json: () => JsonOfText | undefined,
    readonly send: Send,
    readonly called: () => void,
  ) {
    this.#reader = callReader({ ...textOptions(options), tools: withoutValidators(tools) });
    this.#json = json();
  }

  push(delta: string): void {
    this.#pass(this.#reader.push(this.#joined.join(delta)));
  }

  end(part: Part): void {
    this.#pass(this.#reader.push(this.#joined.end()));
    this.#pass(this.#reader.finish().events);
    this.#endReasoning();
    this.#endJson();
    if (this.#isOpen) this.send(part);
  }

  free(): void {
    this.#reader.free();
    this.#json?.free();
  }

  #pass(events: CallEvent[]): void {
    for (const event of events) {
      if (event.type === "text") this.#text(event.text);
      else if (event.type === "refused") this.#text(event.refused.text);
      else if (event.type === "reasoning") this.#think(event.text);
      else if (event.type === "done") this.#call(event.call.id ?? newId(), event.call.name, argumentsJson(event.call));
    }
  }

  #text(delta: string): void {
    this.#endReasoning();
    if (!this.#isOpen) this.send(this.start);
    this.#isOpen = true;
    if (this.#json) this.#json.push(delta);
    else this.send({ type: "text-delta", id: this.start.id as string, delta });
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

  /** What follows a call is no part of the JSON. */
  #endJson(): void {
    if (this.#isOpen) this.#json?.close();
    else this.#json?.free();
    this.#json = undefined;
  }

  /** Sends a whole call: one that had only begun may yet turn out to be none. */
  #call(id: string, toolName: string, input: string): void {
    this.#endReasoning();
    this.#endJson();
    this.called();
    this.send({ type: "tool-input-start", id, toolName });
    this.send({ type: "tool-input-delta", id, delta: input });
    this.send({ type: "tool-input-end", id });
    this.send({ type: "tool-call", toolCallId: id, toolName, input });
  }
}
