import type { ActorType } from "../../src/core/actor.ts";
import {
  type LotStatus,
  lotStatuses,
  type MovementType,
  type OutsidePlace,
} from "../../src/inventory/inventory.transitions.ts";
import {
  bool,
  check,
  day,
  folded,
  foreignKey,
  id,
  index,
  int,
  oneOf,
  table,
  text,
  time,
  unique,
  where,
} from "../kit.ts";
import { owner, sameOwner } from "./merchants.ts";
import { products } from "./products.ts";
import { bins, warehouses } from "./warehouses.ts";

export const lots = table(
  "lots",
  {
    id: id(),
    merchant_id: owner(),
    product_id: int()
      .notNull()
      .references(() => products.id),
    lot_number: text().notNull(),
    received_date: time().notNull(),
    /** Its last day, which counts in each warehouse as long as it lasts there. */
    expires_on: day(),
    status: text().$type<LotStatus>().notNull(),
    created_at: time().notNull(),
    /** Raised by each change of its status or its dates; the units that come and go are none. */
    version: int().notNull().default(1),
  },
  (t) => [
    unique("lots_number").on(t.product_id, t.lot_number),
    index("lots_named").on(t.lot_number),
    index("lots_number_folded").on(folded(t.lot_number)),
    index("lots_expiry").on(t.expires_on).where(where("status = 'available' and expires_on is not null")),
    index("lots_recalled").on(t.id).where(where("status = 'recalled'")),
    oneOf("lots", "status", lotStatuses),
  ],
);

/** Units of one product in one bin and lot. `on_hand` is written by the ledger alone, `reserved` by reservations. */
export const stock_items = table(
  "stock_items",
  {
    id: id(),
    merchant_id: sameOwner(),
    product_id: int().notNull(),
    warehouse_id: int()
      .notNull()
      .references(() => warehouses.id),
    bin_id: int()
      .notNull()
      .references(() => bins.id),
    lot_id: int().references(() => lots.id),
    on_hand: int().notNull(),
    reserved: int().notNull(),
    /** When the first units came: what came first leaves first. */
    received_at: time().notNull(),
    /**
     * Of units of a lot in a storage bin: the day of their warehouse on which time alone next changes whether they can
     * be promised, as far as that was noted. Null once nothing changes any more.
     */
    turns_on: day(),
    updated_at: time().notNull(),
  },
  (t) => [
    unique("stock_items_owned").on(t.merchant_id, t.id),
    unique("stock_items_place").on(t.product_id, t.bin_id, t.lot_id).where(where("lot_id is not null")),
    unique("stock_items_place_no_lot").on(t.product_id, t.bin_id).where(where("lot_id is null")),
    index("stock_items_held").on(t.product_id).where(where("on_hand > 0")),
    index("stock_items_bin").on(t.bin_id),
    index("stock_items_turning").on(t.warehouse_id, t.turns_on).where(where("turns_on is not null")),
    index("stock_items_lot").on(t.lot_id).where(where("lot_id is not null")),
    foreignKey({
      name: "stock_items_owned_product",
      columns: [t.merchant_id, t.product_id],
      foreignColumns: [products.merchant_id, products.id],
    }),
    check("stock_items_on_hand", "on_hand between 0 and 1000000000"),
    check("stock_items_reserved", "reserved between 0 and on_hand"),
  ],
);

/**
 * The ledger: `quantity` units (always positive) left `from_item_id` and came to `to_item_id`. One side is null when
 * the units came from outside or went there; `to_place` then says where: `customer`, `write_off`, or `in_transit` for
 * units of a transfer and `other_merchant` for those that changed hands, which both come back in by a movement without
 * a `from_item_id`.
 */
export const movements = table(
  "movements",
  {
    id: id(),
    merchant_id: owner(),
    product_id: int()
      .notNull()
      .references(() => products.id),
    type: text().$type<MovementType>().notNull(),
    quantity: int().notNull(),
    from_item_id: int().references(() => stock_items.id),
    to_item_id: int().references(() => stock_items.id),
    to_place: text().$type<OutsidePlace>(),
    /** On hand of the stock item on each side right after this movement. */
    from_balance: int(),
    to_balance: int(),
    lot_id: int().references(() => lots.id),
    reason: text().notNull(),
    notes: text(),
    reference_type: text(),
    reference_id: text(),
    unit_cost_cents: int(),
    /** That of the product when the units came; null without a cost. */
    unit_cost_currency: text(),
    /** False when the units were assumed by the plan instead of being scanned on the floor. */
    confirmed: bool().notNull(),
    actor_type: text().$type<ActorType>().notNull(),
    actor_id: text().notNull(),
    created_at: time().notNull(),
  },
  (t) => [
    index("movements_product").on(t.product_id, t.id),
    index("movements_from").on(t.from_item_id),
    index("movements_to").on(t.to_item_id),
    index("movements_reference").on(t.reference_type, t.reference_id),
    index("movements_cost").on(t.product_id, t.id).where(where("unit_cost_cents is not null")),
    index("movements_lot").on(t.lot_id, t.id).where(where("lot_id is not null")),
    // What most movements are for is found without an index, and rows that are not in it cost nothing to write.
    index("movements_reason").on(t.reason, t.id).where(where("reason not in ('shipped', 'picked', 'received')")),
    check("movements_quantity", "quantity between 1 and 1000000000"),
    check("movements_sides", "from_item_id is not null or to_item_id is not null"),
    check("movements_balances", "from_balance >= 0 and to_balance >= 0"),
  ],
);
