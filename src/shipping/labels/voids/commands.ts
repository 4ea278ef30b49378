// Giving labels back to their carriers: claimed in one transaction, asked for in none, recorded in another.
import type { Tx } from "../../../database/store.ts";
import type { Actor } from "../../../kit/actor.ts";
import { Fault } from "../../../kit/fault.ts";
import { wireId } from "../../../kit/ids.ts";
import { move } from "../../../kit/moves.ts";
import { voidShipment } from "../../../orders/labelling/commands.ts";
import type { Label } from "../label.ts";
import { finishing_job, lockClaimed } from "../purchases/commands.ts";
import { lease_ms } from "../purchases/rules.ts";
import { saveLabel } from "../purchases/store.ts";
import { isIn, refuseLeft, refuseUnderWay } from "../rules.ts";
import { type LabelStatus, labelMoves, type VoidStatus } from "../status.ts";
import { getLabel, listParcelsInHouse, listValidLabels, listValidLabelsOfReturn, lockOrderOfLabels } from "../store.ts";

/**
 * Claims a carrier's label to give it back; one that is voided is answered as it is.
 * Refuses: resource_missing, label_not_voidable, label_in_progress, invalid_state_transition.
 */
export async function beginVoid(tx: Tx, id: string | number, actor: Actor): Promise<Label> {
  const { order_id } = await getLabel(tx, id);
  await lockOrderOfLabels(tx, order_id);
  const label = await getLabel(tx, id);
  if (label.status === "voided") return label;
  refuseLeft(label, await listParcelsInHouse(tx, order_id));
  return claimVoid(tx, label, actor);
}

/**
 * Claims the labels of carriers on these parcels of an order to give them back.
 * Refuses: label_in_progress, invalid_state_transition.
 */
export async function beginVoids(
  tx: Tx,
  order_id: number,
  parcels: ReadonlySet<number>,
  actor: Actor,
): Promise<Label[]> {
  await lockOrderOfLabels(tx, order_id);
  const in_house = await listParcelsInHouse(tx, order_id);
  const claimed: Label[] = [];
  for (const one of await listValidLabels(tx, order_id)) {
    if (one.account_id === null || !isIn(one, parcels) || !isIn(one, in_house)) continue;
    claimed.push(await claimVoid(tx, await getLabel(tx, one.id), actor));
  }
  return claimed;
}

/**
 * Claims the labels of carriers with which a return was to come, to give them back.
 * Refuses: label_in_progress, invalid_state_transition.
 */
export async function beginReturnVoids(
  tx: Tx,
  { id, order_id }: { readonly id: number; readonly order_id: number },
  actor: Actor,
): Promise<Label[]> {
  await lockOrderOfLabels(tx, order_id);
  const claimed: Label[] = [];
  for (const one of await listValidLabelsOfReturn(tx, id)) {
    if (one.account_id !== null) claimed.push(await claimVoid(tx, await getLabel(tx, one.id), actor));
  }
  return claimed;
}

async function claimVoid(tx: Tx, label: Label, asked_by: Actor): Promise<Label> {
  refuseUnderWay(label);
  move<LabelStatus, typeof labelMoves>(labelMoves, "void", label.status);
  const claimed_until = tx.now + lease_ms;
  tx.wake(finishing_job, claimed_until);
  return saveLabel(tx, label, { void_status: "asked", asked_by, claimed_until, attempts: label.attempts + 1 });
}

/**
 * Records that a carrier takes a label back: its parcel is given up, unless that has left meanwhile. Null when another
 * server took it over. Emits: order.shipped, order.delivered, when all else of the order had left already.
 */
export async function recordVoided(
  tx: Tx,
  claim: Label,
  void_status: Exclude<VoidStatus, "asked">,
  actor: Actor,
): Promise<Label | null> {
  const before = await lockClaimed(tx, claim);
  if (before === null) return null;
  const { shipment_id } = before;
  const in_house = await listParcelsInHouse(tx, before.order_id);
  if (shipment_id !== null && in_house.has(shipment_id)) await voidShipment(tx, shipment_id, actor);
  const status = move<LabelStatus, typeof labelMoves>(labelMoves, "void", before.status);
  return saveLabel(tx, before, { status, void_status, voided_at: tx.now, claimed_until: null });
}

/** Records that a carrier does not take a label back: it stays valid. Null when another server took it over. */
export async function recordKept(tx: Tx, claim: Label): Promise<Label | null> {
  const before = await lockClaimed(tx, claim);
  return before === null ? null : saveLabel(tx, before, { void_status: null, claimed_until: null });
}

/** The refusal of a label that its carrier does not take back, in the carrier's words where it has some. */
export function notTaken({ id, carrier }: Label, words: string | null): Fault {
  const said = words === null ? "" : ` ${words}`;
  return new Fault("label_not_voidable", `The carrier ${carrier} does not take the label back.${said}`, {
    label_id: wireId("label", id),
  });
}
