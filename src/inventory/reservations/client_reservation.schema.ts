import { type Static, Type } from "@sinclair/typebox";
import {
  choice,
  closed,
  idField,
  momentField,
  nullable,
  quantityField,
  textField,
  timestamp,
} from "../../core/schema.ts";
import { OwnerView, ofMerchant } from "../../storage/tenant.schema.ts";
import { reservationStatuses } from "../inventory.transitions.ts";

/** An order as a client names it: by number, or by the id of an existing order. */
const orderName = () =>
  Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), textField(100)], {
    description: "An order number, which may not exist yet, or the id of an existing order.",
    hint: "must be an order number or id",
  });

export const ReserveStock = closed({
  order_id: orderName(),
  items: Type.Array(
    closed({
      sku: textField(100, { description: "The SKU to reserve." }),
      quantity: quantityField("Units to reserve."),
    }),
    { minItems: 1, maxItems: 500, description: "What to reserve. Quantities of the same SKU are added." },
  ),
  expires_at: Type.Optional(momentField("When the reservation ends. Default: 24 hours from now; at most 30 days.")),
  location: Type.Optional(idField("warehouse", "Reserve only stock of this warehouse. Default: any.")),
  requires_cold_storage: Type.Optional(
    Type.Boolean({ description: "If true, only stock in refrigerated or frozen zones is reserved. Default: false." }),
  ),
  ...ofMerchant,
});
export type ReserveStock = Static<typeof ReserveStock>;

export const ReleaseReservation = closed({
  reservation_id: idField("reservation", "The reservation to release, such as `rsv_1001`."),
});

export const ExtendReservation = closed({
  expires_at: momentField("New expiry: not earlier than the current one, and at most 30 days from now."),
});
export type ExtendReservation = Static<typeof ExtendReservation>;

export const ReservationView = closed({
  reservation_id: Type.String(),
  merchant_id: OwnerView,
  order_id: Type.String({ description: "The order's id; before the order exists, the number that it is to have." }),
  status: choice(reservationStatuses, {
    description: "`reserved` and, once work on the order has begun, `committed` hold stock; the others hold none.",
  }),
  items: Type.Array(
    closed({
      sku: Type.String(),
      quantity: Type.Integer({ minimum: 1, description: "Units of the SKU, in this warehouse." }),
      reserved_from: nullable(
        Type.String({
          description: "The warehouse that holds them. Null if they are backordered, or once the reservation is over.",
        }),
      ),
    }),
    { description: "What is reserved: one entry for each SKU and warehouse." },
  ),
  source: Type.String({ description: "Where the order comes from: `api`, or a platform and its connection." }),
  priority: Type.Integer({ description: "Higher is served first when stock is short; 0 until an order sets it." }),
  expires_at: nullable(timestamp("When it ends by itself. Null once it belongs to an order, which keeps it.")),
  released_at: nullable(timestamp("When it was released; null if it was not.")),
  created_at: timestamp("When the units were reserved."),
});

export const ReleasedReservationView = closed({
  reservation_id: Type.String(),
  status: Type.Literal("released", { description: "Always `released`." }),
  released_at: timestamp("When it was first released."),
});
