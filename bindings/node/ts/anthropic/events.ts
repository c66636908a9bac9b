/** An event of a stream of a message. */
export interface StreamEvent {
  type: string;
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
    for (const event of events) give(event, controller);
  };
  return new TransformStream({
    transform: (piece, controller) => send(decoder.decode(piece, { stream: true }), controller),
    flush(controller) {
      send(decoder.decode(), controller);
      give(rest, controller);
    },
  });
}

function give(text: string, controller: TransformStreamDefaultController<StreamEvent>): void {
  const lines = text.split(/\r?\n/).filter((line) => line.startsWith("data:"));
  const data = lines.map((line) => line.slice(5).trimStart()).join("\n");
  if (data !== "") controller.enqueue(JSON.parse(data) as StreamEvent);
}

const encoder = new TextEncoder();

/** Returns an event as it is sent. */
export function sent(event: StreamEvent): Uint8Array {
  return encoder.encode(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}
