import { type Static, Type } from "@sinclair/typebox";
import { isoOrNull } from "../../kit/clock.ts";
import { wireId } from "../../kit/ids.ts";
import { closed, codeField, idField, momentField, textField } from "../../kit/schema.ts";
import type { Column } from "../../kit/sheet.ts";

/** The columns of a file of stock: one row for each SKU, warehouse, bin and lot. */
export const stockColumns: readonly Column[] = [
  { name: "sku", path: ["sku"], kind: "text" },
  { name: "location", path: ["location"], kind: "text" },
  { name: "bin", path: ["bin"], kind: "text" },
  { name: "lot_number", path: ["lot_number"], kind: "text" },
  { name: "expiration_date", path: ["expiration_date"], kind: "text" },
  { name: "received_date", path: ["received_date"], kind: "text" },
  { name: "quantity", path: ["quantity"], kind: "number" },
];

/** A row of such a file: so many units were counted there. */
export const CountedStock = closed({
  sku: textField(100),
  location: Type.Optional(idField("warehouse")),
  bin: Type.Optional(codeField(40)),
  lot_number: Type.Optional(codeField(80)),
  expiration_date: Type.Optional(momentField()),
  received_date: Type.Optional(momentField()),
  quantity: Type.Integer({ minimum: 0, maximum: 1_000_000_000 }),
});
export type CountedStock = Static<typeof CountedStock>;

/** Units that lie in one bin and lot, with the names of these. */
export interface HeldStock {
  readonly id: number;
  readonly sku: string;
  readonly warehouse_id: number;
  readonly bin: string;
  readonly lot_number: string | null;
  readonly expiration_date: number | null;
  readonly received_at: number;
  readonly on_hand: number;
}

/** Units in one bin and lot as a file shows them. */
export function heldView({ sku, warehouse_id, bin, lot_number, expiration_date, received_at, on_hand }: HeldStock) {
  return {
    sku,
    location: wireId("warehouse", warehouse_id),
    bin,
    lot_number,
    expiration_date: isoOrNull(expiration_date),
    received_date: isoOrNull(received_at),
    quantity: on_hand,
  };
}
