import { and, asc, desc, eq, isNotNull, isNull, not, or, sql } from "drizzle-orm";
import { amongTexts, columnsOf, eachIn, forUpdate, isOneOf, list, opaque } from "../../db/kit.ts";
import { orders } from "../../db/schema/orders.ts";
import { labels, shipments } from "../../db/schema/shipments.ts";
import { tracking_events, tracking_records } from "../../db/schema/tracking.ts";
import { engine } from "../core/config.ts";
import { assert } from "../core/faults.ts";
import { numberUrl, trackingUrl } from "../orders/fulfillment/tracking_url.ts";
import { givenUp } from "../orders/order.transitions.ts";
import { scannedSscc } from "../shipping/labels/sscc.ts";
import type { Db, Tx, WriteStatements } from "../storage/database.ts";
import { insertIds, prepared, preparedOf, type StatementArgs } from "../storage/statements.ts";
import { pollQueue } from "./polling.sql.ts";
import { pastFacts, standingAfter, type TrackingFact, unknown_carrier } from "./tracking_events.ts";
import type { TrackingRecord } from "./tracking_record.ts";
import { type NewRecord, newRecord, no_details, no_reports, unfollowed } from "./tracking_record.ts";

/** Whether a parcel can be found by its tracking number. One that was given up can only if it was scanned. */
export const isFoundByNumber = or(not(isOneOf(shipments.status, [givenUp])), isNotNull(tracking_records.id));

// Carriers reuse numbers, so the newest parcel counts. A parcel whose number was entered by hand has no record before
// its first scan.
const byNumbers = prepared((sql, a: StatementArgs<{ numbers: string }>) =>
  sql
    .select({ parcel: shipments, record: tracking_records, imported: orders.imported })
    .from(shipments)
    .innerJoin(orders, eq(orders.id, shipments.order_id))
    .leftJoin(tracking_records, eq(tracking_records.shipment_id, shipments.id))
    .where(and(amongTexts(shipments.tracking_number, a.numbers), isFoundByNumber))
    .orderBy(asc(shipments.id)),
);

// Records without a parcel of an order: numbers tracked on request, and the parcels of returns.
const looseByNumbers = prepared((sql, a: StatementArgs<{ numbers: string }>) =>
  sql
    .select()
    .from(tracking_records)
    .where(and(amongTexts(tracking_records.tracking_number, a.numbers), isNull(tracking_records.shipment_id)))
    .orderBy(asc(tracking_records.id)),
);

// Selects few columns, since the record is read again under its lock.
const parcelsNamed = prepared((sql, a: StatementArgs<{ number: string }>) =>
  sql
    .select({
      shipment_id: shipments.id,
      sent_at: shipments.created_at,
      record_id: tracking_records.id,
      tracked_at: tracking_records.created_at,
      merchant_id: shipments.merchant_id,
    })
    .from(shipments)
    .leftJoin(tracking_records, eq(tracking_records.shipment_id, shipments.id))
    .where(and(eq(shipments.tracking_number, opaque(a.number)), isFoundByNumber))
    .orderBy(asc(shipments.id)),
);
const looseNamed = prepared((sql, a: StatementArgs<{ number: string }>) =>
  sql
    .select(columnsOf(tracking_records, "id", "followed", "created_at", "merchant_id"))
    .from(tracking_records)
    .where(and(eq(tracking_records.tracking_number, opaque(a.number)), isNull(tracking_records.shipment_id)))
    .orderBy(asc(tracking_records.id)),
);

const lockedById = prepared((sql, a: StatementArgs<{ id: number }>) =>
  forUpdate(sql.select().from(tracking_records).where(eq(tracking_records.id, a.id))),
);

const lockedOfParcel = prepared((sql, a: StatementArgs<{ shipment_id: number }>) =>
  forUpdate(sql.select().from(tracking_records).where(eq(tracking_records.shipment_id, a.shipment_id))),
);

const eventsOf = preparedOf((sql, isOf) =>
  sql
    .select()
    .from(tracking_events)
    .where(isOf(tracking_events.record_id))
    .orderBy(desc(tracking_events.occurred_at), desc(tracking_events.id)),
);

/** A stored scan. */
export type StoredTrackingEvent = typeof tracking_events.$inferSelect;

/** Lists the scans of records, newest first. */
export async function listEvents(db: Db, record_ids: readonly number[]): Promise<StoredTrackingEvent[]> {
  return record_ids.length === 0 ? [] : eventsOf(db, { ids: record_ids });
}

// Rows are written by `newRecord` and `firstRecord` only, so their JSON has the right shape.
const recordOf = (row: typeof tracking_records.$inferSelect) => row as TrackingRecord;

