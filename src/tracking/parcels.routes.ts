import type { Static } from "@sinclair/typebox";
import { fittingInSlice } from "../core/schema.ts";
import { type CsvFile, pagesOf } from "../http/csv_response.ts";
import { tagged } from "../http/preconditions.ts";
import { exportCsv, list, read, routes } from "../http/routes.ts";
import { type ListedParcel, listedParcelView, parcelCells, parcelColumns } from "./parcel.ts";
import { getListedParcel, longParcels, parcelList, withLinesAndLabels } from "./parcels.sql.ts";
import { ParcelView } from "./tracking.schema.ts";

/** Routes of the parcels of all orders, as a list and as CSV. */
export const parcelRoutes = routes("Shipping", [
  list("/shipments", "shipping.read", {
    id: "listShipments",
    summary: "List parcels",
    description:
      "Lists the parcels of all orders, newest first, including those that have not shipped or were given up. A" +
      " parcel has to match all filters. Numbers that are no order's parcel are at `GET /tracking`.",
    refuses: ["ambiguous_identifier"],
    of: parcelList,
    included: { as: "shipment", rows: parcelList.ofIds },
    view: ParcelView,
    views: async (rows, db) => (await withLinesAndLabels(db, rows)).map(listedParcelView),
  }),
  exportCsv("/shipments/export.csv", "shipping.read", {
    id: "exportShipments",
    summary: "Export the parcels of a list as CSV",
    description:
      "Takes the filters of `GET /shipments` and returns one line for each parcel, newest first, with the number of" +
      " units in it.",
    refuses: ["ambiguous_identifier"],
    query: parcelList.export_query,
    file: ({ query }) => parcelExport(query),
  }),
  read("/shipments/:id", "shipping.read", {
    id: "getShipment",
    summary: "Get a parcel",
    description:
      "Returns the parcel with its contents, its labels and its status at the carrier. `GET" +
      " /tracking/:tracking_number` has the scans.",
    tagged: true,
    view: ParcelView,
    data: async (db, { params }) => tagged(listedParcelView(await getListedParcel(db, params.id)), null),
  }),
]);

/** Returns the CSV export of matching parcels, newest first. */
export function parcelExport(query: Static<typeof parcelList.export_query>): CsvFile<ListedParcel> {
  return {
    name: "shipments.csv",
    columns: parcelColumns,
    page: pagesOf(async (db, last, limit) => {
      const after = last === null ? null : ([last.shipment.created_at, last.shipment.id] as const);
      const rows = await parcelList.rows(db, query, { limit, after });
      // A parcel may have hundreds of lines, so a page has only as many parcels as fit.
      return withLinesAndLabels(db, rows.slice(0, fittingInSlice(await longParcels.bytes(db, rows))));
    }),
    cells: parcelCells,
  };
}
