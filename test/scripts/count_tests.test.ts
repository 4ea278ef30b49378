import { expect, test } from "bun:test";
import { countTests } from "../../scripts/count_tests.ts";

const report = (totals: string, ...files: string[]) =>
  `<?xml version="1.0"?>\n<testsuites name="bun test" ${totals} time="1">\n` +
  `${files.map((file) => `<testsuite name="${file}" file="${file}" tests="1"></testsuite>`).join("\n")}\n</testsuites>`;

test("the totals are the report's", () => {
  const text = report('tests="9" assertions="20" failures="2" skipped="3"', "test/a.test.ts");
  expect(countTests(text, ["test/a.test.ts"], 1)).toEqual({
    counts: { passed: 4, failed: 2, skipped: 3 },
    crashed: [],
  });
});

test("a file that is missing in the report has failed", () => {
  const text = report('tests="2" failures="0" skipped="0"', "test/a.test.ts");
  const { counts, crashed } = countTests(text, ["test/a.test.ts", "test/b.test.ts"], 1);
  expect(counts).toEqual({ passed: 2, failed: 1, skipped: 0 });
  expect(crashed).toEqual(["test/b.test.ts"]);
});

test("without a report every file has failed, whatever the runner's code", () => {
  expect(countTests("", ["test/a.test.ts", "test/b.test.ts"], 0).counts).toEqual({ passed: 0, failed: 2, skipped: 0 });
});

test("a bad end that the report does not explain is one failure", () => {
  const text = report('tests="2" failures="0" skipped="0"', "test/a.test.ts");
  expect(countTests(text, ["test/a.test.ts"], 139).counts).toEqual({ passed: 2, failed: 1, skipped: 0 });
});
