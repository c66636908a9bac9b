import type { Part } from "../ai/parts.js";
import { EMPTY_THINKING, callPart, finishOf, stopOf, toolUse, type Block } from "./blocks.js";
import { sent, type StreamEvent } from "./events.js";

/** Returns the transform from events to the parts that they are made of. A tool call is a part once it is whole. */
export function partsOf(): TransformStream<StreamEvent, Part> {
  const open = new Map<number, { block: Block; input: string }>();
  return new TransformStream({
    transform(event, controller) {
      for (const part of partsIn(event, open)) controller.enqueue(part);
    },
  });
}

function partsIn(event: StreamEvent, open: Map<number, { block: Block; input: string }>): Part[] {
  const index = event.index ?? -1;
  const id = String(index);
  const { block } = open.get(index) ?? {};
  const raw: Part = { type: "event", event };
  switch (event.type) {
    case "content_block_start":
      open.set(index, { block: event.content_block as Block, input: "" });
      if (event.content_block.type === "tool_use") return [];
      return event.content_block.type === "text" ? begun(id, event.content_block as Block) : [raw];
    case "content_block_delta":
      if (event.delta.type === "text_delta") return [{ type: "text-delta", id, delta: event.delta.text }];
      if (block?.type !== "tool_use") return [raw];
      (open.get(index) as { input: string }).input += event.delta.partial_json ?? "";
      return [];
    case "content_block_stop": {
      const input = open.get(index)?.input ?? "";
      open.delete(index);
      if (block?.type === "tool_use") return [callPart(block, input || JSON.stringify(block.input ?? {}))];
      return [block?.type === "text" ? { type: "text-end", id } : raw];
    }
    case "message_delta":
      return [{ type: "finish", finishReason: finishOf(event.delta.stop_reason), event }];
    default:
      return [raw];
  }
}

/** Returns the beginning of a text; some servers send it with the first piece. */
function begun(id: string, block: Block): Part[] {
  const start: Part = { type: "text-start", id, block: { ...block, text: "" } };
  return block.text ? [start, { type: "text-delta", id, delta: block.text }] : [start];
}

/** Returns the transform from parts to the bytes of events. */
export function bytesOf(): TransformStream<Part, Uint8Array> {
  const blocks = new Blocks();
  let cut: StreamEvent | undefined;
  return new TransformStream({
    transform(part, controller) {
      for (const event of blocks.events(part)) {
        if (event.isCut) cut = event;
        else controller.enqueue(sent(event));
      }
    },
    // What is left of texts at the end comes before half an event.
    flush(controller) {
      if (cut) controller.enqueue(sent(cut));
    },
  });
}

/** Numbers blocks anew, and keeps them one after the other. */
class Blocks {
  #count = 0;
  /** The text or reasoning that is open, and its block. */
  #open: { id: string; index: number } | undefined;
  /** The new numbers of blocks that pass as they are. */
  #passed = new Map<number, number>();

  events(part: Part): StreamEvent[] {
    switch (part.type) {
      case "text-start":
        return this.#begin(part.id as string, (part.block as Block | undefined) ?? EMPTY_TEXT);
      case "text-delta":
        return [...this.#continue(part.id as string, EMPTY_TEXT), this.#delta({ type: "text_delta", text: part.delta })];
      case "reasoning-start":
        return this.#begin(part.id as string, EMPTY_THINKING);
      case "reasoning-delta":
        return [...this.#continue(part.id as string, EMPTY_THINKING), this.#delta({ type: "thinking_delta", thinking: part.delta })];
      case "text-end":
      case "reasoning-end":
        return this.#open?.id === part.id ? this.#end() : [];
      case "tool-call":
        return this.#call(part);
      case "finish": {
        const event = part.event as StreamEvent;
        return [...this.#end(), { ...event, delta: { ...event.delta, stop_reason: stopOf(part.finishReason) } }];
      }
      case "event":
        return this.#pass(part.event as StreamEvent);
      default:
        // The parts of the input of a call, which follows whole.
        return [];
    }
  }

  #begin(id: string, block: Block): StreamEvent[] {
    const events = this.#end();
    this.#open = { id, index: this.#count++ };
    return [...events, { type: "content_block_start", index: this.#open.index, content_block: block }];
  }

  /** A call may have come between two pieces of a text: then the rest is a block of its own. */
  #continue(id: string, block: Block): StreamEvent[] {
    return this.#open?.id === id ? [] : this.#begin(id, block);
  }

  #delta(delta: object): StreamEvent {
    return { type: "content_block_delta", index: this.#open?.index ?? 0, delta };
  }

  #end(): StreamEvent[] {
    if (!this.#open) return [];
    const { index } = this.#open;
    this.#open = undefined;
    return [{ type: "content_block_stop", index }];
  }

  #call(part: Part): StreamEvent[] {
    const events = this.#end();
    const index = this.#count++;
    const content_block = toolUse(part, {});
    const delta = { type: "input_json_delta", partial_json: part.input };
    return [
      ...events,
      { type: "content_block_start", index, content_block },
      { type: "content_block_delta", index, delta },
      { type: "content_block_stop", index },
    ];
  }

  #pass(event: StreamEvent): StreamEvent[] {
    if (event.index === undefined) return [event];
    if (event.type === "content_block_start") {
      const events = this.#end();
      this.#passed.set(event.index, this.#count);
      return [...events, { ...event, index: this.#count++ }];
    }
    return [{ ...event, index: this.#passed.get(event.index) ?? this.#open?.index ?? event.index }];
  }
}

const EMPTY_TEXT: Block = { type: "text", text: "" };
