// The queries of an erasure: finds a person's rows by kind, and erases their columns as `personal_records.ts` states.

import { isDeepStrictEqual } from "node:util";
import { and, asc, eq, gt, inArray, isNotNull, isNull, lte, or, type SQL, sql as template } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import { among, amongThose, folded, forSoleUse, forUpdate, isOneOf, list } from "../../db/kit.ts";
import { addresses, customer_words, customers } from "../../db/schema/customers.ts";
import { document_chunks, document_orders } from "../../db/schema/documents.ts";
import {
  order_history,
  order_holds,
  order_lines,
  order_tags,
  order_words,
  orders,
  staff_notes,
} from "../../db/schema/orders.ts";
import { platform_reports } from "../../db/schema/platform_reports.ts";
import { platform_imports } from "../../db/schema/platforms.ts";
import { refunds, return_inspections, return_items, returns } from "../../db/schema/returns.ts";
import { idempotency_keys } from "../../db/schema/service.ts";
import { label_documents, labels, shipments } from "../../db/schema/shipments.ts";
import { tracking_events, tracking_records, waiting_updates } from "../../db/schema/tracking.ts";
import { wireId } from "../core/ids.ts";
import type { ContactAddress } from "../core/postal_address.ts";
import { emailKey, erased_domain } from "../customers/customer.ts";
import type { LabelDrawing } from "../documents/drawing.ts";
import { queuedImports } from "../platforms/platforms.transitions.ts";
import type { Db, ReadStatements, Tx } from "../storage/database.ts";
import { erased_email, erased_word, type PersonalKind, personalRecords } from "./personal_records.ts";

/** Whether a customer with this id and creation time (ms) exists and is not erased. */
export async function customerExists(db: Db, id: number, created_at: number): Promise<boolean> {
  const same = and(eq(customers.id, id), eq(customers.created_at, created_at), isNull(customers.erased_at));
  return (await db.sql.$count(customers, same)) > 0;
}

/** The creation times (ms) of customers. */
export async function creationTimes(
  db: Db,
  ids: readonly number[],
): Promise<{ readonly customer_id: number; readonly created_at: number }[]> {
  if (ids.length === 0) return [];
  const { id: customer_id, created_at } = customers;
  return db.sql
    .select({ customer_id, created_at })
    .from(customers)
    .where(inArray(customer_id, [...ids]));
}

/** Locks customers, so that no order is created for them until this transaction ends. */
export async function lockPeople(tx: Tx, ids: readonly number[]) {
  if (ids.length === 0) return [];
  return forSoleUse(
    tx.sql
      .select()
      .from(customers)
      .where(inArray(customers.id, [...ids]))
      .orderBy(asc(customers.id)),
  );
}

/** The addresses of these customers. */
export async function addressesOf(db: Db, ids: readonly number[]) {
  return db.sql
    .select()
    .from(addresses)
    .where(inArray(addresses.customer_id, [...ids]));
}

/** The most orders that a refusal names. */
const named_max = 10;

/** Order numbers of these customers in the given statuses, oldest first, at most `named_max`. */
export async function ordersIn(db: Db, ids: readonly number[], statuses: readonly string[]): Promise<string[]> {
  const rows = await db.sql
    .select({ order_number: orders.order_number })
    .from(orders)
    .where(and(inArray(orders.customer_id, [...ids]), isOneOf(orders.status, statuses)))
    .orderBy(asc(orders.id))
    .limit(named_max);
  return rows.map(({ order_number }) => order_number);
}

/** Ids of returns of these customers' orders in the given statuses, and of labels that are being bought. */
export async function unfinishedOf(
  db: Db,
  ids: readonly number[],
  return_statuses: readonly string[],
): Promise<{ readonly returns: number[]; readonly labels: number[] }> {
  const theirs = db.sql
    .select({ id: orders.id })
    .from(orders)
    .where(inArray(orders.customer_id, [...ids]));
  const open = await db.sql
    .select({ id: returns.id })
    .from(returns)
    .where(and(amongThose(returns.order_id, theirs), isOneOf(returns.status, return_statuses)))
    .limit(named_max);
  const claimed = await db.sql
    .select({ id: labels.id })
    .from(labels)
    .where(and(amongThose(labels.order_id, theirs), isNotNull(labels.claimed_until)))
    .limit(named_max);
  return { returns: open.map(({ id }) => id), labels: claimed.map(({ id }) => id) };
}

