import { LlmendError } from "./errors.js";
import type { Outcome } from "./outcome.js";

/** A value and how it was got, or why there is none. */
export type Safe<T> = { ok: true; value: T; outcome: Outcome<T> } | { ok: false; error: LlmendError };

/** Returns the outcome of `work`, or the error of this package that it throws. Other errors are faults. */
export function safely<T>(work: () => Outcome<T>): Safe<T> {
  try {
    const outcome = work();
    return { ok: true, value: outcome.value, outcome };
  } catch (error) {
    return failed(error);
  }
}

/** Returns what stands for an error of this package. */
export function failed(error: unknown): { ok: false; error: LlmendError } {
  if (error instanceof LlmendError) return { ok: false, error };
  throw error;
}
