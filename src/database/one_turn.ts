// Work that may await its own statements alone: those end before the event loop turns, anything else does not.

const late = new Error("a transaction waited for something other than its own statements");

/** Fails what has not ended when the event loop turns. */
export class OneTurn {
  /** What fails the work that was begun since the event loop turned last. */
  #begun: ((error: Error) => void)[] = [];
  #begun_at = 0;

  /** Resolves as the work does, or is rejected when the event loop turns. */
  of<T>(work: Promise<T>): Promise<T> {
    if (this.#begun.length === 0) {
      this.#begun_at = performance.now();
      setImmediate(() => this.#failLate());
    }
    return new Promise((resolve, reject) => {
      this.#begun.push(reject);
      work.then(resolve, reject);
    });
  }

  /** For how long work has gone on since the event loop turned last, in ms. */
  get lasted_ms(): number {
    return this.#begun.length === 0 ? 0 : performance.now() - this.#begun_at;
  }

  #failLate(): void {
    const begun = this.#begun;
    this.#begun = [];
    for (const fail of begun) fail(late);
  }
}
