import { LlmendError } from "./errors.js";
import type { Reader, Step } from "./reader.js";
import type { Text } from "./text.js";
import type { EventRow } from "./tree.js";

/** Returns a stream from text to the steps of its value. */
export function stepsOf<T, Partial>(reader: Reader<T, Partial>): TransformStream<Text, Step<Partial>> {
  const send = (rows: EventRow[], controller: TransformStreamDefaultController<Step<Partial>>) => {
    if (rows.length === 0) return;
    const step = reader.grow(rows);
    // Read now, since whoever takes it may be steps behind.
    void step.value;
    controller.enqueue(step);
  };
  return new TransformStream({
    transform(piece, controller) {
      send(reader.pushRows(piece), controller);
    },
    flush(controller) {
      send(reader.end().rows, controller);
    },
  });
}

/** Returns a stream from text to strict JSON, of which each piece is sent once nothing can change it. */
export function jsonOf<T, Partial>(reader: Reader<T, Partial>): TransformStream<Text, string> {
  const writer = new JsonWriter();
  const send = (rows: EventRow[], controller: TransformStreamDefaultController<string>) => {
    const json = writer.write(rows);
    if (json !== "") controller.enqueue(json);
  };
  return new TransformStream({
    transform(piece, controller) {
      send(reader.pushRows(piece), controller);
    },
    flush(controller) {
      send(reader.end().rows, controller);
    },
  });
}

/** Writes the events of a value as JSON without white space. */
export class JsonWriter {
  /** For each open container: whether it is a list, and whether it has a part. */
  #levels: { isList: boolean; hasPart: boolean }[] = [];

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
          json += '"';
          break;
        case 5:
          json += this.#before(key as string | null) + text;
          break;
        case 6:
          json += this.#levels.pop()?.isList ? "]" : "}";
          break;
        case 9:
          throw replaced();
      }
    }
    return json;
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

/** Returns the error for a part that is no longer what was sent of it. */
function replaced(): LlmendError {
  const message = "a part of the value fits the schema as another one than was sent";
  return new LlmendError({ code: "stream/replaced", message, help: "Parse the whole text." });
}
