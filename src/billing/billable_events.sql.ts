import { and, desc, eq, getTableColumns, gte, isNull, lt, lte } from "drizzle-orm";
import { type AnyPgColumn, alias } from "drizzle-orm/pg-core";
import { opaque } from "../../db/kit.ts";
import { billable_events } from "../../db/schema/billing.ts";
import { momentOf } from "../core/clock.ts";
import { readId } from "../core/ids.ts";
import { choice, timeSchemas } from "../core/schema.ts";
import { day_ms } from "../core/time.ts";
import { dayText } from "../core/time_zone.ts";
import type { Db, Tx } from "../storage/database.ts";
import { descending, equals, filter, recordList, refersTo } from "../storage/record_list.ts";
import { allotId, insert, insertIds, prepared, type StatementArgs } from "../storage/statements.ts";
import type { BillableEvent } from "./billable_event.ts";
import { type BilledAct, billableKinds } from "./billable_kinds.ts";
import { dayField } from "./billing.schema.ts";

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

const standing = prepared((query, a: StatementArgs<{ act: BilledAct; source_id: number }>) => {
  const reversals = alias(billable_events as never, "reversals") as unknown as typeof billable_events;
  return query
    .select(getTableColumns(billable_events))
    .from(billable_events)
    .leftJoin(reversals, eq(reversals.reversal_of, billable_events.id))
    .where(
      and(
        eq(billable_events.source_id, opaque(a.source_id)),
        eq(billable_events.act, opaque(a.act)),
        isNull(billable_events.reversal_of),
        isNull(reversals.id),
      ),
    )
    .orderBy(desc(billable_events.id));
});

/** The events of an act on a record that are not reversed, newest first. */
export async function listStanding(db: Db, act: BilledAct, source_id: number): Promise<BillableEvent[]> {
  return standing(db, { act, source_id });
}

/** Filters by warehouse, and by the first and last day there (inclusive). */
export const dayFilters = (warehouse_id: AnyPgColumn, business_date: AnyPgColumn) => ({
  warehouse: refersTo(warehouse_id, "warehouse", "Only those of these warehouses."),
  from: filter(dayField("The first day, in the warehouse's time zone."), (day) => gte(business_date, day)),
  to: filter(dayField("The last day, in the warehouse's time zone."), (day) => lte(business_date, day)),
});

/** The day in UTC of a moment (ms), and n days after it. */
const dayAround = (moment: number, days: number) => dayText(Math.floor(moment / day_ms) + days);

const { occurred_at, business_date } = billable_events;
const recorded = timeSchemas("created", "Recorded");
// The index is by business date, which is at most a day from the date in UTC.
const timeFilters = {
  created_after: filter(recorded.after, (text) => {
    const moment = momentOf(text);
    return and(gte(occurred_at, moment), gte(business_date, dayAround(moment, -1)));
  }),
  created_before: filter(recorded.before, (text) => {
    const moment = momentOf(text);
    return and(lt(occurred_at, moment), lte(business_date, dayAround(moment, 1)));
  }),
};

/** Billable events, newest day first. */
export const billableList = recordList(billable_events, {
  filters: {
    ...timeFilters,
    ...dayFilters(billable_events.warehouse_id, billable_events.business_date),
    kind: equals(billable_events.kind, choice(billableKinds, { description: "Only these kinds of work." })),
  },
  order: descending(billable_events.business_date),
});
