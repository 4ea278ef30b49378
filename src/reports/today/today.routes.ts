import { iso, isoOrNull } from "../../core/clock.ts";
import { type IdNoun, wireId } from "../../core/ids.ts";
import { dayText, localTime, momentAt } from "../../core/time_zone.ts";
import { mayMerchant } from "../../http/auth/merchant_permissions.ts";
import type { Permission } from "../../http/auth/permissions.ts";
import type { Call } from "../../http/call.ts";
import { read, routes } from "../../http/routes.ts";
import { countRestockTasks, listRestockTasks } from "../../inventory/receiving/restock_tasks.sql.ts";
import { stockSummaryView } from "../../inventory/stock/product_stock.ts";
import { loadStockWithSets } from "../../inventory/stock/stock.sql.ts";
import { countStocked, listStocked } from "../../inventory/stock/stock_summary.sql.ts";
import { isExampleAddress, type PlainWarehouse } from "../../inventory/warehouses/warehouse.ts";
import { listPlainWarehouses, localDays } from "../../inventory/warehouses/warehouses.sql.ts";
import { listActiveAccounts } from "../../shipping/carriers/accounts.sql.ts";
import { hasOwnCards } from "../../shipping/rates/rate_cards.sql.ts";
import type { Db } from "../../storage/database.ts";
import { punctualityOf } from "../order_reports.sql.ts";
import { type ShipByDay, shipByDaysOf } from "../report_days.ts";
import { countOpen, type OpenOrders } from "./open_orders.sql.ts";
import {
  type DepartureView,
  OverviewView,
  type SampleView,
  stages,
  type TopicKind,
  type TopicView,
} from "./today.schema.ts";
import {
  counted_max,
  findBackorders,
  findDifferences,
  findExpiringLots,
  findFailedImports,
  findFailedLabels,
  findFailedReports,
  findFailingWebhooks,
  findHolds,
  findReceipts,
  findSteps,
  samples_max,
  type TopicRecord,
} from "./topics.sql.ts";

type TopicTarget = TopicView["target"];

/** The list that shows all records of a topic, and its filter. */
const topicTargets = {
  backorder: { noun: "orders", filter: { short: "true" } },
  failed_label: { noun: "labels", filter: { status: "error" } },
  failed_import: { noun: "imports", filter: { status: "failed" } },
  failed_report: { noun: "reports", filter: { status: "failed" } },
  failing_webhook: { noun: "webhooks", filter: {} },
  count_difference: { noun: "counts", filter: { status: "review" } },
  putback: { noun: "putbacks", filter: {} },
  receipts: { noun: "receipts", filter: {} },
  low_stock: { noun: "levels", filter: { low_stock: "true" } },
} as const satisfies Record<string, TopicTarget>;

/** The orders on hold for a reason. */
const heldOrders = (hold_reason: string): TopicTarget => ({
  noun: "orders",
  filter: { status: "on_hold", hold_reason },
});

/** The lots on sale whose last day is before `before`, in days since 1970-01-01. */
const expiringLots = (before: number): TopicTarget => ({
  noun: "lots",
  filter: { status: "available", on_hand: "true", expiring_before: dayText(before) },
});

/** The orders that are due to ship by `until`, in milliseconds. */
const ordersToLeave = (until: number): TopicTarget => ({
  noun: "orders",
  filter: { status: "pending,processing,fulfilled", ship_by_before: iso(until + 1) },
});

/** Lots that expire within this many days are shown. */
const expiring_days = 30;
// A warehouse that is closed for longer has no departures.
const days_ahead = 60;

/** The overview of today's work. */
export const overviewRoutes = routes("Reports", [
  read("/overview", "reports.read", {
    id: "getOverview",
    summary: "Get the overview of today",
    description:
      "Returns what a warehouse has to do today: orders due before the next cut-off with their progress, open tasks" +
      ` with their reasons, receipts due or late, lots that expire within ${expiring_days} days, and SKUs below their` +
      " reorder point. Each topic has its count, its first records and the list that shows all. Open tasks whose list" +
      " the caller may not see are left out.",
    view: OverviewView,
    data: (db, { call }) => overviewOf(db, call),
  }),
]);

/** The permission for each kind: that of its list. */
const seenBy: Readonly<Record<TopicKind, Permission>> = {
  hold: "orders.read",
  backorder: "orders.read",
  putback: "stock.read",
  failed_label: "shipping.read",
  failed_import: "platforms.manage",
  failed_report: "platforms.manage",
  failing_webhook: "webhooks.read",
  count_difference: "stock.read",
  receipt_today: "stock.read",
  receipt_late: "stock.read",
  expiring_lot: "stock.read",
  low_stock: "stock.read",
};