/** The key of a merchant's record of a number in the result of `findKnown`. */
export const knownBy = (merchant_id: number, number: string): string => `${merchant_id} ${number}`;

/**
 * Finds the newest record of each number for each merchant that has it, without scans. A parcel that was never
 * scanned has the record id 0.
 */
export async function findKnown(db: Db, numbers: readonly string[]): Promise<Map<string, Known>> {
  const rows = await byNumbers(db, { numbers: list(numbers) });
  const loose = await looseByNumbers(db, { numbers: list(numbers) });
  const newest = new Map<string, Known>();
  for (const row of rows) {
    const { merchant_id, tracking_number } = row.parcel;
    const number = tracking_number ?? "";
    newest.set(knownBy(merchant_id, number), { number, ...knownOf(row) });
  }
  for (const row of loose) {
    const key = knownBy(row.merchant_id, row.tracking_number);
    const parcel = newest.get(key);
    if (!isNewer(row, parcel?.record)) continue;
    const { shipment_id, order_id } = parcel?.record.id === 0 ? { ...parcel.record, ...parcel } : row;
    const number = row.tracking_number;
    newest.set(key, { number, record: { ...recordOf(row), shipment_id }, past: [], order_id });
  }
  return newest;
}

function knownOf({ record, ...parcel }: FoundParcel & { readonly record: object | null }): Omit<Known, "number"> {
  const { order_id } = parcel.parcel;
  if (record !== null) return { record: record as TrackingRecord, past: [], order_id };
  return { record: { id: 0, ...firstRecord(parcel) }, past: pastOf(parcel), order_id };
}

const labelOwners = prepared((sql, a: StatementArgs<{ number: string }>) =>
  sql
    .select({ merchant_id: labels.merchant_id })
    .from(labels)
    .where(eq(labels.tracking_number, opaque(a.number))),
);

/**
 * Chooses the records that a request without a merchant can mean: parcels rather than numbers tracked on request, and
 * numbers on labels rather than numbers entered by hand. So no merchant can hide another merchant's parcel from the
 * operator.
 */
export async function matchingParcels<Candidate extends Pick<TrackingRecord, "merchant_id" | "followed">>(
  db: Db,
  number: string,
  candidates: readonly Candidate[],
): Promise<readonly Candidate[]> {
  const parcels = candidates.filter(({ followed }) => !followed);
  if (parcels.length < 2) return parcels.length === 0 ? candidates : parcels;
  const owners = await labelOwners(db, { number: scannedSscc(number) ?? number });
  const labeled = parcels.filter(({ merchant_id }) => owners.some((owner) => owner.merchant_id === merchant_id));
  return labeled.length === 0 ? parcels : labeled;
}

/** Returns the public tracking page; null for a number without an order whose carrier has no page. */
export function pageOf(db: Db, record: TrackingRecord): string | null {
  const { id, shipment_id, carrier, tracking_number, tracking_url: told_url, order_id } = record;
  const number = { carrier, tracking_number, told_url };
  if (shipment_id === null) return numberUrl(db, number, order_id === null ? null : { record_id: id });
  return trackingUrl(db, { ...number, id: shipment_id });
}

/** The record of a number, with facts that are not stored as scans yet. */
interface Known {
  readonly number: string;
  readonly record: TrackingRecord;
  /** The events of an imported parcel without a record. */
  readonly past: readonly TrackingFact[];
  readonly order_id: number | null;
}

/**
 * Whether the record of a number itself is newer than that of its parcel. A parcel that was never scanned takes over a
 * number that was tracked before it.
 */
function isNewer(
  loose: Pick<TrackingRecord, "followed" | "created_at">,
  parcel: Pick<TrackingRecord, "id" | "created_at"> | undefined,
): boolean {
  if (parcel === undefined) return true;
  return parcel.id === 0 ? loose.followed : loose.created_at > parcel.created_at;
}

/** A record that is locked until the transaction ends. */
interface LockedRecord {
  readonly record: TrackingRecord;
  /** The parcel that has just taken over the record of its number, and has yet to take over its status. */
  readonly adopted_by: number | null;
}

/**
 * Locks the newest record of a number for each merchant that has it, or for `owner` only, until the transaction ends. A
 * parcel without a record gets one, or takes over the record of its number.
 */
