// The table that defines how each column is erased: a column missing from it fails this test.
import { expect, test } from "bun:test";
import { byHand, otherRecords, personalKinds, personalRecords } from "../../src/privacy/personal_records.ts";
import { allTables, textColumns } from "./tables.ts";

test("every text column is listed as personal data or as other data", async () => {
  const told = new Map([
    ...personalRecords.map(({ table, columns }) => [table, Object.keys(columns)] as const),
    ...Object.entries(otherRecords).map(([table, { columns }]) => [table, columns] as const),
  ]);
  const tables = await allTables();
  const unknown = [...tables].flatMap(([name, table]) =>
    textColumns(table).flatMap((column) => (told.get(name)?.includes(column) ? [] : [`${name}.${column}`])),
  );
  const gone = [...told].flatMap(([name, columns]) => {
    const table = tables.get(name);
    const there = table === undefined ? [] : textColumns(table);
    return columns.flatMap((column) => (there.includes(column) ? [] : [`${name}.${column}`]));
  });
  expect({ unknown, gone }).toEqual({ unknown: [], gone: [] });
});

test("each table is listed once, and each kind has a table", () => {
  const names = [...personalRecords.map(({ table }) => table), ...Object.keys(otherRecords)];
  expect(names.length).toBe(new Set(names).size);
  expect(personalRecords.map(({ kind }) => kind)).toEqual([...personalKinds]);
});

test("manual steps are whole sentences, each listed once", () => {
  expect(byHand.filter((line) => !/^[A-Z].+\.$/.test(line))).toEqual([]);
  const beginnings = byHand.map((line) => line.slice(0, 20));
  expect(new Set(beginnings).size).toBe(byHand.length);
});
