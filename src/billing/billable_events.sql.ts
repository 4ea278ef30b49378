import { and, desc, eq, gte, isNull, lte, type SQL, sql } from "drizzle-orm";
import { opaque } from "../../db/kit.ts";
import { billable_events } from "../../db/schema/billing.ts";
import { readId } from "../core/ids.ts";
import type { PageWindow } from "../core/schema.ts";
import type { Db, Tx } from "../storage/database.ts";
import { allotId, insert, insertIds, prepared, type StatementArgs } from "../storage/statements.ts";
import type { BillableEvent } from "./billable_event.ts";
import type { BillableKind, BilledAct } from "./billable_kinds.ts";

type NewBillableEvent = Omit<BillableEvent, "id">;

/** Stores events without returning ids, which on PostgreSQL saves waiting. */
export async function insertEvents(tx: Tx, events: readonly NewBillableEvent[]): Promise<void> {
  await insert(tx, billable_events, events.map(rowOf));
}

/** Stores an event and returns it. */
export async function insertEvent(tx: Tx, event: NewBillableEvent): Promise<BillableEvent> {
  const [id = 0] = await insertIds(tx, billable_events, [rowOf(event)]);
  return { id, ...event };
}

/** As `insertEvent`, for an event that is its own source. */
export async function insertOwnEvent(tx: Tx, event: NewBillableEvent): Promise<BillableEvent> {
  const id = await allotId(tx, "billable_events");
  const own = { ...event, id, source_id: id };
  await insert(tx, billable_events, [{ id, ...rowOf(own) }]);
  return own;
}

const rowOf = ({ attributes, ...event }: NewBillableEvent) => ({ ...event, attributes: { ...attributes } });

const byId = prepared((query, a: StatementArgs<{ id: number }>) =>
  query.select().from(billable_events).where(eq(billable_events.id, a.id)),
);

/** The event with this id, or null. */
export async function findEvent(db: Db, id: string | number): Promise<BillableEvent | null> {
  const [row] = await byId(db, { id: readId("billable_event", id) ?? 0 });
  return row ?? null;
}

const bySource = prepared((query, a: StatementArgs<{ act: BilledAct; source_id: number }>) =>
  query
    .select()
    .from(billable_events)
    .where(
      and(
        eq(billable_events.source_id, opaque(a.source_id)),
        eq(billable_events.act, opaque(a.act)),
        isNull(billable_events.reversal_of),
      ),
    ),
);

/** The event of an act on a record; null if the act was before billing began. */
export async function findFact(db: Db, act: BilledAct, source_id: number): Promise<BillableEvent | null> {
  const [row] = await bySource(db, { act, source_id });
  return row ?? null;
}

const reversalRow = prepared((query, a: StatementArgs<{ id: number }>) =>
  query
    .select({ id: billable_events.id })
    .from(billable_events)
    .where(eq(billable_events.reversal_of, opaque(a.id))),
);

/** Whether an event was reversed. */
export async function isReversed(db: Db, id: number): Promise<boolean> {
  return (await reversalRow(db, { id })).length > 0;
}

/** The filters of events. Dates are local to the warehouses, and inclusive. */
export interface BillableEventFilter {
  readonly warehouse_id?: number | undefined;
  readonly kind?: BillableKind | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

function matching({ warehouse_id, kind, from, to }: BillableEventFilter): SQL | undefined {
  return and(
    warehouse_id === undefined ? undefined : eq(billable_events.warehouse_id, warehouse_id),
    kind === undefined ? undefined : eq(billable_events.kind, kind),
    from === undefined ? undefined : gte(billable_events.business_date, from),
    to === undefined ? undefined : lte(billable_events.business_date, to),
  );
}

/** A page of matching events, newest day first. */
export async function listEvents(
  db: Db,
  filter: BillableEventFilter,
  { limit, offset, after }: PageWindow,
): Promise<BillableEvent[]> {
  const { business_date, id } = billable_events;
  const further = after ? sql`(${business_date}, ${id}) < (${after[0]}, ${after[1]})` : undefined;
  return db.sql
    .select()
    .from(billable_events)
    .where(and(matching(filter), further))
    .orderBy(desc(business_date), desc(id))
    .limit(limit)
    .offset(offset);
}

/** The number of matching events. */
export async function countEvents(db: Db, filter: BillableEventFilter): Promise<number> {
  return db.sql.$count(billable_events, matching(filter));
}