export async function lockRecords(tx: Tx, tracking_number: string, owner: number | null): Promise<LockedRecord[]> {
  const parcels = await parcelsNamed(tx, { number: tracking_number });
  const loose = await looseNamed(tx, { number: tracking_number });
  const known = new Set([...parcels, ...loose].map(({ merchant_id }) => merchant_id));
  const owners = owner === null ? [...known].sort((a, b) => a - b) : known.has(owner) ? [owner] : [];
  const locked: LockedRecord[] = [];
  for (const merchant of owners) {
    const parcel = parcels.findLast(({ merchant_id }) => merchant_id === merchant);
    const other = loose.findLast(({ merchant_id }) => merchant_id === merchant);
    locked.push(await lockNewest(tx, tracking_number, parcel, other));
  }
  return locked;
}

async function lockNewest(
  tx: Tx,
  tracking_number: string,
  row: Awaited<ReturnType<typeof parcelsNamed>>[number] | undefined,
  loose: Awaited<ReturnType<typeof looseNamed>>[number] | undefined,
): Promise<LockedRecord> {
  const parcel = row && { id: row.record_id ?? 0, created_at: row.tracked_at ?? row.sent_at };
  if (loose !== undefined && isNewer(loose, parcel)) {
    const [locked] = await lockedById(tx, { id: loose.id });
    assert(locked, "a record is never deleted");
    if (locked.shipment_id !== null || row === undefined) return { record: recordOf(locked), adopted_by: null };
    const adopted = { shipment_id: row.shipment_id, order_id: null, followed: false };
    return { record: await saveFacts(tx, recordOf(locked), adopted), adopted_by: row.shipment_id };
  }
  assert(row, "a number has a parcel or a record of its own");
  return { record: await lockedParcel(tx, tracking_number, row.shipment_id), adopted_by: null };
}

async function lockedParcel(tx: Tx, tracking_number: string, shipment_id: number): Promise<TrackingRecord> {
  const [known] = await lockedOfParcel(tx, { shipment_id });
  if (known !== undefined) return recordOf(known);
  const found = (await byNumbers(tx, { numbers: list([tracking_number]) })).find(
    ({ parcel }) => parcel.id === shipment_id,
  );
  assert(found, "a parcel is never deleted");
  // Of two concurrent first scans, the second waits here for the record of the first.
  await tx.sql.insert(tracking_records).values(firstRecord(found)).onConflictDoNothing();
  const [locked] = await lockedOfParcel(tx, { shipment_id });
  assert(locked, "a parcel that is scanned has a record");
  for (const { event_hash: hash, ...fact } of pastOf(found)) {
    await insertEvent(tx, {
      record_id: locked.id,
      source: "import",
      source_event_id: null,
      hash,
      ...no_details,
      ...fact,
    });
  }
  return recordOf(locked);
}

interface FoundParcel {
  readonly parcel: typeof shipments.$inferSelect;
  readonly imported: boolean;
}

/** The tracking events of an imported past order's parcel. */
function pastOf({ parcel, imported }: FoundParcel): TrackingFact[] {
  return imported ? pastFacts(parcel) : [];
}

/** The record of a parcel before any report. */
function firstRecord(found: FoundParcel): Omit<TrackingRecord, "id"> {
  const { parcel } = found;
  return {
    merchant_id: parcel.merchant_id,
    tracking_number: parcel.tracking_number ?? "",
    carrier: parcel.carrier ?? unknown_carrier,
    service_type: parcel.service,
    shipment_id: parcel.id,
    ...standingAfter(pastOf(found)),
    ...no_reports,
    ...unfollowed,
    weight: null,
    weight_unit: null,
    dimensions: null,
    revision: 1,
    created_at: parcel.created_at,
    updated_at: parcel.created_at,
  };
}

/** Inserts records of parcels before any report, and returns them. */
export async function insertRecords(tx: Tx, parcels: readonly NewRecord[]): Promise<TrackingRecord[]> {
  const rows = parcels.map((fields) => newRecord(tx.now, fields));
  const ids = await insertIds(tx, tracking_records, rows);
  return rows.map((row, at) => ({ id: ids[at] ?? 0, ...row }));
}

/** Inserts the record of a number tracked on request. A concurrent record of the number stays. */
export async function insertFollowed(
  tx: Tx,
  fields: Pick<TrackingRecord, "merchant_id" | "tracking_number" | "carrier" | "order_id">,
): Promise<void> {
  const row = newRecord(tx.now, {
    ...fields,
    service_type: null,
    shipment_id: null,
    estimated_delivery: null,
    weight: null,
    weight_unit: null,
    dimensions: null,
    followed: true,
  });
  await tx.sql.insert(tracking_records).values(row).onConflictDoNothing();
}

export type EventRow = Omit<typeof tracking_events.$inferInsert, "id" | "created_at">;