/** The lists that merchants may not call despite the permission. */
const lists: Partial<Readonly<Record<TopicKind, string>>> = { putback: "listPutBacks", count_difference: "listCounts" };

function maySee({ granted, merchant_id }: Pick<Call, "granted" | "merchant_id">, kind: TopicKind): boolean {
  const [need, id] = [seenBy[kind], lists[kind]];
  const isHidden = merchant_id !== null && id !== undefined && !mayMerchant({ id, need }, { may_buy_labels: false });
  return granted.permissions.has(need) && !isHidden;
}

async function overviewOf(db: Db, call: Call): Promise<OverviewView> {
  const warehouses = await listPlainWarehouses(db);
  const departures: DepartureView[] = [];
  for (const [at, warehouse] of warehouses.entries()) {
    departures.push(...(await departuresIn(db, warehouse, at === 0, warehouses.length === 1)));
  }
  const timezone = warehouses[0]?.timezone ?? "UTC";
  const { day } = localTime(db.now, timezone);
  const [today, tomorrow] = [momentAt({ day, minute: 0 }, timezone), momentAt({ day: day + 1, minute: 0 }, timezone)];
  const waiting = [...(await holdTopics(db)), ...(await otherTopics(db))];
  return {
    at: iso(db.now),
    departures,
    waiting: waiting.filter(({ kind, count }) => count > 0 && maySee(call, kind)),
    receipts_today: receiptTopic("receipt_today", await findReceipts(db, { since: today, until: tomorrow })),
    receipts_late: receiptTopic("receipt_late", await findReceipts(db, { since: 0, until: today })),
    expiring_lots: await lotTopic(db),
    low_stock: await lowTopic(db),
    first_steps: { ...(await shippingSteps(db, call, warehouses)), ...(await findSteps(db)) },
  };
}

/** Setup before the first label. Only the operator has to do it. */
async function shippingSteps(db: Db, { merchant_id }: Call, warehouses: readonly PlainWarehouse[]) {
  if (merchant_id !== null) return { warehouse: true, carrier: true };
  const sells = db.mode === "test" || (await hasOwnCards(db)) || (await listActiveAccounts(db)).length > 0;
  return { warehouse: !warehouses.some(({ address }) => isExampleAddress(address)), carrier: sells };
}

/** The next working day of a warehouse, possibly today, and the one after it once the cut-off has passed. */
async function departuresIn(
  db: Db,
  warehouse: PlainWarehouse,
  isFirst: boolean,
  isOnly: boolean,
): Promise<DepartureView[]> {
  const { day } = localTime(db.now, warehouse.timezone);
  const [next, after] = shipByDaysOf(warehouse, day, day + days_ahead);
  if (next === undefined) return [];
  const open = await countOpen(db, { id: warehouse.id, isFirst }, next.since, next.until);
  const viewOf = async (departure: ShipByDay, own: readonly OpenOrders[]) => {
    const { due, open: left } = await punctualityOf(db, departure, { id: warehouse.id, isFirst, isOnly });
    return departureView(db.now, warehouse, departure, own, due - left);
  };
  const view = await viewOf(
    next,
    open.filter(({ came }) => came !== "after"),
  );
  if (after === undefined || db.now < next.until) return [view];
  // Orders created after the cut-off may still ship today, ahead of their day.
  const ahead = open.filter(({ came }) => came === "after");
  return [view, await viewOf(after, ahead)];
}

function departureView(
  now: number,
  { id, name, timezone }: PlainWarehouse,
  { day, until }: ShipByDay,
  open: readonly OpenOrders[],
  shipped: number,
): DepartureView {
  const services = Map.groupBy(open, ({ carrier, service }) => JSON.stringify([carrier, service]));
  const views = [...services.values()].map((own) => ({
    carrier: own[0]?.carrier ?? null,
    service: own[0]?.service ?? null,
    ...staged(own),
  }));
  const text = (one: (typeof views)[number]) => `${one.carrier ?? ""} ${one.service ?? ""}`;
  views.sort((a, b) => b.orders - a.orders || (text(a) < text(b) ? -1 : 1));
  return {
    warehouse_id: wireId("warehouse", id),
    warehouse_name: name,
    timezone,
    date: dayText(day),
    cutoff_at: iso(until),
    minutes_left: Math.floor((until - now) / 60_000),
    shipped,
    ...staged(open),
    services: views,
    target: ordersToLeave(until),
  };
}

