// Recomputes the storage of every day from the ledger.
import { asc, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { columnsOf, opaque } from "../../db/kit.ts";
import { billable_events, billing_start, storage_closes, storage_days } from "../../db/schema/billing.ts";
import { count_lines, counts } from "../../db/schema/counts.ts";
import { movements, stock_items } from "../../db/schema/inventory.ts";
import { order_history, orders } from "../../db/schema/orders.ts";
import { receipt_lines, receipts } from "../../db/schema/receipts.ts";
import { return_inspections, return_items, returns } from "../../db/schema/returns.ts";
import { labels } from "../../db/schema/shipments.ts";
import { transfer_lines, transfer_loads, transfers } from "../../db/schema/transfers.ts";
import { bins } from "../../db/schema/warehouses.ts";
import type { Db } from "../storage/database.ts";
import { prepared, type StatementArgs } from "../storage/statements.ts";
import { type FoundFigure, named, type VerifierRule, verifierOf } from "../storage/verifier.ts";
import type { BilledAct } from "./billable_kinds.ts";

const audit_batch_rows_max = 5000;

const closes = prepared((query) =>
  query
    .select()
    .from(storage_closes)
    .where(sql`${storage_closes.closed_at} is not null`)
    .orderBy(asc(storage_closes.warehouse_id), asc(storage_closes.business_date)),
);
type AuditedDayClose = Awaited<ReturnType<typeof closes>>[number];

const places = prepared((query) =>
  query
    .select({ id: stock_items.id, warehouse_id: stock_items.warehouse_id, bin_kind: bins.kind })
    .from(stock_items)
    .innerJoin(bins, eq(bins.id, stock_items.bin_id)),
);

const ledger = prepared((query, a: StatementArgs<{ after: number; limit: number }>) =>
  query
    .select(columnsOf(movements, "id", "quantity", "from_item_id", "to_item_id", "created_at"))
    .from(movements)
    .where(sql`${movements.id} > ${a.after}`)
    .orderBy(asc(movements.id))
    .limit(opaque(a.limit)),
);

const rowsOf = prepared((query, a: StatementArgs<{ business_date: string }>) =>
  query.select().from(storage_days).where(eq(storage_days.business_date, a.business_date)),
);

/** A change of an item's units, and the first day that it counts for. */
interface AuditedStockChange {
  readonly item: number;
  readonly by: number;
  readonly day: number;
  /** Whether it happened on that day, not before. */
  readonly within: boolean;
}

/** Checks the units of every row of storage against the ledger. */
async function* storageFigures(db: Db): AsyncGenerator<FoundFigure> {
  const days = Map.groupBy(await closes(db, {}), ({ warehouse_id }) => warehouse_id);
  if (days.size === 0) return;
  const items = await places(db, {});
  const warehouses = new Map(items.map(({ id, warehouse_id }) => [id, warehouse_id]));
  // Units that only passed through staging on a day have no row.
  const staging = new Set(items.flatMap(({ id, bin_kind }) => (bin_kind === "staging" ? id : [])));
  const changes = await changesOf(db, days, warehouses);
  for (const [warehouse_id, own] of days) {
    const byDay = Map.groupBy(changes.get(warehouse_id) ?? [], ({ day }) => day);
    const units = new Map<number, number>();
    for (const [at, day] of own.entries()) {
      const peaks = replay(units, byDay.get(at) ?? []);
      for (const item of staging) if ((units.get(item) ?? 0) === 0) peaks.delete(item);
      yield* dayFigures(db, day, units, peaks);
    }
  }
}

/** All changes of items by warehouse, with the day that they count for. */
async function changesOf(
  db: Db,
  days: ReadonlyMap<number, readonly AuditedDayClose[]>,
  warehouses: ReadonlyMap<number, number>,
): Promise<Map<number, AuditedStockChange[]>> {
  const found = new Map<number, AuditedStockChange[]>();
  // The day of each item's last movement. Later movements never count for an earlier day.
  const reached = new Map<number, number>();
  for (let after: number | null = 0; after !== null; ) {
    const rows: Awaited<ReturnType<typeof ledger>> = await ledger(db, { after, limit: audit_batch_rows_max });
    for (const { id, quantity, from_item_id, to_item_id, created_at } of rows) {
      const sides = [[from_item_id, -quantity] as const, [to_item_id, quantity] as const].flatMap(([item, by]) => {
        const warehouse_id = item === null ? undefined : warehouses.get(item);
        return item === null || warehouse_id === undefined ? [] : { item, by, warehouse_id };
      });
      for (const [warehouse_id, here] of Map.groupBy(sides, (side) => side.warehouse_id)) {
        const own = days.get(warehouse_id) ?? [];
        const first = own.findIndex((one) => created_at < one.ended_at && id <= one.last_movement_id);
        const day = Math.max(first < 0 ? own.length : first, ...here.map(({ item }) => reached.get(item) ?? 0));
        for (const { item } of here) reached.set(item, day);
        const close = own[day];
        if (close === undefined) continue;
        const within = created_at >= close.began_at;
        const list = found.get(warehouse_id) ?? [];
        found.set(warehouse_id, list);
        for (const { item, by } of here) list.push({ item, by, day, within });
      }
    }
    after = rows.length < audit_batch_rows_max ? null : (rows.at(-1)?.id ?? null);
  }
  return found;
}

/** Applies a day's changes to the units of items. Returns the peak of each item. */
function replay(units: Map<number, number>, changes: readonly AuditedStockChange[]): Map<number, number> {
  const peaks = new Map<number, number>();
  for (const { item, by, within } of changes) {
    const before = units.get(item) ?? 0;
    units.set(item, before + by);
    if (within) peaks.set(item, Math.max(peaks.get(item) ?? before, before + by));
  }
  for (const [item, count] of units) peaks.set(item, Math.max(peaks.get(item) ?? 0, count));
  return peaks;
}

/** The units of each item on a day. */
async function* dayFigures(
  db: Db,
  { warehouse_id, business_date }: AuditedDayClose,
  units: ReadonlyMap<number, number>,
  peaks: ReadonlyMap<number, number>,
): AsyncGenerator<FoundFigure> {
  const rows = (await rowsOf(db, { business_date })).filter((row) => row.warehouse_id === warehouse_id);
  const known = new Map(rows.map((row) => [row.stock_item_id, row]));
  const items = new Set([...known.keys(), ...[...peaks].flatMap(([item, peak]) => (peak > 0 ? item : []))]);
  for (const item of items) {
    const row = known.get(item);
    const figure = (what: string, expected = 0, actual = 0): FoundFigure => ({
      rule: `I18 the units ${what} of a day match the ledger`,
      subject: `stock item ${item} on ${business_date}`,
      expected,
      actual,
      rows: () => named("storage_days", row === undefined ? [] : [row]),
    });
    yield figure("at the end", units.get(item), row?.units_at_close);
    yield figure("at most", peaks.get(item), row?.units_peak);
  }
}

// Acts from before billing began have no events.
const began = sql`(select coalesce(max(${billing_start.began_at}), 0) from ${billing_start})`;

/** The number in the id of a movement's reference, such as `ord_1001`. */
const referred = sql`cast(substr(${movements.reference_id}, 5) as bigint)`;

const act = (name: BilledAct) => sql.raw(`'${name}'`);

/** An act whose units and time are in rows of a record. */
interface RecordedAct {
  readonly what: string;
  readonly noun: BilledNoun;
  readonly act: BilledAct;
  readonly of: SQL;
  readonly id: SQLWrapper;
  readonly units: SQLWrapper;
  readonly at: SQLWrapper;
  /** The rows that count; all by default. */
  readonly which?: SQL;
  /** Whether rows have only the start of the act. Acts that started before billing began are not checked. */
  readonly lasts?: boolean;
}

function sameAs({
  what,
  noun,
  act: name,
  of,
  id,
  units,
  at,
  which = sql`true`,
  lasts = false,
}: RecordedAct): VerifierRule<BilledNoun> {
  const known = lasts
    ? sql`${billable_events.source_id} not in (select ${id} from ${of} where ${at} < ${began})`
    : sql`true`;
  const rows = sql`select id, sum(done) as expected, sum(billed) as actual from (
      select ${id} as id, ${units} as done, 0 as billed from ${of} where ${at} >= ${began} and ${which}
      union all
      select ${billable_events.source_id}, 0, ${billable_events.quantity} from ${billable_events}
      where ${billable_events.act} = ${act(name)} and ${known}
    ) as both_sides group by id`;
  return { rule: `I17 ${what}`, noun, rows };
}

const from_bins = alias(bins as never, "from_bins") as unknown as typeof bins;
const to_bins = alias(bins as never, "to_bins") as unknown as typeof bins;
const from_items = alias(stock_items as never, "billed_from") as unknown as typeof stock_items;
const to_items = alias(stock_items as never, "billed_to") as unknown as typeof stock_items;

// The act as which a single movement is billed; null if it is billed with others or not at all.
const actOfMovement = sql`case
  when ${movements.type} = 'receipt' and coalesce(${movements.reference_type}, 'reference') = 'reference'
    then ${act("stock.add")}
  when ${movements.type} <> 'transfer' then null
  when ${movements.reference_type} is null then ${act("stock.move")}
  when ${movements.reason} = 'put_back' and ${from_bins.kind} = 'staging' then ${act("order.put_back")}
  when ${movements.reason} = 'put_back' then ${act("stock.put_away")}
  when ${from_bins.kind} = 'staging' and ${to_bins.kind} = 'putback' then ${act("order.give_up")}
end`;

// A violation shows what was billed for its record.
const billed = [billable_events.source_id];
const nouns = {
  movement: billed,
  order: billed,
  receipt: billed,
  transfer: billed,
  count: billed,
  label: billed,
  return: billed,
  "billable event": [billable_events.id],
};
type BilledNoun = keyof typeof nouns;

const ofMovements: readonly VerifierRule<BilledNoun>[] = [
  {
    rule: "I17 a movement that is billed by itself has a billable event",
    noun: "movement",
    rows: sql`select id, quantity as expected, (
        select ${billable_events.quantity} from ${billable_events}
        where ${billable_events.source_id} = acts.id and ${billable_events.act} = acts.act
          and ${billable_events.merchant_id} = acts.merchant_id
      ) as actual
      from (
        select ${movements.id} as id, ${movements.merchant_id} as merchant_id, ${movements.quantity} as quantity,
          ${actOfMovement} as act
        from ${movements}
        left join ${stock_items} as billed_from on ${from_items.id} = ${movements.from_item_id}
        left join ${bins} as from_bins on ${from_bins.id} = ${from_items.bin_id}
        left join ${stock_items} as billed_to on ${to_items.id} = ${movements.to_item_id}
        left join ${bins} as to_bins on ${to_bins.id} = ${to_items.bin_id}
        where ${movements.created_at} >= ${began}
      ) as acts where act is not null`,
  },
  {
    rule: "I17 a billable event of a movement refers to an existing movement",
    noun: "billable event",
    rows: sql`select ${billable_events.id} as id, ${billable_events.quantity} as expected,
        ${movements.quantity} as actual
      from ${billable_events} left join ${movements} on ${movements.id} = ${billable_events.source_id}
      where ${billable_events.source_type} = 'movement'`,
  },
];

const isOld = sql`${referred} not in (select ${orders.id} from ${orders} where ${orders.created_at} >= ${began})`;

// An order may be picked several times in one transaction only from several warehouses. Units that an old order
// returned to the shelf may have been picked before billing began.
const picks: VerifierRule<BilledNoun> = {
  rule: "I17 picked units are billed in the warehouse and on the day of the pick, and unpicked ones taken back",
  noun: "order",
  rows: sql`select id, sum(done) as expected, sum(billed) as actual from (
      select ${referred} as id, ${stock_items.warehouse_id} as place, ${movements.created_at} as moment,
        case ${movements.reason} when 'picked' then 1 else -1 end * ${movements.quantity} as done, 0 as billed,
        case when ${movements.reason} = 'unpicked' and ${isOld} then 1 else 0 end as unknown
      from ${movements} join ${stock_items} on ${stock_items.id} = ${movements.from_item_id}
      where ${movements.reason} in ('picked', 'unpicked') and ${movements.reference_type} = 'order'
        and ${movements.created_at} >= ${began}
      union all
      select ${billable_events.source_id}, ${billable_events.warehouse_id}, ${billable_events.occurred_at},
        0, ${billable_events.quantity}, 0
      from ${billable_events} where ${billable_events.act} = ${act("order.pick")}
    ) as both_sides group by id, place, moment having max(unknown) = 0`,
};

const packs: VerifierRule<BilledNoun> = {
  rule: "I17 each pack of an order is billed",
  noun: "order",
  rows: sql`select id, sum(done) as expected, sum(billed) as actual from (
      select ${order_history.order_id} as id, 1 as done, 0 as billed from ${order_history}
      where ${order_history.event} = 'pack' and ${order_history.created_at} >= ${began}
      union all
      select ${billable_events.source_id}, 0, count(distinct ${billable_events.source_revision}) from ${billable_events}
      where ${billable_events.act} = ${act("order.pack")} and ${billable_events.attributes} ->> 'corrects' is null
      group by ${billable_events.source_id}
    ) as both_sides group by id`,
};

// It is not recorded which picked units are packed. Shipped units were packed, except those for which others were put
// back. Units of a cancelled order that a carrier already has are taken from the shelf unpacked.
const packs_by_warehouse: VerifierRule<BilledNoun> = {
  rule: "I17 units billed as packed were picked in that warehouse, and include the shipped units",
  noun: "order",
  rows: sql`select id,
      case when billed < lowest then lowest when billed > picked then picked else billed end as expected,
      billed as actual
    from (
      select id, sum(billed) as billed, sum(picked) as picked,
        sum(gone) - sum(sum(given_up)) over (partition by id) as lowest
      from (
        select ${referred} as id, ${stock_items.warehouse_id} as place, 0 as billed,
          case ${movements.reason} when 'picked' then ${movements.quantity} when 'unpicked' then -${movements.quantity}
            else 0 end as picked,
          case when ${movements.type} = 'sale' and ${bins.kind} = 'staging' and ${referred} in (
            select ${orders.id} from ${orders} where ${orders.created_at} >= ${began}
          ) then ${movements.quantity} else 0 end as gone,
          case when ${movements.type} = 'transfer' and ${bins.kind} = 'staging' and ${movements.reason} <> 'unpicked'
            then ${movements.quantity} else 0 end as given_up
        from ${movements} join ${stock_items} on ${stock_items.id} = ${movements.from_item_id}
        join ${bins} on ${bins.id} = ${stock_items.bin_id}
        where ${movements.reference_type} = 'order'
        union all
        select ${billable_events.source_id}, ${billable_events.warehouse_id}, ${billable_events.quantity}, 0, 0, 0
        from ${billable_events} where ${billable_events.act} = ${act("order.pack")}
      ) as both_sides group by id, place
    ) as places`,
};

const recorded: readonly RecordedAct[] = [
  {
    what: "units of a closed receipt are billed",
    noun: "receipt",
    act: "receipt.close",
    of: sql`${receipts} join ${receipt_lines} on ${receipt_lines.receipt_id} = ${receipts.id}`,
    id: receipts.id,
    units: receipt_lines.received,
    at: receipts.closed_at,
  },
  {
    what: "units shipped with a transfer are billed",
    noun: "transfer",
    act: "transfer.ship",
    of: sql`${transfers} join ${transfer_lines} on ${transfer_lines.transfer_id} = ${transfers.id}
      join ${transfer_loads} on ${transfer_loads.transfer_line_id} = ${transfer_lines.id}`,
    id: transfers.id,
    units: transfer_loads.quantity,
    at: transfers.shipped_at,
  },
  {
    // Units that never arrived are written off at the destination.
    what: "units received with a transfer are billed",
    noun: "transfer",
    act: "transfer.receive",
    of: sql`${movements}`,
    id: referred,
    units: sql`case ${movements.type} when 'transfer' then ${movements.quantity} else -${movements.quantity} end`,
    at: movements.created_at,
    which: sql`${movements.reference_type} = 'transfer'
      and (${movements.to_item_id} is not null or ${movements.type} = 'adjustment')`,
  },
  {
    what: "lines of a posted count are billed",
    noun: "count",
    act: "count.post",
    of: sql`${counts} join ${count_lines} on ${count_lines.count_id} = ${counts.id}`,
    id: counts.id,
    units: sql`1`,
    at: counts.posted_at,
    which: sql`${count_lines.counted} is not null`,
  },
  {
    what: "a bought label is billed",
    noun: "label",
    act: "label.buy",
    of: sql`${labels}`,
    id: labels.id,
    units: sql`1`,
    at: labels.created_at,
    which: sql`${labels.tracking_number} is not null`,
    lasts: true,
  },
  {
    what: "a voided label is billed as voided if its purchase was billed",
    noun: "label",
    act: "label.void",
    of: sql`${labels} join ${billable_events} on ${billable_events.source_id} = ${labels.id}
      and ${billable_events.act} = ${act("label.buy")}`,
    id: labels.id,
    units: sql`1`,
    at: labels.voided_at,
  },
  {
    what: "returned units are billed",
    noun: "return",
    act: "return.receive",
    of: sql`${returns} join ${return_items} on ${return_items.return_id} = ${returns.id}`,
    id: returns.id,
    units: return_items.quantity_received,
    at: returns.received_at,
    lasts: true,
  },
  {
    what: "inspected units are billed",
    noun: "return",
    act: "return.inspect",
    of: sql`${return_inspections} join ${return_items} on ${return_items.id} = ${return_inspections.return_item_id}`,
    id: return_items.return_id,
    units: return_inspections.quantity,
    at: return_inspections.created_at,
  },
];

const owners = sql`select 'order' as type, ${orders.id} as id, ${orders.merchant_id} as merchant_id from ${orders}
  union all select 'receipt', ${receipts.id}, ${receipts.merchant_id} from ${receipts}
  union all select 'transfer', ${transfers.id}, ${transfers.merchant_id} from ${transfers}
  union all select 'label', ${labels.id}, ${labels.merchant_id} from ${labels}
  union all select 'return', ${returns.id}, ${returns.merchant_id} from ${returns}
  union all select 'movement', ${movements.id}, ${movements.merchant_id} from ${movements}`;

const ofFacts: readonly VerifierRule<BilledNoun>[] = [
  {
    rule: "I17 a billable event belongs to the merchant of its record",
    noun: "billable event",
    rows: sql`select ${billable_events.id} as id, owners.merchant_id as expected,
        ${billable_events.merchant_id} as actual
      from ${billable_events} join (${owners}) as owners
        on owners.type = ${billable_events.source_type} and owners.id = ${billable_events.source_id}`,
  },
  {
    rule: "I17 a reversal has the negated quantity of its event",
    noun: "billable event",
    rows: sql`select reversals.id as id, -${billable_events.quantity} as expected, reversals.quantity as actual
      from ${billable_events} as reversals
      left join ${billable_events} on ${billable_events.id} = reversals.reversal_of
      where reversals.reversal_of is not null`,
  },
];

/** Checks billable events against the acts and the ledger, and the storage of each day against the ledger. */
export const verifyBilling = verifierOf({
  nouns,
  rules: [...ofMovements, picks, packs, packs_by_warehouse, ...recorded.map(sameAs), ...ofFacts],
  figures: storageFigures,
});
