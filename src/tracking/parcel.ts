import { iso, isoOrNull } from "../core/clock.ts";
import type { CsvCell } from "../core/csv.ts";
import { wireId, wireIdOrNull } from "../core/ids.ts";
import { money } from "../core/money.ts";
import { type Shipment, shipmentView } from "../orders/fulfillment/shipment.ts";
import type { ShipmentStatus } from "../orders/order.transitions.ts";
import type { TrackingStatus } from "../shipping/carriers/tracking.transitions.ts";
import type { ShippingLabel } from "../shipping/labels/label.ts";
import { deliveryDay, type ZonedPlace } from "../shipping/rates/delivery_date.ts";
import { standingView, type TrackingRecord } from "./tracking_record.ts";

/** The fields of an order that its parcels show. */
export interface ParcelOrder {
  readonly id: number;
  readonly order_number: string;
  readonly lines: readonly { readonly id: number; readonly sku: string }[];
}

/** A parcel with its order, its label if it was bought here, and its tracking record. */
interface TrackedParcel {
  readonly shipment: Shipment;
  readonly order: ParcelOrder;
  readonly label: Pick<ShippingLabel, "id" | "status" | "cost_cents" | "currency"> | null;
  readonly record: TrackingRecord;
}

/**
 * Returns the parcel as events show it. It has no link to the label's document: events are read after the link has
 * expired, and by more people.
 */
export function parcelView({ shipment, order, label, record }: TrackedParcel) {
  const skus = new Map(order.lines.map(({ id, sku }) => [id, sku]));
  return {
    ...shipmentView(shipment, skus),
    order_id: wireId("order", order.id),
    order_number: order.order_number,
    return_id: null,
    label: label === null ? null : shortLabelView(label),
    tracking: standingView(record),
  };
}

const shipmentStatusOf: Readonly<Record<TrackingStatus, ShipmentStatus>> = {
  pending: "pending",
  picked_up: "shipped",
  in_transit: "shipped",
  out_for_delivery: "shipped",
  delivered: "delivered",
  exception: "shipped",
  returned: "returned",
};

/** Returns a number that is no order's parcel as events show it. It has no id. */
export function looseView(
  record: TrackingRecord,
  {
    order,
    return_id,
    tracking_url,
  }: { order: ParcelOrder | null; return_id: number | null; tracking_url: string | null },
) {
  return {
    id: null,
    status: shipmentStatusOf[record.status],
    carrier: record.carrier,
    service: record.service_type,
    tracking_number: record.tracking_number,
    tracking_url,
    items: [],
    created_at: iso(record.created_at),
    shipped_at: null,
    delivered_at: record.status === "delivered" ? isoOrNull(record.occurred_at) : null,
    order_id: order === null ? null : wireId("order", order.id),
    order_number: order?.order_number ?? null,
    return_id: wireIdOrNull("return", return_id),
    label: null,
    tracking: standingView(record),
  };
}

function shortLabelView({ id, status, cost_cents, currency }: NonNullable<TrackedParcel["label"]>) {
  return { label_id: wireId("label", id), status, cost: money(cost_cents, currency), currency };
}

/** A parcel in a list, with related data. */
export interface ListedParcel {
  readonly shipment: Shipment;
  /** The SKUs, by order line id. */
  readonly skus: ReadonlyMap<number, string>;
  readonly order_number: string;
  readonly customer_name: string;
  /** The ids of its labels, newest first. */
  readonly label_ids: readonly number[];
  /** Null if it is not tracked. */
  readonly tracking_status: TrackingStatus | null;
  readonly estimated_delivery: number | null;
  /** The carrier account that reports on it; null for our own estimate. */
  readonly account_id: number | null;
  /** The destination of its order. */
  readonly to: ZonedPlace;
}

/** Returns the parcel as the API shows it. */
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

/** The columns of the CSV file of parcels. */
const columns: readonly (readonly [name: string, cell: (parcel: ListedParcel) => CsvCell])[] = [
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

/** Returns the parcel as a CSV row. */
export function parcelCells(parcel: ListedParcel): readonly CsvCell[] {
  return columns.map(([, cell]) => cell(parcel));
}
