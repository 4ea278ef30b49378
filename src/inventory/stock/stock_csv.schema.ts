import { type Static, Type } from "@sinclair/typebox";
import { iso } from "../../core/clock.ts";
import { type CsvColumn, csvColumn } from "../../core/csv_columns.ts";
import { wireId } from "../../core/ids.ts";
import { closed, codeField, idField, textField } from "../../core/schema.ts";
import { dayEndTextOrNull } from "../../core/time_zone.ts";
import { arrivalField, expiryField } from "./stock.schema.ts";

/** The columns of the stock CSV: one row per SKU, warehouse, bin and lot. */
export const stockColumns: readonly CsvColumn[] = [
  csvColumn("sku", "code", "The product's SKU.", "CUP-12"),
  csvColumn("location", "text", "The warehouse's id; optional if there is only one.", "whs_1001"),
  csvColumn(
    "bin",
    "code",
    "The bin of the units. Default: one that may take them; a new one if there is none.",
    "A-01-02",
  ),
  csvColumn("lot_number", "code", "The lot, if the product tracks lots.", "L-2026-07"),
  csvColumn("expiration_date", "text", "The lot's last day, in the warehouse's time zone.", "2027-03-31"),
  csvColumn(
    "received_date",
    "text",
    "When the units arrived. A date is that day in the warehouse. Default: now.",
    "2025-11-03",
  ),
  csvColumn("quantity", "number", "The counted units, which become the units on hand.", "40"),
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
