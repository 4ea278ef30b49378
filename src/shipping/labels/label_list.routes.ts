import type { Static } from "@sinclair/typebox";
import { periodOf } from "../../core/time_zone.ts";
import type { Call } from "../../http/call.ts";
import { type CsvFile, pagesOf } from "../../http/csv_response.ts";
import { exportCsv, list, read, routes } from "../../http/routes.ts";
import type { Db } from "../../storage/database.ts";
import { defaultOrigin } from "../origins.sql.ts";
import type { PlainLabel } from "./label.ts";
import { type ListedLabel, labelCells, labelColumns, type labelView } from "./label.ts";
import { costsByDay, costView, type DayCost } from "./label_costs.ts";
import { labelList, sumCosts } from "./label_list.sql.ts";
import { CostsView, ExportCosts, LabelView, ListCosts } from "./labels.schema.ts";

/** Returns a label's view for a caller. */
type ListedLabelViewer = (call: Call) => (label: PlainLabel, db: Db) => ReturnType<typeof labelView>;

/** Routes of the list of labels and of their costs, as JSON and CSV. */
export const labelListRoutes = (view: ListedLabelViewer) =>
  routes("Shipping", [
    list("/shipping/labels", "shipping.read", {
      id: "listLabels",
      summary: "List labels",
      description:
        "Lists all labels, newest first, including voided ones and failed purchases. A label has to match all" +
        " filters. Each response has new signed links, which expire after 7 days.",
      refuses: ["ambiguous_identifier"],
      of: labelList,
      included: { as: "label", rows: labelList.ofIds },
      view: LabelView,
      views: (labels, db, { call }) => {
        const shown = view(call);
        return labels.map((label) => shown(label, db));
      },
    }),
    exportCsv("/shipping/labels/export.csv", "shipping.read", {
      id: "exportLabels",
      summary: "Export the labels of a list as CSV",
      description:
        "Takes the filters of `GET /shipping/labels` and returns one line for each label, newest first. A merchant's" +
        " file leaves `account_id` and `carrier_cost` empty.",
      refuses: ["ambiguous_identifier"],
      query: labelList.export_query,
      file: ({ call, query }) => labelExport(call, query),
    }),
    read("/shipping/labels/costs", "shipping.read", {
      id: "getLabelCosts",
      summary: "Get label costs by carrier and day",
      description:
        "Adds up what labels cost by the day on which they were requested, for up to 366 days. `cost` is what they" +
        " were charged at, `carrier_cost` what the carriers charge. A voided label counts on its day in" +
        " `voided_count` only.",
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
      description:
        "Returns the rows of `GET /shipping/labels/costs` as a file: one line for each day, carrier and currency," +
        " newest day first.",
      query: ExportCosts,
      file: ({ query }) => costExport(query),
    }),
  ]);

/** Returns the CSV export of matching labels, newest first. A merchant's export omits the operator's columns. */
export function labelExport(
  { merchant_id }: Pick<Call, "merchant_id">,
  query: Static<typeof labelList.export_query>,
): CsvFile<ListedLabel> {
  return {
    name: "labels.csv",
    columns: labelColumns,
    page: pagesOf((db, last, limit) => labelList.after(db, query, last, limit)),
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
