// The receivers of webhooks: whether each has an address that may be called, and something listens there.
import { modes } from "../kit/mode.ts";
import { addressPolicy } from "../outbound/destination.ts";
import { unreachable } from "../outbound/reach.ts";
import { subscriptionMeanings } from "../webhooks/status.ts";
import { listSubscriptions } from "../webhooks/subscriptions/store.ts";
import { type Finding, ok, problem } from "./finding.ts";
import type { Patient } from "./patient.ts";

const patience_ms = 5000;
const together_max = 16;
const looked_at_max = 200;

/** Whether the receiver of each active subscription can be reached from this machine. */
export async function lookAtReceivers({ stores, service }: Patient): Promise<Finding[]> {
  if (stores === null || service === null) return [];
  const found: Finding[] = [];
  let well = 0;
  for (const mode of modes) {
    const [operator, merchant] = [addressPolicy(service, mode, "operator"), addressPolicy(service, mode, "merchant")];
    const all = await stores[mode].read((db) =>
      listSubscriptions(db, { limit: looked_at_max, offset: 0, after: null }),
    );
    const active = all.filter(({ status }) => subscriptionMeanings[status].active);
    for (let at = 0; at < active.length; at += together_max) {
      const some = active.slice(at, at + together_max);
      const reasons = await Promise.all(
        some.map(({ url, merchant_id }) => unreachable(url, merchant_id === null ? operator : merchant, patience_ms)),
      );
      for (const [n, reason] of reasons.entries()) {
        // Its path and what follows may hold a secret of the receiver.
        const place = new URL(some[n]?.url ?? "").origin;
        const advice = "Correct the subscription's address, or what stands between here and there.";
        if (reason === null) well += 1;
        else found.push(problem("receiver", `${mode}: ${place} cannot be reached: ${reason}`, advice));
      }
    }
  }
  if (well > 0 || found.length === 0) found.push(ok("receivers", `${well} can be reached`));
  return found;
}
