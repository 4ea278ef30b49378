// Finishes open purchases and voids: those whose server stopped, whose carrier was slow, or that a carrier has yet to
// decide.

import { wireId } from "../../core/ids.ts";
import type { Service } from "../../http/service.ts";
import { laneJob, purchasesUnderWay } from "../../outbound/lanes.ts";
import { labelCallbacks } from "../../returns/return_labels.ts";
import type { Store } from "../../storage/database.ts";
import { buyAgain } from "./buy_from_carrier.ts";
import { isBeingBought } from "./label.transitions.ts";
import { purchaseQueue } from "./label_purchases.sql.ts";
import { claimDue, type LabelTask } from "./label_purchases.ts";
import { voidAtCarrier } from "./void_at_carrier.ts";

const { round, settled } = laneJob<LabelTask>(purchaseQueue.job, "a purchase was not recorded", {
  claim: claimDue,
  work: finish,
});

/** The job `shipping.finish_purchases`: starts on due labels. Returns the next due time (ms), or null. */
export const finishPurchases = round;

/** Waits until all calls to carriers have ended and are recorded. */
export async function purchasesSettled(store: Store): Promise<void> {
  await settled(store);
  await purchasesUnderWay(store);
}

async function finish({ label }: LabelTask, store: Store, service: Service): Promise<void> {
  const at = { store, service, callbacks: labelCallbacks };
  if (isBeingBought(label.status)) await buyAgain(at, label);
  else await voidAtCarrier(at, label);
  const facts = { mode: store.mode, label: wireId("label", label.id), attempts: label.attempts };
  service.log.info("an open label was settled with its carrier", facts);
}