/** The condition that a column is one of some ids, formatted by `list`. */
const isOneOfIds = (column: AnyPgColumn, ids: string): SQL => among(column, template`${ids}`);

/** When the last order of these customers ended (ms); 0 if there are none. */
export async function lastEnd(db: Db, ids: readonly number[]): Promise<number> {
  const ended = template<number>`coalesce(${orders.delivered_at}, ${orders.cancelled_at}, ${orders.updated_at})`;
  const [row] = await db.sql
    .select({ last: template<number | null>`max(${ended})` })
    .from(orders)
    .where(inArray(orders.customer_id, [...ids]));
  return Number(row?.last ?? 0);
}

const columnsOf = new Map(personalRecords.map(({ kind, columns }) => [kind, Object.entries(columns)]));
const constants: Readonly<Record<string, unknown>> = {
  null: null,
  word: erased_word,
  email: erased_email,
  object: {},
  list: [],
  empty: "",
};

/** The columns of a kind that get the same value in every row. */
function changesOf(kind: PersonalKind): Record<string, unknown> {
  const same = columnsOf.get(kind)?.filter(([, treatment]) => treatment in constants) ?? [];
  return Object.fromEntries(same.map(([column, treatment]) => [column, constants[treatment]]));
}

type ErasableTable = PgTable & { readonly [column: string]: AnyPgColumn };

/** Erases the columns of a kind's rows that match. Returns how many rows changed. */
async function empty(tx: Tx, kind: PersonalKind, rows: PgTable, which: SQL | undefined): Promise<number> {
  const changes = changesOf(kind);
  const holding = Object.entries(changes).map(([column, value]) => {
    const held = (rows as ErasableTable)[column] as AnyPgColumn;
    return value === null ? isNotNull(held) : template`true`;
  });
  const changed = await tx.sql
    .update(rows)
    .set(changes as never)
    .where(and(which, or(...holding)))
    .returning({ one: template`1` });
  return changed.length;
}

async function remove(tx: Tx, rows: PgTable, which: SQL): Promise<number> {
  const gone = await tx.sql.delete(rows).where(which).returning({ one: template`1` });
  return gone.length;
}

type ErasedCounts = Partial<Record<PersonalKind, number>>;

/**
 * Erases customers, their addresses and their search words. The random `mark` makes their placeholder email addresses
 * unique.
 */
export async function erasePeople(tx: Tx, ids: readonly number[], mark: string): Promise<ErasedCounts> {
  const isTheirs = (column: AnyPgColumn) => inArray(column, [...ids]);
  const { email: _email, email_key: _key, ...changes } = changesOf("customers");
  const email = template`'erased-' || ${customers.id} || ${`-${mark}@${erased_domain}`}`;
  const gone = await tx.sql
    .update(customers)
    .set({
      ...(changes as object),
      email,
      email_key: email,
      revision: template`${customers.revision} + 1`,
      updated_at: tx.now,
      erased_at: tx.now,
    })
    .where(and(isTheirs(customers.id), isNull(customers.erased_at)))
    .returning({ id: customers.id });
  return {
    customers: gone.length,
    addresses: await remove(tx, addresses, isTheirs(addresses.customer_id)),
    search_words: await remove(tx, customer_words, isTheirs(customer_words.customer_id)),
  };
}

/** The columns of an order that an erasure reads. */
export const emptiedOrder = {
  id: orders.id,
  customer_email: orders.customer_email,
  customer_name: orders.customer_name,
  shipping_address: orders.shipping_address,
  address_verification: orders.address_verification,
  order_notes: orders.order_notes,
  packing_note: orders.packing_note,
  tags: orders.tags,
  metadata: orders.metadata,
};

/** Locks the next orders of these customers after an id, including erased ones, since data may have been added. */
export async function nextOrders(tx: Tx, ids: readonly number[], after: number, limit: number) {
  if (ids.length === 0) return [];
  return forUpdate(
    tx.sql
      .select(emptiedOrder)
      .from(orders)
      .where(and(inArray(orders.customer_id, [...ids]), gt(orders.id, after)))
      .orderBy(asc(orders.id))
      .limit(limit),
  );
}

/** The address with everything but the country erased. */
function countryOf({ country }: ContactAddress): ContactAddress {
  const gone = { company: null, address_line2: null, state: null, postal_code: null, phone: null };
  return { name: erased_word, ...gone, address_line1: erased_word, city: erased_word, country };
}

