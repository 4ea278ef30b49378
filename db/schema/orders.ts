import type { AddressVerification } from "../../src/addresses/address.ts";
import type { ActorType } from "../../src/core/actor.ts";
import type { ContactAddress } from "../../src/core/postal_address.ts";
import {
  type CancelReason,
  type FulfillmentType,
  type HoldReason,
  type OrderStatus,
  orderStatuses,
} from "../../src/orders/order.transitions.ts";
import type { DecidedBy, ShippingChoice } from "../../src/orders/shipping_rules/shipping_choice.ts";
import {
  bool,
  check,
  descending,
  folded,
  foreignKey,
  id,
  index,
  int,
  json,
  lastDigits,
  oneOf,
  primaryKey,
  table,
  text,
  time,
  unique,
  where,
} from "../kit.ts";
import { customers } from "./customers.ts";
import { sameOwner } from "./merchants.ts";
import { products } from "./products.ts";

export const orders = table(
  "orders",
  {
    id: id(),
    merchant_id: sameOwner(),
    order_number: text().notNull(),
    status: text().$type<OrderStatus>().notNull(),
    /** True while at least one hold is open; the public status then reads `on_hold`. */
    held: bool().notNull(),
    customer_id: int().notNull(),
    /** The buyer's email address and name at the time of the order. */
    customer_email: text().notNull(),
    customer_name: text().notNull(),
    shipping_address_id: int().notNull(),
    /** A copy of the address, so that editing the customer does not redirect parcels. */
    shipping_address: json<ContactAddress>().notNull(),
    /** The result of the last address check; null for orders older than checks. */
    address_verification: json<AddressVerification>(),
    /** Whether its parcels are shipped, or its buyer collects them. */
    fulfillment_type: text().$type<FulfillmentType>().notNull().default("ship"),
    shipping_method: text(),
    /** The shop's code of the method. */
    shipping_method_code: text(),
    order_notes: text(),
    /** For the people who pack it. */
    packing_note: text(),
    shipping_choice: json<ShippingChoice>(),
    /** What decided each field that rules decide; null if nothing did. */
    decided_by: json<DecidedBy>(),
    /** As written, in the order of the request; `order_tags` has them for searches. */
    tags: json<readonly string[]>().notNull().default([]),
    requires_cold_storage: bool().notNull(),
    priority: int().notNull(),
    allow_backorder: bool().notNull(),
    warehouse_id: int(),
    subtotal_cents: int().notNull(),
    shipping_amount_cents: int().notNull(),
    currency: text().notNull(),
    source_platform: text().notNull(),
    source_external_id: text(),
    metadata: json<Record<string, unknown>>().notNull(),
    revision: int().notNull(),
    /** The number of history rows. */
    history_rows: int().notNull().default(1),
    created_at: time().notNull(),
    updated_at: time().notNull(),
    processing_at: time(),
    fulfilled_at: time(),
    shipped_at: time(),
    delivered_at: time(),
    cancelled_at: time(),
    cancel_reason: text().$type<CancelReason>(),
    /** Whether it is a past order imported from another system, which never affected stock here. */
    imported: bool().notNull().default(false),
    /** When a slip and a pick list were first printed, and how often; of slips, only those of the whole order. */
    slip_printed_at: time(),
    slip_prints: int().notNull().default(0),
    pick_list_printed_at: time(),
    pick_list_prints: int().notNull().default(0),
  },
  (t) => [
    unique("orders_number").on(t.order_number, t.merchant_id),
    // With the number, since prefix searches scan the list.
    index("orders_created").on(t.created_at, t.id, t.order_number),
    index("orders_status").on(t.status, t.held, t.created_at, t.id),
    index("orders_queue").on(t.status, t.held, descending(t.priority), t.id),
    index("orders_priority").on(descending(t.priority), t.id),
    index("orders_held").on(t.created_at, t.id).where(where("held = true")),
    index("orders_held_queue").on(descending(t.priority), t.id).where(where("held = true")),
    index("orders_imported").on(t.created_at, t.id).where(where("imported = true")),
    index("orders_customer").on(t.customer_id, t.created_at, t.id),
    index("orders_updated").on(t.updated_at),
    index("orders_number_folded").on(folded(t.order_number)),
    index("orders_number_digits").on(lastDigits(t.order_number)),
    index("orders_external").on(folded(t.source_external_id)).where(where("source_external_id is not null")),
    index("orders_merchant").on(t.merchant_id, t.created_at, t.id),
    oneOf("orders", "status", orderStatuses),
    foreignKey({
      name: "orders_owned_customer",
      columns: [t.merchant_id, t.customer_id],
      foreignColumns: [customers.merchant_id, customers.id],
    }),
    check("orders_amounts", "subtotal_cents >= 0 and shipping_amount_cents >= 0"),
  ],
);

/**
 * The number of orders by merchant and status, maintained by triggers of `orders`. The rows of a status always sum up
 * to its orders within the same snapshot. SQLite has one writer, and one row per status, with part 0. On PostgreSQL
 * each transaction writes its own rows, so that none waits for another. Their part is the transaction's number, they
 * may be negative, and a job adds them to part 0.
 */
