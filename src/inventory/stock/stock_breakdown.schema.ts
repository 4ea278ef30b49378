import { type Static, Type } from "@sinclair/typebox";
import { Count, choice, closed, momentField, nullable, Timestamp } from "../../core/schema.ts";
import { OwnerView } from "../../storage/tenant.schema.ts";
import { binKinds, movementTypes, reservationStatuses, unavailableCauses } from "../inventory.transitions.ts";

export const StockBreakdownQuery = closed({
  as_of: Type.Optional(
    momentField("Show the units on hand at this time. Reservations are only known for the present."),
  ),
});
export type StockBreakdownQuery = Static<typeof StockBreakdownQuery>;

const ledger = {
  opening: Type.Literal(0),
  movements: Type.Array(
    closed({
      type: choice(movementTypes),
      reason: Type.String(),
      movements: Type.Integer({ minimum: 1 }),
      units: Type.Integer({ description: "Below zero for units that left." }),
    }),
  ),
  on_hand: Count,
};

const spot = {
  warehouse_id: Type.String(),
  bin: nullable(Type.String({ description: "Null for merchants, who do not see bins." })),
  lot_number: nullable(Type.String()),
};
const claimant = {
  reservation_id: Type.String(),
  order_id: nullable(Type.String()),
  order_number: Type.String(),
  units: Type.Integer({ minimum: 1 }),
};
const way = { reference: nullable(Type.String()), units: Type.Integer({ minimum: 1 }) };
const more = Type.Boolean({ description: "Whether there are more than are listed." });

/** Incoming units by receipt and transfer. */
export const incomingFields = {
  units: Count,
  receipts: Type.Array(
    closed({ receipt_id: Type.String(), ...way, location: Type.String(), expected_at: nullable(Timestamp) }),
  ),
  transfers: Type.Array(
    closed({
      transfer_id: Type.String(),
      ...way,
      from_location: Type.String(),
      to_location: Type.String(),
      shipped_at: nullable(Timestamp),
    }),
  ),
  more,
};

export const StockBreakdownView = closed({
  merchant_id: OwnerView,
  sku: Type.String(),
  name: Type.String(),
  as_of: nullable(Timestamp),
  ...ledger,
  places: Type.Array(closed({ ...spot, kind: choice(binKinds), ...ledger })),
  available: nullable(Count),
  components: Type.Optional(
    Type.Array(
      closed({
        sku: Type.String(),
        quantity: Type.Integer({ minimum: 1 }),
        available: Count,
        sets: Type.Integer({ minimum: 0, description: "Number of sets for which it is enough." }),
      }),
      { description: "The components of a bundle: `available` is the smallest of their `sets`." },
    ),
  ),
  reserved: nullable(
    closed({
      units: Count,
      picked: Count,
      claims: Type.Array(
        closed({ ...claimant, status: choice(reservationStatuses), expires_at: nullable(Timestamp), picked: Count }),
      ),
      more,
    }),
  ),
  unavailable: nullable(
    Type.Array(
      closed({
        cause: choice(unavailableCauses),
        ...spot,
        units: Type.Integer({ minimum: 1 }),
      }),
    ),
  ),
  backordered: nullable(
    closed({
      units: Count,
      claims: Type.Array(
        closed({ ...claimant, priority: Type.Integer(), paused: Type.Boolean(), created_at: Timestamp }),
      ),
      more,
    }),
  ),
  incoming: nullable(closed(incomingFields)),
});
