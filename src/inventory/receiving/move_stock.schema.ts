import { type Static, Type } from "@sinclair/typebox";
import {
  Count,
  choice,
  closed,
  codeField,
  idField,
  notesField,
  nullable,
  quantityField,
  Timestamp,
  textField,
} from "../../core/schema.ts";
import { BackorderedOrders } from "../stock/stock.schema.ts";

/** Why units are moved; by default the destination decides the reason. */
const moveReasons = ["relocation", "quality_hold", "damaged", "released", "correction"] as const;
export type MoveReason = (typeof moveReasons)[number];

export const MoveStock = closed({
  sku: textField(100),
  quantity: quantityField(),
  location: Type.Optional(idField("warehouse", "Required if the SKU is in several warehouses.")),
  bin: Type.Optional(textField(40, { description: "Current bin. Required if the SKU is in several bins." })),
  lot_number: Type.Optional(textField(80, { description: "Required if the bin has several lots of the SKU." })),
  to_bin: Type.Optional(
    codeField(40, { description: "Destination bin in the same warehouse. It is created if it does not exist." }),
  ),
  condition: Type.Optional(
    choice(["quarantined", "damaged"], {
      description: "Take the units off sale, into the default bin for this condition or into `to_bin`.",
    }),
  ),
  reason: Type.Optional(
    choice(moveReasons, {
      description:
        "Default: `quality_hold` or `damaged` for units going off sale, `released` for units coming back, otherwise" +
        " `relocation`.",
    }),
  ),
  notes: Type.Optional(nullable(notesField())),
  allow_shortfall: Type.Optional(
    Type.Boolean({ description: "Backorder orders whose reserved units go off sale, if there is no other stock." }),
  ),
});
export type MoveStock = Static<typeof MoveStock>;

export const MovedView = closed({
  sku: Type.String(),
  quantity: Count,
  lot_number: nullable(Type.String()),
  location: Type.String(),
  from_bin: Type.String(),
  from_quantity: Type.Integer({ minimum: 0, description: "Units of this lot left in the old bin." }),
  bin: Type.String(),
  bin_quantity: Type.Integer({ minimum: 0, description: "Units of this lot now in the new bin." }),
  reason: choice(moveReasons),
  notes: nullable(Type.String()),
  movement_id: Type.String(),
  backordered_orders: BackorderedOrders,
  moved_at: Timestamp,
  moved_by: Type.String(),
});
