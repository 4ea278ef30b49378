import { expect, test } from "bun:test";
import { countTests, unheardOf } from "../../scripts/count_tests.ts";

const report = (totals: string, ...files: string[]) =>
  `<?xml version="1.0"?>\n<testsuites name="bun test" ${totals} time="1">\n` +
  `${files.map((file) => `<testsuite name="${file}" file="${file}" tests="1"></testsuite>`).join("\n")}\n</testsuites>`;

test("the counts are the report's", () => {
  const text = report('tests="9" assertions="20" failures="2" skipped="3"', "test/a.test.ts");
  expect(countTests(text)).toEqual({ passed: 4, failed: 2, skipped: 3 });
});

test("without a report nothing has passed and no file was heard of", () => {
  expect(countTests("")).toEqual({ passed: 0, failed: 0, skipped: 0 });
  expect(unheardOf("", ["test/a.test.ts"])).toEqual(["test/a.test.ts"]);
});

test("a file that is missing in the report is found", () => {
  const text = report('tests="2" failures="0" skipped="0"', "test/a.test.ts");
  expect(unheardOf(text, ["test/a.test.ts", "test/b.test.ts"])).toEqual(["test/b.test.ts"]);
});
