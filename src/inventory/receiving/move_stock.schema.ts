import { type Static, Type } from "@sinclair/typebox";
import {
  choice,
  closed,
  codeField,
  countField,
  idField,
  notesField,
  nullable,
  quantityField,
  textField,
  timestamp,
} from "../../core/schema.ts";
import { handledPack } from "../../products/product.schema.ts";
import { BackorderedOrders, LocationView } from "../stock/stock.schema.ts";

/** Why units are moved; by default the destination decides the reason. */
const moveReasons = ["relocation", "quality_hold", "damaged", "released", "correction"] as const;
export type MoveReason = (typeof moveReasons)[number];

export const MoveStock = closed({
  sku: textField(100, { description: "The SKU to move. A bundle has no stock: move its components." }),
  quantity: quantityField("Units to move, of one bin and lot."),
  pack: handledPack,
  location: Type.Optional(idField("warehouse", "The warehouse. Required if the SKU is in several.")),
  bin: Type.Optional(textField(40, { description: "The current bin. Required if the SKU is in several." })),
  lot_number: Type.Optional(textField(80, { description: "The lot. Required if the bin has several of the SKU." })),
  to_bin: Type.Optional(
    codeField(40, {
      description: "The destination in the same warehouse, created if it does not exist. Required without `condition`.",
    }),
  ),
  condition: Type.Optional(
    choice(["quarantined", "damaged"], {
      description: "Takes the units off sale, into the default bin for this condition or into `to_bin`.",
    }),
  ),
  reason: Type.Optional(
    choice(moveReasons, {
      description:
        "Default: `quality_hold` or `damaged` for units going off sale, `released` for units coming back, otherwise" +
        " `relocation`.",
    }),
  ),
  notes: Type.Optional(nullable({ ...notesField(), description: "Notes for the movement in the ledger." })),
  allow_shortfall: Type.Optional(
    Type.Boolean({
      description:
        "If true, orders whose reserved units go off sale are backordered if there is no other stock. If false, they" +
        " refuse the move. Default: false.",
    }),
  ),
});
export type MoveStock = Static<typeof MoveStock>;

export const MovedView = closed({
  sku: Type.String(),
  quantity: countField("Units that were moved."),
  lot_number: nullable(Type.String({ description: "Their lot; null if they have none." })),
  location: LocationView,
  from_bin: Type.String({ description: "The bin that they left." }),
  from_quantity: Type.Integer({ minimum: 0, description: "Units of this lot left in the old bin." }),
  bin: Type.String({ description: "The bin that they are in now." }),
  bin_quantity: Type.Integer({ minimum: 0, description: "Units of this lot now in the new bin." }),
  reason: choice(moveReasons, { description: "Why they were moved: as requested, or decided by the bins." }),
  notes: nullable(Type.String({ description: "The notes of the request; null if it had none." })),
  movement_id: Type.String(),
  backordered_orders: BackorderedOrders,
  moved_at: timestamp("When they were moved."),
  moved_by: Type.String({ description: "The user or API key that moved them." }),
});
