import type { Tx } from "../../database/store.ts";
import type { Actor } from "../../kit/actor.ts";
import { assert } from "../../kit/assert.ts";
import { wireId } from "../../kit/ids.ts";
import { noteReturn } from "../../orders/commands.ts";
import type { Label } from "../../shipping/labels/label.ts";
import { begin } from "../commands.ts";
import { saveReturn } from "../store.ts";

/** Has a return come back with a label that was just bought for it: its parcel is the one that is awaited. */
export async function noteReturnLabel(tx: Tx, label: Label, actor: Actor): Promise<void> {
  const { carrier, service, tracking_number, tracking_url } = label;
  const { before, order } = await beginOf(tx, label);
  const label_url = `${tx.site.base_url}/v1/shipping/labels/${wireId("label", label.id)}/document`;
  await saveReturn(tx, before, {
    return_shipping: { carrier, tracking_number, label_url, tracking_url, status: "pending" },
  });
  const note = [wireId("return", before.id), tracking_number, carrier, service].join(" ");
  await noteReturn(tx, order, { event: "return_label", actor, note });
}

/** Takes the parcel of a label that was voided from its return, unless another one is awaited by now. */
export async function noteReturnLabelVoided(tx: Tx, label: Label, actor: Actor): Promise<void> {
  const { before, order } = await beginOf(tx, label);
  if (before.return_shipping.tracking_number === label.tracking_number) {
    const nothing = { carrier: null, tracking_number: null, label_url: null, tracking_url: null };
    await saveReturn(tx, before, { return_shipping: { ...nothing, status: "pending" } });
  }
  const note = [wireId("return", before.id), label.tracking_number].join(" ");
  await noteReturn(tx, order, { event: "return_label_voided", actor, note });
}

function beginOf(tx: Tx, { return_id }: Label) {
  assert(return_id !== null, "the label is of a return");
  return begin(tx, wireId("return", return_id));
}
