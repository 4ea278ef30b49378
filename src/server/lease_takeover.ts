// What a server had claimed is handed on to the others as soon as it is gone, instead of once the claims end.

import { counter } from "../core/metrics.ts";
import { releaseCarrierChecks } from "../customers/customers.sql.ts";
import type { Service } from "../http/service.ts";
import { endInvitationClaims } from "../identity/users/invitations.sql.ts";
import { endImportClaims } from "../platforms/imports/imports.sql.ts";
import { endReportClaims } from "../platforms/shipment_updates/shipment_updates.sql.ts";
import { endLabelClaims } from "../shipping/labels/labels.sql.ts";
import type { JobName } from "../storage/commit_effects.ts";
import type { Store, Tx } from "../storage/database.ts";
import type { Registry } from "../storage/postgres/server_registry.ts";
import { type ClaimKind, type EndClaims, forgetHeld, takeHeld } from "../storage/servers.ts";
import { endPollClaims } from "../tracking/tracking.sql.ts";
import { endLeases } from "../webhooks/deliveries/deliveries.sql.ts";
import { endMailClaims } from "../webhooks/notices.sql.ts";

/** How claims of each kind are ended, and the job that goes on with what was claimed. */
// biome-ignore format: a table is read by its columns.
const kinds: Readonly<Record<ClaimKind, { readonly end: EndClaims; readonly job: JobName }>> = {
  addresses:   { end: releaseCarrierChecks,        job: "addresses.ask" },
  deliveries:  { end: (tx, { ids, until }) => endLeases(tx, ids, until), job: "webhooks.deliver" },
  imports:     { end: endImportClaims,     job: "platforms.import" },
  invitations: { end: endInvitationClaims, job: "users.mail_invitations" },
  labels:      { end: endLabelClaims,      job: "shipping.finish_purchases" },
  looks:       { end: endPollClaims,       job: "tracking.poll" },
  notices:     { end: endMailClaims,       job: "webhooks.mail" },
  reports:     { end: endReportClaims,     job: "platforms.report" },
};

const taken_over = counter("packhouse_claims_handed_on_total", "Records that servers had claimed which are gone.", [
  "kind",
  "mode",
]);
const deleted_batch_max = 1000;

/** Goes on with what servers leave behind that are gone, for as long as this one is enrolled. */
export function takeOverLeases(service: Service, registry: Registry): void {
  registry.onGone(async (id) => {
    const stores = Object.values(service.stores);
    const taken = await Promise.all(stores.map((store) => takeOverFrom(store, id)));
    await registry.forget(id);
    const records = taken.reduce((sum, count) => sum + count, 0);
    service.log.warn("a server is gone; this one goes on with what it had claimed", { server: id, records });
  });
}

/** Ends all claims of a server that is gone, in one transaction; of several who do it, one finds them. */
async function takeOverFrom(store: Store, server: number): Promise<number> {
  const held = await store.write(async (tx) => {
    const all = await takeHeld(tx, server);
    for (const one of all) {
      const at = tx.now + one.rest_ms;
      await kinds[one.kind].end(tx, one, at);
      tx.wake(kinds[one.kind].job, at);
    }
    return all;
  });
  for (const { kind, ids } of held) taken_over.add(ids.length, kind, store.mode);
  return held.reduce((sum, { ids }) => sum + ids.length, 0);
}

/** A piece of forgetting which claims were noted that are over. Answers whether more are left. */
export async function forgetEndedClaims(tx: Tx): Promise<boolean> {
  return (await forgetHeld(tx, tx.now, deleted_batch_max)) === deleted_batch_max;
}
