import { type Static, Type } from "@sinclair/typebox";
import { iso } from "../../core/clock.ts";
import type { CsvColumn } from "../../core/csv_columns.ts";
import { wireId } from "../../core/ids.ts";
import { closed, codeField, idField, textField } from "../../core/schema.ts";
import { dayEndTextOrNull } from "../../core/time_zone.ts";
import { arrivalField, expiryField } from "./stock.schema.ts";

/** The columns of the stock CSV: one row per SKU, warehouse, bin and lot. */
export const stockColumns: readonly CsvColumn[] = [
  { name: "sku", path: ["sku"], kind: "code", meaning: "The product's SKU.", example: "CUP-12" },
  {
    name: "location",
    path: ["location"],
    kind: "text",
    meaning: "The warehouse's ID; optional if there is only one.",
    example: "whs_1001",
  },
  {
    name: "bin",
    path: ["bin"],
    kind: "code",
    meaning: "The bin of the units. Default: the first storage bin that suits the product.",
    example: "A-01-02",
  },
  {
    name: "lot_number",
    path: ["lot_number"],
    kind: "code",
    meaning: "The lot, if the product tracks lots.",
    example: "L-2026-07",
  },
  {
    name: "expiration_date",
    path: ["expiration_date"],
    kind: "text",
    meaning: "The lot's last day, in the warehouse's time zone.",
    example: "2027-03-31",
  },
  {
    name: "received_date",
    path: ["received_date"],
    kind: "text",
    meaning: "When the units arrived. A date is that day in the warehouse. Default: now.",
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

/** A row of the stock CSV: the counted units of a place. */
export const CountedStock = closed({
  sku: textField(100),
  location: Type.Optional(idField("warehouse")),
  bin: Type.Optional(codeField(40)),
  lot_number: Type.Optional(codeField(80)),
  expiration_date: Type.Optional(expiryField()),
  received_date: Type.Optional(arrivalField("When the units arrived.")),
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
  /** When the first of them arrived (ms). */
  readonly received_at: number;
  readonly on_hand: number;
}

/** Units in one bin and lot, with the bin's code. */
export interface StockCsvRow extends OwnedStock {
  readonly id: number;
  readonly bin: string;
}

/** Units as a row of the stock CSV; without their bin when `bin` is left out. */
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
