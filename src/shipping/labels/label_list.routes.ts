import { Elysia } from "elysia";
import { momentOf } from "../../core/clock.ts";
import { readId } from "../../core/ids.ts";
import { queryOf } from "../../core/schema.ts";
import { periodOf } from "../../core/time_zone.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { answerCsv, type CsvFile, pagesOf } from "../../http/csv_response.ts";
import { EnvelopedView, ListView } from "../../http/envelope.ts";
import { answerList } from "../../http/pagination.ts";
import { answerRead } from "../../http/response.ts";
import { documented } from "../../http/route.ts";
import { plainTrackingNumber } from "../../orders/fulfillment/tracking_url.ts";
import { findOrderId } from "../../orders/lifecycle/order_lookup.sql.ts";
import type { Db } from "../../storage/database.ts";
import { defaultOrigin } from "../origins.sql.ts";
import type { PlainLabel } from "./label.ts";
import { type ListedLabel, labelCells, labelColumns } from "./label.ts";
import { costsByDay, costView, type DayCost } from "./label_costs.ts";
import { countLabels, type LabelFilter, listLabels, sumCosts } from "./label_list.sql.ts";
import {
  CostsView,
  ExportCosts,
  ExportLabels as Exported,
  type ExportLabels,
  LabelView,
  ListCosts,
  ListLabels,
} from "./labels.schema.ts";
import { scannedSscc } from "./sscc.ts";

/** Returns a label's view for a caller. */
type ListedLabelViewer = (call: Call) => (label: PlainLabel, db: Db) => unknown;

/** Routes of the list of labels and of their costs, as JSON and CSV. */
export const labelListRoutes = (view: ListedLabelViewer) =>
  new Elysia({ prefix: "/shipping/labels" })
    .use(conventions)
    .get("", ({ call, query }) => answerLabels(call, query, view), {
      query: queryOf(ListLabels),
      detail: documented({
        id: "listLabels",
        needs: "shipping.read",
        chapter: "Shipping",
        summary: "List labels",
        description: "Filters are combined with AND.",
        refuses: ["ambiguous_identifier"],
        answers: { 200: ListView(LabelView) },
      }),
    })
    .get(
      "/export.csv",
      async ({ call, query }) => answerCsv(call, labelExport(call, await filterOf(call, query)), query),
      {
        query: queryOf(Exported),
        detail: documented({
          id: "exportLabels",
          needs: "shipping.read",
          chapter: "Shipping",
          summary: "Export the labels of a list as CSV",
          refuses: ["ambiguous_identifier"],
          documents: ["text/csv"],
          answers: { 200: null },
        }),
      },
    )
    .get("/costs", ({ call, query }) => answerRead(call, (db) => costsOf(db, query)), {
      query: queryOf(ListCosts),
      detail: documented({
        id: "getLabelCosts",
        needs: "shipping.read",
        chapter: "Shipping",
        summary: "Get label costs by carrier and day",
        answers: { 200: EnvelopedView(CostsView) },
      }),
    })
    .get("/costs/export.csv", ({ call, query }) => answerCsv(call, costExport(query), query), {
      query: queryOf(ExportCosts),
      detail: documented({
        id: "exportLabelCosts",
        needs: "shipping.read",
        chapter: "Shipping",
        summary: "Export label costs by carrier and day as CSV",
        documents: ["text/csv"],
        answers: { 200: null },
      }),
    });

async function answerLabels(call: Call, query: ListLabels, view: ListedLabelViewer): Promise<Response> {
  const filter = await filterOf(call, query);
  const shown = view(call);
  return answerList(
    call,
    query,
    {
      rows: (db, window) => listLabels(db, filter, window),
      count: (db) => countLabels(db, filter),
      position: ({ created_at, id }) => [created_at, id],
    },
    (rows, db) => rows.map((label) => shown(label, db)),
  );
}

async function filterOf(call: Call, query: ExportLabels): Promise<LabelFilter> {
  const { order_id, shipment_id, return_id, manifest_id, tracking_number, on_manifest, status, carrier, service } =
    query;
  const number = tracking_number === undefined ? undefined : plainTrackingNumber(tracking_number);
  const idIn = (noun: "shipment" | "return" | "manifest", id: string | number | undefined) =>
    // A malformed id matches no label.
    id === undefined ? undefined : (readId(noun, id) ?? 0);
  return {
    on_manifest,
    status,
    carrier,
    service,
    order_id:
      order_id === undefined
        ? undefined
        : ((await call.store.read((db) => findOrderId(db, order_id, "order_id"))) ?? 0),
    shipment_id: idIn("shipment", shipment_id),
    return_id: idIn("return", return_id),
    manifest_id: idIn("manifest", manifest_id),
    tracking_numbers: number === undefined ? undefined : [number, scannedSscc(number) ?? number],
    created_after: momentOf(query.created_after),
    created_before: momentOf(query.created_before),
  };
}

/** Returns the CSV export of matching labels, newest first. A merchant's export omits the operator's columns. */
export function labelExport({ merchant_id }: Pick<Call, "merchant_id">, filter: LabelFilter): CsvFile<ListedLabel> {
  return {
    name: "labels.csv",
    columns: labelColumns,
    page: pagesOf((db, last, limit) => {
      const after = last === null ? null : ([last.created_at, last.id] as const);
      return listLabels(db, filter, { limit, offset: 0, after });
    }),
    cells: (label) => labelCells(label, merchant_id),
  };
}

async function dayCosts(db: Db, query: ListCosts) {
  const { timezone } = await defaultOrigin(db);
  const { from, to, ...time } = periodOf(query, timezone, db.now);
  const costs = costsByDay(await sumCosts(db, { ...time, carrier: query.carrier }), timezone);
  return { timezone, from, to, costs };
}

async function costsOf(db: Db, query: ListCosts) {
  const { costs, ...period } = await dayCosts(db, query);
  return { ...period, costs: costs.map(costView) };
}

function costExport(query: ListCosts): CsvFile<DayCost> {
  return {
    name: "label-costs.csv",
    columns: ["date", "carrier", "currency", "label_count", "cost", "carrier_cost", "voided_count"],
    page: async (db) => ({ rows: (await dayCosts(db, query)).costs, next: null }),
    cells: (cost) => Object.values(costView(cost)),
  };
}
