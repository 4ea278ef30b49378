import { type Static, Type } from "@sinclair/typebox";
import { passedOverReasons } from "../../inventory/reservations/reasons.ts";
import { choice, closed, nullable } from "../../kit/schema.ts";
import { temperatureZones } from "../../products/status.ts";

export const AllocateOrder = closed({
  dry_run: Type.Optional(Type.Boolean({ description: "Only tells what would be done." })),
});
export type AllocateOrder = Static<typeof AllocateOrder>;

const count = Type.Integer({ minimum: 0 });
const moment = Type.String({ format: "date-time" });
/** Where units lie. */
export const spot = {
  warehouse_id: Type.String(),
  bin: Type.String(),
  temperature_zone: nullable(choice(temperatureZones)),
  lot_number: nullable(Type.String()),
  expiration_date: nullable(moment),
  received_at: moment,
};

export const chosenUnits = closed({ ...spot, quantity: Type.Integer({ minimum: 1 }) });

export const passedOver = closed({
  ...spot,
  on_hand: count,
  free: Type.Integer({ minimum: 0, description: "Units that nobody else is promised." }),
  reason: choice(passedOverReasons, { description: "The first rule of the choice that passed over it." }),
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
