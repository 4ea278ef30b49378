import { type Static, Type } from "@sinclair/typebox";
import { actorTypes } from "../../kit/actor.ts";
import { pageFields } from "../../kit/page.ts";
import { choice, closed, nullable, textField } from "../../kit/schema.ts";
import { movementTypes } from "../status.ts";

export const ListMovements = closed({
  ...pageFields,
  sku: Type.Optional(textField(100)),
  type: Type.Optional(choice(movementTypes)),
});
export type ListMovements = Static<typeof ListMovements>;

export const MovementView = closed({
  id: Type.String(),
  sku: Type.String(),
  type: choice(movementTypes),
  quantity: Type.Integer({ minimum: 1 }),
  warehouse_id: Type.String(),
  from_location: nullable(Type.String()),
  to_location: Type.String(),
  bin: Type.String(),
  balance_after: Type.Integer({ minimum: 0 }),
  lot_number: nullable(Type.String()),
  reason: Type.String(),
  notes: nullable(Type.String()),
  reference: nullable(closed({ type: Type.String(), id: Type.String() })),
  unit_cost: nullable(Type.Number()),
  confirmed: Type.Boolean(),
  actor: closed({ type: choice(actorTypes), id: Type.String() }),
  created_at: Type.String({ format: "date-time" }),
});
