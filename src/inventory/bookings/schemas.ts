import { type Static, Type } from "@sinclair/typebox";
import { pageFields } from "../../kit/page.ts";
import { choice, closed, idField, momentField, nullable, quantityField, textField } from "../../kit/schema.ts";
import { reservationStatuses } from "../reservations/status.ts";

/** What a client calls an order: its number, or an identifier of one that exists already. */
const orderName = () =>
  Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), textField(100)], {
    description: "The order number of an order, which may be one to come, or the identifier of one that is there.",
    hint: "must be an order number or identifier",
  });

export const BookStock = closed({
  order_id: orderName(),
  items: Type.Array(closed({ sku: textField(100), quantity: quantityField() }), { minItems: 1, maxItems: 500 }),
  expires_at: Type.Optional(momentField("24 hours from now unless given, at most 30 days.")),
  location: Type.Optional(idField("warehouse", "Only stock of this warehouse.")),
  requires_cold_storage: Type.Optional(Type.Boolean()),
});
export type BookStock = Static<typeof BookStock>;

export const ReleaseBooking = closed({ reservation_id: idField("reservation") });
export type ReleaseBooking = Static<typeof ReleaseBooking>;

export const ExtendBooking = closed({
  expires_at: momentField("Not earlier than it is now, and at most 30 days from now."),
});
export type ExtendBooking = Static<typeof ExtendBooking>;

export const ListBookings = closed({
  ...pageFields,
  status: Type.Optional(choice(reservationStatuses)),
  order_id: Type.Optional(textField(100, { description: "An order's number or identifier." })),
  sku: Type.Optional(textField(100, { description: "Only reservations that ask for this SKU." })),
});
export type ListBookings = Static<typeof ListBookings>;

const moment = () => Type.String({ format: "date-time" });

export const BookingView = closed({
  reservation_id: Type.String(),
  order_id: Type.String(),
  status: choice(reservationStatuses),
  items: Type.Array(
    closed({ sku: Type.String(), quantity: Type.Integer({ minimum: 1 }), reserved_from: nullable(Type.String()) }),
  ),
  source: Type.String(),
  priority: Type.Integer(),
  expires_at: nullable(moment()),
  released_at: nullable(moment()),
  created_at: moment(),
});

export const ReleasedView = closed({
  reservation_id: Type.String(),
  status: Type.Literal("released"),
  released_at: moment(),
});
