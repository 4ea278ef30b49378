import { eq } from "drizzle-orm";
import { columnsOf } from "../../db/kit.ts";
import { tracking_records } from "../../db/schema/tracking.ts";
import { completeAddress, countries } from "../core/postal_address.ts";
import { isErasedEmail } from "../customers/customer.ts";
import { fileLink } from "../files/file_links.ts";
import { getBranding } from "../merchants/branding/branding.sql.ts";
import type { Branding } from "../merchants/branding/branding.ts";
import { ownerIn } from "../merchants/directory.sql.ts";
import { senderName } from "../merchants/merchant.ts";
import type { Shipment } from "../orders/fulfillment/shipment.ts";
import { findOrderOfShipment } from "../orders/fulfillment/shipments.sql.ts";
import type { TrackingPageTarget } from "../orders/fulfillment/tracking_url.ts";
import type { Order } from "../orders/order.ts";
import { getOrder } from "../orders/orders.sql.ts";
import { findLabelOfShipment } from "../shipping/labels/labels.sql.ts";
import { warehouseOfOrder } from "../shipping/origins.sql.ts";
import { goodsIn } from "../shipping/parcel_contents.ts";
import { placeTimeZone } from "../shipping/rates/delivery_date.ts";
import type { Db } from "../storage/database.ts";
import { prepared, type StatementArgs } from "../storage/statements.ts";
import { findReturnOf } from "./scans.sql.ts";
import { findHistories } from "./tracking_history.sql.ts";
import type { ParcelPage } from "./tracking_page.ts";
import type { TrackingHistory } from "./tracking_record.ts";

const byId = prepared((sql, a: StatementArgs<{ id: number }>) =>
  sql
    .select(columnsOf(tracking_records, "tracking_number", "shipment_id", "order_id", "merchant_id"))
    .from(tracking_records)
    .where(eq(tracking_records.id, a.id)),
);

/** Finds the page of a parcel, or of a number tracked for an order; null if there is none. */
export async function findParcelPage(db: Db, shown: TrackingPageTarget): Promise<ParcelPage | null> {
  if ("shipment_id" in shown) return pageOfShipment(db, shown.shipment_id);
  const [record] = await byId(db, { id: shown.record_id });
  if (record === undefined) return null;
  // The parcel of the number may have been added later.
  if (record.shipment_id !== null) return pageOfShipment(db, record.shipment_id);
  if (record.order_id === null) return null;
  const tracked = await historyAt(db, record.merchant_id, record.tracking_number);
  if (tracked?.record.id !== shown.record_id) return null;
  return pageOfOrder(db, await getOrder(db, record.order_id), null, tracked);
}

async function pageOfShipment(db: Db, shipment_id: number): Promise<ParcelPage | null> {
  const order_id = await findOrderOfShipment(db, shipment_id);
  if (order_id === null) return null;
  const order = await getOrder(db, order_id);
  const shipment = order.shipments.find(({ id }) => id === shipment_id);
  const number = shipment?.tracking_number ?? "";
  const tracked = await historyAt(db, order.merchant_id, number);
  if (shipment === undefined || tracked?.record.shipment_id !== shipment_id) return null;
  return pageOfOrder(db, order, shipment, tracked);
}

/** The history of a number for one merchant; other merchants may have it too. */
async function historyAt(db: Db, merchant_id: number, number: string): Promise<TrackingHistory | undefined> {
  return (await findHistories(db.scoped({ visible: merchant_id, owner: null }), [number])).get(number)?.[0];
}

async function pageOfOrder(
  db: Db,
  order: Order,
  shipment: Shipment | null,
  tracked: TrackingHistory,
): Promise<ParcelPage> {
  const label = shipment === null ? null : await findLabelOfShipment(db, shipment.id);
  const { city, state, postal_code, country } = label?.to_address ?? completeAddress(order.shipping_address);
  const warehouse = await warehouseOfOrder(db, order);
  const comes_back = shipment === null && (await findReturnOf(db, tracked.record)) !== null;
  const own_zone = comes_back ? null : placeTimeZone({ country, state, postal_code });
  const zone = own_zone ?? warehouse.timezone;
  const branding = await getBranding(db, order.merchant_id);
  const sender = branding.display_name ?? senderName(await ownerIn(db, order));
  const place = city || (countries().getName(country, "en") ?? country);
  const contents = comes_back ? null : contentsOf(order, shipment);
  const seen = { sender, branding, logo_url: logoOf(db, branding), contents };
  const page = { shipment, tracked, ...seen, warehouse: warehouse.name, place, comes_back, zone };
  return { ...page, test: db.mode === "test", now: db.now };
}

/** The order number and the goods of a parcel; null once the buyer was erased. */
function contentsOf(order: Order, shipment: Shipment | null): ParcelPage["contents"] {
  if (isErasedEmail(order.customer_email)) return null;
  const goods = goodsIn(order, shipment?.lines ?? []);
  return {
    order_number: order.order_number,
    items: goods.map(({ line, quantity }) => ({ name: line.name, quantity })),
  };
}

/** The link to a logo on the server that shows the page. The server's public URL may have a path. */
function logoOf({ site, mode, now }: Db, { logo_file_id: id }: Branding): string | null {
  if (id === null) return null;
  const path = (URL.parse(site.base_url)?.pathname ?? "").replace(/\/+$/, "");
  return fileLink({ site, mode, now }, path, { id }).url;
}