type EmptiedOrder = Awaited<ReturnType<typeof nextOrders>>[number];

/** Whether the changes differ from the row. */
const isChanged = (row: object, changes: object): boolean =>
  Object.entries(changes).some(([column, value]) => !isDeepStrictEqual(row[column as keyof typeof row], value));

/** Erases personal data from orders and their records. Returns how many rows of each kind changed. */
export async function eraseOrders(tx: Tx, found: readonly EmptiedOrder[]): Promise<ErasedCounts> {
  const ids = list(found.map(({ id }) => id));
  const rows = rowsOfOrders(tx.sql, ids);
  const counts: ErasedCounts = { orders: 0 };
  for (const order of found) {
    const changes = { ...changesOf("orders"), shipping_address: countryOf(order.shipping_address) };
    if (!isChanged(order, changes)) continue;
    counts.orders = (counts.orders ?? 0) + 1;
    await tx.sql
      .update(orders)
      .set({ ...(changes as object), revision: template`${orders.revision} + 1` })
      .where(eq(orders.id, order.id));
  }
  // First, since these rows are found by the numbers of labels and returns.
  const deleted = ["waiting_scans", "label_documents", "printed_documents", "tags", "staff_notes"] as const;
  for (const kind of [...deleted, "order_words"] as const) {
    counts[kind] = await remove(tx, rows[kind].table, rows[kind].which);
  }
  counts.labels = await eraseLabels(tx, ids);
  counts.returns = await eraseReturns(tx, ids);
  for (const kind of emptied_kinds) counts[kind] = await empty(tx, kind, rows[kind].table, rows[kind].which);
  return counts;
}

const emptied_kinds = [
  ...(["holds", "history", "shipments", "tracking", "scans", "return_items", "inspections", "refunds"] as const),
  ...(["reports_to_platforms", "imports"] as const),
];

/** The kinds of records that belong to orders: each table with the condition for rows of these orders. */
export function rowsOfOrders(sql: ReadStatements, ids: string) {
  const parcels = sql.select({ id: shipments.id }).from(shipments).where(isOneOfIds(shipments.order_id, ids));
  const theirs = sql.select({ id: returns.id }).from(returns).where(isOneOfIds(returns.order_id, ids));
  const printed = sql.select({ id: labels.id }).from(labels).where(isOneOfIds(labels.order_id, ids));
  const files = sql
    .select({ id: document_orders.document_id })
    .from(document_orders)
    .where(isOneOfIds(document_orders.order_id, ids));
  const items = sql
    .select({ id: return_items.id })
    .from(return_items)
    .where(amongThose(return_items.return_id, theirs));
  const followed = or(
    amongThose(tracking_records.shipment_id, parcels),
    isOneOfIds(tracking_records.order_id, ids),
  ) as SQL;
  const records = sql.select({ id: tracking_records.id }).from(tracking_records).where(followed);
  const numbers = sql
    .select({ number: labels.tracking_number })
    .from(labels)
    .where(and(isOneOfIds(labels.order_id, ids), isNotNull(labels.tracking_number)));
  return {
    orders: { table: orders, which: isOneOfIds(orders.id, ids) },
    tags: { table: order_tags, which: isOneOfIds(order_tags.order_id, ids) },
    staff_notes: { table: staff_notes, which: isOneOfIds(staff_notes.order_id, ids) },
    order_words: { table: order_words, which: isOneOfIds(order_words.order_id, ids) },
    order_lines: { table: order_lines, which: isOneOfIds(order_lines.order_id, ids) },
    holds: { table: order_holds, which: isOneOfIds(order_holds.order_id, ids) },
    history: { table: order_history, which: isOneOfIds(order_history.order_id, ids) },
    shipments: { table: shipments, which: isOneOfIds(shipments.order_id, ids) },
    labels: { table: labels, which: isOneOfIds(labels.order_id, ids) },
    label_documents: { table: label_documents, which: amongThose(label_documents.label_id, printed) },
    printed_documents: { table: document_chunks, which: amongThose(document_chunks.document_id, files) },
    tracking: { table: tracking_records, which: followed },
    scans: { table: tracking_events, which: amongThose(tracking_events.record_id, records) },
    waiting_scans: { table: waiting_updates, which: amongThose(waiting_updates.tracking_number, numbers) },
    returns: { table: returns, which: isOneOfIds(returns.order_id, ids) },
    return_items: { table: return_items, which: amongThose(return_items.return_id, theirs) },
    inspections: { table: return_inspections, which: amongThose(return_inspections.return_item_id, items) },
    refunds: { table: refunds, which: amongThose(refunds.return_id, theirs) },
    reports_to_platforms: { table: platform_reports, which: isOneOfIds(platform_reports.order_id, ids) },
    imports: { table: platform_imports, which: isOneOfIds(platform_imports.order_id, ids) },
  };
}

