// Finishes open purchases and voids: those whose server stopped, whose carrier was slow, or that a carrier has yet to
// decide.

import { wireId } from "../../core/ids.ts";
import type { Service } from "../../http/service.ts";
import { Lanes, purchasesUnderWay } from "../../outbound/lanes.ts";
import { labelCallbacks } from "../../returns/return_labels.ts";
import type { Store } from "../../storage/database.ts";
import { buyAgain } from "./buy_from_carrier.ts";
import { isBeingBought } from "./label.transitions.ts";
import type { ShippingLabel } from "./label.ts";
import { claimDue, finishing_job } from "./label_purchases.ts";
import { voidAtCarrier } from "./void_at_carrier.ts";

interface LabelTask {
  readonly connection: { readonly id: number };
  readonly label: ShippingLabel;
}

const lanes = new WeakMap<Store, Lanes<LabelTask>>();

/** The job `shipping.finish_purchases`: starts on due labels. Returns the next due time (ms), or null. */
export async function finishPurchases(store: Store, service: Service): Promise<number | null> {
  let lane = lanes.get(store);
  if (lane === undefined) {
    lane = lanesOf(store, service);
    lanes.set(store, lane);
  }
  return await lane.round();
}

/** Waits until all calls to carriers have ended and are recorded. */
export async function purchasesSettled(store: Store): Promise<void> {
  await lanes.get(store)?.settled();
  await purchasesUnderWay(store);
}

function lanesOf(store: Store, service: Service): Lanes<LabelTask> {
  return new Lanes({
    claim: async (busy) => {
      const { claims, next_at } = await store.write((tx) => claimDue(tx, busy));
      return { claims: claims.map((label) => ({ connection: { id: label.account_id ?? 0 }, label })), next_at };
    },
    work: ({ label }) => finish(label, store, service),
    // The claim expires, and the job tries again.
    failed: (error) => service.log.error("a purchase was not recorded", { mode: store.mode, error: String(error) }),
    idle: () => store.write(async (tx) => tx.wake(finishing_job, tx.now)),
  });
}

async function finish(label: ShippingLabel, store: Store, service: Service): Promise<void> {
  const at = { store, service, callbacks: labelCallbacks };
  if (isBeingBought(label.status)) await buyAgain(at, label);
  else await voidAtCarrier(at, label);
  const facts = { mode: store.mode, label: wireId("label", label.id), attempts: label.attempts };
  service.log.info("an open label was settled with its carrier", facts);
}
