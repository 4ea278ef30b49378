// The mapping of file columns to fields, as the browser guesses it and a user corrects it.
import { expect, test } from "bun:test";
import {
  isPlain,
  productColumns,
  readingOf,
  stockFields,
  termsOf,
} from "../../../../../src/dashboard/web/screens/products/import_columns.ts";
import { stockColumns } from "../../../../../src/inventory/stock/stock_csv.schema.ts";

const read = (bytes: string | Uint8Array<ArrayBuffer>) => readingOf(new Blob([bytes]), productColumns);

test("the screen of stock offers the columns of the API", () => {
  expect(stockFields).toEqual(stockColumns.map(({ name }) => name));
});

test("a file with our column names needs no mapping", async () => {
  for (const text of ["sku,name\nA,B", "\ufeffSKU;Name\r\nA;B", "sep=\t\nSku\tNAME\nA\tB"]) {
    const reading = await read(text);
    expect([text, reading.fields, isPlain(reading, "sku"), termsOf(reading)]).toEqual([
      text,
      ["sku", "name"],
      true,
      {},
    ]);
  }
  expect((await read(Buffer.from("\ufeffsku;name\nÄ;B", "utf16le"))).columns).toEqual([
    { name: "sku", example: "Ä" },
    { name: "name", example: "B" },
  ]);
  expect(isPlain(await read(""), "sku")).toBe(false);
});

test("another program's column names are mapped by hand, and unmapped columns are listed", async () => {
  const reading = await read('Handle,"Title, long",Variant SKU,Price\nmug,"Mug, ""blue""",MUG-1,"12,50"\n');
  expect(reading.columns.map(({ example }) => example)).toEqual(["mug", "Mug, blue", "MUG-1", "12,50"]);
  expect([reading.fields, isPlain(reading, "sku")]).toEqual([["", "", "", "price"], false]);
  const chosen = { ...reading, decimal: ",", fields: ["", "name", "sku", "price"] };
  expect(termsOf(chosen)).toEqual({ decimal: ",", map: "Handle:,Title, long:name,Variant SKU:sku,Price:price" });
});