/** The drawing that replaces an erased label. */
const blank: LabelDrawing = {
  title: "Erased",
  date: "1970-01-01",
  width: 812,
  height: 1218,
  operations: [
    { op: "text", x: 406, y: 609, size: 42, bold: true, align: "center", white: false, text: "This label" },
    { op: "text", x: 406, y: 664, size: 42, bold: true, align: "center", white: false, text: "was erased." },
  ],
};

/** Deletes the carrier documents of these labels, and replaces their drawings with a blank one. */
export async function deleteDocuments(tx: Tx, found: readonly { readonly id: number }[]): Promise<void> {
  const ids = found.map(({ id }) => id);
  if (ids.length === 0) return;
  await tx.sql.delete(label_documents).where(inArray(label_documents.label_id, ids));
  await tx.sql.update(labels).set({ drawing: blank }).where(inArray(labels.id, ids));
}

async function eraseLabels(tx: Tx, order_ids: string): Promise<number> {
  const found = await tx.sql.select().from(labels).where(isOneOfIds(labels.order_id, order_ids));
  let erased = 0;
  for (const label of found) {
    const { id, return_id, from_address, to_address } = label;
    // On a return label, the buyer is the sender.
    const places =
      return_id === null ? { to_address: countryOf(to_address) } : { from_address: countryOf(from_address) };
    const changes = { ...changesOf("labels"), ...places, drawing: blank };
    if (!isChanged(label, changes)) continue;
    erased += 1;
    await tx.sql
      .update(labels)
      .set(changes as object)
      .where(eq(labels.id, id));
  }
  return erased;
}

async function eraseReturns(tx: Tx, order_ids: string): Promise<number> {
  const found = await tx.sql.select().from(returns).where(isOneOfIds(returns.order_id, order_ids));
  let erased = 0;
  for (const one of found) {
    const changes = { ...changesOf("returns"), return_shipping: { ...one.return_shipping, label_url: null } };
    if (!isChanged(one, changes)) continue;
    erased += 1;
    await tx.sql
      .update(returns)
      .set({ ...(changes as object), revision: template`${returns.revision} + 1` })
      .where(eq(returns.id, one.id));
  }
  return erased;
}

/** The condition that a return was requested with one of these email addresses, for any customer's order. */
export const hasReturnEmail = (email_keys: readonly string[]): SQL =>
  and(isNotNull(returns.customer_email), inArray(folded(returns.customer_email), [...email_keys])) as SQL;

/** Removes these email addresses from returns that were created until a time (ms). Returns the ids of the returns. */
export async function eraseReturnEmails(tx: Tx, email_keys: readonly string[], until: number): Promise<number[]> {
  if (email_keys.length === 0) return [];
  const changed = await tx.sql
    .update(returns)
    .set({ customer_email: null, revision: template`${returns.revision} + 1` })
    .where(and(hasReturnEmail(email_keys), lte(returns.created_at, until)))
    .returning({ id: returns.id });
  return changed.map(({ id }) => id);
}

// Orders of a deleted connection are never imported.
const isQueuedImport = and(
  isOneOf(platform_imports.status, queuedImports),
  template`${platform_imports.connection_id} in (select id from platform_connections where deleted_at is null)`,
) as SQL;

/** Whether a queued import has this email address. */
export async function isImportPending(db: Db, email_key: string): Promise<boolean> {
  // The database may lowercase only ASCII, so the comparison is done here.
  const rows = await db.sql
    .select({ email: template<string | null>`${platform_imports.payload} ->> 'email'` })
    .from(platform_imports)
    .where(and(isQueuedImport, isNotNull(platform_imports.payload)));
  return rows.some(({ email }) => email !== null && emailKey(email.trim()) === email_key);
}