export const order_counts = table(
  "order_counts",
  {
    merchant_id: int().notNull(),
    status: text().$type<OrderStatus>().notNull(),
    held: bool().notNull(),
    part: int().notNull(),
    number: int().notNull(),
  },
  (t) => [primaryKey({ columns: [t.merchant_id, t.status, t.held, t.part] })],
);

/** The tags of orders, as `orders.tags` has them. */
export const order_tags = table(
  "order_tags",
  {
    merchant_id: sameOwner(),
    order_id: int()
      .notNull()
      .references(() => orders.id),
    /** The tag in lower case. Tags are compared in this form. */
    key: text().notNull(),
    tag: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.order_id, t.key] }), index("order_tags_key").on(t.key, t.merchant_id, t.order_id)],
);

/** Notes of staff on orders. They are written and deleted, never changed. */
export const staff_notes = table(
  "staff_notes",
  {
    id: id(),
    merchant_id: sameOwner(),
    order_id: int()
      .notNull()
      .references(() => orders.id),
    text: text().notNull(),
    /** Whether the merchant sees it, too. */
    shared: bool().notNull(),
    actor_type: text().$type<ActorType>().notNull(),
    actor_id: text().notNull(),
    actor_name: text().notNull(),
    created_at: time().notNull(),
  },
  (t) => [index("staff_notes_order").on(t.order_id, t.created_at, t.id)],
);

/** Search words of orders, from their tags and staff notes. */
export const order_words = table(
  "order_words",
  {
    order_id: int()
      .notNull()
      .references(() => orders.id),
    /** The note that has the word; 0 for the order's tags. */
    note_id: int().notNull(),
    word: text().notNull(),
    /** Whether only the operator may find the order by it. */
    internal: bool().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.order_id, t.note_id, t.word] }),
    index("order_words_word").on(t.word, t.internal, t.order_id),
  ],
);

export const order_lines = table(
  "order_lines",
  {
    id: id(),
    merchant_id: sameOwner(),
    order_id: int()
      .notNull()
      .references(() => orders.id),
    product_id: int().notNull(),
    sku: text().notNull(),
    name: text().notNull(),
    /** The bundle's components when it was ordered; null for a simple product. */
    components: json<{ product_id: number; sku: string; quantity: number }[]>(),
    quantity: int().notNull(),
    unit_price_cents: int().notNull(),
    /** The discount on all units together. */
    discount_cents: int().notNull().default(0),
    quantity_packed: int().notNull(),
    quantity_shipped: int().notNull(),
    quantity_delivered: int().notNull(),
    quantity_returned: int().notNull(),
    quantity_cancelled: int().notNull(),
    /** When its order was created, so that the product's index alone lists its orders. */
    ordered_at: time().notNull().default(0),
  },
  (t) => [
    index("order_lines_order").on(t.order_id),
    index("order_lines_product_time").on(t.product_id, t.ordered_at, t.order_id),
    foreignKey({
      name: "order_lines_owned_product",
      columns: [t.merchant_id, t.product_id],
      foreignColumns: [products.merchant_id, products.id],
    }),
    check("order_lines_quantity", "quantity between 1 and 1000000"),
    check("order_lines_price", "unit_price_cents >= 0"),
    check("order_lines_discount", "discount_cents between 0 and quantity * unit_price_cents"),
    check(
      "order_lines_counts",
      "0 <= quantity_returned and quantity_returned <= quantity_shipped and 0 <= quantity_delivered" +
        " and quantity_delivered <= quantity_shipped and quantity_shipped <= quantity_packed" +
        " and 0 <= quantity_cancelled and quantity_packed + quantity_cancelled <= quantity",
    ),
  ],
);

export const order_holds = table(
  "order_holds",
  {
    id: id(),
    order_id: int()
      .notNull()
      .references(() => orders.id),
    reason: text().$type<HoldReason>().notNull(),
    note: text(),
    hold_until: time(),
    reserve_inventory: bool().notNull(),
    created_at: time().notNull(),
    released_at: time(),
  },
  (t) => [
    index("order_holds_order").on(t.order_id),
    index("order_holds_reason").on(t.reason, t.order_id).where(where("released_at is null")),
    unique("order_holds_open").on(t.order_id, t.reason).where(where("released_at is null")),
    index("order_holds_recalled").on(t.order_id).where(where("released_at is null and reason = 'recalled_lot'")),
    index("order_holds_unknown_sku").on(t.order_id).where(where("released_at is null and reason = 'unknown_sku'")),
    index("order_holds_addresses")
      .on(t.order_id)
      .where(where("released_at is null and reason in ('bad_address', 'address_hidden')")),
    index("order_holds_resolved_by_people")
      .on(t.created_at, t.id)
      .where(where("released_at is null and hold_until is null")),
    index("order_holds_until").on(t.hold_until).where(where("released_at is null and hold_until is not null")),
  ],
);

export const order_history = table(
  "order_history",
  {
    id: id(),
    order_id: int()
      .notNull()
      .references(() => orders.id),
    /** Its position among the order's rows, from 1, without gaps. */
    number: int().notNull().default(1),
    event: text().notNull(),
    from_status: text(),
    to_status: text().notNull(),
    reason: text(),
    note: text(),
    actor_type: text().$type<ActorType>().notNull(),
    actor_id: text().notNull(),
    actor_name: text().notNull(),
    request_id: text(),
    created_at: time().notNull(),
  },
  (t) => [unique("order_history_number").on(t.order_id, t.number)],
);
