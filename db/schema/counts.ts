import {
  type CountStatus,
  countStatuses,
  type ValueSource,
  valueSources,
} from "../../src/inventory/inventory.transitions.ts";
import { bool, check, id, index, int, json, oneOf, table, text, time, unique, where } from "../kit.ts";
import { lots, movements } from "./inventory.ts";
import { products } from "./products.ts";
import { bins, warehouses } from "./warehouses.ts";

/** Cycle counts of bins or SKUs in one warehouse. */
export const counts = table(
  "counts",
  {
    id: id(),
    status: text().$type<CountStatus>().notNull(),
    warehouse_id: int()
      .notNull()
      .references(() => warehouses.id),
    /** The counted bins or SKUs; both null for the whole warehouse. */
    bins: json<string[]>(),
    skus: json<string[]>(),
    /** Whether counters do not see the expected quantity. */
    blind: bool().notNull(),
    notes: text(),
    opened_by: text().notNull(),
    posted_by: text(),
    revision: int().notNull(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
    reviewed_at: time(),
    posted_at: time(),
    cancelled_at: time(),
  },
  (t) => [
    index("counts_created").on(t.created_at, t.id),
    index("counts_reviewed").on(t.reviewed_at).where(where("status = 'review'")),
    oneOf("counts", "status", countStatuses),
  ],
);

/** The counted quantity of one product and lot in one bin. */
export const count_lines = table(
  "count_lines",
  {
    id: id(),
    count_id: int()
      .notNull()
      .references(() => counts.id),
    product_id: int()
      .notNull()
      .references(() => products.id),
    bin_id: int()
      .notNull()
      .references(() => bins.id),
    lot_id: int().references(() => lots.id),
    /** On hand when the line was counted; until then, on hand when the count was opened. */
    expected: int().notNull(),
    counted: int(),
    counted_at: time(),
    counted_by: text(),
    /** The value of one unit at the review, and its source. */
    unit_value_cents: int(),
    unit_value_currency: text(),
    value_source: text().$type<ValueSource>(),
    /** The adjustment that set on hand to the counted quantity. */
    movement_id: int().references(() => movements.id),
  },
  (t) => [
    index("count_lines_count").on(t.count_id),
    unique("count_lines_place").on(t.count_id, t.product_id, t.bin_id, t.lot_id).where(where("lot_id is not null")),
    unique("count_lines_place_no_lot").on(t.count_id, t.product_id, t.bin_id).where(where("lot_id is null")),
    oneOf("count_lines", "value_source", valueSources),
    check("count_lines_expected", "expected between 0 and 1000000000"),
    check("count_lines_counted", "counted between 0 and 1000000000"),
  ],
);
