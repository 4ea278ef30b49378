// Reads the test runner's own report, so that no line of a test's output can be mistaken for a result.

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

interface Counted {
  readonly counts: Counts;
  /** Test files that are not in the report: they ended before they could say anything. */
  readonly crashed: readonly string[];
}

/**
 * Counts the tests of a JUnit report. A file of `files` that it lacks counts as one failure, and so does a runner that
 * ended with a bad `code` for a reason that the report does not have.
 */
export function countTests(report: string, files: readonly string[], code: number): Counted {
  const totals = /<testsuites [^>]*>/.exec(report)?.[0] ?? "";
  const number = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(totals)?.[1] ?? 0);
  const reported = new Set([...report.matchAll(/<testsuite [^>]*?file="([^"]*)"/g)].map(([, file]) => file));
  const crashed = files.map((file) => file.replaceAll("\\", "/")).filter((file) => !reported.has(file));
  const known = number("failures") + number("errors") + crashed.length;
  const failed = known === 0 && code !== 0 ? 1 : known;
  const skipped = number("skipped");
  const passed = Math.max(0, number("tests") - number("failures") - number("errors") - skipped);
  return { counts: { passed, failed, skipped }, crashed };
}
