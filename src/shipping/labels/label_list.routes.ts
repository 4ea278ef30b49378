import { momentOf } from "../../core/clock.ts";
import { readId } from "../../core/ids.ts";
import { periodOf } from "../../core/time_zone.ts";
import type { Call } from "../../http/call.ts";
import { type CsvFile, pagesOf } from "../../http/csv_response.ts";
import { exportCsv, list, read, routes } from "../../http/routes.ts";
import { plainTrackingNumber } from "../../orders/fulfillment/tracking_url.ts";
import { findOrderId } from "../../orders/lifecycle/order_lookup.sql.ts";
import type { Db } from "../../storage/database.ts";
import { defaultOrigin } from "../origins.sql.ts";
import type { PlainLabel } from "./label.ts";
import { type ListedLabel, labelCells, labelColumns, type labelView } from "./label.ts";
import { costsByDay, costView, type DayCost } from "./label_costs.ts";
import { countLabels, type LabelFilter, listLabels, sumCosts } from "./label_list.sql.ts";
import { CostsView, ExportCosts, ExportLabels, LabelView, ListCosts, ListLabels } from "./labels.schema.ts";
import { scannedSscc } from "./sscc.ts";

/** Returns a label's view for a caller. */
type ListedLabelViewer = (call: Call) => (label: PlainLabel, db: Db) => ReturnType<typeof labelView>;

/** Routes of the list of labels and of their costs, as JSON and CSV. */
export const labelListRoutes = (view: ListedLabelViewer) =>
  routes("Shipping", [
    list("/shipping/labels", "shipping.read", {
      id: "listLabels",
      summary: "List labels",
      description: "Filters are combined with AND.",
      refuses: ["ambiguous_identifier"],
      query: ListLabels,
      view: LabelView,
      listing: async ({ call, query }) => {
        const filter = await filterOf(call, query);
        return {
          rows: (db, window) => listLabels(db, filter, window),
          count: (db) => countLabels(db, filter),
          position: ({ created_at, id }) => [created_at, id],
        };
      },
      views: (labels, db, { call }) => {
        const shown = view(call);
        return labels.map((label) => shown(label, db));
      },
    }),
    exportCsv("/shipping/labels/export.csv", "shipping.read", {
      id: "exportLabels",
      summary: "Export the labels of a list as CSV",
      refuses: ["ambiguous_identifier"],
      query: ExportLabels,
      file: async ({ call, query }) => labelExport(call, await filterOf(call, query)),
    }),
    read("/shipping/labels/costs", "shipping.read", {
      id: "getLabelCosts",
      summary: "Get label costs by carrier and day",
      query: ListCosts,
      view: CostsView,
      data: async (db, { query }) => {
        const { costs, ...period } = await dayCosts(db, query);
        return { ...period, costs: costs.map(costView) };
      },
    }),
    exportCsv("/shipping/labels/costs/export.csv", "shipping.read", {
      id: "exportLabelCosts",
      summary: "Export label costs by carrier and day as CSV",
      query: ExportCosts,
      file: ({ query }) => costExport(query),
    }),
  ]);

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

function costExport(query: ListCosts): CsvFile<DayCost> {
  return {
    name: "label-costs.csv",
    columns: ["date", "carrier", "currency", "label_count", "cost", "carrier_cost", "voided_count"],
    page: async (db) => ({ rows: (await dayCosts(db, query)).costs, next: null }),
    cells: (cost) => Object.values(costView(cost)),
  };
}
