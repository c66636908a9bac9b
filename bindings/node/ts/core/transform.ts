/** What a transform does with what it is written. */
export interface TransformWork<In, Out> {
  push(piece: In, send: (made: Out) => void): void;
  end(send: (made: Out) => void): Promise<void> | void;
  /** Is called once if the transform is over before `end` is through: it was left, its source failed, or its own work. */
  left(reason: unknown): void;
}

/**
 * A pair of streams like a `TransformStream`, of which few runtimes tell that it is left. A piece is read once the reader
 * asks for more.
 */
export class Transform<In, Out> {
  /** What is made of the text. */
  readonly readable: ReadableStream<Out>;
  /** Where pieces of the text are written. */
  readonly writable: WritableStream<In>;
  #work: TransformWork<In, Out>;
  #input!: WritableStreamDefaultController;
  #output!: ReadableStreamDefaultController<Out>;
  #state: "open" | "ending" | "over" = "open";
  #isAsked = false;
  /** Goes on with a piece that waits. */
  #wake = () => {};

  constructor(work: TransformWork<In, Out>) {
    this.#work = work;
    const source: UnderlyingDefaultSource<Out> = {
      start: (controller) => void (this.#output = controller),
      pull: () => this.#ask(),
      cancel: (reason) => this.#cancel(reason),
    };
    this.readable = new ReadableStream(source, { highWaterMark: 0 });
    this.writable = new WritableStream<In>({
      start: (controller) => this.#start(controller),
      write: (piece) => this.#write(piece),
      close: () => this.#close(),
      abort: (reason) => this.#fail(reason),
    });
  }

  #start(controller: WritableStreamDefaultController): void {
    this.#input = controller;
    // `abort` is called only once no piece waits.
    (controller.signal as AbortSignal | undefined)?.addEventListener("abort", () => this.#wake());
  }

  #ask(): void {
    this.#isAsked = true;
    this.#wake();
  }

  #send = (made: Out): void => {
    if (this.#state === "over") return;
    // Who wants more than this asks again at once.
    this.#isAsked = false;
    this.#output.enqueue(made);
  };

  async #write(piece: In): Promise<void> {
    const isLeft = () => this.#state === "over" || this.#input.signal?.aborted;
    while (!this.#isAsked && !isLeft()) await new Promise<void>((resolve) => (this.#wake = resolve));
    if (isLeft()) return;
    try {
      this.#work.push(piece, this.#send);
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  async #close(): Promise<void> {
    if (this.#state === "over") return;
    this.#state = "ending";
    try {
      await this.#work.end(this.#send);
    } catch (error) {
      this.#fail(error);
      throw error;
    }
    if (this.#isEnding()) this.#output.close();
    this.#state = "over";
  }

  #cancel(reason: unknown): void {
    const isEnding = this.#isEnding();
    this.#state = "over";
    // What ends is not left: its last piece was read.
    if (isEnding) return;
    this.#work.left(reason);
    this.#input.error(reason);
    this.#wake();
  }

  #fail(reason: unknown): void {
    if (this.#state !== "over") this.#output.error(reason);
    this.#state = "over";
    this.#work.left(reason);
  }

  #isEnding(): boolean {
    return this.#state === "ending";
  }
}
