import { decoded } from "./engine.js";
import { replaced, unsureError } from "./errors.js";
import type { Arriving, RepairOptions } from "./options.js";
import type { Outcome } from "./outcome.js";
import type { Reader, Step } from "./reader.js";
import type { Text } from "./text.js";
import { Transform } from "./transform.js";
import type { EventRow } from "./tree.js";

/** A transform of a text that arrives, which also gives what is known at the end. */
export class TextTransform<Piece, Final> extends Transform<Text, Piece> {
  /** What is known at the end. Rejects if the text cannot be read. */
  readonly final: Promise<Final>;

  /** @internal */
  constructor(work: TextWork<Piece, Final>) {
    let resolve!: (final: Final) => void;
    let reject!: (reason: unknown) => void;
    const final = new Promise<Final>((...settle) => ([resolve, reject] = settle));
    // The stream reports the error as well, so that `final` need not be awaited.
    final.catch(() => {});
    super({
      push: (piece, send) => work.push(piece, send),
      end: async (send) => resolve(await work.end(send)),
      left(reason) {
        reject(reason ?? new TypeError("the stream was left before its end"));
        work.free();
      },
    });
    this.final = final;
  }
}

/** What a transform of a text does. */
interface TextWork<Piece, Final> {
  push(piece: Text, send: (piece: Piece) => void): void;
  end(send: (piece: Piece) => void): Promise<Final> | Final;
  free(): void;
}

/** Returns a stream from text to the steps of its value. */
export function stepsOf<T, Partial>(reader: Reader<T, Partial>): TextTransform<Step<Partial>, Outcome<T>> {
  const give = (rows: EventRow[], send: (step: Step<Partial>) => void) => {
    if (rows.length === 0) return;
    const step = reader.grow(rows);
    // Read now, since whoever takes it may be steps behind.
    void step.value;
    send(step);
  };
  return new TextTransform<Step<Partial>, Outcome<T>>({
    push: (piece, send) => give(reader.pushRows(piece), send),
    async end(send) {
      const { rows, outcome } = await reader.endLater();
      give(rows, send);
      return outcome;
    },
    free: () => reader.free(),
  });
}

/**
 * Returns a stream from text to strict JSON, of which each piece is sent once nothing can change it, and the last one at
 * the end.
 */
export function jsonOf<T, Partial>(
  reader: Reader<T, Partial>,
  unsure: Unsure | undefined,
): TextTransform<string, Outcome<T>> {
  const writer = new JsonWriter();
  const give = (json: string, send: (json: string) => void) => {
    if (json !== "") send(json);
  };
  return new TextTransform<string, Outcome<T>>({
    push: (piece, send) => give(writer.write(reader.pushRows(piece)), send),
    async end(send) {
      const { rows, outcome } = await reader.endLater();
      if (outcome.unsure && unsure === "throw") throw unsureError(decoded(reader.text), outcome.value, outcome.report);
      give(writer.write(rows) + writer.end(), send);
      return outcome;
    },
    free: () => reader.free(),
  });
}

/** What is done with a value that may lack something: it is an error, or is taken. */
export type Unsure = "throw" | "accept";

/** Options of `repairStream`. */
export interface JsonStreamOptions extends Arriving<RepairOptions> {
  /** Whether a value that may lack something fails the stream. @default "accept" */
  unsure?: Unsure;
}

/** Writes the events of a value as JSON without white space. What completes the value is held back until the end. */
export class JsonWriter {
  /** For each open container: whether it is a list, and whether it has a part. */
  #levels: { isList: boolean; hasPart: boolean }[] = [];
  #held = "";

  /** Returns what completes the value. */
  end(): string {
    return this.#held;
  }

  /** Returns the JSON of events. */
  write(rows: readonly EventRow[]): string {
    let json = "";
    for (const [number, key, text] of rows) {
      switch (number) {
        case 0:
        case 1:
          json += this.#before(key as string | null) + (number === 0 ? "{" : "[");
          this.#levels.push({ isList: number === 1, hasPart: false });
          break;
        case 2:
          json += `${this.#before(key as string | null)}"`;
          break;
        case 3:
          json += JSON.stringify(text).slice(1, -1);
          break;
        case 4:
          json += this.#completing('"');
          break;
        case 5:
          json += this.#completing(this.#before(key as string | null) + text);
          break;
        case 6:
          json += this.#completing(this.#levels.pop()?.isList ? "]" : "}");
          break;
        case 9:
          throw replaced();
      }
    }
    return json;
  }

  /** Returns the end of a part, but holds back that of the whole. */
  #completing(json: string): string {
    if (this.#levels.length > 0) return json;
    this.#held += json;
    return "";
  }

  /** Returns what stands before a part. */
  #before(key: string | null): string {
    const level = this.#levels.at(-1);
    if (!level) return "";
    const comma = level.hasPart ? "," : "";
    level.hasPart = true;
    return level.isList ? comma : `${comma}${JSON.stringify(key ?? "")}:`;
  }
}
