import type { Db } from "../../database/store.ts";
import { findOrderOfShipment } from "../../orders/shipments/store.ts";
import { getOrder } from "../../orders/store.ts";
import { addressOf } from "../../shipping/address.ts";
import { stateTimeZone } from "../../shipping/delivery/time_zones.ts";
import { findLabelOfShipment } from "../../shipping/labels/store.ts";
import { warehouseOfOrder } from "../../shipping/store.ts";
import { findHistories } from "../store.ts";
import type { ParcelPage } from "./page.ts";

/** What the page of a parcel tells; null when there is no such parcel, or it has no number. */
export async function findParcelPage(db: Db, shipment_id: number): Promise<ParcelPage | null> {
  const order_id = await findOrderOfShipment(db, shipment_id);
  if (order_id === null) return null;
  const order = await getOrder(db, order_id);
  const shipment = order.shipments.find(({ id }) => id === shipment_id);
  const number = shipment?.tracking_number ?? "";
  const tracked = (await findHistories(db, [number])).get(number);
  if (shipment === undefined || tracked?.record.shipment_id !== shipment_id) return null;
  const label = await findLabelOfShipment(db, shipment_id);
  const { city, state, country } = label?.to_address ?? addressOf(order.shipping_address);
  const warehouse = await warehouseOfOrder(db, order_id, order.warehouse_id);
  const zone = stateTimeZone(state, country) ?? warehouse.timezone;
  return { shipment, tracked, warehouse: warehouse.name, city, zone, test: db.mode === "test", now: db.now };
}
