// Reads the test runner's own report, so that no line of a test's output can be mistaken for a result.

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Counts the tests of a JUnit report; zeros if there is no report. */
export function countTests(report: string): Counts {
  const totals = /<testsuites [^>]*>/.exec(report)?.[0] ?? "";
  const number = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(totals)?.[1] ?? 0);
  const [failed, skipped] = [number("failures") + number("errors"), number("skipped")];
  return { passed: Math.max(0, number("tests") - failed - skipped), failed, skipped };
}

/** The sum of several reports. */
export function sumOf(counts: readonly Counts[]): Counts {
  const sum = (name: keyof Counts) => counts.reduce((total, one) => total + one[name], 0);
  return { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
}

/**
 * The seconds that each file of a JUnit report took, from loading to its last hook. A suite without a file of its own,
 * such as a `describe`, belongs to the file around it.
 */
export function timesOf(report: string): Record<string, number> {
  const times: Record<string, number> = {};
  for (const [suite, name, file] of report.matchAll(/<testsuite name="([^"]*)" file="([^"]*)"[^>]*>/g)) {
    const seconds = Number(/ time="([\d.]+)"/.exec(suite)?.[1] ?? 0);
    if (name === file && file !== undefined) times[file] = (times[file] ?? 0) + seconds;
  }
  return times;
}

/**
 * The test files that a JUnit report lacks. Either they have no test for this engine, or they crashed; the report does
 * not distinguish the two.
 */
export function unheardOf(report: string, files: readonly string[]): string[] {
  const reported = new Set([...report.matchAll(/<testsuite [^>]*?file="([^"]*)"/g)].map(([, file]) => file));
  return files.map((file) => file.replaceAll("\\", "/")).filter((file) => !reported.has(file));
}

const complaint_lines_max = 60;

/**
 * The output of each failed test, which the runner prints between the previous test's line and the failed test's own.
 */
export function complaintsIn(output: string): string[] {
  const lines = output.split("\n");
  const ends = /^\((?:pass|fail|skip|todo)\) |^test\/\S+\.test\.ts:$|^\d+ tests? (?:failed|skipped)/;
  return lines.flatMap((line, at) => {
    if (!line.startsWith("(fail) ")) return [];
    const before = lines.findLastIndex((other, index) => index < at && ends.test(other));
    const complaint = lines.slice(before + 1, at).filter((other) => other.trim() !== "");
    // In the list of failures at the end of its output, the runner repeats only their names.
    return complaint.length === 0 ? [] : [[line, ...complaint.slice(-complaint_lines_max)].join("\n")];
  });
}
