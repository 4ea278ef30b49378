/**
 * One kind of fault. `run` prints its figures and returns how many checks failed. It stands alone because every script
 * imports it.
 */
export interface FaultScript {
  readonly description: string;
  /** What the machine lacks for it, such as a program or a permission; null if it can run. */
  lacks(): Promise<string | null>;
  /** `count` is how often it tries, where that can be chosen. */
  run(count?: number): Promise<number>;
}
