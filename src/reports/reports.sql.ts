// How reports read: part by part, each in a view of its own, so that a long report delays nobody.
import type { TObject } from "@sinclair/typebox";
import { desc, sql } from "drizzle-orm";
import { given } from "../../db/kit.ts";
import { movements } from "../../db/schema/inventory.ts";
import { products } from "../../db/schema/products.ts";
import { wireId } from "../core/ids.ts";
import { periodOf } from "../core/time_zone.ts";
import { defaultOrigin } from "../shipping/origins.sql.ts";
import type { Db, Store } from "../storage/database.ts";
import { prepared, preparedOf, type StatementArgs } from "../storage/statements.ts";
import { daysOf, type ReportDay } from "./report_days.ts";

/** What reports read from. */
export type ReportSource = Pick<Store, "read">;

/** One report: its texts, its query, and how it is read. */
export interface ReportDefinition {
  /** Its name in the path, and of its operations: `on-time`, `OnTime`. */
  readonly name: string;
  readonly id: string;
  readonly summary: string;
  /** The exact definition of its figures. */
  readonly description: string;
  readonly query: TObject;
  readonly exported: TObject;
  /** Its answer, whose `rows` are the rows of its file. */
  readonly view: TObject;
  /** Reads the report with all its rows; `limit` is applied afterwards. */
  readonly find: (source: ReportSource, query: never) => Promise<Found>;
}

/** The result of a report: what stands above its rows, the rows, and what stands below them. */
interface Found {
  readonly head: object;
  readonly rows: readonly object[];
  readonly totals: unknown;
}

/** The days that a report is about. */
export interface ReportSpan {
  readonly timezone: string;
  readonly from: string;
  readonly to: string;
  /** The moments (ms) at which they begin and end, and now. */
  readonly since: number;
  readonly until: number;
  readonly now: number;
  readonly days: readonly ReportDay[];
}

/** The days of a request, in the zone of the first warehouse. Refuses: validation_failed. */
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

/** The days of a report as its answer shows them. */
export function headOf({ timezone, from, to }: ReportSpan): { timezone: string; from: string; to: string } {
  return { timezone, from, to };
}

const days_at_once = 4;

/** Looks something up for each day, a few days in one view, and lets other requests run in between. */
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

/** Lets what waits on the event loop run first. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Records from one id to before another. */
export interface IdPart {
  readonly first: number;
  readonly end: number;
}

const movements_at_once = 20_000;
// A movement gets its number when it is written and its time when its transaction began, so a transaction that waited
// for another has a later number and an earlier time. No transaction waits longer than this.
const waiting_max_ms = 600_000;

const nextFrom = prepared((select, a: StatementArgs<{ id: number }>) =>
  select
    .select({ id: movements.id, created_at: movements.created_at })
    .from(movements)
    .where(sql`${movements.id} >= ${given(a.id)}`)
    .orderBy(movements.id)
    .limit(1),
);
const newest = prepared((select) =>
  select.select({ id: movements.id }).from(movements).orderBy(desc(movements.id)).limit(1),
);

/**
 * Parts of the ledger that contain all movements from `since` until `until` (ms) and few others, so callers also filter
 * by time. Parts are found by id, which rises with time, so that the ledger needs no index by time.
 */
export async function ledgerParts(db: Db, since: number, until: number): Promise<IdPart[]> {
  const [last] = await newest(db, {});
  if (last === undefined) return [];
  const first = await firstIdSince(db, since - waiting_max_ms, last.id);
  const end = await firstIdSince(db, until + waiting_max_ms, last.id);
  const parts: IdPart[] = [];
  // Unused numbers are skipped: those of test data begin at a billion.
  for (let from = first; from < end; ) {
    const [row] = await nextFrom(db, { id: from });
    if (row === undefined || row.id >= end) break;
    parts.push({ first: row.id, end: Math.min(end, row.id + movements_at_once) });
    from = row.id + movements_at_once;
  }
  return parts;
}

/**
 * The lowest id from which on movements are not earlier than a moment, by bisection; without one, the id after the
 * last.
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

/** What a report calls a product, and whose it is. */
interface ReportedProduct {
  readonly merchant_id: string;
  readonly sku: string;
  readonly name: string;
}

/** What a report says of a product that is none any more. */
export const unnamed: ReportedProduct = { merchant_id: "", sku: "", name: "" };

/** The SKU, the name and the merchant of each of these products. */
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

/** All products, in ranges of ids, each from the first id until before the end. */
export async function productParts(source: ReportSource): Promise<IdPart[]> {
  const ids = await source.read((db) => everyProduct(db, {}));
  const parts: IdPart[] = [];
  for (let at = 0; at < ids.length; at += products_at_once) {
    const last = ids[Math.min(ids.length, at + products_at_once) - 1]?.id ?? 0;
    parts.push({ first: ids[at]?.id ?? 0, end: last + 1 });
  }
  return parts;
}
