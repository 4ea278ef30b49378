import { iso, isoOrNull } from "../../core/clock.ts";
import { decimalText } from "../../core/decimals.ts";
import { wireId, wireIdOrNull } from "../../core/ids.ts";
import { unitNanograms } from "../../core/weight_units.ts";
import { isPickup } from "../../orders/order.transitions.ts";
import { type Order, partsOf } from "../../orders/order.ts";
import type { labelView, ShippingLabel } from "../../shipping/labels/label.ts";
import { isBeingPacked, isPackedParcel } from "../floor.transitions.ts";
import { whyOpen } from "./close_parcel.ts";
import { blockView, describeParcel, type PackingFacts } from "./packed_parcel.ts";
import { isComplete, type PackingPart, type PackingSession, partsToPack } from "./packing_session.ts";
import { lotsOf, scannedOfLot } from "./scan_unit.ts";

/** Returns a session as the API shows it. `shown` is the view of its label. */
export function packingSessionView(
  facts: PackingFacts,
  label: ShippingLabel | null,
  shown: ReturnType<typeof labelView> | null,
) {
  const { session, order } = facts;
  const parts = partsOfSession(facts);
  const { carton, gap, weight, calculated } = describeParcel(facts);
  const complete = isBeingPacked(session.status) && isComplete(parts);
  const block = complete ? whyOpen(facts) : null;
  return {
    id: wireId("packing_session", session.id),
    merchant_id: wireId("merchant", session.merchant_id),
    order_id: wireId("order", order.id),
    order_number: order.order_number,
    warehouse_id: wireId("warehouse", session.warehouse_id),
    station_id: wireIdOrNull("station", session.station_id),
    status: session.status,
    packing_note: order.packing_note,
    lines: parts.map((one) => lineView(facts, one)),
    units_needed: sumOf(parts, ({ needed }) => needed),
    units_scanned: sumOf(parts, ({ scanned }) => scanned),
    blocked_by: block === null ? null : blockView(block),
    carton:
      carton === null
        ? null
        : {
            id: wireIdOrNull("carton", carton.carton?.id ?? null),
            code: carton.carton?.code ?? null,
            source: carton.source,
          },
    carton_gap: gap,
    weight: weight === null ? null : Number(weight.text),
    weight_unit: weight?.unit ?? null,
    weight_source: weight?.source ?? null,
    calculated_grams: calculated === null ? null : Number(decimalText(calculated, unitNanograms.g)),
    weight_reason: session.weight_reason,
    shipment_id: wireIdOrNull("shipment", session.shipment_id),
    label_status: labelStatus(session, order, label),
    label: shown,
    label_error: session.label_error ?? label?.error_message ?? null,
    device: session.device,
    packed_by: { type: session.actor_type, id: session.actor_id, name: session.actor_name },
    revision: session.revision,
    created_at: iso(session.created_at),
    updated_at: iso(session.updated_at),
    closed_at: isoOrNull(session.closed_at),
  };
}

const sumOf = (parts: readonly PackingPart[], count: (part: PackingPart) => number) =>
  parts.reduce((sum, part) => sum + count(part), 0);

/** What an open session needs; of one that is over, what is in it. */
function partsOfSession({ session, order }: PackingFacts): PackingPart[] {
  if (isBeingPacked(session.status)) return partsToPack(order, session.units);
  return order.lines.flatMap((line) =>
    partsOf(line).flatMap((part) => {
      const own = session.units.filter((one) => one.line_id === line.id && one.product_id === part.product_id);
      const scanned = own.reduce((sum, { quantity }) => sum + quantity, 0);
      return scanned === 0 ? [] : [{ line, part, needed: scanned, scanned }];
    }),
  );
}

function lineView({ session, products, plans }: PackingFacts, { line, part, needed, scanned }: PackingPart) {
  const product = products.get(part.product_id);
  const lots = product?.lot_tracking === true && isBeingPacked(session.status) ? lotsOf(plans, part.product_id) : [];
  return {
    line_id: wireId("order_line", line.id),
    product_id: wireId("product", part.product_id),
    sku: part.sku,
    name: product?.name ?? line.name,
    bundle_sku: line.components === null ? null : line.sku,
    needed,
    scanned,
    lots: lots.map(({ lot_number, quantity }) => ({
      lot_number,
      quantity,
      scanned: scannedOfLot(session.units, part.product_id, lot_number),
    })),
  };
}

function labelStatus({ status, label_due_at, label_error }: PackingSession, order: Order, label: ShippingLabel | null) {
  if (label_due_at !== null) return "pending" as const;
  if (label_error !== null) return "error" as const;
  if (label !== null) return label.status;
  return isPackedParcel(status) && !isPickup(order) ? ("pending" as const) : ("none" as const);
}
