import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { Fault, invalid } from "../core/faults.ts";
import { type PagePosition, type PageQuery, type PageWindow, slice_bytes } from "../core/schema.ts";
import type { Db } from "../storage/database.ts";
import type { LongRecords } from "../storage/long_records.ts";
import type { Call } from "./call.ts";
import { jsonResponse, metaOf } from "./envelope.ts";
import { answerSliced, isLong, type LongPage, PageWriter } from "./long_pages.ts";

/** A page of a list that is too long to count. `end` is where reading stopped if the page is not full. */
interface PartialPage<Row> {
  readonly rows: readonly Row[];
  readonly end: PagePosition | null;
}

/** How a list is read: its rows by page, their number, and the position of a row. */
export interface ListQuery<Row> {
  readonly rows: (db: Db, window: PageWindow) => Promise<readonly Row[] | PartialPage<Row>>;
  readonly count: (db: Db) => Promise<number>;
  readonly position: (row: Row) => PagePosition;
  /** For records that may be long, such as orders with their lines: long pages are read and sent in slices. */
  readonly long?: LongRecords<Row>;
}

/** The views of rows, including related records. */
type PageViews<Row> = LongPage<Row>["views"];
type PagedBody = { readonly data: readonly unknown[]; readonly pagination: Readonly<Record<string, unknown>> };

/** The maximum size of a page by cursor, unless a single record exceeds it. */
const cursor_page_bytes = 2_000_000;

/**
 * Responds with one page of a list: by page number with totals, or by cursor without. A page by cursor may end early,
 * with `has_more`; a page by number is complete.
 * Refuses: invalid_cursor, validation_failed (cursor together with page).
 */
export async function answerList<Row>(
  call: Call,
  query: PageQuery & Readonly<Record<string, unknown>>,
  listing: ListQuery<Row>,
  views: PageViews<Row>,
  wrap: (page: PagedBody, call: Call, now: number) => unknown = envelopedPage,
): Promise<Response> {
  const { page, limit = 50, cursor, ...filters } = query;
  if (cursor !== undefined && page !== undefined) throw invalid("cursor", "cannot be combined with page");
  const { visible } = call.store.scope;
  const scope = createHash("sha256")
    .update(JSON.stringify(visible === null ? [call.path, filters] : [call.path, filters, visible]))
    .digest("base64url")
    .slice(0, 16);
  const after = cursor === undefined ? null : readCursor(cursor, scope, call.cursor_secret);
  const offset = after === null ? ((page ?? 1) - 1) * limit : 0;
  const read = await call.store.read(async (db) => {
    const { now } = db;
    const { rows: found, end } = pageRowsOf(await listing.rows(db, { limit: limit + 1, offset, after }));
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    const next = found.length > limit && last ? listing.position(last) : (end ?? null);
    const uncounted = after !== null || end !== undefined;
    // Sent together, which is one round trip to PostgreSQL.
    const [total, sizes] = await Promise.all([
      uncounted ? null : totalOf(db, listing, offset, rows.length, next !== null),
      sizesOf(listing, db, found),
    ]);
    const totals =
      total === null ? { limit } : { page: page ?? 1, limit, total, total_pages: Math.ceil(total / limit) };
    const paged: LongPage<Row>["paged"] = (data, continues_at) => {
      const next_cursor = continues_at === null ? null : writeCursor(continues_at, scope, call.cursor_secret);
      return wrap({ data, pagination: { ...totals, next_cursor, has_more: continues_at !== null } }, call, now);
    };
    if (isLong(sizes.slice(0, limit)))
      return { parts: partsOf(listing, rows, sizes), next, paged, again: listing.long?.again, views };
    return { body: paged(await views(rows, db), next) };
  });
  if ("body" in read) return jsonResponse(call, 200, JSON.stringify(read.body));
  const bytes_max = after === null ? Number.POSITIVE_INFINITY : cursor_page_bytes;
  const held_bytes = Math.max(slice_bytes, ...read.parts.map(({ bytes }) => bytes));
  const headers = { "content-type": "application/json" };
  return answerSliced(call, new PageWriter(call, read, bytes_max), { held_bytes, headers });
}

/** The sizes of rows that clients share: several clients often have the same list open. */
const known_sizes = new WeakMap<readonly unknown[], Promise<readonly number[]>>();

/** The approximate size of each record in bytes, if they may be long; else nothing. */
async function sizesOf<Row>({ long }: ListQuery<Row>, db: Db, rows: readonly Row[]): Promise<readonly number[]> {
  if (long === undefined) return [];
  return known_sizes.getOrInsertComputed(rows, () => Promise.resolve(long.bytes(db, rows)));
}

function partsOf<Row>({ position, long }: ListQuery<Row>, rows: readonly Row[], sizes: readonly number[]) {
  const isReadAgain = long?.again !== undefined;
  return rows.map((row, at) => ({
    position: position(row),
    bytes: sizes[at] ?? 0,
    row: isReadAgain ? null : row,
  }));
}

/** The rows of a page; `end` is undefined when the list can be counted. */
function pageRowsOf<Row>(found: readonly Row[] | PartialPage<Row>): {
  rows: readonly Row[];
  end?: PagePosition | null;
} {
  return "rows" in found ? found : { rows: found };
}

/** The number of all rows. A last page that holds any row gives it without counting. */
async function totalOf<Row>(db: Db, listing: ListQuery<Row>, offset: number, rows: number, has_more: boolean) {
  return !has_more && (rows > 0 || offset === 0) ? offset + rows : listing.count(db);
}

/** A page without the envelope, as the customer routes are specified. */
export const plainPage = ({ data, pagination }: PagedBody) => ({ data, pagination });

function envelopedPage({ data, pagination }: PagedBody, call: Call, now: number) {
  return { success: true, data, meta: { ...metaOf(call.request_id, now), pagination } };
}

function writeCursor(position: PagePosition, scope: string, secret: Uint8Array): string {
  const text = JSON.stringify([...position, scope]);
  return `${Buffer.from(text).toString("base64url")}.${sign(text, secret)}`;
}

function readCursor(cursor: string, scope: string, secret: Uint8Array): PagePosition {
  const refused = new Fault(
    "invalid_cursor",
    "This cursor does not belong to this list with these filters. Start without a cursor.",
  );
  const [encoded = "", signature = ""] = cursor.split(".");
  const text = Buffer.from(encoded, "base64url").toString();
  const [signed, expected] = [Buffer.from(signature), Buffer.from(sign(text, secret))];
  if (signed.length !== expected.length || !timingSafeEqual(signed, expected)) throw refused;
  const [key, id, of] = JSON.parse(text) as [string | number, number, string];
  if (of !== scope) throw refused;
  return [key, id];
}

function sign(text: string, secret: Uint8Array): string {
  return createHmac("sha256", secret).update(text).digest("base64url").slice(0, 22);
}
