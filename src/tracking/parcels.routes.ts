import { momentOf } from "../core/clock.ts";
import { fittingInSlice } from "../core/schema.ts";
import type { Call } from "../http/call.ts";
import { type CsvFile, pagesOf } from "../http/csv_response.ts";
import { tagged } from "../http/preconditions.ts";
import { exportCsv, list, read, routes } from "../http/routes.ts";
import { plainTrackingNumber } from "../orders/fulfillment/tracking_url.ts";
import { findOrderId } from "../orders/lifecycle/order_lookup.sql.ts";
import { scannedSscc } from "../shipping/labels/sscc.ts";
import { type ListedParcel, listedParcelView, parcelCells, parcelColumns } from "./parcel.ts";
import {
  countParcels,
  getListedParcel,
  listParcels,
  longParcels,
  type ParcelFilter,
  withLinesAndLabels,
} from "./parcels.sql.ts";
import { ExportParcels, ListParcels, ParcelView } from "./tracking.schema.ts";

/** Routes of the parcels of all orders, as a list and as CSV. */
export const parcelRoutes = routes("Service", [
  list("/shipments", "shipping.read", {
    id: "listShipments",
    summary: "List parcels",
    description: "Filters are combined with AND.",
    refuses: ["ambiguous_identifier"],
    query: ListParcels,
    view: ParcelView,
    listing: async ({ call, query }) => {
      const filter = await filterOf(call, query);
      return {
        rows: (db, window) => listParcels(db, filter, window),
        count: (db) => countParcels(db, filter),
        position: ({ shipment }) => [shipment.created_at, shipment.id],
        long: longParcels,
      };
    },
    views: async (rows, db) => (await withLinesAndLabels(db, rows)).map(listedParcelView),
  }),
  exportCsv("/shipments/export.csv", "shipping.read", {
    id: "exportShipments",
    summary: "Export the parcels of a list as CSV",
    refuses: ["ambiguous_identifier"],
    query: ExportParcels,
    file: async ({ call, query }) => parcelExport(await filterOf(call, query)),
  }),
  read("/shipments/:id", "shipping.read", {
    id: "getShipment",
    summary: "Get a parcel",
    tagged: true,
    view: ParcelView,
    data: async (db, { params }) => tagged(listedParcelView(await getListedParcel(db, params.id)), null),
  }),
]);

async function filterOf(call: Call, query: ExportParcels): Promise<ParcelFilter> {
  const { order_id, status, carrier, service, tracking_number, tracking_status } = query;
  const number = tracking_number === undefined ? undefined : plainTrackingNumber(tracking_number);
  return {
    status,
    carrier,
    service,
    tracking_status,
    // An unknown order has no parcels.
    order_id:
      order_id === undefined
        ? undefined
        : ((await call.store.read((db) => findOrderId(db, order_id, "order_id"))) ?? 0),
    tracking_numbers: number === undefined ? undefined : [number, scannedSscc(number) ?? number],
    created_after: momentOf(query.created_after),
    created_before: momentOf(query.created_before),
    shipped_after: momentOf(query.shipped_after),
    shipped_before: momentOf(query.shipped_before),
  };
}

/** Returns the CSV export of matching parcels, newest first. */
export function parcelExport(filter: ParcelFilter): CsvFile<ListedParcel> {
  return {
    name: "shipments.csv",
    columns: parcelColumns,
    page: pagesOf(async (db, last, limit) => {
      const after = last === null ? null : ([last.shipment.created_at, last.shipment.id] as const);
      const rows = await listParcels(db, filter, { limit, offset: 0, after });
      // A parcel may have hundreds of lines, so a page has only as many parcels as fit.
      return withLinesAndLabels(db, rows.slice(0, fittingInSlice(await longParcels.bytes(db, rows))));
    }),
    cells: parcelCells,
  };
}
