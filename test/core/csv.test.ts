import { expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { csvLine, plainText, readCsv, safeCell } from "../../src/core/csv.ts";

test("a record is written as RFC 4180 requires", () => {
  expect(csvLine(["a", 1, true, null, ""])).toBe("a,1,true,,\r\n");
  expect(csvLine(['6" pipe, copper', "two\r\nlines", " padded "])).toBe(
    '"6"" pipe, copper","two\r\nlines"," padded "\r\n',
  );
});

test("any record reads back unchanged", () => {
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

test("no text cell is a formula in a spreadsheet, and each reads back unchanged", () => {
  const texts = ["=1+1", "+1 555", "-5", "@home", "\tx", "'=1", "''-", "it's", "'quoted'", "", "a=b"];
  const written = ["'=1+1", "'+1 555", "'-5", "'@home", "'\tx", "''=1", "'''-", "it's", "'quoted'", "", "a=b"];
  expect(texts.map(safeCell)).toEqual(written);
  expect(written.map(plainText)).toEqual(texts);
  expect([-5, true, null].map(safeCell)).toEqual([-5, true, null]);
  const hidden = [
    "＝1+1",
    "＋1",
    "－1",
    "＠a",
    "\nx=1",
    "\n",
    "\t",
    " =1",
    "\u00a0=1",
    "\ufeff=1",
    "\u200b@a",
    "﹦1",
    "'＝1",
  ];
  for (const one of hidden) expect([safeCell(one), plainText(String(safeCell(one)))]).toEqual([`'${one}`, one]);
  const text = fc.string({
    unit: fc.constantFrom("'", "=", "-", "＝", "@", "a", " ", "\n", "\t", ";", "\u200b", "\u00a0"),
  });
  fc.assert(fc.property(text, (one) => plainText(String(safeCell(one))) === one));
});

test("no cell starts a formula in a reader with another separator or other quoting", () => {
  const texts = [";=1+1", "a;=1+1", "a\t@b", "a\n=1", "\r\n=1", "a; '＝1", ";x", "a;b"];
  const written = [";'=1+1", "a;'=1+1", "a\t'@b", "a\n'=1", "'\r'\n'=1", "a;' '＝1", ";x", "a;b"];
  expect(texts.map(safeCell)).toEqual(written);
  expect(written.map(plainText)).toEqual(texts);
  expect(csvLine(["A", ";=1+1"].map(safeCell))).toBe(`A,";'=1+1"\r\n`);
  const text = fc.string({ unit: fc.constantFrom("'", '"', ",", ";", "=", "-", "a", " ", "\t", "\r", "\n") });
  fc.assert(
    fc.property(text, (one) => {
      const cells = csvLine(["A", one].map(safeCell)).split(/[;\t\r\n]/);
      expect(cells.filter((cell) => /^\s*[=+\-@]/.test(cell))).toEqual([]);
    }),
    { seed: 13, numRuns: 500 },
  );
});

test("text that looks like a value mangled by a spreadsheet is marked as text and reads back unchanged", () => {
  const texts = ["1.23457E+12", "1E+12", "1,5e+03", "5.00E-10", "'1E+12", "#N/A", "####", "5E-10", "1E12", "#12"];
  const marked = texts.map(safeCell);
  expect(marked).toEqual([...texts.slice(0, 7).map((one) => `'${one}`), "5E-10", "1E12", "#12"]);
  expect(marked.map((one) => plainText(String(one)))).toEqual(texts);
});

test("a first line that declares the separator is not a row but counts as a line", async () => {
  expect(await rowsOf("\nsep=;\r\na;b\n1,5;2\n")).toEqual([
    [3, ["a", "b"]],
    [4, ["1,5", "2"]],
  ]);
  for (const first of ['"sep=\t"', "SEP=\t", "sep=\\t"]) {
    expect(await rowsOf(`${first}\na\tb`)).toEqual([[2, ["a", "b"]]]);
  }
  expect(await rowsOf("sep=;")).toEqual([]);
  expect(await rowsOf("sep=;\r\na;b", 3)).toEqual([[2, ["a", "b"]]]);
  expect(await rowsOf("sep,b\n")).toEqual([[1, ["sep", "b"]]]);
});

/** Reads a text in chunks of this size. */
async function rowsOf(text: string, size = text.length || 1) {
  const bytes = new TextEncoder().encode(text);
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  const rows: [number, readonly string[] | null][] = [];
  for await (const { line, cells } of readCsv(pieces)) rows.push([line, cells]);
  return rows;
}

test("rows are read with the line on which each begins", async () => {
  expect(await rowsOf('a,b\r\n\r\n1,"two\nlines"\n"say ""hi""",\n,last')).toEqual([
    [1, ["a", "b"]],
    [3, ["1", "two\nlines"]],
    [5, ['say "hi"', ""]],
    [6, ["", "last"]],
  ]);
  expect(await rowsOf("")).toEqual([]);
});

test("a row with unbalanced quotes loses only its first line, and the rows after it are read", async () => {
  expect(await rowsOf('a\n5" pipe\n"open\nb\n"c"d\n"e"\n')).toEqual([
    [1, ["a"]],
    [2, null],
    [3, null],
    [4, ["b"]],
    [5, null],
    [6, ["e"]],
  ]);
  const open = `"open\n${"x\n".repeat(2000)}`;
  expect((await rowsOf(open, 100)).map(([, cells]) => cells?.[0] ?? null)).toEqual([null, ...Array(2000).fill("x")]);
});

test("any records are read back, in chunks of any size", async () => {
  const text = fc.string({ unit: fc.constantFrom('"', ",", "\r", "\n", " ", "a", "é") });
  const records = fc.array(fc.array(text, { minLength: 2, maxLength: 3 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(records, fc.integer({ min: 1, max: 9 }), async (rows, size) => {
      const found = await rowsOf(rows.map(csvLine).join(""), size);
      expect(found.map(([, cells]) => cells)).toEqual(rows);
    }),
    { seed: 12 },
  );
});

const megabyte = 1 << 20;
const ordinary = "SKU-1,A cup of stoneware,12.50,7\n".repeat(megabyte / 33);

/** Reads a text; returns the time in ms and how often the event loop ran. */
async function cost(text: string) {
  let turns = 0;
  let is_reading = true;
  const look = () => {
    turns += 1;
    if (is_reading) setImmediate(look);
  };
  setImmediate(look);
  const began = performance.now();
  const rows = await rowsOf(text, megabyte).catch((error) => String(error.message));
  is_reading = false;
  return { rows, turns, ms: performance.now() - began };
}

test.each([
  ["no line break", "x".repeat(megabyte)],
  ["line breaks", "\n".repeat(megabyte)],
  ["separators", ",".repeat(megabyte)],
  ["quotes", '"'.repeat(megabyte)],
  ["a quote that is never closed", `"${"x,y,z,a,b,c,d,e\n".repeat(megabyte / 16)}`],
])("a file of %s takes about as long as an ordinary one, and does not block the event loop", async (_, text) => {
  const plain = await cost(ordinary);
  const { turns, ms } = await cost(text);
  // The file is read 16 KiB at a time.
  expect(turns).toBeGreaterThan(60);
  expect(ms).toBeLessThan(10 * plain.ms + 100);
});

test("reading stops after too many unreadable rows", async () => {
  expect((await cost('5" pipe\n'.repeat(1001))).rows).toStartWith("More than 1000 rows cannot be read");
  expect((await rowsOf('5" pipe\n'.repeat(1000))).length).toBe(1000);
  expect(await rowsOf(`a\n${"x".repeat(300_000)},b\nc\n`)).toEqual([
    [1, ["a"]],
    [2, null],
    [3, ["c"]],
  ]);
});
