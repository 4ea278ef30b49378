import { Type } from "@sinclair/typebox";
import { actorTypes } from "../../core/actor.ts";
import { choice, closed, nullable, Timestamp } from "../../core/schema.ts";
import { OwnerView } from "../../storage/tenant.schema.ts";
import { movementTypes } from "../inventory.transitions.ts";

export const MovementView = closed({
  id: Type.String(),
  merchant_id: OwnerView,
  sku: Type.String(),
  type: choice(movementTypes),
  quantity: Type.Integer({ minimum: 1 }),
  warehouse_id: Type.String(),
  from_location: nullable(Type.String()),
  to_location: Type.String({
    description: "A bin, or where units that left went. Merchants see the warehouse instead of the bin.",
  }),
  bin: nullable(Type.String()),
  balance_after: Type.Integer({ minimum: 0 }),
  lot_number: nullable(Type.String()),
  reason: Type.String(),
  notes: nullable(Type.String()),
  reference: nullable(closed({ type: Type.String(), id: Type.String() })),
  unit_cost: nullable(Type.Number()),
  currency: { ...nullable(Type.String()), description: "Currency of `unit_cost`; null without a cost." },
  confirmed: Type.Boolean(),
  actor: closed({ type: choice(actorTypes), id: Type.String() }),
  created_at: Timestamp,
});
