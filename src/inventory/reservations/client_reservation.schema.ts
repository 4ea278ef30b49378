import { type Static, Type } from "@sinclair/typebox";
import {
  choice,
  closed,
  idField,
  momentField,
  nullable,
  quantityField,
  Timestamp,
  textField,
} from "../../core/schema.ts";
import { OwnerView, ofMerchant } from "../../storage/tenant.schema.ts";
import { reservationStatuses } from "../inventory.transitions.ts";

/** An order as a client names it: by number, or by the id of an existing order. */
const orderName = () =>
  Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), textField(100)], {
    description: "An order number, which may not exist yet, or the ID of an existing order.",
    hint: "must be an order number or ID",
  });

export const ReserveStock = closed({
  order_id: orderName(),
  items: Type.Array(closed({ sku: textField(100), quantity: quantityField() }), { minItems: 1, maxItems: 500 }),
  expires_at: Type.Optional(momentField("Expiry. Default: 24 hours from now; at most 30 days.")),
  location: Type.Optional(idField("warehouse", "Reserve only stock of this warehouse.")),
  requires_cold_storage: Type.Optional(Type.Boolean()),
  ...ofMerchant,
});
export type ReserveStock = Static<typeof ReserveStock>;

export const ReleaseReservation = closed({ reservation_id: idField("reservation") });

export const ExtendReservation = closed({
  expires_at: momentField("New expiry: not earlier than the current one, and at most 30 days from now."),
});
export type ExtendReservation = Static<typeof ExtendReservation>;

export const ReservationView = closed({
  reservation_id: Type.String(),
  merchant_id: OwnerView,
  order_id: Type.String(),
  status: choice(reservationStatuses),
  items: Type.Array(
    closed({ sku: Type.String(), quantity: Type.Integer({ minimum: 1 }), reserved_from: nullable(Type.String()) }),
  ),
  source: Type.String(),
  priority: Type.Integer(),
  expires_at: nullable(Timestamp),
  released_at: nullable(Timestamp),
  created_at: Timestamp,
});

export const ReleasedReservationView = closed({
  reservation_id: Type.String(),
  status: Type.Literal("released"),
  released_at: Timestamp,
});
