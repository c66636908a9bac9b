import { wellFormed } from "./engine.js";
import { full } from "./full.js";
import { readEvent, readReading, type CallEvent, type Reading } from "./reading.js";

/** A reader of calls in the module. */
export interface CallStreamHandle {
  push(piece: string): string | undefined;
  finish(): string | undefined;
  free(): void;
}

/** Reads tool calls while the text arrives: `push` pieces, take their events, and `finish`. */
export class CallReader {
  #handle: CallStreamHandle | undefined;
  #decoder = new TextDecoder("utf-8", { fatal: true });

  /** @internal */
  constructor(handle: CallStreamHandle) {
    this.#handle = handle;
  }

  /** Reads the next piece of text, which may end anywhere, if it is bytes even within a character. */
  push(piece: string | Uint8Array): CallEvent[] {
    const handle = this.#open();
    const text = typeof piece === "string" ? piece : this.#decoder.decode(piece, { stream: true });
    const json = full.run(text, () => handle.push(wellFormed(text)));
    return json === undefined ? [] : JSON.parse(json).map(readEvent);
  }

  /** Ends the text. Returns the last events, and what was read of the whole. */
  finish(): { events: CallEvent[]; reading: Reading } {
    const handle = this.#open();
    this.#handle = undefined;
    const { events, reading } = JSON.parse(full.run("", () => handle.finish()) ?? "{}");
    handle.free();
    return { events: events.map(readEvent), reading: readReading(reading) };
  }

  #open(): CallStreamHandle {
    if (!this.#handle) throw new TypeError("expected an open stream, found a finished one");
    return this.#handle;
  }
}
