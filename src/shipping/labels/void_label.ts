// Voids labels. A built-in label is voided at once. A carrier's label is claimed in one transaction, voided at the
// carrier in none, and recorded in another.
import { billVoid } from "../../billing/bill_facts.ts";
import type { Actor } from "../../core/actor.ts";
import { Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { transition } from "../../core/transitions.ts";
import { listCalendars } from "../../inventory/warehouses/warehouses.sql.ts";
import { itemsToCancel, losingParcels, takesAll } from "../../orders/changes/cancel_order.ts";
import { voidShipment } from "../../orders/fulfillment/label_shipment.ts";
import type { ItemInput } from "../../orders/fulfillment/order_units.ts";
import { findOrderId } from "../../orders/lifecycle/order_lookup.sql.ts";
import type { Order } from "../../orders/order.ts";
import { refuseForbidden } from "../../orders/order_lines.ts";
import { lockOrder } from "../../orders/orders.sql.ts";
import type { Tx } from "../../storage/database.ts";
import { builtIn } from "../carriers/built_in.ts";
import { isVoided, labelTransitions, voidStarts, voidTransitions } from "./label.transitions.ts";
import type { LabelWarning, ShippingLabel } from "./label.ts";
import { isIn, refuseInProgress, refuseLeft } from "./label_checks.ts";
import { call_ms_max } from "./label_purchase.ts";
import { purchaseQueue } from "./label_purchases.sql.ts";
import { lockClaimed } from "./label_purchases.ts";
import {
  getLabel,
  listUnshippedParcels,
  listValidLabels,
  listValidLabelsOfReturn,
  lockOrderOfLabels,
  saveLabel,
  saveVoided,
  type ValidLabel,
} from "./labels.sql.ts";

/**
 * Voids a built-in label whose parcel has not left, and gives up the parcel: its units can go into another one. Voiding
 * it again changes nothing. The order is complete if everything else of it had left.
 * Refuses: resource_missing, label_not_voidable, label_in_progress, invalid_state_transition.
 * Emits: order.shipped, order.delivered.
 */
export async function voidLabel(tx: Tx, id: string | number, actor: Actor): Promise<ShippingLabel> {
  const label = await lockToVoid(tx, id);
  return isVoided(label.status) ? label : voidBought(tx, label, actor);
}

/** Locks a label with its order. Unless it is void, its parcel must not have left. */
async function lockToVoid(tx: Tx, id: string | number): Promise<ShippingLabel> {
  const { order_id } = await getLabel(tx, id);
  await lockOrderOfLabels(tx, order_id);
  const label = await getLabel(tx, id);
  if (!isVoided(label.status)) refuseLeft(label, await listUnshippedParcels(tx, order_id));
  return label;
}

/**
 * Voids the built-in labels of an order's parcels that have not left, before the order is cancelled. Carriers' labels
 * must be void already. An unknown order has no labels.
 * Refuses: ambiguous_identifier, invalid_state_transition, label_not_voidable, label_in_progress.
 */
export async function voidLabelsOfOrder(tx: Tx, id: string | number, actor: Actor): Promise<void> {
  const order_id = (await findOrderId(tx, id, null)) ?? 0;
  await lockOrderOfLabels(tx, order_id);
  const valid = await listValidLabels(tx, order_id);
  if (valid.length === 0) return;
  await voidAll(tx, valid, await listUnshippedParcels(tx, order_id), actor);
}

/**
 * Voids the built-in labels of the parcels that lose units when these items of an order are cancelled. Carriers' labels
 * must be void already.
 * Refuses: resource_missing, validation_failed, invalid_state_transition, label_not_voidable, label_in_progress.
 */
export async function voidLabelsOfItems(tx: Tx, id: string, items: readonly ItemInput[], actor: Actor): Promise<void> {
  const order = await lockOrder(tx, id);
  const losing = parcelsLosing(order, items);
  await voidAll(tx, await listValidLabels(tx, order.id), losing, actor);
}

/**
 * Returns the ids of the parcels that lose units when these items of an order are cancelled.
 * Refuses: validation_failed, resource_missing, invalid_state_transition.
 */
export function parcelsLosing(order: Order, items: readonly ItemInput[]): Set<number> {
  refuseForbidden(order, "cancel_items");
  const units = itemsToCancel(order, items);
  const parcels = takesAll(order, units)
    ? order.shipments
    : losingParcels(order, units).map(({ shipment }) => shipment);
  return new Set(parcels.map((shipment) => shipment.id));
}

/**
 * Refuses to unpack parcels whose labels are valid or being bought.
 * Refuses: labels_not_voided (names the labels), label_in_progress.
 */
export async function refuseLabelled(tx: Tx, order: Order, parcels: readonly { shipment: { id: number } }[]) {
  const ids = new Set(parcels.map(({ shipment }) => shipment.id));
  const valid = (await listValidLabels(tx, order.id)).filter((label) => isIn(label, ids)).reverse();
  for (const label of valid) refuseInProgress(label);
  if (valid.length === 0) return;
  const label_ids = valid.map(({ id }) => wireId("label", id));
  throw new Fault("labels_not_voided", `Void the labels of these parcels first: ${label_ids.join(", ")}.`, {
    label_ids,
  });
}

async function voidAll(tx: Tx, valid: readonly ValidLabel[], parcels: ReadonlySet<number>, actor: Actor) {
  for (const { id } of valid.filter((label) => isIn(label, parcels))) {
    await voidBought(tx, await getLabel(tx, id), actor);
  }
}

async function voidBought(tx: Tx, label: ShippingLabel, actor: Actor): Promise<ShippingLabel> {
  refuseInProgress(label);
  const { account_id, external, shipment_id } = label;
  if (account_id !== null) {
    const message = "The carrier has not voided this label yet. Send the request again in a few seconds.";
    throw new Fault("label_not_voidable", message, { label_id: wireId("label", label.id) });
  }
  if (!external && builtIn.void(tx, label) === "rejected") throw notVoidable(label, "The refusal is simulated.");
  const voided: ShippingLabel = {
    ...label,
    status: transition(labelTransitions, "void", label.status),
    voided_at: tx.now,
  };
  if (shipment_id !== null) await voidShipment(tx, shipment_id, actor);
  await saveVoided(tx, voided);
  await billVoid(tx, label.id, await listCalendars(tx));
  return external ? saveLabel(tx, voided, { warnings: [...label.warnings, refundElsewhere(label)] }) : voided;
}

function refundElsewhere({ carrier, tracking_number }: ShippingLabel): LabelWarning {
  const message =
    `The label is void here only: no refund was requested. Request it where ${tracking_number} of ${carrier} was` +
    " bought.";
  return { field: "status", code: "refund_elsewhere", message };
}

/**
 * Claims a carrier's label for voiding. A voided label is returned unchanged.
 * Refuses: resource_missing, label_not_voidable, label_in_progress, invalid_state_transition.
 */
export async function beginVoid(tx: Tx, id: string | number, actor: Actor): Promise<ShippingLabel> {
  const label = await lockToVoid(tx, id);
  return isVoided(label.status) ? label : claimVoid(tx, label, actor);
}

/**
 * Claims the carriers' labels on these parcels of an order for voiding.
 * Refuses: label_in_progress, invalid_state_transition.
 */
export async function beginVoids(
  tx: Tx,
  order_id: number,
  parcels: ReadonlySet<number>,
  actor: Actor,
): Promise<ShippingLabel[]> {
  await lockOrderOfLabels(tx, order_id);
  const in_house = await listUnshippedParcels(tx, order_id);
  const claimed: ShippingLabel[] = [];
  for (const label of await listValidLabels(tx, order_id)) {
    if (label.account_id === null || !isIn(label, parcels) || !isIn(label, in_house)) continue;
    claimed.push(await claimVoid(tx, await getLabel(tx, label.id), actor));
  }
  return claimed;
}

/** Claims the carriers' labels of a return for voiding. Refuses: label_in_progress, invalid_state_transition. */
export async function beginReturnVoids(
  tx: Tx,
  { id, order_id }: { readonly id: number; readonly order_id: number },
  actor: Actor,
): Promise<ShippingLabel[]> {
  await lockOrderOfLabels(tx, order_id);
  const claimed: ShippingLabel[] = [];
  for (const label of await listValidLabelsOfReturn(tx, id)) {
    if (label.account_id !== null) claimed.push(await claimVoid(tx, await getLabel(tx, label.id), actor));
  }
  return claimed;
}

async function claimVoid(tx: Tx, label: ShippingLabel, asked_by: Actor): Promise<ShippingLabel> {
  refuseInProgress(label);
  transition(labelTransitions, "void", label.status);
  const claimed_until = await purchaseQueue.hold(tx, label.id, call_ms_max);
  return saveLabel(tx, label, { void_status: voidStarts, asked_by, claimed_until, attempts: label.attempts + 1 });
}

/**
 * Records that a carrier voided a label. Its parcel is given up unless it has left. The order is complete if everything
 * else of it had left. Returns null when another server took the claim over.
 * Emits: order.shipped, order.delivered.
 */
export async function recordVoided(
  tx: Tx,
  claim: ShippingLabel,
  answer: keyof typeof voidTransitions,
  actor: Actor,
): Promise<ShippingLabel | null> {
  const before = await lockClaimed(tx, claim);
  if (before === null) return null;
  const { shipment_id } = before;
  const in_house = await listUnshippedParcels(tx, before.order_id);
  if (shipment_id !== null && in_house.has(shipment_id)) await voidShipment(tx, shipment_id, actor);
  const status = transition(labelTransitions, "void", before.status);
  const void_status = transition(voidTransitions, answer, before.void_status ?? voidStarts);
  await billVoid(tx, before.id, await listCalendars(tx));
  return saveLabel(tx, before, { status, void_status, voided_at: tx.now, claimed_until: null });
}

/**
 * Records that a carrier did not void a label, which stays valid. Returns null when another server took the claim
 * over.
 */
export async function recordVoidRefused(tx: Tx, claim: ShippingLabel): Promise<ShippingLabel | null> {
  const before = await lockClaimed(tx, claim);
  return before === null ? null : saveLabel(tx, before, { void_status: null, claimed_until: null });
}

/** Creates the refusal for a label that its carrier does not void, with the carrier's reason if there is one. */
export function notVoidable({ id, carrier }: ShippingLabel, words: string | null): Fault {
  const reason = words === null ? "" : ` ${words}`;
  return new Fault("label_not_voidable", `The carrier ${carrier} refused to void the label.${reason}`, {
    label_id: wireId("label", id),
  });
}