const insertNew = prepared((sql: WriteStatements, a: StatementArgs<Required<EventRow> & { created_at: number }>) =>
  sql
    .insert(tracking_events)
    .values({
      record_id: a.record_id,
      source: a.source,
      source_event_id: a.source_event_id,
      hash: a.hash,
      status: a.status,
      message: a.message,
      status_detail: a.status_detail,
      location: a.location,
      carrier_status: a.carrier_status,
      carrier_code: a.carrier_code,
      reason: a.reason,
      occurred_at: a.occurred_at,
      created_at: a.created_at,
    })
    .onConflictDoNothing()
    .returning({ id: tracking_events.id }),
);

/** Inserts a scan; false if it was stored before. */
export async function insertEvent(tx: Tx, event: Required<EventRow>): Promise<boolean> {
  return (await insertNew(tx, { ...event, created_at: tx.now })).length === 1;
}

const saved_texts = ["status", "event_status", "event_hash", "status_detail", "message", "signed_by"] as const;
const saved_numbers = ["occurred_at", "revision", "updated_at"] as const;
const saved = [...saved_texts, ...saved_numbers] as const;
const savedText = (name: keyof TrackingRecord) => sql.raw(`(saved_row.value->>'${name}')`);
const savedNumber = (name: keyof TrackingRecord) => sql`cast(${savedText(name)} as bigint)`;

const saveRows = prepared((query: WriteStatements, a: StatementArgs<{ records: string }>) =>
  query
    .update(tracking_records)
    .set({
      ...Object.fromEntries(saved_texts.map((name) => [name, savedText(name)])),
      ...Object.fromEntries(saved_numbers.map((name) => [name, savedNumber(name)])),
      current_location: sql`cast(${savedText("current_location")} as json)`,
    })
    .from(sql`${eachIn(a.records)} as saved_row`)
    .where(eq(tracking_records.id, savedNumber("id"))),
);

const saveRow = prepared(
  (
    query: WriteStatements,
    a: StatementArgs<{ id: number } & Record<(typeof saved)[number] | "current_location", string | number | null>>,
  ) =>
    query
      .update(tracking_records)
      .set(Object.fromEntries([...saved, "current_location" as const].map((name) => [name, sql`${a[name]}`])))
      .where(eq(tracking_records.id, a.id)),
);

/** Saves the status of parcels after a scan, and increases the revision of each by one. */
export async function saveRecords(tx: Tx, changed: readonly TrackingRecord[]): Promise<TrackingRecord[]> {
  const records = changed.map((record) => ({ ...record, revision: record.revision + 1, updated_at: tx.now }));
  // On SQLite, one statement per row is four times cheaper than one for all rows.
  if (engine === "postgres" && records.length > 1) await saveRows(tx, { records: JSON.stringify(records) });
  else {
    for (const record of records) {
      const place = record.current_location;
      await saveRow(tx, { ...record, current_location: place === null ? null : JSON.stringify(place) });
    }
  }
  return records;
}

/** The fields of a record other than its status. */
export type RecordFacts = Partial<
  Pick<
    TrackingRecord,
    | ("tracking_number" | "carrier" | "service_type" | "shipment_id" | "estimated_delivery" | "estimated_at")
    | keyof typeof unfollowed
  >
>;

/** Saves facts of a locked record, and increases its revision by one. */
export async function saveFacts(tx: Tx, before: TrackingRecord, facts: RecordFacts): Promise<TrackingRecord> {
  const record = { ...before, ...facts, revision: before.revision + 1, updated_at: tx.now };
  const { revision, updated_at } = record;
  await tx.sql
    .update(tracking_records)
    .set({ ...facts, revision, updated_at })
    .where(eq(tracking_records.id, before.id));
  return record;
}

/** The result of a poll. */
interface PollDone {
  readonly look_at: number | null;
  readonly look_failures: number;
  readonly taken_up: boolean;
}

/** Saves the result of a claimed poll, unless the claim expired and another server took it over. */
export async function savePoll(tx: Tx, { id, look_at }: TrackingRecord, done: PollDone): Promise<void> {
  await tx.sql
    .update(tracking_records)
    .set(done)
    .where(and(eq(tracking_records.id, id), eq(tracking_records.look_at, look_at ?? 0)));
  if (done.look_at !== null) tx.wake(pollQueue.job, done.look_at);
}

/** Sets when a parcel is polled next (ms); null for never. */
export async function setPoll(tx: Tx, id: number, look_at: number | null): Promise<void> {
  await tx.sql.update(tracking_records).set({ look_at }).where(eq(tracking_records.id, id));
  if (look_at !== null) tx.wake(pollQueue.job, look_at);
}
