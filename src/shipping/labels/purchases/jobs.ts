// Finishes what requests have left open: purchases whose server stopped or whose carrier was slow, and voids that
// carriers have yet to decide.
import type { Store } from "../../../database/store.ts";
import type { Service } from "../../../http/service.ts";
import { wireId } from "../../../kit/ids.ts";
import { Lanes } from "../../../outbound/lanes.ts";
import { purchasesUnderWay } from "../../../outbound/under_way.ts";
import { labelNews } from "../../../returns/labels/commands.ts";
import type { Label } from "../label.ts";
import { isBeingBought } from "../status.ts";
import { voidAtCarrier } from "../voids/buyer.ts";
import { buyAgain } from "./buyer.ts";
import { claimDue, finishing_job } from "./commands.ts";

interface Task {
  readonly connection: { readonly id: number };
  readonly label: Label;
}

const lanes = new WeakMap<Store, Lanes<Task>>();

/** A round of `shipping.finish_purchases`: begins to finish what is due. */
export async function finishPurchases(store: Store, service: Service): Promise<number | null> {
  let lane = lanes.get(store);
  if (lane === undefined) {
    lane = lanesOf(store, service);
    lanes.set(store, lane);
  }
  return await lane.round();
}

/** Waits until all calls to carriers are over and recorded. */
export async function purchasesSettled(store: Store): Promise<void> {
  await lanes.get(store)?.settled();
  await purchasesUnderWay(store);
}

function lanesOf(store: Store, service: Service): Lanes<Task> {
  return new Lanes({
    claim: async (busy) => {
      const { claims, next_at } = await store.write((tx) => claimDue(tx, busy));
      return { claims: claims.map((label) => ({ connection: { id: label.account_id ?? 0 }, label })), next_at };
    },
    work: ({ label }) => finish(label, store, service),
    // The claim expires, and then it is tried again.
    failed: (error) => service.log.error("a purchase was not recorded", { mode: store.mode, error: String(error) }),
    idle: () => store.write(async (tx) => tx.wake(finishing_job, tx.now)),
  });
}

async function finish(label: Label, store: Store, service: Service): Promise<void> {
  const at = { store, service, news: labelNews };
  if (isBeingBought(label.status)) await buyAgain(at, label);
  else await voidAtCarrier(at, label);
  const facts = { mode: store.mode, label: wireId("label", label.id), attempts: label.attempts };
  service.log.info("an open label was settled with its carrier", facts);
}
