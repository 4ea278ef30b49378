// The flags of commands: what they are read as, and the words of their refusals.
import { expect, test } from "bun:test";
import { choice, date, type Flags, flag, int, parsed, readFlags, text, tryFlags, word } from "../../src/core/flags.ts";

const flags = {
  file: word({ value: "FILE", help: "the file", required: "the file to read" }),
  into: word({ value: "[INTO]", help: "the target" }),
  name: text({ value: "NAME", help: "the name" }),
  days: int(5, 90, { value: "N", default: "30", help: "days" }),
  mode: choice(["live", "test"], { help: "environment", refusal: () => "must be live or test." }),
  level: choice(["low", "high"], { default: "low", help: "level" }),
  at: date({ value: "DATE", help: "when" }),
  pair: parsed({ value: "A,B", help: "two words" }, (text) => text.split(",")),
  json: flag("print JSON"),
} satisfies Flags;

test("flags are read as their types, and have their defaults", () => {
  const unset = { into: undefined, name: undefined, mode: undefined, at: undefined, pair: undefined };
  expect<object>(readFlags(["a.csv"], flags)).toEqual({ file: "a.csv", ...unset, days: 30, level: "low", json: false });
  const words = "b.csv c.csv --name=N --days 5 --mode test --level high --at 2027-01-31 --pair x,y --json";
  expect<object>(readFlags(words.split(" "), flags)).toEqual({
    ...{ file: "b.csv", into: "c.csv", name: "N", days: 5, mode: "test", level: "high" },
    ...{ at: Date.parse("2027-01-31"), pair: ["x", "y"], json: true },
  });
});

test.each([
  ["", "FILE is required: the file to read."],
  ["a --days 4", "--days must be a number from 5 to 90."],
  ["a --days 91", "--days must be a number from 5 to 90."],
  ["a --days 6.5", "--days must be a number from 5 to 90."],
  ["a --mode prod", "--mode must be live or test."],
  ["a --level medium", "--level must be one of low, high."],
  ["a --at soon", "--at must be a date, such as 2027-01-31 or 2027-01-31T18:00:00Z (got soon)."],
  ["a b c", "Unexpected argument 'c'."],
  ["a --frob", "Unknown option '--frob'"],
])("%j is refused: %s", (words, refusal) => {
  expect(() => readFlags(words.split(" ").filter(Boolean), flags)).toThrow(refusal);
});

test("every invalid flag is reported, next to the values of the others", () => {
  const { values, refusals } = tryFlags(["a", "--days", "x", "--level", "y", "--name", "N"], flags);
  expect([values.name, refusals.map(({ message }) => message)]).toEqual([
    "N",
    ["--days must be a number from 5 to 90.", "--level must be one of low, high."],
  ]);
});
