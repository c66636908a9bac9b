import { checked } from "./engine.js";
import { illFormed } from "./errors.js";
import type { Text } from "./text.js";

/** Joins the halves of a surrogate pair that is cut in two, as decoders of model answers and slices of strings do. */
export class Pieces {
  #half = "";

  /** Half of a pair, of which the other one may follow. */
  get half(): string {
    return this.#half;
  }

  /** Returns a piece with what was held back before it, and without half of a pair at its end. */
  join<T extends Text>(piece: T): T | string {
    const half = this.#half;
    if (checked(piece).length === 0) return piece;
    if (typeof piece !== "string") {
      if (half !== "") throw illFormed(half);
      return piece;
    }
    const last = piece.charCodeAt(piece.length - 1);
    const isCut = last >= 0xd800 && last <= 0xdbff;
    if (half === "" && !isCut) return piece;
    this.#half = isCut ? piece.slice(-1) : "";
    return half + (isCut ? piece.slice(0, -1) : piece);
  }
}
