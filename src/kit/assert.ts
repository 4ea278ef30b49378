/** Stops the work when the program itself is wrong: 500 and a log line. Bad input is a `Fault`, never an assertion. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`);
}
