/**
 * The stream of the package jsonrepair on llmend's engine, for Node, Bun and Deno.
 *
 * @module
 */
import { Transform } from "node:stream";
import { JSONRepairError, jsonrepair } from "./jsonrepair.js";

export { JSONRepairError };

/** Options of `jsonrepairTransform`. */
export interface JsonRepairTransformOptions {
  /** The most characters of a piece of output. @default 65536 */
  chunkSize?: number;
  /** Accepted and of no effect: the text is read whole, whatever its length. */
  bufferSize?: number;
}

/** Returns a transform that repairs the text which passes through it. What it writes is what `jsonrepair` returns. */
export function jsonrepairTransform(options?: JsonRepairTransformOptions): Transform {
  const { chunkSize = 65536 } = options ?? {};
  const decoder = new TextDecoder();
  let text = "";
  return new Transform({
    decodeStrings: false,
    transform(chunk: string | Uint8Array, _encoding, done) {
      text += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
      done();
    },
    flush(done) {
      try {
        const json = jsonrepair(text + decoder.decode());
        for (let at = 0, end = 0; at < json.length; at = end) {
          end = at + Math.max(chunkSize, 1);
          // Not within a character: each piece is encoded alone.
          if (/[\ud800-\udbff]/.test(json.charAt(end - 1))) end++;
          this.push(json.slice(at, end));
        }
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
}
