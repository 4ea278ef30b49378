import { readId, wireId, wireIdOrNull } from "../../core/ids.ts";
import { dayEndTextOrNull } from "../../core/time_zone.ts";
import { read, routes } from "../../http/routes.ts";
import { plainTrackingNumber } from "../../orders/fulfillment/tracking_url.ts";
import { publicStatus } from "../../orders/order.ts";
import type { Db } from "../../storage/database.ts";
import {
  findMatchingProducts,
  folded,
  type MatchingProduct,
  readingsOf,
  readingView,
  unitsOf,
  unreadable,
} from "./find_scanned.ts";
import { Lookup, LookupView } from "./lookup.schema.ts";
import { readScan, type Scan } from "./read_scan.ts";
import {
  findBins,
  findLots,
  findOrderById,
  findOrders,
  findParcels,
  findStations,
  findTotes,
} from "./scanned_records.sql.ts";

/** Looking up scanned codes. */
export const lookupRoutes = routes("Floor", [
  read("/floor/lookup", "floor.read", {
    id: "lookUpScan",
    summary: "Look up a scanned code",
    description:
      "Reads a scanned text and finds what has it: products by their barcode or that of a pack, by SKU or lot number," +
      " bins, totes, stations, orders and parcels. GS1 data is read if the scanner's prefix (`]C1`, `]d2`, `]Q3`," +
      " `]e0`), a separator or brackets mark it, or if it begins with 00, 01 or 02 and a number with a right check" +
      " digit; any other text is a plain code. A code that nothing has is not an error: all lists are empty.",
    refuses: ["unreadable_barcode"],
    query: Lookup,
    view: LookupView,
    data: (db, { query }) => lookUp(db, query),
  }),
]);

async function lookUp(db: Db, { code, warehouse_id }: Lookup) {
  const scan = readScan(code, db.now);
  const { text } = scan;
  const { products, lot_number } = await findMatchingProducts(db, scan);
  const lots =
    lot_number === null
      ? []
      : await findLots(
          db,
          lot_number,
          products.map(({ id }) => id),
        );
  const parcels = await findParcels(db, parcelNumbersOf(scan));
  if (scan.kind === "invalid" && products.length + parcels.length === 0) throw unreadable(scan);
  const warehouse = warehouse_id === undefined ? null : (readId("warehouse", warehouse_id) ?? 0);
  const here = <Row extends { readonly warehouse_id: number }>(rows: readonly Row[]): Row[] =>
    rows.filter((row) => warehouse === null || row.warehouse_id === warehouse);
  const name = folded(text);
  const id = name.startsWith(wireId("order", 0).slice(0, -1)) ? readId("order", name) : null;
  const orders = [
    ...(await findOrders(db, { order_number: text })),
    ...(id === null ? [] : await findOrderById(db, { id })),
  ];
  return {
    scanned: text,
    type: scan.kind === "invalid" ? ("plain" as const) : scan.kind,
    readings: readingsOf(scan).map(readingView),
    elements: elementsOf(scan),
    products: products.map((product) => ({
      ...productView(product),
      quantity: unitsOf(product, readingsOf(scan)[0] ?? null),
      lot: lotView(lots.find(({ product_id }) => product_id === product.id)),
    })),
    bins: here(await findBins(db, { code: name })).map((bin) => ({
      code: bin.code,
      kind: bin.kind,
      warehouse_id: wireId("warehouse", bin.warehouse_id),
    })),
    totes: here(await findTotes(db, { code: name })).map((tote) => ({
      id: wireId("tote", tote.id),
      code: tote.code,
      warehouse_id: wireId("warehouse", tote.warehouse_id),
      order_id: wireIdOrNull("order", tote.order_id),
      order_number: tote.order_number,
      wave_id: wireIdOrNull("wave", tote.wave_id),
    })),
    stations: here(await findStations(db, { name })).map((station) => ({
      id: wireId("station", station.id),
      name: station.name,
      warehouse_id: wireId("warehouse", station.warehouse_id),
    })),
    orders: orders.map((order) => ({
      id: wireId("order", order.id),
      merchant_id: wireId("merchant", order.merchant_id),
      order_number: order.order_number,
      status: publicStatus(order),
    })),
    parcels: parcels.map(({ id, merchant_id, order_id, tracking_number, carrier, status }) => ({
      shipment_id: wireId("shipment", id),
      merchant_id: wireId("merchant", merchant_id),
      order_id: wireId("order", order_id),
      tracking_number,
      carrier,
      status,
    })),
  };
}

function productView({ id, merchant_id, sku, name, status, pack }: MatchingProduct) {
  return { id: wireId("product", id), merchant_id: wireId("merchant", merchant_id), sku, name, status, pack };
}

function lotView(lot: Awaited<ReturnType<typeof findLots>>[number] | undefined) {
  if (lot === undefined) return null;
  const { id, lot_number, status, expires_on } = lot;
  return { id: wireId("lot", id), lot_number, status, expiration_date: dayEndTextOrNull(expires_on) };
}

function elementsOf(scan: Scan) {
  if (scan.kind !== "gs1") return [];
  const { elements, skipped } = scan.contents;
  return [
    ...elements.map(({ ai, title, value }) => ({ ai, title, value })),
    ...skipped.map(({ ai, text }) => ({ ai, title: null, value: text })),
  ];
}

/** The numbers by which a code may be a parcel's. A USPS label begins with its destination, `420` and a ZIP code. */
function parcelNumbersOf(scan: Scan): string[] {
  const number = plainTrackingNumber(scan.text.replaceAll("\u241d", ""));
  const [, after_zip] = /^420(?:\d{5}|\d{9})(9\d{19,25})$/.exec(number) ?? [];
  const keys = readingsOf(scan).map(({ sscc }) => sscc);
  return [
    ...new Set([number, after_zip, ...keys].filter((found) => typeof found === "string" && found !== "")),
  ] as string[];
}
