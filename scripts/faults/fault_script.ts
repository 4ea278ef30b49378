/** One kind of fault: what it tries, and a run that prints its figures and answers how many checks failed. */
export interface FaultScript {
  readonly tells: string;
  /** What the machine lacks for it, such as a program or a right; null when it can run. */
  lacks(): Promise<string | null>;
  /** `count` is how often it tries, where that can be chosen. */
  run(count?: number): Promise<number>;
}
