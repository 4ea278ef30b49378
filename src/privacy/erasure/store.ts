// The SQL of erasures: the rows of a person by kind, and what becomes of each of their columns.
import { and, asc, desc, eq, gt, inArray, isNotNull, lte, ne, or, type SQL, sql as template } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import { among, amongThose, forUpdate, given, isOneOf, list, skipLocked } from "../../../db/kit.ts";
import { addresses, customer_words, customers } from "../../../db/schema/customers.ts";
import { order_history, order_holds, order_lines, orders } from "../../../db/schema/orders.ts";
import { platform_reports } from "../../../db/schema/platform_reports.ts";
import { platform_imports } from "../../../db/schema/platforms.ts";
import { erasures } from "../../../db/schema/privacy.ts";
import { refunds, return_inspections, return_items, returns } from "../../../db/schema/returns.ts";
import { label_documents, labels, shipments } from "../../../db/schema/shipments.ts";
import { tracking_events, tracking_records, waiting_updates } from "../../../db/schema/tracking.ts";
import type { Place } from "../../../db/schema/warehouses.ts";
import type { Db, Reading, Tx } from "../../database/store.ts";
import { missing } from "../../kit/fault.ts";
import { readId, wireId } from "../../kit/ids.ts";
import type { Window } from "../../kit/page.ts";
import type { Drawing } from "../../typesetting/drawings/drawing.ts";
import { type PersonalKind, personalRecords } from "../records.ts";
import { erased_email, erased_word } from "../redaction.ts";
import type { Erasure } from "./erasure.ts";

/** The erasure that an identifier names. Refuses: resource_missing. */
export async function getErasure(db: Db, id: string): Promise<Erasure> {
  const [row] = await db.sql
    .select()
    .from(erasures)
    .where(eq(erasures.id, readId("erasure", id) ?? 0));
  if (row === undefined) throw missing("erasure", id);
  return row;
}

/** A page of erasures, newest first. */
export async function listErasures(db: Db, { limit, offset, after }: Window): Promise<Erasure[]> {
  const { created_at, id } = erasures;
  return db.sql
    .select()
    .from(erasures)
    .where(after ? template`(${created_at}, ${id}) < (${after[0]}, ${after[1]})` : undefined)
    .orderBy(desc(created_at), desc(id))
    .limit(limit)
    .offset(offset);
}

/** How many erasures there are. */
export async function countErasures(db: Db): Promise<number> {
  return db.sql.$count(erasures);
}

/** Stores a new erasure. */
export async function insertErasure(tx: Tx, fields: Omit<Erasure, "id">): Promise<Erasure> {
  const [row] = await tx.sql.insert(erasures).values(fields).returning({ id: erasures.id });
  return { id: row?.id ?? 0, ...fields };
}

/** Stores how far an erasure has come. */
export async function saveErasure(tx: Tx, { id, ...fields }: Erasure): Promise<void> {
  await tx.sql.update(erasures).set(fields).where(eq(erasures.id, id));
}

const isDue = (db: Db) => and(isNotNull(erasures.next_at), lte(erasures.next_at, given(template`${db.now}`)));

/** The oldest erasure that is due, or null. */
export async function dueErasure(db: Db): Promise<Erasure | null> {
  const [row] = await db.sql
    .select()
    .from(erasures)
    .where(isDue(db))
    .orderBy(asc(erasures.next_at), asc(erasures.id))
    .limit(1);
  return row ?? null;
}

/** Whether there is a customer of this id who was not erased. */
export async function isKnown(db: Db, id: number): Promise<boolean> {
  const [row] = await db.sql.select({ erased_at: customers.erased_at }).from(customers).where(eq(customers.id, id));
  return row !== undefined && row.erased_at === null;
}

/** An erasure that is due, locked; null when it is not any more, or when another server is at it. */
export async function claimErasure(tx: Tx, id: number): Promise<Erasure | null> {
  const due = tx.sql
    .select()
    .from(erasures)
    .where(and(eq(erasures.id, id), isDue(tx)));
  const [row] = await skipLocked(due);
  return row ?? null;
}

/** When the next erasure is due, in milliseconds; null when none waits. */
export async function nextErasure(db: Db): Promise<number | null> {
  const [row] = await db.sql
    .select({ next_at: erasures.next_at })
    .from(erasures)
    .where(isNotNull(erasures.next_at))
    .orderBy(asc(erasures.next_at))
    .limit(1);
  return row?.next_at ?? null;
}

