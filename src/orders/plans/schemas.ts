import { Type } from "@sinclair/typebox";
import { incomingFields } from "../../inventory/explanations/schemas.ts";
import { closed, nullable } from "../../kit/schema.ts";
import { chosenUnits, passedOver, spot } from "../allocation/schemas.ts";

const count = Type.Integer({ minimum: 0 });

const Waits = closed({
  ahead: Type.Integer({ minimum: 0, description: "Units that others get first, who are more urgent or came earlier." }),
  promised: closed({
    claims: Type.Array(closed({ order_id: nullable(Type.String()), order_number: Type.String(), units: count })),
    more: Type.Boolean(),
  }),
  incoming: closed(incomingFields),
  expected_at: nullable(
    Type.String({
      format: "date-time",
      description: "When expected deliveries have brought enough, those ahead served; null where nobody can say.",
    }),
  ),
});

export const PlanView = closed({
  order_id: Type.String(),
  allocation: closed({ complete: Type.Boolean(), backordered_units: count }),
  paused: Type.Boolean({ description: "True while a hold keeps the order from getting what it waits for." }),
  items: Type.Array(
    closed({
      product_id: Type.String(),
      sku: Type.String(),
      wanted: Type.Integer({ minimum: 0, description: "Units that have not left." }),
      reserved: count,
      picked: count,
      missing: count,
      held: Type.Array(closed({ ...spot, quantity: Type.Integer({ minimum: 1 }), picked: Type.Boolean() })),
      anew: Type.Union([Type.Array(chosenUnits), Type.Null()], {
        description: "What `POST /orders/:id/allocate` would take instead; null where that is what it holds.",
      }),
      passed_over: Type.Array(passedOver),
      waits: Type.Union([Waits, Type.Null()], {
        description: "For a SKU that is short: who has it, and when more comes. Given for the first 20 such SKUs.",
      }),
    }),
  ),
});
