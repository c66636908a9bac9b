import { wellFormed } from "./engine.js";
import { full } from "./full.js";
import { Pieces } from "./pieces.js";
import { readEvent, readReading, type CallEvent, type Reading } from "./reading.js";
import { Utf8 } from "./utf8.js";

/** A reader of calls in the module. */
export interface CallStreamHandle {
  push(piece: string): string | undefined;
  finish(): string | undefined;
  free(): void;
}

/** Reads tool calls while the text arrives: `push` pieces, take their events, and `finish`. */
export class CallReader {
  #handle: CallStreamHandle | undefined;
  #pieces = new Pieces();
  #bytes = new Utf8(full);

  /** @internal */
  constructor(handle: CallStreamHandle) {
    this.#handle = handle;
  }

  /** Reads the next piece of text, which may end anywhere, even within a character. */
  push(piece: string | Uint8Array): CallEvent[] {
    const handle = this.#open();
    const whole = this.#pieces.join(piece);
    const text = typeof whole === "string" ? whole : this.#bytes.decode(whole);
    if (text === "") return [];
    const json = full.run(text, () => handle.push(wellFormed(text)));
    return json === undefined ? [] : JSON.parse(json).map(readEvent);
  }

  /** Ends the text. Returns the last events, and what was read of the whole. */
  finish(): { events: CallEvent[]; reading: Reading } {
    const handle = this.#open();
    this.#handle = undefined;
    try {
      this.#bytes.end();
      wellFormed(this.#pieces.half);
    } catch (error) {
      handle.free();
      throw error;
    }
    const { events, reading } = JSON.parse(full.run("", () => handle.finish()) ?? "{}");
    handle.free();
    return { events: events.map(readEvent), reading: readReading(reading) };
  }

  #open(): CallStreamHandle {
    if (!this.#handle) throw new TypeError("expected an open stream, found a finished one");
    return this.#handle;
  }
}
