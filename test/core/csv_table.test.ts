import { expect, test } from "bun:test";
import fc from "fast-check";
import { csvLine, safeCell } from "../../src/core/csv.ts";
import type { CsvColumn } from "../../src/core/csv_columns.ts";
import { type CsvTable, readTable } from "../../src/core/csv_table.ts";

const column = (name: string): CsvColumn => ({
  name,
  path: [name],
  kind: "text",
  meaning: "Some words.",
  example: name,
});
const table: CsvTable = { columns: ["sku", "name", "notes"].map(column), required: ["sku"] };

const encoders: Readonly<Record<string, (text: string) => Uint8Array>> = {
  "utf-8": (text) => new TextEncoder().encode(text),
  "utf-8 with a mark": (text) => new TextEncoder().encode(`\ufeff${text}`),
  "utf-16le": (text) => Buffer.from(`\ufeff${text}`, "utf16le"),
  "utf-16be": (text) => Buffer.from(`\ufeff${text}`, "utf16le").swap16(),
  "utf-16le without a mark": (text) => Buffer.from(text, "utf16le"),
};

async function read(bytes: Uint8Array, size: number, charset: string | null = null) {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  const rows: unknown[] = [];
  for await (const { line, name, record } of readTable({ bytes: () => pieces, charset }, table)) {
    rows.push({ line, name, ...record() });
  }
  return rows;
}

test("rows and line numbers survive any encoding, separator and line ending that spreadsheets write", async () => {
  const letters = fc.constantFrom('"', ",", ";", "\t", "\n", "\r\n", "=", "＝", "'", " ", "a", "é", "木", "😀");
  const cell = fc.string({ unit: letters, maxLength: 12 });
  const row = fc.record({ notes: cell, name: cell, blank: fc.nat({ max: 2 }) });
  const how = fc.record({
    encoding: fc.constantFrom(...Object.keys(encoders)),
    separator: fc.constantFrom(",", ";", "\t"),
    end: fc.constantFrom("\n", "\r\n"),
    size: fc.integer({ min: 4, max: 50 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 6 }), how, async (rows, { encoding, separator, end, size }) => {
      const line = (cells: string[]) =>
        cells
          .map((text) => csvLine([safeCell(text), ""]).slice(0, -3))
          .map(quoted(separator))
          .join(separator) + end;
      let text = line(["sku", "name", "notes"]);
      const expected: unknown[] = [];
      for (const [at, { name, notes, blank }] of rows.entries()) {
        text += end.repeat(blank);
        const told = { ...(name === "" ? {} : { name }), ...(notes === "" ? {} : { notes }) };
        expected.push({
          line: text.split("\n").length,
          sku: `S-${at}`,
          ...told,
          ...(name === "" ? { name: `S-${at}` } : {}),
        });
        text += line([`S-${at}`, name, notes]) + line(["", " ", ""]);
      }
      const found = await read((encoders[encoding] ?? Buffer.from)(text), size);
      expect(found).toEqual(expected);
    }),
    { numRuns: 150, seed: 12 },
  );
});

/** Quotes a cell that contains a separator other than a comma. */
const quoted = (separator: string) => (text: string) =>
  text.includes(separator) && !text.startsWith('"') ? `"${text}"` : text;

test("Latin-1 is read if declared, else refused with a message that explains what to do", async () => {
  const bytes = Buffer.from("sku;name\nCAFE;caf\u00e9\n", "latin1");
  expect(await read(bytes, 50, "windows-1252")).toMatchObject([{ name: "café" }]);
  expect(await read(bytes, 50, "ISO-8859-1")).toMatchObject([{ name: "café" }]);
  await expect(read(bytes, 50)).rejects.toThrow(
    'The file is not valid UTF-8. Save it as "CSV UTF-8", or declare its encoding (such as charset=windows-1252).',
  );
  await expect(read(bytes, 50, "koi8-r")).rejects.toThrow("A CSV file must be in utf-8, utf-16 or windows-1252.");
  await expect(read(Buffer.from("sku,name\rA,b\r"), 50)).rejects.toThrow("Use LF or CRLF");
});
