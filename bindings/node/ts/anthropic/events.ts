import { objectIn } from "../ai/responses.js";

/** An event of a stream of a message; anything else is kept as raw text. */
export interface StreamEvent {
  type: string;
  raw?: string;
  /** Whether the raw text is that of an event within which the stream ends. */
  isCut?: boolean;
  index?: number;
  [member: string]: any;
}

/** Returns the transform from server-sent events to their data. */
export function eventsOf(): TransformStream<Uint8Array, StreamEvent> {
  const decoder = new TextDecoder();
  let rest = "";
  const send = (text: string, controller: TransformStreamDefaultController<StreamEvent>) => {
    const events = (rest + text).split(/\r?\n\r?\n/);
    rest = events.pop() ?? "";
    for (const event of events) give(event, false, controller);
  };
  return new TransformStream({
    transform: (piece, controller) => send(decoder.decode(piece, { stream: true }), controller),
    flush(controller) {
      send(decoder.decode(), controller);
      give(rest, true, controller);
    },
  });
}

function give(text: string, isCut: boolean, controller: TransformStreamDefaultController<StreamEvent>): void {
  const lines = text.split(/\r?\n/).filter((line) => line.startsWith("data:"));
  const data = lines.map((line) => line.slice(5).trimStart()).join("\n");
  if (text.trim() === "") return;
  const event = objectIn<StreamEvent>(data);
  // What a proxy adds, such as `[DONE]` or a comment, passes as it is.
  controller.enqueue(isWhole(event) ? event : { type: "raw", raw: text, isCut });
}

/** Returns whether an event has the members that are read of its type. */
function isWhole(event: Partial<StreamEvent> | undefined): event is StreamEvent {
  if (typeof event?.type !== "string") return false;
  if (event.type === "content_block_start") return typeof event.content_block?.type === "string";
  return !event.type.endsWith("_delta") || typeof event.delta === "object" && event.delta !== null;
}

const encoder = new TextEncoder();

/** Returns an event as it is sent. */
export function sent(event: StreamEvent): Uint8Array {
  // An end would make an event of half of one.
  if (event.raw !== undefined) return encoder.encode(event.isCut ? event.raw : `${event.raw}\n\n`);
  return encoder.encode(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}