/** When the last erasure ended, in milliseconds; null before the first. */
export async function lastErased(db: Db): Promise<number | null> {
  const [row] = await db.sql.select({ last: template<number | null>`max(${erasures.finished_at})` }).from(erasures);
  return row?.last == null ? null : Number(row.last);
}

/** The newest erasure of each of these customers that there is. */
export async function findErasuresOf(db: Db, ids: readonly number[]): Promise<Erasure[]> {
  const rows = await db.sql.select().from(erasures).orderBy(desc(erasures.id));
  return rows.filter(({ customers: erased }) => ids.some((id) => erased.includes(id)));
}

/** Moves the times of erasures that wait by as much as the clock was set. */
export async function moveErasures(tx: Tx, by_ms: number): Promise<void> {
  await tx.sql
    .update(erasures)
    .set({ next_at: template`${erasures.next_at} + ${by_ms}` })
    .where(isNotNull(erasures.next_at));
}

/** These customers, locked: nobody makes an order for one before this transaction ends. */
export async function lockPeople(tx: Tx, ids: readonly number[]) {
  if (ids.length === 0) return [];
  return forUpdate(
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

/** Numbers of orders of these customers whose status is among some, oldest first, a few of them. */
export async function ordersIn(db: Db, ids: readonly number[], statuses: readonly string[]): Promise<string[]> {
  const rows = await db.sql
    .select({ order_number: orders.order_number })
    .from(orders)
    .where(and(inArray(orders.customer_id, [...ids]), isOneOf(orders.status, statuses)))
    .orderBy(asc(orders.id))
    .limit(named_max);
  return rows.map(({ order_number }) => order_number);
}

/** Ids of returns of these customers' orders that are in one of some states, and of labels that are being bought. */
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

/** Whether a column is among integers that are given as `list` writes them. */
const isAmong = (column: AnyPgColumn, ids: string): SQL => among(column, template`${ids}`);

/** When the last order of these customers ended, in milliseconds; 0 without any. */
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
  ...{ null: null, word: erased_word, email: erased_email, object: {}, list: [], empty: "" },
};

/** The columns of a kind that become the same in every row. */
function changesOf(kind: PersonalKind): Record<string, unknown> {
  const same = columnsOf.get(kind)?.filter(([, treatment]) => treatment in constants) ?? [];
  return Object.fromEntries(same.map(([column, treatment]) => [column, constants[treatment]]));
}

type Rows = PgTable & { readonly [column: string]: AnyPgColumn };

/** Empties the columns of the rows of a kind for which a condition holds; answers how many held anything. */
async function empty(tx: Tx, kind: PersonalKind, rows: PgTable, which: SQL | undefined): Promise<number> {
  const changes = changesOf(kind);
  const holding = Object.entries(changes).map(([column, value]) => {
    const held = (rows as Rows)[column] as AnyPgColumn;
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

type Counts = Partial<Record<PersonalKind, number>>;

/** Erases customers, their addresses and the words by which they are found. */
export async function erasePeople(tx: Tx, ids: readonly number[]): Promise<Counts> {
  const isTheirs = (column: AnyPgColumn) => inArray(column, [...ids]);
  const { email: _email, email_key: _key, ...changes } = changesOf("customers");
  const gone = await tx.sql
    .update(customers)
    .set({
      ...(changes as object),
      email: template`'erased-' || ${customers.id} || '@erased.invalid'`,
      email_key: template`'erased-' || ${customers.id} || '@erased.invalid'`,
      version: template`${customers.version} + 1`,
      updated_at: tx.now,
      erased_at: tx.now,
    })
    .where(isTheirs(customers.id))
    .returning({ id: customers.id });
  return {
    customers: gone.length,
    addresses: await remove(tx, addresses, isTheirs(addresses.customer_id)),
    search_words: await remove(tx, customer_words, isTheirs(customer_words.customer_id)),
  };
}

/** The next orders of these customers after an id that still tell who they are of, locked. */
export async function nextOrders(tx: Tx, ids: readonly number[], after: number, limit: number) {
  if (ids.length === 0) return [];
  return forUpdate(
    tx.sql
      .select({
        id: orders.id,
        status: orders.status,
        customer_email: orders.customer_email,
        customer_name: orders.customer_name,
        shipping_address: orders.shipping_address,
      })
      .from(orders)
      .where(and(inArray(orders.customer_id, [...ids]), gt(orders.id, after), ne(orders.customer_email, erased_email)))
      .orderBy(asc(orders.id))
      .limit(limit),
  );
}

/** An address of which the country is left. */
function countryOf({ country }: Place): Place {
  const gone = { company: null, address_line2: null, state: null, postal_code: null, phone: null };
  return { name: erased_word, ...gone, address_line1: erased_word, city: erased_word, country };
}

type EmptiedOrder = Awaited<ReturnType<typeof nextOrders>>[number];

/** Erases what some orders tell of their buyer, with all that belongs to them. Answers how many rows of each kind. */
export async function eraseOrders(tx: Tx, found: readonly EmptiedOrder[]): Promise<Counts> {
  const ids = list(found.map(({ id }) => id));
  const rows = rowsOfOrders(tx.sql, ids);
  for (const { id, shipping_address } of found) {
    const places = { shipping_address: countryOf(shipping_address), version: template`${orders.version} + 1` };
    await tx.sql
      .update(orders)
      .set({ ...(changesOf("orders") as object), ...places })
      .where(eq(orders.id, id));
  }
  const counts: Counts = { orders: found.length };
  // Before the labels and returns are changed by whose numbers they are found.
  for (const kind of ["waiting_scans", "label_documents"] as const) {
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

/** The kinds that belong to orders, with the condition under which a row belongs to one of some. */
export function rowsOfOrders(sql: Reading, ids: string) {
  const parcels = sql.select({ id: shipments.id }).from(shipments).where(isAmong(shipments.order_id, ids));
  const theirs = sql.select({ id: returns.id }).from(returns).where(isAmong(returns.order_id, ids));
  const printed = sql.select({ id: labels.id }).from(labels).where(isAmong(labels.order_id, ids));
  const items = sql
    .select({ id: return_items.id })
    .from(return_items)
    .where(amongThose(return_items.return_id, theirs));
  const followed = or(
    amongThose(tracking_records.shipment_id, parcels),
    isAmong(tracking_records.order_id, ids),
  ) as SQL;
  const records = sql.select({ id: tracking_records.id }).from(tracking_records).where(followed);
  const numbers = sql
    .select({ number: labels.tracking_number })
    .from(labels)
    .where(and(isAmong(labels.order_id, ids), isNotNull(labels.tracking_number)));
  return {
    orders: { table: orders, which: isAmong(orders.id, ids) },
    order_lines: { table: order_lines, which: isAmong(order_lines.order_id, ids) },
    holds: { table: order_holds, which: isAmong(order_holds.order_id, ids) },
    history: { table: order_history, which: isAmong(order_history.order_id, ids) },
    shipments: { table: shipments, which: isAmong(shipments.order_id, ids) },
    labels: { table: labels, which: isAmong(labels.order_id, ids) },
    label_documents: { table: label_documents, which: amongThose(label_documents.label_id, printed) },
    tracking: { table: tracking_records, which: followed },
    scans: { table: tracking_events, which: amongThose(tracking_events.record_id, records) },
    waiting_scans: { table: waiting_updates, which: amongThose(waiting_updates.tracking_number, numbers) },
    returns: { table: returns, which: isAmong(returns.order_id, ids) },
    return_items: { table: return_items, which: amongThose(return_items.return_id, theirs) },
    inspections: { table: return_inspections, which: amongThose(return_inspections.return_item_id, items) },
    refunds: { table: refunds, which: amongThose(refunds.return_id, theirs) },
    reports_to_platforms: { table: platform_reports, which: isAmong(platform_reports.order_id, ids) },
    imports: { table: platform_imports, which: isAmong(platform_imports.order_id, ids) },
  };
}

/** What is drawn in the place of a label that was erased, because a person asked for it or its time was over. */
const blank: Drawing = {
  ...{ title: "Erased", date: "1970-01-01", width: 812, height: 1218 },
  operations: [
    { op: "text", x: 406, y: 609, size: 42, bold: true, align: "center", white: false, text: "This label" },
    { op: "text", x: 406, y: 664, size: 42, bold: true, align: "center", white: false, text: "was erased." },
  ],
};

/** Deletes the documents of these labels, in whose place one without names is drawn. */
export async function forgetDocuments(tx: Tx, found: readonly { readonly id: number }[]): Promise<void> {
  const ids = found.map(({ id }) => id);
  if (ids.length === 0) return;
  await tx.sql.delete(label_documents).where(inArray(label_documents.label_id, ids));
  await tx.sql.update(labels).set({ drawing: blank }).where(inArray(labels.id, ids));
}

async function eraseLabels(tx: Tx, order_ids: string): Promise<number> {
  const found = await tx.sql
    .select({
      ...{ id: labels.id, return_id: labels.return_id, drawing: labels.drawing },
      ...{ from_address: labels.from_address, to_address: labels.to_address },
    })
    .from(labels)
    .where(isAmong(labels.order_id, order_ids));
  for (const { id, return_id, from_address, to_address } of found) {
    // A parcel that comes back leaves from the buyer.
    const places =
      return_id === null ? { to_address: countryOf(to_address) } : { from_address: countryOf(from_address) };
    await tx.sql
      .update(labels)
      .set({ ...(changesOf("labels") as object), ...places, drawing: blank })
      .where(eq(labels.id, id));
  }
  return found.length;
}

async function eraseReturns(tx: Tx, order_ids: string): Promise<number> {
  const found = await tx.sql
    .select({ id: returns.id, return_shipping: returns.return_shipping })
    .from(returns)
    .where(isAmong(returns.order_id, order_ids));
  for (const { id, return_shipping } of found) {
    await tx.sql
      .update(returns)
      .set({
        ...(changesOf("returns") as object),
        return_shipping: { ...return_shipping, label_url: null },
        version: template`${returns.version} + 1`,
      })
      .where(eq(returns.id, id));
  }
  return found.length;
}

/** Whether a return was asked for with one of these e-mail addresses, whoever ordered. */
export const isAskedBy = (email_keys: readonly string[]): SQL =>
  inArray(template`lower(${returns.customer_email})`, [...email_keys]);

/** Takes e-mail addresses out of returns that were asked for with one of them. Answers how many. */
export async function eraseReturnEmails(tx: Tx, email_keys: readonly string[]): Promise<number> {
  if (email_keys.length === 0) return 0;
  const changed = await tx.sql
    .update(returns)
    .set({ customer_email: null, version: template`${returns.version} + 1` })
    .where(isAskedBy(email_keys))
    .returning({ id: returns.id });
  return changed.length;
}

/** The next imports after an id that hold an order as the platform told it and are not about to be tried. */
export async function nextImports(db: Db, after: number, limit: number) {
  return db.sql
    .select({ id: platform_imports.id, payload: platform_imports.payload })
    .from(platform_imports)
    .where(and(gt(platform_imports.id, after), isNotNull(platform_imports.payload)))
    .orderBy(asc(platform_imports.id))
    .limit(limit);
}

/** Forgets the orders that these imports hold. */
export async function eraseImports(tx: Tx, ids: readonly number[]): Promise<number> {
  return empty(tx, "imports", platform_imports, inArray(platform_imports.id, [...ids]));
}

/** The ids of a person's records as the wire writes them. */
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
    .where(isAmong(shipments.order_id, order_ids));
  const printed = await db.sql.select({ id: labels.id }).from(labels).where(isAmong(labels.order_id, order_ids));
  const back = await db.sql.select({ id: returns.id }).from(returns).where(isAmong(returns.order_id, order_ids));
  return new Set([
    ...ids.map((id) => wireId("customer", id)),
    ...theirs.map(({ id }) => wireId("order", id)),
    ...parcels.map(({ id }) => wireId("shipment", id)),
    ...printed.map(({ id }) => wireId("label", id)),
    ...back.map(({ id }) => wireId("return", id)),
  ]);
}

/** The texts of some orders by which their buyer may be found in logs. */
export async function textsOfOrders(db: Db, order_ids: readonly number[]): Promise<(string | null)[]> {
  if (order_ids.length === 0) return [];
  const rows = await db.sql
    .select({ email: returns.customer_email })
    .from(returns)
    .where(isAmong(returns.order_id, list(order_ids)));
  return rows.map(({ email }) => email);
}
