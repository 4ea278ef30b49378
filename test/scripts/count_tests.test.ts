import { expect, test } from "bun:test";
import { complaintsIn, countTests, sumOf, timesOf, unheardOf } from "../../scripts/count_tests.ts";

const report = (totals: string, ...files: string[]) =>
  `<?xml version="1.0"?>\n<testsuites name="bun test" ${totals} time="1">\n` +
  `${files.map((file) => `<testsuite name="${file}" file="${file}" tests="1"></testsuite>`).join("\n")}\n</testsuites>`;

test("the counts are the report's", () => {
  const text = report('tests="9" assertions="20" failures="2" skipped="3"', "test/a.test.ts");
  expect(countTests(text)).toEqual({ passed: 4, failed: 2, skipped: 3 });
});

test("without a report nothing passed and no file ran", () => {
  expect(countTests("")).toEqual({ passed: 0, failed: 0, skipped: 0 });
  expect(unheardOf("", ["test/a.test.ts"])).toEqual(["test/a.test.ts"]);
});

test("several reports are counted together", () => {
  const [one, other] = ['tests="9" failures="2" skipped="3"', 'tests="4" failures="1" skipped="0"'];
  const counted = sumOf([countTests(report(one)), countTests(report(other)), countTests("")]);
  expect(counted).toEqual({ passed: 7, failed: 3, skipped: 3 });
});

test("a file that is missing in the report is found", () => {
  const text = report('tests="2" failures="0" skipped="0"', "test/a.test.ts");
  expect(unheardOf(text, ["test/a.test.ts", "test/b.test.ts"])).toEqual(["test/b.test.ts"]);
});

test("a file's time is that of all of it, and no group inside counts twice", () => {
  const suites = [
    '<testsuite name="test/a.test.ts" file="test/a.test.ts" tests="2" time="3.5" hostname="vm">',
    '<testsuite name="works" file="test/a.test.ts" line="3" tests="2" time="2.5">',
    '<testcase name="one" file="test/a.test.ts" time="2.5" /></testsuite></testsuite>',
    '<testsuite name="test/b.test.ts" file="test/b.test.ts" tests="1" time="0.25" hostname="vm"></testsuite>',
  ];
  expect(timesOf(suites.join("\n"))).toEqual({ "test/a.test.ts": 3.5, "test/b.test.ts": 0.25 });
});

test("the output of failed tests is returned without that of passed ones", () => {
  const output = [
    "test/a.test.ts:",
    "(pass) one [0.1ms]",
    "error: expected 1",
    "  at a.test.ts:3",
    "(fail) two [2.0ms]",
    "(pass) three [0.1ms]",
    "",
    "1 tests failed:",
    "(fail) two [2.0ms]",
  ].join("\n");
  expect(complaintsIn(output)).toEqual(["(fail) two [2.0ms]\nerror: expected 1\n  at a.test.ts:3"]);
});
