// Reports read in parts, each in its own transaction, so that a long report does not delay other requests.
import type { TObject } from "@sinclair/typebox";
import { desc, sql } from "drizzle-orm";
import { opaque } from "../../db/kit.ts";
import { movements } from "../../db/schema/inventory.ts";
import { products } from "../../db/schema/products.ts";
import { wireId } from "../core/ids.ts";
import { periodOf } from "../core/time_zone.ts";
import { defaultOrigin } from "../shipping/origins.sql.ts";
import type { Db, Store } from "../storage/database.ts";
import { prepared, preparedOf, type StatementArgs } from "../storage/statements.ts";
import { daysOf, type ReportDay, reportPeriodsOf } from "./report_days.ts";

export type ReportSource = Pick<Store, "read">;

/** A report: its texts, its query and its function. */
export interface ReportDefinition {
  /** In the path: `on_time`. */
  readonly name: string;
  /** In the operation ids: `OnTime`. */
  readonly id: string;
  readonly summary: string;
  /** Defines its figures exactly. */
  readonly description: string;
  readonly query: TObject;
  readonly exported: TObject;
  /** The response. Its `rows` are also the rows of the CSV file. */
  readonly view: TObject;
  /** Reads the report with all rows. `limit` is applied afterwards. */
  readonly find: (source: ReportSource, query: never) => Promise<ReportResult>;
}

/** The result of a report: fields above its rows, the rows, and fields below them. */
interface ReportResult {
  readonly head: object;
  readonly rows: readonly object[];
  readonly totals: unknown;
}

/** The period of a report. */
export interface ReportSpan {
  readonly timezone: string;
  readonly from: string;
  readonly to: string;
  /** Start, end and current time (ms). */
  readonly since: number;
  readonly until: number;
  readonly now: number;
  readonly days: readonly ReportDay[];
}

/** The period of a query, in the time zone of the first warehouse. Refuses: validation_failed. */
export async function spanOf(
  source: ReportSource,
  asked: { readonly from?: string | undefined; readonly to?: string | undefined },
): Promise<ReportSpan> {
  return source.read(async (db) => {
    const { timezone } = await defaultOrigin(db);
    const period = periodOf(asked, timezone, db.now);
    return { ...period, timezone, now: db.now, days: daysOf(period, timezone) };
  });
}

/** The period of a report, as the response shows it. */
export function headOf({ timezone, from, to }: ReportSpan): { timezone: string; from: string; to: string } {
  return { timezone, from, to };
}

/** A report of figures by period: those of each period, and those of all days. */
export function groupedResult(
  span: ReportSpan,
  group_by: Parameters<typeof reportPeriodsOf>[1],
  figuresOf: (days: readonly number[]) => object,
): ReportResult {
  return {
    head: { ...headOf(span), group_by },
    rows: reportPeriodsOf(span.days, group_by).map(({ from, to, days }) => ({ from, to, ...figuresOf(days) })),
    totals: figuresOf(span.days.map(({ day }) => day)),
  };
}

const days_at_once = 4;

/** Calls a query for each day, a few days per transaction, and yields to other requests in between. */
export async function eachDay<Found>(
  source: ReportSource,
  days: readonly ReportDay[],
  look: (db: Db, day: ReportDay) => Promise<Found>,
): Promise<Map<number, Found>> {
  const found = new Map<number, Found>();
  for (let at = 0; at < days.length; at += days_at_once) {
    const some = days.slice(at, at + days_at_once);
    await source.read(async (db) => {
      for (const day of some) found.set(day.day, await look(db, day));
    });
    await turn();
  }
  return found;
}

/** Yields to pending work on the event loop. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A range of ids, without its end. */
export interface IdPart {
  readonly first: number;
  readonly end: number;
}

const movements_at_once = 20_000;
// A movement gets its id when it is written and its time when its transaction began. A transaction that waited for
// another therefore has a later id and an earlier time. No transaction waits longer than this.
const waiting_max_ms = 600_000;

const nextFrom = prepared((select, a: StatementArgs<{ id: number }>) =>
  select
    .select({ id: movements.id, created_at: movements.created_at })
    .from(movements)
    .where(sql`${movements.id} >= ${opaque(a.id)}`)
    .orderBy(movements.id)
    .limit(1),
);
const newest = prepared((select) =>
  select.select({ id: movements.id }).from(movements).orderBy(desc(movements.id)).limit(1),
);

/**
 * Ranges of the ledger that contain all movements from `since` until `until` (ms), and a few others, so callers must
 * also filter by time. They are found by id, which rises with time, so that the ledger needs no index by time.
 */
export async function ledgerParts(db: Db, since: number, until: number): Promise<IdPart[]> {
  const [last] = await newest(db, {});
  if (last === undefined) return [];
  const first = await firstIdSince(db, since - waiting_max_ms, last.id);
  const end = await firstIdSince(db, until + waiting_max_ms, last.id);
  const parts: IdPart[] = [];
  // Skips unused ids: those of test data start at a billion.
  for (let from = first; from < end; ) {
    const [row] = await nextFrom(db, { id: from });
    if (row === undefined || row.id >= end) break;
    parts.push({ first: row.id, end: Math.min(end, row.id + movements_at_once) });
    from = row.id + movements_at_once;
  }
  return parts;
}

/**
 * The lowest id from which on movements are not earlier than `since` (ms), by bisection. The id after the last one if
 * there is none.
 */
async function firstIdSince(db: Db, since: number, last: number): Promise<number> {
  let [low, high] = [0, last + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [row] = await nextFrom(db, { id: middle });
    if (row === undefined || row.created_at >= since) high = middle;
    else low = row.id + 1;
  }
  return low;
}

const named = preparedOf((select, isOf) =>
  select
    .select({ id: products.id, merchant_id: products.merchant_id, sku: products.sku, name: products.name })
    .from(products)
    .where(isOf(products.id)),
);
const products_at_once = 2000;

/** A product as reports show it. */
interface ReportedProduct {
  readonly merchant_id: string;
  readonly sku: string;
  readonly name: string;
}

/** Stands for a product that no longer exists. */
export const unnamed: ReportedProduct = { merchant_id: "", sku: "", name: "" };

/** The SKU, name and merchant of each of these products, by id. */
export async function namesOf(source: ReportSource, ids: readonly number[]): Promise<Map<number, ReportedProduct>> {
  const names = new Map<number, ReportedProduct>();
  const all = [...new Set(ids)];
  for (let at = 0; at < all.length; at += products_at_once) {
    const some = all.slice(at, at + products_at_once);
    for (const { id, merchant_id, ...product } of await source.read((db) => named(db, { ids: some }))) {
      names.set(id, { merchant_id: wireId("merchant", merchant_id), ...product });
    }
    await turn();
  }
  return names;
}

const everyProduct = prepared((select) => select.select({ id: products.id }).from(products).orderBy(products.id));

/** Ranges of ids that cover all products. */
export async function productParts(source: ReportSource): Promise<IdPart[]> {
  const ids = await source.read((db) => everyProduct(db, {}));
  const parts: IdPart[] = [];
  for (let at = 0; at < ids.length; at += products_at_once) {
    const last = ids[Math.min(ids.length, at + products_at_once) - 1]?.id ?? 0;
    parts.push({ first: ids[at]?.id ?? 0, end: last + 1 });
  }
  return parts;
}
