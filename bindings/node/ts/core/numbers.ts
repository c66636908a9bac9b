import { endOfString } from "./raw.js";

/** The third argument that `JSON.parse` gives a reviver, where the runtime has it. */
interface Source {
  source?: string;
}

/** An integer with so many digits may be beyond what a number holds. */
const LONG_DIGITS = /\d{16}/;

/** A number that `JSON.parse` may read as another one. */
const MAY_CHANGE = /\d{16}|[eE][+-]?\d{3}/;

/** Returns whether a number in strict JSON may not be written again as it is. */
export function mayChange(json: string): boolean {
  return MAY_CHANGE.test(json);
}

/** Whether the runtime tells a reviver how a number is written. */
const tellsSource = (() => {
  let told = false;
  JSON.parse("1", (_key, value, context?: Source) => {
    told = context?.source === "1";
    return value;
  });
  return told;
})();

/** Parses strict JSON. With `bigint`, integers that a number cannot hold become `bigint`. */
export function parseJson(json: string, bigint: boolean | undefined): unknown {
  if (!bigint || !LONG_DIGITS.test(json)) return JSON.parse(json);
  if (!tellsSource) {
    throw new TypeError("expected a runtime whose JSON.parse gives revivers the source text for `bigint`");
  }
  return JSON.parse(json, (_key, value, context?: Source) => {
    const source = context?.source;
    if (typeof value !== "number" || source === undefined || !isRounded(value, source)) return value;
    return BigInt(source);
  });
}

/** Returns whether an integer is written with digits that the number does not have. */
function isRounded(value: number, source: string): boolean {
  return /^-?\d{16,}$/.test(source) && (!Number.isSafeInteger(value) || String(value) !== source) &&
    (!Number.isFinite(value) || BigInt(source) !== BigInt(value));
}

/** Returns whether a number is written that became `Infinity` or 0 though it is neither. */
function isOutOfRange(value: number, source: string): boolean {
  return !Number.isFinite(value) || (value === 0 && /^[^eE]*[1-9]/.test(source));
}

/**
 * Returns the numbers in strict JSON that a value does not hold, as they are written. With `bigint`, it holds integers of
 * any length.
 */
export function lost(json: string, bigint: boolean | undefined): { rounded: string[]; outOfRange: string[] } {
  const found = { rounded: [] as string[], outOfRange: [] as string[] };
  if (!mayChange(json)) return found;
  for (let at = 0; at < json.length; ) {
    const quote = json.indexOf('"', at);
    const between = json.slice(at, quote < 0 ? json.length : quote);
    for (const [source] of between.matchAll(/-?\d[\d.eE+-]*/g)) {
      const value = Number(source);
      if (bigint && isRounded(value, source)) continue;
      if (isOutOfRange(value, source)) found.outOfRange.push(source);
      else if (isRounded(value, source)) found.rounded.push(source);
    }
    at = quote < 0 ? json.length : endOfString(json, quote);
  }
  return found;
}
