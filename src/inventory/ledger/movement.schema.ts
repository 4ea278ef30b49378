import { Type } from "@sinclair/typebox";
import { actorTypes } from "../../core/actor.ts";
import { choice, closed, nullable, timestamp } from "../../core/schema.ts";
import { HandledPacks } from "../../products/product.schema.ts";
import { OwnerView } from "../../storage/tenant.schema.ts";
import { movementTypes } from "../inventory.transitions.ts";

/** Who caused a change of stock. */
export const ActorView = closed({
  type: choice(actorTypes, { description: "What kind of actor it was." }),
  id: Type.String({
    description: "The user or API key, such as `usr_7` or `key_1002`; otherwise the job, carrier or platform.",
  }),
});

export const MovementView = closed({
  id: Type.String(),
  merchant_id: OwnerView,
  sku: Type.String(),
  type: choice(movementTypes, {
    description: "`transfer`: to another bin or warehouse, picking included. `sale`: units left for a customer.",
  }),
  quantity: Type.Integer({ minimum: 1, description: "Units that moved. The direction is in the two locations." }),
  pack: nullable({
    ...HandledPacks,
    description: "The packs in which someone handled the units; null if they handled single units.",
  }),
  warehouse_id: Type.String({ description: "The warehouse that received the units, or else the one they left." }),
  from_location: nullable(
    Type.String({
      description:
        "The bin that they left, or `in_transit`. Null if they came from outside. Merchants see the warehouse.",
    }),
  ),
  to_location: Type.String({
    description:
      "The bin that received them, or where they went: `customer`, `write_off`, `in_transit` or `other_merchant`." +
      " Merchants see the warehouse instead of a bin.",
  }),
  bin: nullable(
    Type.String({ description: "The bin that `balance_after` is about. Null for merchants, who do not see bins." }),
  ),
  balance_after: Type.Integer({
    minimum: 0,
    description: "Units of this SKU and lot on hand in `bin` right after the movement.",
  }),
  lot_number: nullable(Type.String({ description: "The lot of the units; null if they have none." })),
  reason: Type.String({ description: "Why they moved, such as `picked`, `shipped`, `received` or `stock_count`." }),
  notes: nullable(Type.String({ description: "Notes from the request that caused it; null if there are none." })),
  reference: nullable(
    Type.Object(
      {
        type: Type.String({ description: "What caused it, such as `order`; `reference` for your own reference." }),
        id: Type.String({ description: "The record's id, such as `ord_1001`, or your own reference." }),
      },
      { additionalProperties: false, description: "The record that caused it; null if there is none." },
    ),
  ),
  unit_cost: nullable(Type.Number({ description: "What one unit cost, as stated at receipt; null if not stated." })),
  currency: { ...nullable(Type.String()), description: "Currency of `unit_cost`; null without a cost." },
  confirmed: Type.Boolean({
    description: "Whether someone confirmed the units. False if they left without a recorded pick: the lot is assumed.",
  }),
  actor: ActorView,
  created_at: timestamp("When the units moved."),
});