/** A range of rows by id: those after `after`, up to `to`. */
export interface Span {
  readonly after: number;
  readonly to: number;
  /** Whether no rows follow. */
  readonly is_last: boolean;
}

// Matches may be rare, so one transaction searches at most this many rows.
const span_max = 2000;

/** The range of imports after an id, of all merchants, that one transaction searches. */
export async function spanOfImports(db: Db, after: number): Promise<Span> {
  const next = await db.sql
    .select({ to: platform_imports.id })
    .from(platform_imports)
    .where(gt(platform_imports.id, after))
    .orderBy(asc(platform_imports.id))
    .limit(span_max);
  return { after, to: next.at(-1)?.to ?? after, is_last: next.length < span_max };
}

/** Imports in a range, created until a time (ms), that hold a platform's order and are not queued. */
export async function importsIn(tx: Tx, { after, to }: Span, { limit, until }: { limit: number; until: number }) {
  const { id, payload, created_at } = platform_imports;
  return tx.sql
    .select({ id, payload })
    .from(platform_imports)
    .where(
      and(
        ...[gt(id, after), lte(id, to), lte(created_at, until), isNotNull(payload)],
        template`not (${isQueuedImport})`,
      ),
    )
    .orderBy(asc(id))
    .limit(limit);
}

/** Erases the orders that these imports hold. Returns how many changed. */
export async function eraseImports(tx: Tx, ids: readonly number[]): Promise<number> {
  return ids.length === 0 ? 0 : empty(tx, "imports", platform_imports, inArray(platform_imports.id, [...ids]));
}

/** The wire ids of the records of these customers. */
export async function wireIdsOf(db: Db, ids: readonly number[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const theirs = await db.sql
    .select({ id: orders.id })
    .from(orders)
    .where(inArray(orders.customer_id, [...ids]));
  const order_ids = list(theirs.map(({ id }) => id));
  const parcels = await db.sql
    .select({ id: shipments.id })
    .from(shipments)
    .where(isOneOfIds(shipments.order_id, order_ids));
  const printed = await db.sql.select({ id: labels.id }).from(labels).where(isOneOfIds(labels.order_id, order_ids));
  const back = await db.sql.select({ id: returns.id }).from(returns).where(isOneOfIds(returns.order_id, order_ids));
  return new Set([
    ...ids.map((id) => wireId("customer", id)),
    ...theirs.map(({ id }) => wireId("order", id)),
    ...parcels.map(({ id }) => wireId("shipment", id)),
    ...printed.map(({ id }) => wireId("label", id)),
    ...back.map(({ id }) => wireId("return", id)),
  ]);
}

/**
 * The email addresses with which returns of these orders were requested. An address that other customers' returns have
 * too is left out: warehouse staff entered an address of the operator.
 */
export async function emailsOfReturns(db: Db, order_ids: readonly number[]): Promise<string[]> {
  if (order_ids.length === 0) return [];
  const requesters = () =>
    db.sql
      .selectDistinct({ email: folded(returns.customer_email), customer_id: orders.customer_id })
      .from(returns)
      .innerJoin(orders, eq(orders.id, returns.order_id));
  const theirs = await requesters().where(
    and(isOneOfIds(returns.order_id, list(order_ids)), isNotNull(returns.customer_email)),
  );
  const emails = [...new Set(theirs.map(({ email }) => String(email)))];
  if (emails.length === 0) return [];
  const people = new Set(theirs.map(({ customer_id }) => customer_id));
  const shared = (await requesters().where(hasReturnEmail(emails))).filter(
    ({ customer_id }) => !people.has(customer_id),
  );
  return emails.filter((email) => !shared.some((one) => one.email === email));
}

/** The next stored responses after a key, in the order of the keys. */
export async function nextAnswers(db: Db, after: string, limit: number) {
  return db.sql
    .select({ key: idempotency_keys.key, body: idempotency_keys.body })
    .from(idempotency_keys)
    .where(gt(idempotency_keys.key, after))
    .orderBy(asc(idempotency_keys.key))
    .limit(limit);
}

/**
 * Drops the responses stored under these keys. The keys stay. No other stored response has status 410 (`isDropped`).
 */
export async function dropAnswers(tx: Tx, keys: readonly string[]): Promise<void> {
  await tx.sql
    .update(idempotency_keys)
    .set({ status: 410, headers: "{}", body: "", open_until: null })
    .where(inArray(idempotency_keys.key, [...keys]));
}
