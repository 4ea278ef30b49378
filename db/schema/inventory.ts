import type { ActorType } from "../../src/core/actor.ts";
import {
  type LotStatus,
  lotStatuses,
  type MovementType,
  type OutsidePlace,
} from "../../src/inventory/inventory.transitions.ts";
import type { PackLevel } from "../../src/products/product.ts";
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
    /** The expiry date, which ends at midnight in each warehouse's time zone. */
    expires_on: day(),
    status: text().$type<LotStatus>().notNull(),
    created_at: time().notNull(),
    /** Incremented when the status or dates change, not by stock movements. */
    revision: int().notNull().default(1),
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

/** Units of one product in one bin and lot. Only the ledger writes `on_hand` and `reserved`. */
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
    /** When the first units were received; used for first in, first out. */
    received_at: time().notNull(),
    /**
     * For units of a lot in a storage bin: the next date on which the passage of time changes whether they can be
     * promised, if noted. Null once nothing changes any more.
     */
    turns_on: day(),
    /** The open count that keeps its units from being promised, since a picker did not find them; null if none. */
    count_id: int(),
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
    index("stock_items_counted").on(t.count_id).where(where("count_id is not null")),
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
 * The ledger: `quantity` units (always positive) moved from `from_item_id` to `to_item_id`. One side is null if the
 * units came from outside or went there. `to_place` then states where: `customer`, `write_off`, `in_transit` for a
 * transfer, or `other_merchant` for an ownership transfer. The last two return in a movement without a `from_item_id`.
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
    /** The packs in which the units were handled, and the units in each; null for single units. */
    pack_level: text().$type<PackLevel>(),
    pack_units: int(),
    from_item_id: int().references(() => stock_items.id),
    to_item_id: int().references(() => stock_items.id),
    to_place: text().$type<OutsidePlace>(),
    /** On hand of each side's stock item after this movement. */
    from_balance: int(),
    to_balance: int(),
    lot_id: int().references(() => lots.id),
    reason: text().notNull(),
    notes: text(),
    reference_type: text(),
    reference_id: text(),
    unit_cost_cents: int(),
    /** The product's unit cost when the units were received; null if unknown. */
    unit_cost_currency: text(),
    /** False if the units were assumed from the plan instead of scanned. */
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
    // The reference of most movements is found without an index, so this partial index omits them.
    index("movements_reason").on(t.reason, t.id).where(where("reason not in ('shipped', 'picked', 'received')")),
    check("movements_quantity", "quantity between 1 and 1000000000"),
    check("movements_sides", "from_item_id is not null or to_item_id is not null"),
    check("movements_balances", "from_balance >= 0 and to_balance >= 0"),
  ],
);
