import { type Static, Type } from "@sinclair/typebox";
import { iso } from "../../core/clock.ts";
import type { CsvColumn } from "../../core/csv_columns.ts";
import { wireId } from "../../core/ids.ts";
import { closed, codeField, idField, textField } from "../../core/schema.ts";
import { dayEndTextOrNull } from "../../core/time_zone.ts";
import { arrivalField, expiryField } from "./stock.schema.ts";

/** The columns of a file of stock: one row for each SKU, warehouse, bin and lot. */
export const stockColumns: readonly CsvColumn[] = [
  { name: "sku", path: ["sku"], kind: "code", meaning: "The product's SKU.", example: "CUP-12" },
  {
    name: "location",
    path: ["location"],
    kind: "text",
    meaning: "The warehouse, by its id; not needed while there is only one.",
    example: "whs_1001",
  },
  {
    name: "bin",
    path: ["bin"],
    kind: "code",
    meaning: "The bin of the units; by default the warehouse's receiving bin.",
    example: "A-01-02",
  },
  {
    name: "lot_number",
    path: ["lot_number"],
    kind: "code",
    meaning: "The lot, where the product tracks lots.",
    example: "L-2026-07",
  },
  {
    name: "expiration_date",
    path: ["expiration_date"],
    kind: "text",
    meaning: "The lot's last day, as a date of the warehouse's calendar.",
    example: "2027-03-31",
  },
  {
    name: "received_date",
    path: ["received_date"],
    kind: "text",
    meaning: "When the units came; a date is that day in the warehouse, and now is the default.",
    example: "2025-11-03",
  },
  {
    name: "quantity",
    path: ["quantity"],
    kind: "number",
    meaning: "The counted units, which become the units on hand.",
    example: "40",
  },
];

/** A row of such a file: the counted units of a place. */
export const CountedStock = closed({
  sku: textField(100),
  location: Type.Optional(idField("warehouse")),
  bin: Type.Optional(codeField(40)),
  lot_number: Type.Optional(codeField(80)),
  expiration_date: Type.Optional(expiryField()),
  received_date: Type.Optional(arrivalField("When the units came.")),
  quantity: Type.Integer({ minimum: 0, maximum: 1_000_000_000 }),
});
export type CountedStock = Static<typeof CountedStock>;

/** Units of a product in one warehouse and lot. */
export interface OwnedStock {
  readonly sku: string;
  readonly warehouse_id: number;
  readonly lot_number: string | null;
  /** The lot's last day, in days since 1970-01-01. */
  readonly expires_on: number | null;
  /** When the first of them came. */
  readonly received_at: number;
  readonly on_hand: number;
}

/** Units in one bin and lot, with their names. */
export interface StockCsvRow extends OwnedStock {
  readonly id: number;
  readonly bin: string;
}

/** Units in one lot as a file shows them; without their bin when `bin` is left out. */
export function stockCsvRow(held: OwnedStock & { readonly bin?: string }) {
  const { sku, warehouse_id, bin, lot_number, expires_on, received_at, on_hand } = held;
  return {
    sku,
    location: wireId("warehouse", warehouse_id),
    bin: bin ?? null,
    lot_number,
    expiration_date: dayEndTextOrNull(expires_on),
    received_date: iso(received_at),
    quantity: on_hand,
  };
}
