import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nullable } from "../../core/schema.ts";
import { passedOverReasons } from "../../inventory/reservations/passed_over_stock.ts";
import { incomingFields } from "../../inventory/stock/stock_breakdown.schema.ts";
import { temperatureZones } from "../../products/product.ts";

export const AllocateOrder = closed({
  dry_run: Type.Optional(
    Type.Boolean({
      description: "If true, nothing changes: the response shows which stock would be allocated.",
    }),
  ),
});
export type AllocateOrder = Static<typeof AllocateOrder>;

const many = (description: string) => Type.Integer({ minimum: 0, description });
const held_quantity = (description: string) => Type.Integer({ minimum: 1, description });

/** How much of an order has stock. */
export const AllocatedView = closed({
  complete: Type.Boolean({ description: "Whether no unit is backordered." }),
  backordered_units: Type.Integer({ description: "The units of all lines that wait for stock." }),
});

/** The bin, lot and age of units. */
const spot = {
  warehouse_id: Type.String(),
  bin: Type.String(),
  temperature_zone: nullable(
    choice(temperatureZones, { description: "The temperature of the bin; null if it has no zone." }),
  ),
  lot_number: nullable(Type.String({ description: "The lot; null for goods without lots." })),
  expiration_date: nullable(
    Type.String({ format: "date-time", description: "The end of the lot's last day; null if it has none." }),
  ),
  received_at: Type.String({ format: "date-time", description: "When the units came in. Older ones are preferred." }),
};

const chosenUnits = closed({ ...spot, quantity: held_quantity("Units to take from here.") });

const passedOver = closed({
  ...spot,
  on_hand: many("Units in the bin, reserved ones included."),
  free: Type.Integer({ minimum: 0, description: "Of these, units that are not reserved for anyone else." }),
  reason: choice(passedOverReasons, { description: "The first rule by which this stock was not chosen." }),
});

export const AllocationView = closed({
  order_id: Type.String(),
  dry_run: Type.Boolean({ description: "True for a preview." }),
  allocation: { ...AllocatedView, description: "Whether stock covers the whole order afterwards." },
  items: Type.Array(
    closed({
      product_id: Type.String(),
      sku: Type.String(),
      required: Type.Integer({ minimum: 0, description: "Units not picked yet." }),
      backordered: many("Of these, units for which there is no stock."),
      chosen: Type.Array(chosenUnits, { description: "The stock to pick from, in order of preference." }),
      not_chosen: Type.Array(passedOver, { description: "The other stock of the SKU, and why it was not chosen." }),
    }),
    { description: "The SKUs of the order; for bundles, their components." },
  ),
});

const Shortage = closed({
  units_ahead: Type.Integer({ minimum: 0, description: "Backordered units that other orders get first." }),
  reserved_elsewhere: {
    ...closed({
      reservations: Type.Array(
        closed({
          order_id: nullable(
            Type.String({ description: "The order; null for a reservation whose order does not exist yet." }),
          ),
          order_number: Type.String(),
          units: many("Units of the SKU that it holds."),
        }),
        { description: "The orders and reservations, up to 20." },
      ),
      has_more: Type.Boolean({ description: "Whether there are others." }),
    }),
    description: "Who else holds stock of this SKU.",
  },
  incoming: { ...closed(incomingFields), description: "The units on their way to the warehouses." },
  expected_at: nullable(
    Type.String({
      format: "date-time",
      description: "When dated receipts cover this order and those ahead of it; null if they do not.",
    }),
  ),
});

export const PlanView = closed({
  order_id: Type.String(),
  allocation: { ...AllocatedView, description: "Whether stock covers the whole order now." },
  paused: Type.Boolean({ description: "Whether a hold keeps the order from getting backordered units." }),
  items: Type.Array(
    closed({
      product_id: Type.String(),
      sku: Type.String(),
      required: Type.Integer({ minimum: 0, description: "Units that have not shipped." }),
      reserved: many("Of these, units that have stock, including picked ones."),
      picked: many("Of these, units that are picked."),
      backordered: many("Units that are backordered: `required` minus `reserved`."),
      allocated: Type.Array(
        closed({
          ...spot,
          quantity: held_quantity("Units of it that the order holds."),
          picked: Type.Boolean({ description: "Whether they are picked, so that `bin` is a staging location." }),
        }),
        { description: "The stock that is allocated to the order." },
      ),
      reallocation: Type.Union([Type.Array(chosenUnits), Type.Null()], {
        description: "What `POST /orders/:id/allocate` would choose instead; null if nothing else, or while `paused`.",
      }),
      not_chosen: Type.Array(passedOver, { description: "Other stock of the SKU, and why it is not used." }),
      shortage: Type.Union([Shortage, Type.Null()], {
        description: "What a short SKU waits for; null if it is not short, or after the first 20 short ones.",
      }),
    }),
    { description: "The SKUs that have not shipped; for bundles, their components." },
  ),
});
