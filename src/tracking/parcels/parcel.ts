import { iso, isoOrNull } from "../../kit/clock.ts";
import type { Cell } from "../../kit/csv.ts";
import { wireId } from "../../kit/ids.ts";
import { type Shipment, shipmentView } from "../../orders/shipments/shipment.ts";
import { deliveryDay } from "../../shipping/delivery/delivery_day.ts";
import type { ZonedPlace } from "../../shipping/delivery/time_zones.ts";
import type { TrackingStatus } from "../../shipping/updates/status.ts";

/** A parcel in a list, with what else is known of it. */
export interface ListedParcel {
  readonly shipment: Shipment;
  /** By the ids of order lines. */
  readonly skus: ReadonlyMap<number, string>;
  readonly order_number: string;
  readonly customer_name: string;
  /** Newest first. */
  readonly label_ids: readonly number[];
  /** Null while its tracking is unknown. */
  readonly tracking_status: TrackingStatus | null;
  readonly estimated_delivery: number | null;
  /** The carrier account that reports on it; null for our own estimate. */
  readonly account_id: number | null;
  /** Where its order goes. */
  readonly to: ZonedPlace;
}

/** The parcel as the API shows it. */
export function listedParcelView(parcel: ListedParcel) {
  const { shipment, skus, order_number, customer_name, label_ids, tracking_status, estimated_delivery: at } = parcel;
  const by_carrier = parcel.account_id !== null;
  const due = at === null ? null : deliveryDay({ at, to: parcel.to, origin_zone: null, by_carrier });
  return {
    ...shipmentView(shipment, skus),
    order_id: wireId("order", shipment.order_id),
    order_number,
    customer_name,
    label_ids: label_ids.map((id) => wireId("label", id)),
    tracking_status,
    estimated_delivery: due === null ? null : iso(due.end),
    estimated_delivery_day: due?.day ?? null,
  };
}

/** The columns of a file of parcels. */
const columns: readonly (readonly [name: string, cell: (parcel: ListedParcel) => Cell])[] = [
  ["shipment_id", ({ shipment }) => wireId("shipment", shipment.id)],
  ["created_at", ({ shipment }) => iso(shipment.created_at)],
  ["status", ({ shipment }) => shipment.status],
  ["order_id", ({ shipment }) => wireId("order", shipment.order_id)],
  ["order_number", ({ order_number }) => order_number],
  ["customer_name", ({ customer_name }) => customer_name],
  ["carrier", ({ shipment }) => shipment.carrier],
  ["service", ({ shipment }) => shipment.service],
  ["tracking_number", ({ shipment }) => shipment.tracking_number],
  ["tracking_url", ({ shipment }) => shipment.tracking_url],
  ["tracking_status", ({ tracking_status }) => tracking_status],
  ["estimated_delivery", ({ estimated_delivery }) => isoOrNull(estimated_delivery)],
  ["units", ({ shipment }) => shipment.lines.reduce((sum, { quantity }) => sum + quantity, 0)],
  ["label_ids", ({ label_ids }) => label_ids.map((id) => wireId("label", id)).join(" ")],
  ["shipped_at", ({ shipment }) => isoOrNull(shipment.shipped_at)],
  ["delivered_at", ({ shipment }) => isoOrNull(shipment.delivered_at)],
];

export const parcelColumns = columns.map(([name]) => name);

/** The parcel as a row of that file. */
export function parcelCells(parcel: ListedParcel): readonly Cell[] {
  return columns.map(([, cell]) => cell(parcel));
}
