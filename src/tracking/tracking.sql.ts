import { and, asc, desc, eq, isNotNull, isNull, lt, ne, not, or, sql } from "drizzle-orm";
import { among, amongTexts, eachIn, forUpdate, given, isOneOf, list } from "../../db/kit.ts";
import { orders } from "../../db/schema/orders.ts";
import { labels, shipments } from "../../db/schema/shipments.ts";
import { tracking_events, tracking_records } from "../../db/schema/tracking.ts";
import { engine } from "../core/config.ts";
import { assert } from "../core/faults.ts";
import { numberUrl, trackingUrl } from "../orders/fulfillment/tracking_url.ts";
import { givenUp } from "../orders/order.transitions.ts";
import { scannedSscc } from "../shipping/labels/sscc.ts";
import type { Db, Tx, WriteStatements } from "../storage/database.ts";
import { endOfClaims } from "../storage/servers.ts";
import { insertIds, prepared, preparedOf, type StatementArgs } from "../storage/statements.ts";
import { pastFacts, standingAfter, type TrackingFact, unknown_carrier } from "./tracking_events.ts";
import type { TrackingRecord } from "./tracking_record.ts";
import { type NewRecord, newRecord, no_expectation, silence, unfollowed } from "./tracking_record.ts";

/** Whether a parcel is found by its tracking number: one that was given up is only if it was scanned. */
export const isFoundByNumber = or(not(isOneOf(shipments.status, [givenUp])), isNotNull(tracking_records.id));

// Carriers reuse numbers after some time, so the newest parcel counts. A parcel sent under another carrier's number
// has no record before its first scan.
const byNumbers = prepared((sql, a: StatementArgs<{ numbers: string }>) =>
  sql
    .select({ parcel: shipments, record: tracking_records, imported: orders.imported })
    .from(shipments)
    .innerJoin(orders, eq(orders.id, shipments.order_id))
    .leftJoin(tracking_records, eq(tracking_records.shipment_id, shipments.id))
    .where(and(amongTexts(shipments.tracking_number, a.numbers), isFoundByNumber))
    .orderBy(asc(shipments.id)),
);

// Numbers tracked on request, and the parcels of returns: none of them is a parcel of an order.
const looseByNumbers = prepared((sql, a: StatementArgs<{ numbers: string }>) =>
  sql
    .select()
    .from(tracking_records)
    .where(and(amongTexts(tracking_records.tracking_number, a.numbers), isNull(tracking_records.shipment_id)))
    .orderBy(asc(tracking_records.id)),
);

