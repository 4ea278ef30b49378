import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, countField, momentField, nullable, timestamp } from "../../core/schema.ts";
import { OwnerView } from "../../storage/tenant.schema.ts";
import { binKinds, movementTypes, reservationStatuses, unavailableCauses } from "../inventory.transitions.ts";

export const StockBreakdownQuery = closed({
  as_of: Type.Optional(
    momentField("Shows the units on hand at this time. Reservations are only known for the present."),
  ),
});
export type StockBreakdownQuery = Static<typeof StockBreakdownQuery>;

const ledger = {
  opening: Type.Literal(0, { description: "The balance before the first movement: always 0." }),
  movements: Type.Array(
    closed({
      type: choice(movementTypes, { description: "The type of the movements, as in the ledger." }),
      reason: Type.String({ description: "Their reason, such as `received` or `shipped`." }),
      movements: Type.Integer({ minimum: 1, description: "Number of movements of this type and reason." }),
      units: Type.Integer({ description: "The units that they added; below zero if units left." }),
    }),
    { description: "All movements, summed by type and reason." },
  ),
  on_hand: countField("Units on hand: `opening` plus the units of all `movements`."),
};

const spot = {
  warehouse_id: Type.String(),
  bin: nullable(Type.String({ description: "The bin; null for merchants, who do not see bins." })),
  lot_number: nullable(Type.String({ description: "The lot; null for units without one." })),
};
const unitsField = (description: string) => Type.Integer({ minimum: 1, description });
const claimantFields = (units: string) => ({
  reservation_id: Type.String(),
  order_id: nullable(Type.String({ description: "The order; null for a reservation whose order does not exist yet." })),
  order_number: Type.String(),
  units: unitsField(units),
});
const way = {
  reference: nullable(Type.String({ description: "Your reference, such as a purchase order; null if none." })),
  units: unitsField("Units of the SKU that are on their way with it."),
};
const has_more = Type.Boolean({ description: "Whether there are more than are listed." });

/** Incoming units by receipt and transfer. */
export const incomingFields = {
  units: countField("All units of the SKU on their way."),
  receipts: Type.Array(
    closed({
      receipt_id: Type.String({ description: "The receipt, such as `rcv_1001`." }),
      ...way,
      location: Type.String({ description: "The warehouse that expects them." }),
      expected_at: nullable(timestamp("When they should arrive; null if unknown.")),
    }),
    { description: "The open receipts that still expect units." },
  ),
  transfers: Type.Array(
    closed({
      transfer_id: Type.String({ description: "The transfer, such as `trf_1001`." }),
      ...way,
      from_location: Type.String({ description: "The warehouse that shipped them." }),
      to_location: Type.String({ description: "The warehouse that will receive them." }),
      shipped_at: nullable(timestamp("When they were shipped.")),
    }),
    { description: "The transfers with units in transit." },
  ),
  has_more,
};

export const StockBreakdownView = closed({
  merchant_id: OwnerView,
  sku: Type.String(),
  name: Type.String({ description: "The name of the product." }),
  as_of: nullable(timestamp("The time of `as_of` in the request; null for the present.")),
  ...ledger,
  places: Type.Array(closed({ ...spot, kind: choice(binKinds, { description: "What the bin is for." }), ...ledger }), {
    description: "The same sums for each bin and lot with units.",
  }),
  available: nullable(countField("Units that can be reserved; of a bundle, sets. Null for a past time.")),
  components: Type.Optional(
    Type.Array(
      closed({
        sku: Type.String(),
        quantity: unitsField("Units in one set."),
        available: countField("Units of the component that can be reserved."),
        sets: Type.Integer({ minimum: 0, description: "Number of sets for which it is enough." }),
      }),
      {
        description:
          "The components of a bundle: `available` is the smallest of their `sets`. Absent for other products.",
      },
    ),
  ),
  reserved: nullable(
    Type.Object(
      {
        units: countField("All reserved units, including picked ones."),
        picked: countField("Of these, units that are picked."),
        reservations: Type.Array(
          closed({
            ...claimantFields("Units that it holds."),
            status: choice(reservationStatuses, { description: "`committed`: work on the order has begun." }),
            expires_at: nullable(timestamp("When it ends by itself; null for the reservation of an order.")),
            picked: countField("Of its units, those that are picked."),
          }),
          { description: "The reservations that hold units, at most 100." },
        ),
        has_more,
      },
      { additionalProperties: false, description: "The reserved units, and who holds them; null for a past time." },
    ),
  ),
  unavailable: nullable(
    Type.Array(
      closed({
        cause: choice(unavailableCauses, {
          description:
            "Why they cannot be sold. `short_dated`: too few days left of `min_shelf_life_days`." +
            " `count_pending`: until a count of their bin has ended.",
        }),
        ...spot,
        units: unitsField("Unreserved units there."),
      }),
      { description: "Unreserved units that cannot be sold, by place; null for a past time." },
    ),
  ),
  backordered: nullable(
    Type.Object(
      {
        units: countField("All units that are wanted and not reserved."),
        reservations: Type.Array(
          closed({
            ...claimantFields("Units that it waits for."),
            priority: Type.Integer({ description: "Higher is served first, then the oldest." }),
            paused: Type.Boolean({ description: "Whether a hold keeps the order from getting units." }),
            created_at: timestamp("When it was reserved."),
          }),
          { description: "The reservations that wait, in the order in which they get units; at most 100." },
        ),
        has_more,
      },
      { additionalProperties: false, description: "The units that orders wait for; null for a past time." },
    ),
  ),
  incoming: nullable(
    Type.Object(incomingFields, {
      additionalProperties: false,
      description: "The units on their way to the warehouses; null for a past time.",
    }),
  ),
});
