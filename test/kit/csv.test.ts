import { expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { csvLine, plainText, readCsv, safeCell } from "../../src/kit/csv.ts";

test("a record is written as RFC 4180 has it", () => {
  expect(csvLine(["a", 1, true, null, ""])).toBe("a,1,true,,\r\n");
  expect(csvLine(['6" pipe, copper', "two\r\nlines", " padded "])).toBe(
    '"6"" pipe, copper","two\r\nlines"," padded "\r\n',
  );
});

test("whatever is written reads back the same", () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('"', ",", "\r", "\n", " ", "a", "é") }));
  const records = fc.array(fc.array(text, { minLength: 2, maxLength: 2 }), { minLength: 1 });
  fc.assert(
    fc.property(records, (rows) => {
      const read = parse(rows.map(csvLine).join(""), { record_delimiter: "\r\n", relax_column_count: true });
      expect(read).toEqual(rows);
    }),
    { seed: 11 },
  );
});

test("no cell of text is a formula to a spreadsheet, and reads back the same", () => {
  const texts = ["=1+1", "+1 555", "-5", "@home", "\tx", "'=1", "''-", "it's", "'quoted'", "", "a=b"];
  const written = ["'=1+1", "'+1 555", "'-5", "'@home", "'\tx", "''=1", "'''-", "it's", "'quoted'", "", "a=b"];
  expect(texts.map(safeCell)).toEqual(written);
  expect(written.map(plainText)).toEqual(texts);
  expect([-5, true, null].map(safeCell)).toEqual([-5, true, null]);
  const text = fc.string({ unit: fc.constantFrom("'", "=", "-", "@", "a") });
  fc.assert(fc.property(text, (one) => plainText(String(safeCell(one))) === one));
});

/** Reads a text that comes in pieces of this size. */
async function read(text: string, size = text.length || 1) {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size));
  const rows: [number, readonly string[] | null][] = [];
  for await (const { line, cells } of readCsv(pieces)) rows.push([line, cells]);
  return rows;
}

test("rows are read with the line on which each begins", async () => {
  expect(await read('a,b\r\n\r\n1,"two\nlines"\n"say ""hi""",\n,last')).toEqual([
    [1, ["a", "b"]],
    [3, ["1", "two\nlines"]],
    [5, ['say "hi"', ""]],
    [6, ["", "last"]],
  ]);
  expect(await read("")).toEqual([]);
});

test("a row whose quotes do not pair costs its first line, and the rows after it are read", async () => {
  expect(await read('a\n5" pipe\n"open\nb\n"c"d\n"e"\n')).toEqual([
    [1, ["a"]],
    [2, null],
    [3, null],
    [4, ["b"]],
    [5, null],
    [6, ["e"]],
  ]);
  const open = `"open\n${"x\n".repeat(2000)}`;
  expect((await read(open, 100)).map(([, cells]) => cells?.[0] ?? null)).toEqual([null, ...Array(2000).fill("x")]);
});

test("whatever is written is read back, in pieces of any size", async () => {
  const text = fc.string({ unit: fc.constantFrom('"', ",", "\r", "\n", " ", "a", "é") });
  const records = fc.array(fc.array(text, { minLength: 2, maxLength: 3 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(records, fc.integer({ min: 1, max: 9 }), async (rows, size) => {
      const found = await read(rows.map(csvLine).join(""), size);
      expect(found.map(([, cells]) => cells)).toEqual(rows);
    }),
    { seed: 12 },
  );
});
