import {
  type AllocationChangeKind,
  type ReservationStatus,
  reservationStatuses,
} from "../../src/inventory/inventory.transitions.ts";
import type { AvoidedItem } from "../../src/inventory/reservations/reservation.ts";
import { bool, check, foreignKey, id, index, int, json, oneOf, table, text, time, unique, where } from "../kit.ts";
import { stock_items } from "./inventory.ts";
import { owner, sameOwner } from "./merchants.ts";
import { products } from "./products.ts";

/** Claims on stock: of an order, or of a client for a future order. */
export const reservations = table(
  "reservations",
  {
    id: id(),
    merchant_id: owner(),
    /** The order's id, once it exists. */
    order_id: int(),
    /** The client's reference to the order: `ord_1042` or its order number. */
    order_ref: text().notNull(),
    /** Its source: `api`, or `<platform>:<connection>`. Only an order of the same source adopts it. */
    source: text().notNull(),
    status: text().$type<ReservationStatus>().notNull(),
    /** The order's urgency: higher first when stock is short. */
    priority: int().notNull(),
    /** True while the order is on hold: its backorders are not filled. */
    paused: bool().notNull(),
    /** Restricts it to the stock of this warehouse; null for any. */
    warehouse_id: int(),
    requires_cold_storage: bool().notNull(),
    expires_at: time(),
    released_at: time(),
    created_at: time().notNull(),
    /** Stock items in which units were missing when picking for it; null for none. */
    avoids: json<readonly AvoidedItem[]>(),
  },
  (t) => [
    unique("reservations_order").on(t.order_id).where(where("order_id is not null")),
    index("reservations_ref").on(t.order_ref),
    index("reservations_expiry").on(t.expires_at).where(where("status = 'reserved' and expires_at is not null")),
    oneOf("reservations", "status", reservationStatuses),
  ],
);

/** The wanted and promised units of a product. The rest is backordered. */
export const reservation_lines = table(
  "reservation_lines",
  {
    id: id(),
    merchant_id: sameOwner(),
    reservation_id: int()
      .notNull()
      .references(() => reservations.id),
    product_id: int().notNull(),
    order_line_id: int(),
    /** Requested units, which stay the same when the reservation ends. */
    quantity: int().notNull(),
    /** Units wanted and not yet shipped. */
    wanted: int().notNull(),
    /** Promised units: the sum of the line's allocations. */
    reserved: int().notNull(),
    /** Of the promised units, those in staging. */
    picked: int().notNull(),
  },
  (t) => [
    index("reservation_lines_reservation").on(t.reservation_id),
    index("reservation_lines_waiting").on(t.product_id).where(where("reserved < wanted")),
    foreignKey({
      name: "reservation_lines_owned_product",
      columns: [t.merchant_id, t.product_id],
      foreignColumns: [products.merchant_id, products.id],
    }),
    check("reservation_lines_counts", "0 <= picked and picked <= reserved and reserved <= wanted"),
  ],
);

/** Units of one stock item promised to one reservation line. */
export const allocations = table(
  "allocations",
  {
    id: id(),
    merchant_id: sameOwner(),
    reservation_line_id: int()
      .notNull()
      .references(() => reservation_lines.id),
    stock_item_id: int().notNull(),
    quantity: int().notNull(),
  },
  (t) => [
    unique("allocations_line_item").on(t.reservation_line_id, t.stock_item_id),
    index("allocations_item").on(t.stock_item_id),
    foreignKey({
      name: "allocations_owned_item",
      columns: [t.merchant_id, t.stock_item_id],
      foreignColumns: [stock_items.merchant_id, stock_items.id],
    }),
    check("allocations_quantity", "quantity between 1 and 1000000000"),
  ],
);

/** Allocation changes that the order has not processed yet. */
export const claim_news = table(
  "claim_news",
  {
    id: id(),
    order_id: int().notNull(),
    product_id: int()
      .notNull()
      .references(() => products.id),
    kind: text().$type<AllocationChangeKind>().notNull(),
    quantity: int().notNull(),
    created_at: time().notNull(),
  },
  (t) => [index("claim_news_order").on(t.order_id), check("claim_news_quantity", "quantity between 1 and 1000000000")],
);