function staged(open: readonly OpenOrders[]) {
  const sum = (fits: (some: OpenOrders) => boolean) =>
    open.reduce((all, some) => all + (fits(some) ? some.count : 0), 0);
  const counts = Object.fromEntries(stages.map((stage) => [stage, sum((some) => some.stage === stage)]));
  return {
    orders: sum(() => true),
    late: sum(({ came }) => came === "before"),
    ...(counts as Record<(typeof stages)[number], number>),
  };
}

const ownerView = (merchant_id: number | null) => (merchant_id === null ? null : wireId("merchant", merchant_id));

type TopicRow = TopicRecord & { readonly quantity?: number };

/** A topic of rows, oldest first. */
function topic<One extends TopicRow>(
  kind: TopicKind,
  rows: readonly One[],
  sample: (row: One) => Pick<SampleView, "id"> & Partial<SampleView>,
  target: TopicView["target"],
  reason: string | null = null,
): TopicView {
  return {
    kind,
    reason,
    count: Math.min(rows[0]?.count ?? 0, counted_max),
    oldest_at: isoOrNull(rows[0]?.at ?? null),
    samples: rows.map((row) => ({
      name: row.name,
      merchant_id: ownerView(row.merchant_id ?? null),
      parent: null,
      at: isoOrNull(row.at),
      quantity: row.quantity ?? null,
      threshold: null,
      ...sample(row),
    })),
    target,
  };
}

const byId = (noun: IdNoun) => (row: TopicRow) => ({ id: wireId(noun, row.id) });

async function holdTopics(db: Db): Promise<TopicView[]> {
  const reasons = Map.groupBy(await findHolds(db), ({ reason }) => reason);
  return [...reasons].map(([hold_reason, rows]) => {
    return topic("hold", rows, byId("order"), heldOrders(hold_reason), hold_reason);
  });
}

async function otherTopics(db: Db): Promise<TopicView[]> {
  const ofConnection = (noun: IdNoun) => (row: TopicRow & { readonly connection_id: number }) => ({
    id: wireId(noun, row.id),
    parent: wireId("connection", row.connection_id),
  });
  const to = topicTargets;
  return [
    topic("backorder", await findBackorders(db), byId("order"), to.backorder),
    await putbackTopic(db),
    topic("failed_label", await findFailedLabels(db), byId("label"), to.failed_label),
    topic("failed_import", await findFailedImports(db), ofConnection("import"), to.failed_import),
    topic("failed_report", await findFailedReports(db), ofConnection("report"), to.failed_report),
    topic("failing_webhook", await findFailingWebhooks(db), byId("subscription"), to.failing_webhook),
    topic("count_difference", await findDifferences(db), byId("count"), to.count_difference),
  ];
}

async function putbackTopic(db: Db): Promise<TopicView> {
  const found = await listRestockTasks(db, {}, { limit: samples_max, offset: 0, after: null });
  const count = found.length < samples_max ? found.length : await countRestockTasks(db, {});
  const rows = found.map(({ id, merchant_id, sku, since, quantity, origin }) => ({
    id,
    merchant_id,
    name: sku,
    at: since,
    quantity,
    origin,
    count,
  }));
  return topic("putback", rows, ({ origin }) => ({ id: origin.id }), topicTargets.putback);
}

function receiptTopic(kind: "receipt_today" | "receipt_late", rows: readonly TopicRow[]): TopicView {
  return topic(kind, rows, byId("receipt"), topicTargets.receipts);
}

async function lotTopic(db: Db): Promise<TopicView> {
  const days = await localDays(db);
  const before = days.first + expiring_days + 1;
  const sample = ({ id, sku }: { readonly id: number; readonly sku: string }) => ({
    id: wireId("lot", id),
    parent: sku,
  });
  return topic("expiring_lot", await findExpiringLots(db, { days, before }), sample, expiringLots(before));
}

async function lowTopic(db: Db): Promise<TopicView> {
  const filter = { low_stock: true };
  const found = await listStocked(db, filter, { limit: samples_max, offset: 0, after: null }, "available");
  const count = found.length < samples_max ? found.length : await countStocked(db, filter);
  const ids = found.map(({ id }) => id);
  const levels = (await loadStockWithSets(db, ids)).map((shelf) => stockSummaryView(shelf, db.now, shelf.updated_at));
  return {
    kind: "low_stock",
    reason: null,
    count: Math.min(count, counted_max),
    oldest_at: null,
    samples: levels.map(({ merchant_id, sku, name, available, reorder_point }) => ({
      id: sku,
      merchant_id,
      name,
      parent: null,
      at: null,
      quantity: available,
      threshold: reorder_point,
    })),
    target: topicTargets.low_stock,
  };
}
