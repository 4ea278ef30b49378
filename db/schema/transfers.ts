import { type TransferStatus, transferStatuses } from "../../src/inventory/inventory.transitions.ts";
import { check, folded, id, index, int, oneOf, table, text, time, where } from "../kit.ts";
import { lots } from "./inventory.ts";
import { owner } from "./merchants.ts";
import { products } from "./products.ts";
import { warehouses } from "./warehouses.ts";

/** Transfers between warehouses. */
export const transfers = table(
  "transfers",
  {
    id: id(),
    merchant_id: owner(),
    status: text().$type<TransferStatus>().notNull(),
    /** The client's reference. */
    reference: text(),
    from_warehouse_id: int()
      .notNull()
      .references(() => warehouses.id),
    to_warehouse_id: int()
      .notNull()
      .references(() => warehouses.id),
    revision: int().notNull(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
    shipped_at: time(),
    received_at: time(),
    cancelled_at: time(),
  },
  (t) => [
    index("transfers_created").on(t.created_at, t.id),
    index("transfers_reference").on(folded(t.reference)).where(where("reference is not null")),
    oneOf("transfers", "status", transferStatuses),
    check("transfers_warehouses", "from_warehouse_id <> to_warehouse_id"),
  ],
);

/** The quantity of a product to move, optionally from a lot and bin. */
export const transfer_lines = table(
  "transfer_lines",
  {
    id: id(),
    transfer_id: int()
      .notNull()
      .references(() => transfers.id),
    product_id: int()
      .notNull()
      .references(() => products.id),
    lot_number: text(),
    bin: text(),
    quantity: int().notNull(),
  },
  (t) => [
    index("transfer_lines_transfer").on(t.transfer_id),
    check("transfer_lines_quantity", "quantity between 1 and 1000000"),
  ],
);

/** Sent units of a line and lot (or no lot), in transit until they arrive or are written off. */
export const transfer_loads = table(
  "transfer_loads",
  {
    id: id(),
    transfer_line_id: int()
      .notNull()
      .references(() => transfer_lines.id),
    product_id: int()
      .notNull()
      .references(() => products.id),
    lot_id: int().references(() => lots.id),
    /** When the first of the units was received; used for first in, first out. */
    stocked_at: time().notNull(),
    quantity: int().notNull(),
    in_transit: int().notNull(),
    received: int().notNull(),
    written_off: int().notNull(),
  },
  (t) => [
    index("transfer_loads_line").on(t.transfer_line_id),
    index("transfer_loads_in_transit").on(t.product_id, t.in_transit).where(where("in_transit > 0")),
    check("transfer_loads_quantity", "quantity between 1 and 1000000"),
    check("transfer_loads_parts", "in_transit >= 0 and received >= 0 and written_off >= 0"),
    check("transfer_loads_sum", "in_transit + received + written_off = quantity"),
  ],
);
