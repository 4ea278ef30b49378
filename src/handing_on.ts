// What a server had claimed is handed on to the others as soon as it is gone, instead of once the claims end.
import { endAskClaims } from "./customers/store.ts";
import type { JobName } from "./database/job_names.ts";
import type { Registry } from "./database/registry.ts";
import { type ClaimKind, type EndClaims, forgetHeld, takeHeld } from "./database/servers.ts";
import type { Store, Tx } from "./database/store.ts";
import type { Service } from "./http/service.ts";
import { counter } from "./kit/meter.ts";
import { endImportClaims } from "./platforms/imports/store.ts";
import { endReportClaims } from "./platforms/reports/store.ts";
import { endLabelClaims } from "./shipping/labels/store.ts";
import { endLookClaims } from "./tracking/store.ts";
import { endInvitationClaims } from "./users/invitations/store.ts";
import { endLeases } from "./webhooks/deliveries/store.ts";
import { endMailClaims } from "./webhooks/notices/store.ts";

/** How claims of each kind are ended, and the job that goes on with what was claimed. */
// biome-ignore format: a table is read by its columns.
const kinds: Readonly<Record<ClaimKind, { readonly end: EndClaims; readonly job: JobName }>> = {
  addresses:   { end: endAskClaims,        job: "addresses.ask" },
  deliveries:  { end: (tx, { ids, until }) => endLeases(tx, ids, until), job: "webhooks.deliver" },
  imports:     { end: endImportClaims,     job: "platforms.import" },
  invitations: { end: endInvitationClaims, job: "users.mail_invitations" },
  labels:      { end: endLabelClaims,      job: "shipping.finish_purchases" },
  looks:       { end: endLookClaims,       job: "tracking.poll" },
  notices:     { end: endMailClaims,       job: "webhooks.mail" },
  reports:     { end: endReportClaims,     job: "platforms.report" },
};

const handed_on = counter("packhouse_claims_handed_on_total", "Records that servers had claimed which are gone.", [
  "kind",
  "mode",
]);
const forgotten_together_max = 1000;

/** Goes on with what servers leave behind that are gone, for as long as this one is enrolled. */
export function handOnFromGone(service: Service, registry: Registry): void {
  registry.onGone(async (id) => {
    const stores = Object.values(service.stores);
    const taken = await Promise.all(stores.map((store) => handOn(store, id)));
    await registry.forget(id);
    const records = taken.reduce((sum, count) => sum + count, 0);
    service.log.warn("a server is gone; this one goes on with what it had claimed", { server: id, records });
  });
}

/** Ends all claims of a server that is gone, in one transaction; of several who do it, one finds them. */
async function handOn(store: Store, server: number): Promise<number> {
  const held = await store.write(async (tx) => {
    const all = await takeHeld(tx, server);
    for (const one of all) {
      const at = tx.now + one.rest_ms;
      await kinds[one.kind].end(tx, one, at);
      tx.wake(kinds[one.kind].job, at);
    }
    return all;
  });
  for (const { kind, ids } of held) handed_on.add(ids.length, kind, store.mode);
  return held.reduce((sum, { ids }) => sum + ids.length, 0);
}

/** A piece of forgetting which claims were noted that are over. Answers whether more are left. */
export async function forgetEndedClaims(tx: Tx): Promise<boolean> {
  return (await forgetHeld(tx, tx.now, forgotten_together_max)) === forgotten_together_max;
}
