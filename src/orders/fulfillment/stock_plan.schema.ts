import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nullable, Timestamp } from "../../core/schema.ts";
import { passedOverReasons } from "../../inventory/reservations/passed_over_stock.ts";
import { incomingFields } from "../../inventory/stock/stock_breakdown.schema.ts";
import { temperatureZones } from "../../products/product.ts";

export const AllocateOrder = closed({
  dry_run: Type.Optional(Type.Boolean({ description: "Only preview the allocation." })),
});
export type AllocateOrder = Static<typeof AllocateOrder>;

const count = Type.Integer({ minimum: 0 });
/** The bin, lot and age of units. */
const spot = {
  warehouse_id: Type.String(),
  bin: Type.String(),
  temperature_zone: nullable(choice(temperatureZones)),
  lot_number: nullable(Type.String()),
  expiration_date: nullable(Timestamp),
  received_at: Timestamp,
};

const chosenUnits = closed({ ...spot, quantity: Type.Integer({ minimum: 1 }) });

const passedOver = closed({
  ...spot,
  on_hand: count,
  free: Type.Integer({ minimum: 0, description: "Units that are not reserved for anyone else." }),
  reason: choice(passedOverReasons, { description: "The first rule that passed over it." }),
});

export const AllocationView = closed({
  order_id: Type.String(),
  dry_run: Type.Boolean(),
  allocation: closed({ complete: Type.Boolean(), backordered_units: count }),
  items: Type.Array(
    closed({
      product_id: Type.String(),
      sku: Type.String(),
      wanted: Type.Integer({ minimum: 0, description: "Units not picked yet." }),
      missing: count,
      chosen: Type.Array(chosenUnits),
      passed_over: Type.Array(passedOver),
    }),
  ),
});

const planCount = Type.Integer({ minimum: 0 });

const Waits = closed({
  ahead: Type.Integer({ minimum: 0, description: "Units that higher-priority or older orders get first." }),
  promised: closed({
    claims: Type.Array(closed({ order_id: nullable(Type.String()), order_number: Type.String(), units: planCount })),
    more: Type.Boolean(),
  }),
  incoming: closed(incomingFields),
  expected_at: nullable(
    Type.String({
      format: "date-time",
      description: "When expected deliveries cover this order and those ahead; null when unknown.",
    }),
  ),
});

export const PlanView = closed({
  order_id: Type.String(),
  allocation: closed({ complete: Type.Boolean(), backordered_units: planCount }),
  paused: Type.Boolean({ description: "True while a hold keeps the order from getting backordered units." }),
  items: Type.Array(
    closed({
      product_id: Type.String(),
      sku: Type.String(),
      wanted: Type.Integer({ minimum: 0, description: "Units that have not shipped." }),
      reserved: planCount,
      picked: planCount,
      missing: planCount,
      held: Type.Array(closed({ ...spot, quantity: Type.Integer({ minimum: 1 }), picked: Type.Boolean() })),
      anew: Type.Union([Type.Array(chosenUnits), Type.Null()], {
        description: "What `POST /orders/:id/allocate` would choose instead; null if that is what it holds.",
      }),
      passed_over: Type.Array(passedOver),
      waits: Type.Union([Waits, Type.Null()], {
        description: "The orders that hold a short SKU, and when more arrives. For the first 20 short SKUs.",
      }),
    }),
  ),
});
