import type { Report } from "./report.js";

/** What was got from a text, with its report. */
abstract class Reported {
  #report: Report | (() => Report);

  constructor(
    /** Whether it may lack something: the text was cut off, or a part was dropped. */
    readonly unsure: boolean,
    report: Report | (() => Report),
  ) {
    this.#report = report;
  }

  /**
   * What was done to the text and to the value. Made when it is first read, from the text: one that was passed as bytes
   * must not change before.
   */
  get report(): Report {
    if (typeof this.#report === "function") this.#report = this.#report();
    return this.#report;
  }
}

/** A value and how it was got. */
export class Outcome<T> extends Reported {
  /** @internal */
  constructor(
    /** The value. */
    readonly value: T,
    unsure: boolean,
    report: Report | (() => Report),
  ) {
    super(unsure, report);
  }

  /** Returns the outcome as plain data. */
  toJSON(): { value: T; unsure: boolean; report: Report } {
    return { value: this.value, unsure: this.unsure, report: this.report };
  }
}

/** Strict JSON text and how it was got. */
export class Repaired extends Reported {
  /** @internal */
  constructor(
    /** Strict JSON. */
    readonly text: string,
    unsure: boolean,
    report: Report | (() => Report),
  ) {
    super(unsure, report);
  }

  /** Returns the text. */
  override toString(): string {
    return this.text;
  }

  /** Returns the result as plain data. */
  toJSON(): { text: string; unsure: boolean; report: Report } {
    return { text: this.text, unsure: this.unsure, report: this.report };
  }
}
