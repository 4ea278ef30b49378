// The storage of every day added up anew, from the first row of the ledger on.
import { asc, eq, sql } from "drizzle-orm";
import { given } from "../../../../db/kit.ts";
import { storage_closes, storage_days } from "../../../../db/schema/billing.ts";
import { movements, stock_items } from "../../../../db/schema/inventory.ts";
import { bins } from "../../../../db/schema/warehouses.ts";
import { type Args, prepared } from "../../../database/statements.ts";
import type { Db } from "../../../database/store.ts";
import { type Difference, named, shown_max } from "../../../database/verifier.ts";

const rows_together_max = 5000;

const closes = prepared((query) =>
  query
    .select()
    .from(storage_closes)
    .where(sql`${storage_closes.closed_at} is not null`)
    .orderBy(asc(storage_closes.warehouse_id), asc(storage_closes.business_date)),
);
type Close = Awaited<ReturnType<typeof closes>>[number];

const places = prepared((query) =>
  query
    .select({ id: stock_items.id, warehouse_id: stock_items.warehouse_id, bin_kind: bins.kind })
    .from(stock_items)
    .innerJoin(bins, eq(bins.id, stock_items.bin_id)),
);

const ledger = prepared((query, a: Args<{ after: number; limit: number }>) =>
  query
    .select({
      id: movements.id,
      quantity: movements.quantity,
      from_item_id: movements.from_item_id,
      to_item_id: movements.to_item_id,
      created_at: movements.created_at,
    })
    .from(movements)
    .where(sql`${movements.id} > ${a.after}`)
    .orderBy(asc(movements.id))
    .limit(given(a.limit)),
);

const rowsOf = prepared((query, a: Args<{ business_date: string }>) =>
  query.select().from(storage_days).where(eq(storage_days.business_date, a.business_date)),
);

/** How many units an item had more or fewer, and the day for which that counts first. */
interface Change {
  readonly item: number;
  readonly by: number;
  readonly day: number;
  /** Whether it happened on that day, and not before. */
  readonly within: boolean;
}

/** Checks the units of every row of storage against the ledger. */
export async function verifyStorage(db: Db): Promise<Difference[]> {
  const days = Map.groupBy(await closes(db, {}), ({ warehouse_id }) => warehouse_id);
  if (days.size === 0) return [];
  const items = await places(db, {});
  const warehouses = new Map(items.map(({ id, warehouse_id }) => [id, warehouse_id]));
  // What only passed through staging on a day has no row.
  const staging = new Set(items.flatMap(({ id, bin_kind }) => (bin_kind === "staging" ? id : [])));
  const changes = await changesOf(db, days, warehouses);
  const differences: Difference[] = [];
  for (const [warehouse_id, own] of days) {
    const byDay = Map.groupBy(changes.get(warehouse_id) ?? [], ({ day }) => day);
    const units = new Map<number, number>();
    for (const [at, day] of own.entries()) {
      const peaks = replay(units, byDay.get(at) ?? []);
      for (const item of staging) if ((units.get(item) ?? 0) === 0) peaks.delete(item);
      differences.push(...(await compare(db, day, units, peaks)));
    }
  }
  return differences;
}

/** Every change of an item in each warehouse, with the day for which it counts. */
async function changesOf(
  db: Db,
  days: ReadonlyMap<number, readonly Close[]>,
  warehouses: ReadonlyMap<number, number>,
): Promise<Map<number, Change[]>> {
  const found = new Map<number, Change[]>();
  // The day of each item's last row. What came after it counts for no day before that.
  const reached = new Map<number, number>();
  for (let after: number | null = 0; after !== null; ) {
    const rows: Awaited<ReturnType<typeof ledger>> = await ledger(db, { after, limit: rows_together_max });
    for (const { id, quantity, from_item_id, to_item_id, created_at } of rows) {
      const sides = [[from_item_id, -quantity] as const, [to_item_id, quantity] as const].flatMap(([item, by]) => {
        const warehouse_id = item === null ? undefined : warehouses.get(item);
        return item === null || warehouse_id === undefined ? [] : { item, by, warehouse_id };
      });
      for (const [warehouse_id, here] of Map.groupBy(sides, (side) => side.warehouse_id)) {
        const own = days.get(warehouse_id) ?? [];
        const first = own.findIndex((one) => created_at < one.ended_at && id <= one.last_movement_id);
        const day = Math.max(first < 0 ? own.length : first, ...here.map(({ item }) => reached.get(item) ?? 0));
        for (const { item } of here) reached.set(item, day);
        const close = own[day];
        if (close === undefined) continue;
        const within = created_at >= close.began_at;
        const list = found.get(warehouse_id) ?? [];
        found.set(warehouse_id, list);
        for (const { item, by } of here) list.push({ item, by, day, within });
      }
    }
    after = rows.length < rows_together_max ? null : (rows.at(-1)?.id ?? null);
  }
  return found;
}

/** Changes the units of items by a day's changes; answers the most that each had at once. */
function replay(units: Map<number, number>, changes: readonly Change[]): Map<number, number> {
  const peaks = new Map<number, number>();
  for (const { item, by, within } of changes) {
    const before = units.get(item) ?? 0;
    units.set(item, before + by);
    if (within) peaks.set(item, Math.max(peaks.get(item) ?? before, before + by));
  }
  for (const [item, count] of units) peaks.set(item, Math.max(peaks.get(item) ?? 0, count));
  return peaks;
}

/** The rows of a day that are not what the ledger says. */
async function compare(
  db: Db,
  { warehouse_id, business_date }: Close,
  units: ReadonlyMap<number, number>,
  peaks: ReadonlyMap<number, number>,
): Promise<Difference[]> {
  const rows = (await rowsOf(db, { business_date })).filter((row) => row.warehouse_id === warehouse_id);
  const known = new Map(rows.map((row) => [row.stock_item_id, row]));
  const items = new Set([...known.keys(), ...[...peaks].flatMap(([item, peak]) => (peak > 0 ? item : []))]);
  const differences: Difference[] = [];
  for (const item of items) {
    const row = known.get(item);
    for (const [what, expected, actual] of [
      ["at the close", units.get(item) ?? 0, row?.units_at_close ?? 0],
      ["at most", peaks.get(item) ?? 0, row?.units_peak ?? 0],
    ] as const) {
      if (expected === actual) continue;
      const shown = row === undefined || differences.length >= shown_max ? [] : named("storage_days", [row]);
      const subject = `stock item ${item} on ${business_date}`;
      differences.push({
        rule: `I18 the units ${what} of a day are those of the ledger`,
        subject,
        expected,
        actual,
        rows: shown,
      });
    }
  }
  return differences;
}