// Little is read of a record that is read again under its lock.
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
    .where(and(eq(shipments.tracking_number, given(a.number)), isFoundByNumber))
    .orderBy(asc(shipments.id)),
);
const looseNamed = prepared((sql, a: StatementArgs<{ number: string }>) =>
  sql
    .select({
      id: tracking_records.id,
      followed: tracking_records.followed,
      created_at: tracking_records.created_at,
      merchant_id: tracking_records.merchant_id,
    })
    .from(tracking_records)
    .where(and(eq(tracking_records.tracking_number, given(a.number)), isNull(tracking_records.shipment_id)))
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

/** A scan as it is stored. */
export type StoredTrackingEvent = typeof tracking_events.$inferSelect;

/** The scans of these records, newest first. */
export async function listEvents(db: Db, record_ids: readonly number[]): Promise<StoredTrackingEvent[]> {
  return record_ids.length === 0 ? [] : eventsOf(db, { ids: record_ids });
}

// Only what `insertRecord` wrote is read, so its JSON has the right shape.
const recordOf = (row: typeof tracking_records.$inferSelect) => row as TrackingRecord;

/** By what a merchant's record of a number is found among those that `findKnown` answers. */
export const knownBy = (merchant_id: number, number: string): string => `${merchant_id} ${number}`;

/**
 * The newest parcel's record of each number at each merchant who knows it, without its scans; a parcel that was never
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

function knownOf({ record, ...found }: FoundParcel & { readonly record: object | null }): Omit<Known, "number"> {
  const { order_id } = found.parcel;
  if (record !== null) return { record: record as TrackingRecord, past: [], order_id };
  return { record: { id: 0, ...firstRecord(found) }, past: pastOf(found), order_id };
}

const labelledNumbers = prepared((sql, a: StatementArgs<{ number: string }>) =>
  sql
    .select({ merchant_id: labels.merchant_id })
    .from(labels)
    .where(eq(labels.tracking_number, given(a.number))),
);

/**
 * Of the records of one number, those that a request means that names no merchant: of a merchant whose parcel it is
 * rather than of those who only follow the number, and of the merchant whose label has it rather than of those
 * who entered it by hand. So nobody can hide another merchant's parcel from the operator.
 */
export async function matchingParcels<Known extends Pick<TrackingRecord, "merchant_id" | "followed">>(
  db: Db,
  number: string,
  known: readonly Known[],
): Promise<readonly Known[]> {
  const parcels = known.filter(({ followed }) => !followed);
  if (parcels.length < 2) return parcels.length === 0 ? known : parcels;
  const owners = await labelledNumbers(db, { number: scannedSscc(number) ?? number });
  const labelled = parcels.filter(({ merchant_id }) => owners.some((owner) => owner.merchant_id === merchant_id));
  return labelled.length === 0 ? parcels : labelled;
}

/** The public tracking page. A number that is tracked for no order has no page of ours. */
export function pageOf(db: Db, record: TrackingRecord): string | null {
  const { id, shipment_id, carrier, tracking_number, tracking_url: told_url, order_id } = record;
  const number = { carrier, tracking_number, told_url };
  if (shipment_id === null) return numberUrl(db, number, order_id === null ? null : { record_id: id });
  return trackingUrl(db, { ...number, id: shipment_id });
}

/** What is known of a number. */
interface Known {
  readonly number: string;
  readonly record: TrackingRecord;
  /** What is known of its tracking without any scan. */
  readonly past: readonly TrackingFact[];
  readonly order_id: number | null;
}

/**
 * Whether the newest record of a number stands for the number itself and not for a parcel. A parcel that was never
 * scanned is the one that was tracked before it was entered.
 */
function isNewer(
  loose: Pick<TrackingRecord, "followed" | "created_at">,
  parcel: Pick<TrackingRecord, "id" | "created_at"> | undefined,
): boolean {
  if (parcel === undefined) return true;
  return parcel.id === 0 ? loose.followed : loose.created_at > parcel.created_at;
}

/** The record of a number, locked until the transaction ends. */
interface LockedRecord {
  readonly record: TrackingRecord;
  /** The parcel that has just taken over the record of a number tracked before it; its own status lacks the scans. */
  readonly adopted_by: number | null;
}

/**
 * The newest parcel's record of a number at each merchant who knows it, or at `owner` alone, locked until the
 * transaction ends. A parcel without a record gets one, unless its number was tracked before the parcel was entered.
 */
export async function lockRecords(tx: Tx, tracking_number: string, owner: number | null): Promise<LockedRecord[]> {
  const parcels = await parcelsNamed(tx, { number: tracking_number });
  const loose = await looseNamed(tx, { number: tracking_number });
  const known = new Set([...parcels, ...loose].map(({ merchant_id }) => merchant_id));
  const owners = owner === null ? [...known].sort((a, b) => a - b) : known.has(owner) ? [owner] : [];
  const locked: LockedRecord[] = [];
  for (const one of owners) {
    const parcel = parcels.findLast(({ merchant_id }) => merchant_id === one);
    const other = loose.findLast(({ merchant_id }) => merchant_id === one);
    locked.push(await lockNewest(tx, tracking_number, parcel, other));
  }
  return locked;
}

async function lockNewest(
  tx: Tx,
  tracking_number: string,
  named: Awaited<ReturnType<typeof parcelsNamed>>[number] | undefined,
  loose: Awaited<ReturnType<typeof looseNamed>>[number] | undefined,
): Promise<LockedRecord> {
  const parcel = named && { id: named.record_id ?? 0, created_at: named.tracked_at ?? named.sent_at };
  if (loose !== undefined && isNewer(loose, parcel)) {
    const [locked] = await lockedById(tx, { id: loose.id });
    assert(locked, "a record is never deleted");
    if (locked.shipment_id !== null || named === undefined) return { record: recordOf(locked), adopted_by: null };
    const adopted = { shipment_id: named.shipment_id, order_id: null, followed: false };
    return { record: await saveFacts(tx, recordOf(locked), adopted), adopted_by: named.shipment_id };
  }
  assert(named, "a number is a parcel's or tracked for itself");
  return { record: await lockedParcel(tx, tracking_number, named.shipment_id), adopted_by: null };
}

async function lockedParcel(tx: Tx, tracking_number: string, shipment_id: number): Promise<TrackingRecord> {
  const [known] = await lockedOfParcel(tx, { shipment_id });
  if (known !== undefined) return recordOf(known);
  const found = (await byNumbers(tx, { numbers: list([tracking_number]) })).find(
    ({ parcel }) => parcel.id === shipment_id,
  );
  assert(found, "a parcel is never deleted");
  // Two first scans at once make one record: the second waits for the first here.
  await tx.sql.insert(tracking_records).values(firstRecord(found)).onConflictDoNothing();
  const [locked] = await lockedOfParcel(tx, { shipment_id });
  assert(locked, "a parcel that is scanned has a record");
  for (const { event_hash: hash, ...fact } of pastOf(found)) {
    await insertEvent(tx, {
      record_id: locked.id,
      source: "import",
      source_event_id: null,
      hash,
      ...no_expectation,
      ...fact,
    });
  }
  return recordOf(locked);
}

interface FoundParcel {
  readonly parcel: typeof shipments.$inferSelect;
  readonly imported: boolean;
}

/** What is known of the tracking of an imported past order's parcel. */
function pastOf({ parcel, imported }: FoundParcel): TrackingFact[] {
  return imported ? pastFacts(parcel) : [];
}

/** What is known of a parcel before any report. */
function firstRecord(found: FoundParcel): Omit<TrackingRecord, "id"> {
  const { parcel } = found;
  return {
    merchant_id: parcel.merchant_id,
    tracking_number: parcel.tracking_number ?? "",
    carrier: parcel.carrier ?? unknown_carrier,
    service_type: parcel.service,
    shipment_id: parcel.id,
    ...standingAfter(pastOf(found)),
    ...silence,
    ...unfollowed,
    weight: null,
    weight_unit: null,
    dimensions: null,
    version: 1,
    created_at: parcel.created_at,
    updated_at: parcel.created_at,
  };
}

/** Stores the records of parcels before any report, and answers them. */
export async function insertRecords(tx: Tx, parcels: readonly NewRecord[]): Promise<TrackingRecord[]> {
  const rows = parcels.map((fields) => newRecord(tx.now, fields));
  const ids = await insertIds(tx, tracking_records, rows);
  return rows.map((row, at) => ({ id: ids[at] ?? 0, ...row }));
}

/** Stores a number that nobody here tracked; when somebody does so at the same time, that record stays. */
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

/** Stores a scan; false when it was stored before. */
export async function insertEvent(tx: Tx, event: Required<EventRow>): Promise<boolean> {
  return (await insertNew(tx, { ...event, created_at: tx.now })).length === 1;
}

const saved_texts = ["status", "event_status", "event_hash", "status_detail", "message", "signed_by"] as const;
const saved_numbers = ["occurred_at", "version", "updated_at"] as const;
const saved = [...saved_texts, ...saved_numbers] as const;
const told = (name: keyof TrackingRecord) => sql.raw(`(told.value->>'${name}')`);
const toldNumber = (name: keyof TrackingRecord) => sql`cast(${told(name)} as bigint)`;

const saveRows = prepared((query: WriteStatements, a: StatementArgs<{ records: string }>) =>
  query
    .update(tracking_records)
    .set({
      ...Object.fromEntries(saved_texts.map((name) => [name, told(name)])),
      ...Object.fromEntries(saved_numbers.map((name) => [name, toldNumber(name)])),
      current_location: sql`cast(${told("current_location")} as json)`,
    })
    .from(sql`${eachIn(a.records)} as told`)
    .where(eq(tracking_records.id, toldNumber("id"))),
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

/** Stores the status of parcels after a scan; the version of each increases by one. */
export async function saveRecords(tx: Tx, changed: readonly TrackingRecord[]): Promise<TrackingRecord[]> {
  const records = changed.map((record) => ({ ...record, version: record.version + 1, updated_at: tx.now }));
  // On SQLite a statement for each row is four times cheaper than one for all of them.
  if (engine === "postgres" && records.length > 1) await saveRows(tx, { records: JSON.stringify(records) });
  else {
    for (const record of records) {
      const place = record.current_location;
      await saveRow(tx, { ...record, current_location: place === null ? null : JSON.stringify(place) });
    }
  }
  return records;
}

/** What is known of a parcel besides its status. */
export type RecordFacts = Partial<
  Pick<
    TrackingRecord,
    | ("tracking_number" | "carrier" | "service_type" | "shipment_id" | "estimated_delivery" | "estimated_at")
    | keyof typeof unfollowed
  >
>;

/** Stores facts of a locked record; its version increases by one. */
export async function saveFacts(tx: Tx, before: TrackingRecord, facts: RecordFacts): Promise<TrackingRecord> {
  const record = { ...before, ...facts, version: before.version + 1, updated_at: tx.now };
  const { version, updated_at } = record;
  await tx.sql
    .update(tracking_records)
    .set({ ...facts, version, updated_at })
    .where(eq(tracking_records.id, before.id));
  return record;
}

// The condition of the partial index is written into the query, since databases do not match parameters to it.
const isLookedAt = sql`${tracking_records.look_at} is not null`;

/** The name of the job that polls carriers. */
export const poll_job = "tracking.poll";

const lease = prepared((query: WriteStatements, a: StatementArgs<{ ids: string; until: number }>) =>
  query.update(tracking_records).set({ look_at: a.until }).where(among(tracking_records.id, a.ids)),
);

/** Keeps other servers from polling for these parcels until a moment. */
export async function leasePolls(tx: Tx, ids: readonly number[], until: number): Promise<void> {
  await lease(tx, { ids: list(ids), until });
}

/** Ends claims of parcels whose server is gone: they are to be polled again. */
export const endPollClaims = endOfClaims(tracking_records, tracking_records.look_at);

/** The result of a poll. */
interface PollDone {
  readonly look_at: number | null;
  readonly look_failures: number;
  readonly taken_up: boolean;
}

/**
 * Stores the result of a poll for a parcel, unless its claim, which ran until `leased`, expired and another server took
 * it.
 */
export async function savePoll(tx: Tx, id: number, leased: number, done: PollDone): Promise<void> {
  await tx.sql
    .update(tracking_records)
    .set(done)
    .where(and(eq(tracking_records.id, id), eq(tracking_records.look_at, leased)));
  if (done.look_at !== null) tx.wake(poll_job, done.look_at);
}

/** Sets when the carrier of a parcel is polled next; null for never again. */
export async function setPoll(tx: Tx, id: number, look_at: number | null): Promise<void> {
  await tx.sql.update(tracking_records).set({ look_at }).where(eq(tracking_records.id, id));
  if (look_at !== null) tx.wake(poll_job, look_at);
}

/** Postpones the polls of an account's other parcels to a moment. */
export async function postponePolls(tx: Tx, account_id: number, probe: number, until: number): Promise<void> {
  const { look_at } = tracking_records;
  await tx.sql
    .update(tracking_records)
    .set({ look_at: until })
    .where(
      and(eq(tracking_records.account_id, account_id), isLookedAt, lt(look_at, until), ne(tracking_records.id, probe)),
    );
}

/** Moves the times of the next polls by as much as the clock was set. */
export async function shiftPolls(tx: Tx, by_ms: number): Promise<void> {
  const { look_at } = tracking_records;
  await tx.sql
    .update(tracking_records)
    .set({ look_at: sql`${look_at} + ${by_ms}` })
    .where(isLookedAt);
}
