import { iso, isoOrNull } from "../../core/clock.ts";
import { wireId } from "../../core/ids.ts";
import { isGivenUp, type ShipmentStatus } from "../order.transitions.ts";

/** Units of one order line in a parcel. */
export interface ShipmentLine {
  readonly order_line_id: number;
  readonly quantity: number;
}

/** A parcel of an order: its contents and its carrier. */
export interface Shipment {
  readonly id: number;
  readonly order_id: number;
  readonly status: ShipmentStatus;
  readonly carrier: string | null;
  readonly service: string | null;
  readonly tracking_number: string | null;
  /** The public tracking page that its carrier returned with the label. */
  readonly told_url: string | null;
  readonly tracking_url: string | null;
  readonly created_at: number;
  readonly shipped_at: number | null;
  readonly delivered_at: number | null;
  /** When its label was first printed (ms), and how often its packing slip was. */
  readonly label_printed_at: number | null;
  readonly slip_prints: number;
  readonly lines: readonly ShipmentLine[];
}

/** A past parcel, which has shipped and may have arrived, before it is stored. */
export type PastShipment = Omit<Shipment, "id" | "tracking_url" | "told_url" | "label_printed_at" | "slip_prints"> & {
  readonly merchant_id: number;
};

/** The carrier fields of a new parcel. */
export interface ShipmentCarriage {
  readonly carrier: string | null;
  readonly service: string | null;
  readonly tracking_number?: string | null;
}

/** The parcel as the API shows it. `skus` maps order lines to SKUs. */
export function shipmentView(shipment: Shipment, skus: ReadonlyMap<number, string>) {
  return {
    id: wireId("shipment", shipment.id),
    status: shipment.status,
    carrier: shipment.carrier,
    service: shipment.service,
    tracking_number: shipment.tracking_number,
    tracking_url: shipment.tracking_url,
    items: shipment.lines.map(({ order_line_id, quantity }) => ({
      line_id: wireId("order_line", order_line_id),
      sku: skus.get(order_line_id) ?? "",
      quantity,
    })),
    created_at: iso(shipment.created_at),
    shipped_at: isoOrNull(shipment.shipped_at),
    delivered_at: isoOrNull(shipment.delivered_at),
  };
}

/** The prints of an order and its parcels. */
interface PrintedOrder {
  readonly shipments: readonly Shipment[];
  readonly slip_printed_at: number | null;
  readonly pick_list_printed_at: number | null;
}

/** When the documents of an order were first printed: the label, of its current parcels. */
export function printedView({ shipments, slip_printed_at, pick_list_printed_at }: PrintedOrder) {
  const labels = shipments.flatMap(({ status, label_printed_at }) =>
    isGivenUp(status) || label_printed_at === null ? [] : [label_printed_at],
  );
  return {
    label_at: labels.length === 0 ? null : iso(Math.min(...labels)),
    slip_at: isoOrNull(slip_printed_at),
    pick_list_at: isoOrNull(pick_list_printed_at),
  };
}
