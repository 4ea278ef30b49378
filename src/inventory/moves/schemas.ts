import { type Static, Type } from "@sinclair/typebox";
import {
  choice,
  closed,
  codeField,
  idField,
  notesField,
  nullable,
  quantityField,
  textField,
} from "../../kit/schema.ts";

/** Why units are moved: what they are moved for follows from where they go, unless it is said. */
const moveReasons = ["relocation", "quality_hold", "damaged", "released", "correction"] as const;
export type MoveReason = (typeof moveReasons)[number];

export const MoveStock = closed({
  sku: textField(100),
  quantity: quantityField(),
  location: Type.Optional(idField("warehouse", "Needed where the SKU lies in several warehouses.")),
  bin: Type.Optional(textField(40, { description: "Where they lie; needed where that is not the only place." })),
  lot_number: Type.Optional(textField(80, { description: "Needed where there are several lots in the bin." })),
  to_bin: Type.Optional(
    codeField(40, { description: "Where they go, in the same warehouse; made now when no bin has this code." }),
  ),
  condition: Type.Optional(
    choice(["quarantined", "damaged"], {
      description: "Takes them off sale, into the usual bin for such units unless `to_bin` names another of its kind.",
    }),
  ),
  reason: Type.Optional(
    choice(moveReasons, {
      description:
        "Unless given: `quality_hold` or `damaged` for what goes off sale, `released` for what comes back, else" +
        " `relocation`.",
    }),
  ),
  notes: Type.Optional(nullable(notesField())),
  allow_shortfall: Type.Optional(
    Type.Boolean({ description: "Lets orders wait whose promised units go off sale and which find no others." }),
  ),
});
export type MoveStock = Static<typeof MoveStock>;

const count = Type.Integer({ minimum: 0 });

export const MovedView = closed({
  sku: Type.String(),
  quantity: count,
  lot_number: nullable(Type.String()),
  location: Type.String(),
  from_bin: Type.String(),
  from_quantity: Type.Integer({ minimum: 0, description: "Units that are left there, of this lot." }),
  bin: Type.String(),
  bin_quantity: Type.Integer({ minimum: 0, description: "Units that lie there now, of this lot." }),
  reason: choice(moveReasons),
  notes: nullable(Type.String()),
  movement_id: Type.String(),
  backordered_orders: Type.Array(
    closed({ order_id: nullable(Type.String()), order_number: Type.String(), quantity: count }),
  ),
  moved_at: Type.String({ format: "date-time" }),
  moved_by: Type.String(),
});
