import { billFacts } from "../billing/bill_facts.ts";
import type { Actor } from "../core/actor.ts";
import { assert, Fault } from "../core/faults.ts";
import { wireId } from "../core/ids.ts";
import { centsOf, value_currency } from "../core/money.ts";
import { completeAddress } from "../core/postal_address.ts";
import { transition } from "../core/transitions.ts";
import { noteReturn } from "../orders/fulfillment/order_stock.ts";
import { namedAddress } from "../shipping/address.ts";
import { readAddressField, refuseExample } from "../shipping/address_checks.ts";
import { ownSeller, returnNumber } from "../shipping/carriers/built_in.ts";
import { drawOwnLabel } from "../shipping/labels/built_in_labels.ts";
import type { ShippingLabel } from "../shipping/labels/label.ts";
import { labelFact } from "../shipping/labels/label.ts";
import { purchaseFingerprint, refuseInProgress } from "../shipping/labels/label_checks.ts";
import {
  claimNew,
  type LabelCallbacks,
  type LabelSeller,
  purchaseActor,
  refuseUndeclaredUnits,
} from "../shipping/labels/label_purchases.ts";
import { getLabel, listValidLabelsOfReturn } from "../shipping/labels/labels.sql.ts";
import type { LabelBuyer } from "../shipping/labels/ready_parcels.ts";
import { voidLabel } from "../shipping/labels/void_label.ts";
import { originOfOrder } from "../shipping/origins.sql.ts";
import { gramsOf, readParcel } from "../shipping/parcel.ts";
import { listTariffs } from "../shipping/rates/rate_cards.sql.ts";
import type { Db, Tx } from "../storage/database.ts";
import { allotId } from "../storage/statements.ts";
import { followLabel, followReturnLabel } from "../tracking/track_label.ts";
import { type ReturnStatus, returnShippingStarts, returnTransitions } from "./return.transitions.ts";
import type { Return } from "./return.ts";
import type { BuyReturnLabel } from "./returns.schema.ts";
import { getReturn, saveReturn } from "./returns.sql.ts";
import { begin, cancelReturn } from "./returns.ts";

/**
 * Buys a built-in label for a return, and starts to track its parcel.
 * Refuses: validation_failed, resource_missing, duplicate_label, label_in_progress, invalid_state_transition.
 */
export async function buyReturnLabel(
  tx: Tx,
  id: string,
  input: BuyReturnLabel,
  buying: LabelBuyer,
): Promise<ShippingLabel> {
  const seller = ownSeller(await listTariffs(tx), input, null);
  const ready = await returnLabelInputs(tx, id, input, buying, seller);
  const label_id = await allotId(tx, "labels");
  const label = await drawOwnLabel(tx, seller, {
    ...ready,
    id: label_id,
    shipment_id: null,
    tracking_number: returnNumber(tx, label_id),
    parcel_text: "",
    qr_text: null,
    residential: null,
    reference: wireId("return", ready.return_id),
  });
  const warehouse = { id: ready.warehouse_id, timezone: ready.origin_zone };
  billFacts(tx, [labelFact(label, warehouse)]);
  await followReturnLabel(tx, label);
  await noteReturnLabel(tx, label, buying.actor);
  return label;
}

/**
 * Claims the purchase of a carrier's label for a return.
 * Refuses: validation_failed, resource_missing, duplicate_label, label_in_progress, invalid_state_transition.
 */
export async function beginReturnLabel(
  tx: Tx,
  id: string,
  input: BuyReturnLabel,
  buying: LabelBuyer,
  seller: LabelSeller,
): Promise<ShippingLabel> {
  const ready = await returnLabelInputs(tx, id, input, buying, seller);
  const { parcel, order, units, origin_zone: _zone, warehouse_id: _, ...fields } = ready;
  await refuseUndeclaredUnits(tx, fields, order, units);
  return claimNew(tx, seller, buying.actor, { ...fields, shipment_id: null, package: parcel.package });
}

/** The inputs of a return label: from the customer to the merchant's return address, or to the warehouse. */
async function returnLabelInputs(
  tx: Tx,
  id: string,
  input: BuyReturnLabel,
  { additional }: LabelBuyer,
  { carrier, service }: { readonly carrier: string; readonly service: string },
) {
  const parcel = readParcel(input.package, "package.");
  const from = readAddressField("from_address", input.from_address);
  const to = readAddressField("to_address", input.to_address);
  const { before, order } = await begin(tx, id);
  transition<ReturnStatus, typeof returnTransitions>(returnTransitions, "label", before.status);
  await refuseDuplicate(tx, before, additional);
  const origin = await originOfOrder(tx, order);
  const toWarehouse = to === null && origin.return_address === origin.address;
  if (toWarehouse && tx.mode === "live") refuseExample(origin, "to_address");
  const { value = null, insurance = false } = input.package;
  return {
    merchant_id: order.merchant_id,
    order_id: order.id,
    return_id: before.id,
    order,
    units: before.items,
    parcel,
    value_cents: value === null ? null : centsOf(value, value_currency, "package.value"),
    insurance,
    from_address: from ?? namedAddress(completeAddress(order.shipping_address), "from_address"),
    to_address: to ?? origin.return_address,
    warehouse_id: origin.id,
    origin_zone: origin.timezone,
    fingerprint: purchaseFingerprint([carrier, service, gramsOf(parcel.weight), before.id]),
    warnings: [],
  };
}

