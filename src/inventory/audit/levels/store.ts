// The stock figures that the API shows of a product, checked against plain sums of its rows, which share nothing with
// the views.
import { and, asc, eq, gt, ne, type SQL, sql } from "drizzle-orm";
import { among, isOneOf, list } from "../../../../db/kit.ts";
import { lots, stock_items } from "../../../../db/schema/inventory.ts";
import { products } from "../../../../db/schema/products.ts";
import { bins } from "../../../../db/schema/warehouses.ts";
import { type Args, prepared } from "../../../database/statements.ts";
import type { Db } from "../../../database/store.ts";
import { lotMoves } from "../../lots/status.ts";
import { itemView } from "../../stock/shelf.ts";
import { loadShelves } from "../../stock/store.ts";
import { dayIn, type LocalDays, localDays } from "../../warehouses/store.ts";

/** A figure that the API shows of a product, and what it should be. */
interface ShownLevel {
  readonly rule: string;
  readonly id: number;
  readonly expected: number;
  readonly actual: number;
}

const slice = 500;

const sum = (value: SQL) => sql<number>`coalesce(sum(${value}), 0)`.mapWith(Number);
const when = (condition: SQL) => sum(sql`case when ${condition} then ${stock_items.on_hand} else 0 end`);

const isAvailable = isOneOf(lots.status, [lotMoves.release.to]);

const sums = (db: Db, ids: readonly number[], days: LocalDays) =>
  db.sql
    .select({
      id: stock_items.product_id,
      on_hand: sum(sql`${stock_items.on_hand}`),
      reserved: sum(sql`${stock_items.reserved}`),
      available: sum(sql`case when ${bins.kind} = 'storage' and (${lots.id} is null or ${isAvailable}
          and (${lots.expires_on} is null
            or ${lots.expires_on} - ${products.min_shelf_life_days} >= ${dayIn(days, stock_items.warehouse_id)}))
        then ${stock_items.on_hand} - ${stock_items.reserved} else 0 end`),
      staged: when(sql`${bins.kind} = 'staging'`),
      in_lots: when(sql`${stock_items.lot_id} is not null`),
    })
    .from(stock_items)
    .innerJoin(products, eq(products.id, stock_items.product_id))
    .innerJoin(bins, eq(bins.id, stock_items.bin_id))
    .leftJoin(lots, eq(lots.id, stock_items.lot_id))
    .where(among(stock_items.product_id, sql`${list(ids)}`))
    .groupBy(stock_items.product_id);

/** Every figure that the API shows of a product's stock, with the sum of its rows; bundles have none. */
export async function* shownLevels(db: Db): AsyncGenerator<ShownLevel> {
  const days = await localDays(db);
  for (let ids = await stockedAfter(db, 0); ids.length > 0; ids = await stockedAfter(db, ids.at(-1) ?? 0)) {
    const sumsOf = new Map((await sums(db, ids, days)).map((row) => [row.id, row]));
    for (const shelf of await loadShelves(db, ids)) {
      const { id } = shelf.product;
      const { on_hand = 0, reserved = 0, available = 0, staged = 0, in_lots = 0 } = sumsOf.get(id) ?? {};
      const shown = itemView(shelf, db.now, shelf.updated_at);
      const unavailable = Object.values(shown.unavailable).reduce((total, units) => total + units, 0);
      const in_bins = shown.locations.reduce((total, { quantity }) => total + quantity, 0);
      const shown_in_lots = shown.lots.reduce((total, { quantity }) => total + quantity, 0);
      yield* [
        level(id, "I1 available and reserved make the total", shown.available + shown.reserved, shown.total),
        level(id, "I1 the total and what is unavailable make on hand", shown.total + unavailable, shown.on_hand),
        level(id, "I1 available is what is for sale and promised to nobody", available, shown.available),
        level(id, "I1 reserved is all that is promised", reserved, shown.reserved),
        level(id, "I1 on hand is all that lies in the house", on_hand, shown.on_hand),
        level(id, "I3 what lies in the bins and in staging is on hand", on_hand, in_bins + staged),
        level(id, "I3 what lies in lots is the sum of the lots", in_lots, shown_in_lots),
      ];
    }
  }
}

const level = (id: number, rule: string, expected: number, actual: number) => ({ rule, id, expected, actual });

const stocked = prepared((select, a: Args<{ after: number }>) =>
  select
    .selectDistinct({ id: stock_items.product_id })
    .from(stock_items)
    .innerJoin(products, eq(products.id, stock_items.product_id))
    .where(and(gt(stock_items.product_id, a.after), ne(products.type, "bundle")))
    .orderBy(asc(stock_items.product_id))
    .limit(slice),
);

async function stockedAfter(db: Db, after: number): Promise<number[]> {
  return (await stocked(db, { after })).map(({ id }) => id);
}
