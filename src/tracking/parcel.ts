import { wireId } from "../kit/ids.ts";
import { money } from "../kit/money.ts";
import { type Shipment, shipmentView } from "../orders/shipments/shipment.ts";
import type { Label } from "../shipping/labels/label.ts";
import { standingView, type TrackingRecord } from "./record.ts";

/** The order of a parcel, as far as the parcel shows it. */
export interface ParcelOrder {
  readonly id: number;
  readonly order_number: string;
  readonly lines: readonly { readonly id: number; readonly sku: string }[];
}

/** A parcel with its order, its label if it has one of ours, and where it is. */
export interface TrackedParcel {
  readonly shipment: Shipment;
  readonly order: ParcelOrder;
  readonly label: Label | null;
  readonly record: TrackingRecord;
}

/**
 * The parcel as events show it. It has no link to the label's document: an event can be read long after such a link has
 * expired, and by more eyes.
 */
export function parcelView({ shipment, order, label, record }: TrackedParcel) {
  const skus = new Map(order.lines.map(({ id, sku }) => [id, sku]));
  return {
    ...shipmentView(shipment, skus),
    order_id: wireId("order", order.id),
    order_number: order.order_number,
    label: label === null ? null : shortLabelView(label),
    tracking: standingView(record),
  };
}

function shortLabelView({ id, status, cost_cents, currency }: Label) {
  return { label_id: wireId("label", id), status, cost: money(cost_cents), currency };
}
