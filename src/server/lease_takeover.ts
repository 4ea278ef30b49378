// Lease takeover: when a server is gone, another releases its claims at once instead of waiting until they expire.

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
import { type ClaimKind, deleteOldClaims, type EndClaims, takeOverClaims } from "../storage/servers.ts";
import { endPollClaims } from "../tracking/tracking.sql.ts";
import { endLeases } from "../webhooks/deliveries/deliveries.sql.ts";
import { endMailClaims } from "../webhooks/notices.sql.ts";

/** For each kind of claim, how it is ended and the job that continues with the records. */
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

const taken_over = counter(
  "packhouse_claims_handed_on_total",
  "Claimed records taken over from servers that are gone.",
  ["kind", "mode"],
);
const deleted_batch_max = 1000;

/** Takes over the claims of servers that are gone, as long as this server is registered. */
export function takeOverLeases(service: Service, registry: Registry): void {
  registry.onGone(async (id) => {
    const stores = Object.values(service.stores);
    const taken = await Promise.all(stores.map((store) => takeOverFrom(store, id)));
    await registry.forget(id);
    const records = taken.reduce((sum, count) => sum + count, 0);
    service.log.warn("a server is gone; its claims were taken over", { server: id, records });
  });
}

/** Ends all claims of a server in one transaction. If several servers try, only one finds them. */
async function takeOverFrom(store: Store, server: number): Promise<number> {
  const held = await store.write(async (tx) => {
    const all = await takeOverClaims(tx, server);
    for (const claims of all) {
      const at = tx.now + claims.rest_ms;
      await kinds[claims.kind].end(tx, claims, at);
      tx.wake(kinds[claims.kind].job, at);
    }
    return all;
  });
  for (const { kind, ids } of held) taken_over.add(ids.length, kind, store.mode);
  return held.reduce((sum, { ids }) => sum + ids.length, 0);
}

/** Deletes a batch of ended claims. Returns whether more are left. */
export async function forgetEndedClaims(tx: Tx): Promise<boolean> {
  return (await deleteOldClaims(tx, tx.now, deleted_batch_max)) === deleted_batch_max;
}
