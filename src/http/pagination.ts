import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { Fault, invalid } from "../core/faults.ts";
import { type PagePosition, type PageQuery, type PageWindow, slice_bytes } from "../core/schema.ts";
import type { Db } from "../storage/database.ts";
import type { LongRecords } from "../storage/long_records.ts";
import type { Call } from "./call.ts";
import { metaOf } from "./envelope.ts";
import { answerSliced, isLong, type LongPage, PageWriter } from "./long_pages.ts";
import { jsonResponse } from "./response.ts";

/** A page of a list that is too long to count, and where reading stopped if that was before the page was full. */
interface PartialPage<Row> {
  readonly rows: readonly Row[];
  readonly end: PagePosition | null;
}

/** How one list is read: a page of rows, their number, the position of a row. */
export interface ListQuery<Row> {
  readonly rows: (db: Db, window: PageWindow) => Promise<readonly Row[] | PartialPage<Row>>;
  readonly count: (db: Db) => Promise<number>;
  readonly position: (row: Row) => PagePosition;
  /** Of records that may be long, such as orders with their lines: a long page is read and sent in slices. */
  readonly long?: LongRecords<Row>;
}

/** What the wire shows of rows, with whatever else belongs to them. */
type PageViews<Row> = LongPage<Row>["views"];
type PagedBody = { readonly data: readonly unknown[]; readonly pagination: Readonly<Record<string, unknown>> };

/** A page by cursor ends before it is larger than this, unless one record alone is. */
const cursor_page_bytes = 2_000_000;

/**
 * Answers one page of a list, by page number with totals or by cursor without. A page by cursor may end early, with
 * `has_more`; a page by number is whole. Refuses: invalid_cursor, validation_failed (cursor together with page).
 */
export async function answerList<Row>(
  call: Call,
  query: PageQuery & Readonly<Record<string, unknown>>,
  listing: ListQuery<Row>,
  views: PageViews<Row>,
  wrap: (page: PagedBody, call: Call, now: number) => unknown = envelopedPage,
): Promise<Response> {
  const { page, limit = 50, cursor, ...filters } = query;
  if (cursor !== undefined && page !== undefined) throw invalid("cursor", "cannot be given together with page");
  const { sees } = call.store.scope;
  const scope = createHash("sha256")
    .update(JSON.stringify(sees === null ? [call.path, filters] : [call.path, filters, sees]))
    .digest("base64url")
    .slice(0, 16);
  const after = cursor === undefined ? null : readCursor(cursor, scope, call.cursor_secret);
  const offset = after === null ? ((page ?? 1) - 1) * limit : 0;
  const read = await call.store.read(async (db) => {
    const { now } = db;
    const { rows: found, end } = stretchOf(await listing.rows(db, { limit: limit + 1, offset, after }));
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    const next = found.length > limit && last ? listing.position(last) : (end ?? null);
    const uncounted = after !== null || end !== undefined;
    // Asked at the same moment, which is one trip to PostgreSQL.
    const [total, sizes] = await Promise.all([
      uncounted ? null : totalOf(db, listing, offset, rows.length, next !== null),
      sizesOf(listing, db, found),
    ]);
    const totals =
      total === null ? { limit } : { page: page ?? 1, limit, total, total_pages: Math.ceil(total / limit) };
    const paged: LongPage<Row>["paged"] = (data, goes_on) => {
      const next_cursor = goes_on === null ? null : writeCursor(goes_on, scope, call.cursor_secret);
      return wrap({ data, pagination: { ...totals, next_cursor, has_more: goes_on !== null } }, call, now);
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

/** The sizes of the rows of some views: whoever has a list open asks for it at the same moment as others. */
const known_sizes = new WeakMap<readonly unknown[], Promise<readonly number[]>>();

/** About how many bytes each of these records takes, where they may be long; else nothing. */
async function sizesOf<Row>({ long }: ListQuery<Row>, db: Db, rows: readonly Row[]): Promise<readonly number[]> {
  if (long === undefined) return [];
  const known = known_sizes.get(rows);
  if (known !== undefined) return known;
  const sizes = Promise.resolve(long.bytes(db, rows));
  known_sizes.set(rows, sizes);
  return sizes;
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
function stretchOf<Row>(found: readonly Row[] | PartialPage<Row>): { rows: readonly Row[]; end?: PagePosition | null } {
  return "rows" in found ? found : { rows: found };
}

/** The number of all rows; a last page that holds any row tells it without counting. */
async function totalOf<Row>(db: Db, listing: ListQuery<Row>, offset: number, rows: number, has_more: boolean) {
  return !has_more && (rows > 0 || offset === 0) ? offset + rows : listing.count(db);
}

function envelopedPage({ data, pagination }: PagedBody, call: Call, now: number) {
  return { success: true, data, meta: { ...metaOf(call.request_id, now), pagination } };
}

function writeCursor(position: PagePosition, scope: string, secret: Uint8Array): string {
  const text = JSON.stringify([...position, scope]);
  return `${Buffer.from(text).toString("base64url")}.${sign(text, secret)}`;
}

function readCursor(cursor: string, scope: string, secret: Uint8Array): PagePosition {
  const refused = new Fault("invalid_cursor", "This cursor was not given by this list with these filters.");
  const [encoded = "", signature = ""] = cursor.split(".");
  const text = Buffer.from(encoded, "base64url").toString();
  const [given, expected] = [Buffer.from(signature), Buffer.from(sign(text, secret))];
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw refused;
  const [key, id, of] = JSON.parse(text) as [string | number, number, string];
  if (of !== scope) throw refused;
  return [key, id];
}

function sign(text: string, secret: Uint8Array): string {
  return createHmac("sha256", secret).update(text).digest("base64url").slice(0, 22);
}