async function refuseDuplicate(db: Db, { id }: Return, additional: boolean): Promise<void> {
  if (additional) return;
  for (const label of await listValidLabelsOfReturn(db, id)) {
    refuseInProgress(label);
    throw new Fault("duplicate_label", "The return already has a label. To buy another, send `additional: true`.", {
      label_id: wireId("label", label.id),
    });
  }
}

/** Refuses a label whose parcel is on its way back. Refuses: label_not_voidable. */
export async function refuseInTransit(tx: Tx, label: ShippingLabel): Promise<void> {
  const { before } = await beginOf(tx, label);
  const { tracking_number, status } = before.return_shipping;
  if (tracking_number !== label.tracking_number || status === returnShippingStarts) return;
  throw new Fault("label_not_voidable", "The parcel is already on its way back.", {
    label_id: wireId("label", label.id),
    return_id: wireId("return", before.id),
  });
}

/** What a purchase or a void of a label triggers: parcels are tracked, and returns are updated. */
export const labelCallbacks: LabelCallbacks = {
  unitsOfReturn: async (db, return_id) => (await getReturn(db, return_id)).items,
  bought: async (tx, { label, parcel }) => {
    if (parcel !== null) {
      await followLabel(tx, { ...parcel, label });
      return;
    }
    await followReturnLabel(tx, label);
    await noteReturnLabel(tx, label, purchaseActor(label));
  },
  voided: async (tx, label, actor) => {
    if (label.return_id !== null) await noteReturnLabelVoided(tx, label, actor);
  },
};

/** Sets a purchased label's parcel as the shipment of its return. */
async function noteReturnLabel(tx: Tx, label: ShippingLabel, actor: Actor): Promise<void> {
  const { carrier, service, tracking_number, tracking_url } = label;
  const { before, order } = await beginOf(tx, label);
  const label_url = `${tx.site.base_url}/v1/shipping/labels/${wireId("label", label.id)}/document`;
  await saveReturn(tx, before, {
    return_shipping: { carrier, tracking_number, label_url, tracking_url, status: returnShippingStarts },
  });
  const note = [wireId("return", before.id), tracking_number, carrier, service].join(" ");
  await noteReturn(tx, order, { event: "return_label", actor, note });
}

/** Removes a voided label's parcel from its return, unless the return has another parcel by now. */
export async function noteReturnLabelVoided(tx: Tx, label: ShippingLabel, actor: Actor): Promise<void> {
  const { before, order } = await beginOf(tx, label);
  if (before.return_shipping.tracking_number === label.tracking_number) {
    const nothing = { carrier: null, tracking_number: null, label_url: null, tracking_url: null };
    await saveReturn(tx, before, { return_shipping: { ...nothing, status: returnShippingStarts } });
  }
  const note = [wireId("return", before.id), label.tracking_number].join(" ");
  await noteReturn(tx, order, { event: "return_label_voided", actor, note });
}

/**
 * Locks a return and checks that it can be cancelled. A parcel on its way back prevents it.
 * Refuses: resource_missing, invalid_state_transition, label_not_voidable, label_in_progress.
 */
export async function readyToCancel(tx: Tx, id: string): Promise<Return> {
  const { before } = await begin(tx, id);
  transition<ReturnStatus, typeof returnTransitions>(returnTransitions, "cancel", before.status);
  for (const label of await listValidLabelsOfReturn(tx, before.id)) {
    refuseInProgress(label);
    await refuseInTransit(tx, await getLabel(tx, label.id));
  }
  return before;
}

/**
 * Cancels a return before anything has arrived, and voids its built-in labels. Carriers' labels must be void already.
 * Refuses: resource_missing, invalid_state_transition, label_not_voidable, label_in_progress.
 */
export async function cancelLabelledReturn(tx: Tx, id: string, actor: Actor): Promise<Return> {
  const ready = await readyToCancel(tx, id);
  for (const label of await listValidLabelsOfReturn(tx, ready.id)) {
    await noteReturnLabelVoided(tx, await voidLabel(tx, label.id, actor), actor);
  }
  return cancelReturn(tx, id, actor);
}

function beginOf(tx: Tx, { return_id }: ShippingLabel) {
  assert(return_id !== null, "the label belongs to a return");
  return begin(tx, wireId("return", return_id));
}
