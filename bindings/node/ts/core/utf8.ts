import { checked, type Engine, type Glue } from "./engine.js";

/** Decodes bytes in UTF-8, which may be cut within a character, and says where they are none. */
export class Utf8 {
  #engine: Engine<Glue>;
  #decoder = new TextDecoder("utf-8", { fatal: true });
  /** The last bytes, of which the first ones of a character may be undecoded. */
  #last = new Uint8Array();

  constructor(engine: Engine<Glue>) {
    this.#engine = engine;
  }

  /** Decodes the next bytes. Throws a `RepairError` for invalid UTF-8. */
  decode(bytes: Uint8Array): string {
    return this.#decoded(bytes, true);
  }

  /** Ends the text. Throws a `RepairError` if it ends within a character. */
  end(): void {
    this.#decoded(new Uint8Array(), false);
  }

  #decoded(bytes: Uint8Array, stream: boolean): string {
    const last = this.#last;
    // A character has four bytes at most.
    this.#last = bytes.length < 3 ? joined(last.slice(-3), bytes) : bytes.slice(-3);
    try {
      return this.#decoder.decode(bytes, { stream });
    } catch (error) {
      throw notUtf8(this.#engine, joined(unfinished(last), bytes)) ?? error;
    }
  }
}

/** Decodes a whole text. Throws a `RepairError` for invalid UTF-8. */
export function wholeUtf8(engine: Engine<Glue>, bytes: Uint8Array): string {
  checked(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw notUtf8(engine, bytes) ?? error;
  }
}

/** Returns the engine's error for invalid UTF-8. */
function notUtf8(engine: Engine<Glue>, bytes: Uint8Array): unknown {
  try {
    engine.run(bytes, (glue) => glue.repairBytes(bytes, ""));
  } catch (error) {
    return error;
  }
  return undefined;
}

/** Returns the bytes at the end that are the beginning of a character. */
function unfinished(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return back < length ? bytes.slice(-back) : new Uint8Array();
  }
  return new Uint8Array();
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
