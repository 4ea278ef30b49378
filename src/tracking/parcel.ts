import { iso, isoOrNull } from "../kit/clock.ts";
import { wireId } from "../kit/ids.ts";
import { money } from "../kit/money.ts";
import { type Shipment, shipmentView } from "../orders/shipments/shipment.ts";
import type { ShipmentStatus } from "../orders/shipments/status.ts";
import type { Label } from "../shipping/labels/label.ts";
import type { TrackingStatus } from "../shipping/updates/status.ts";
import { standingView, type TrackingRecord } from "./record.ts";

/** The order of a parcel, as far as its parcels show it. */
export interface ParcelOrder {
  readonly id: number;
  readonly order_number: string;
  readonly lines: readonly { readonly id: number; readonly sku: string }[];
}

/** A parcel with its order, its label if we sold one, and its status. */
interface TrackedParcel {
  readonly shipment: Shipment;
  readonly order: ParcelOrder;
  readonly label: Pick<Label, "id" | "status" | "cost_cents" | "currency"> | null;
  readonly record: TrackingRecord;
}

/**
 * The parcel as events show it. It has no link to the label's document: events may be read long after such a link has
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

/** A number tracked on request, as events show it: it is no order's parcel, so it has no id. */
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
    return_id: return_id === null ? null : wireId("return", return_id),
    label: null,
    tracking: standingView(record),
  };
}

function shortLabelView({ id, status, cost_cents, currency }: NonNullable<TrackedParcel["label"]>) {
  return { label_id: wireId("label", id), status, cost: money(cost_cents, currency), currency };
}
