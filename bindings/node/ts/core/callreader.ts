import { wellFormed, type Maybe } from "./engine.js";
import { full } from "./full.js";
import { Pieces } from "./pieces.js";
import { readEnd, readEvents, type CallEvent, type Reading, type ToolCall } from "./reading.js";
import type { Notes } from "./tools.js";
import { Utf8 } from "./utf8.js";

/** A reader of calls in the engine. */
export interface CallStreamHandle {
  push(piece: string): Maybe;
  finish(): Maybe;
  free(): void;
}

/** Reads tool calls while the text arrives: `push` pieces, take their events, and `finish`. */
export class CallReader<Call = ToolCall> {
  #handle: CallStreamHandle | undefined;
  #notes: Notes;
  #generation = full.generation;
  #pieces = new Pieces();
  #bytes = new Utf8(full);

  /** @internal */
  constructor(handle: CallStreamHandle, notes: Notes) {
    this.#handle = handle;
    this.#notes = notes;
  }

  /** Reads the next piece of text, which may end anywhere, even within a character. */
  push(piece: string | Uint8Array): CallEvent<Call>[] {
    const handle = this.#open();
    const whole = this.#pieces.join(piece);
    const text = typeof whole === "string" ? whole : this.#bytes.decode(whole);
    if (text === "") return [];
    const json = full.runIn(this.#generation, text, () => handle.push(wellFormed(text)));
    return json ? (readEvents(json, this.#notes) as CallEvent<Call>[]) : [];
  }

  /** Ends the text. Returns the last events, and what was read of the whole. */
  finish(): { events: CallEvent<Call>[]; reading: Reading<Call> } {
    const handle = this.#open();
    try {
      this.#bytes.end();
      wellFormed(this.#pieces.half);
      const json = full.runIn(this.#generation, "", () => handle.finish()) ?? "{}";
      return readEnd(json, this.#notes) as { events: CallEvent<Call>[]; reading: Reading<Call> };
    } finally {
      this.free();
    }
  }

  /** Frees what the engine keeps of a text that is not read to its end. @internal */
  free(): void {
    full.free(this.#handle, this.#generation);
    this.#handle = undefined;
  }

  #open(): CallStreamHandle {
    if (!this.#handle) throw new TypeError("expected an open stream, found a finished one");
    return this.#handle;
  }
}
