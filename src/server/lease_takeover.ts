// Lease takeover: when a server is gone, its claims are released at once instead of when they expire: by another server
// on PostgreSQL, and by the next process on SQLite.

import { counter } from "../core/metrics.ts";
import { carrierChecks } from "../customers/customers.sql.ts";
import { fileRemovals } from "../files/files.sql.ts";
import { parcelLabelQueue } from "../floor/packing/packing_sessions.sql.ts";
import { printQueue } from "../floor/printing/print_jobs.sql.ts";
import type { Service } from "../http/service.ts";
import { invitationMails } from "../identity/users/invitations.sql.ts";
import { fileImportQueue } from "../imports/file_imports.sql.ts";
import { importQueue } from "../platforms/imports/imports.sql.ts";
import { reportQueue } from "../platforms/shipment_updates/shipment_updates.sql.ts";
import { stockQueue } from "../platforms/stock_updates/stock_updates.sql.ts";
import { purchaseQueue } from "../shipping/labels/label_purchases.sql.ts";
import { documentQueue } from "../shipping/printing/printed_documents.sql.ts";
import type { Store, Tx } from "../storage/database.ts";
import type { Registry } from "../storage/postgres/server_registry.ts";
import type { Queue } from "../storage/queue.ts";
import {
  type ClaimKind,
  deleteOldClaims,
  hasOthersClaims,
  type RecordedClaim,
  takeOverClaims,
  takeOverOthersClaims,
} from "../storage/servers.ts";
import { pollQueue } from "../tracking/polling.sql.ts";
import { endLeases, shiftAttempts } from "../webhooks/deliveries/deliveries.sql.ts";
import { noticeMails } from "../webhooks/notices.sql.ts";

/** The queues by the kind of their claims. A server's claims are released when it is gone. */
// biome-ignore format: a table is read by its columns.
export const queues: Readonly<Record<ClaimKind, Pick<Queue<never>, "job" | "shift" | "release">>> = {
  addresses:   carrierChecks,
  deliveries:  { job: "webhooks.deliver", shift: shiftAttempts, release: endLeases },
  documents:   documentQueue,
  files:       fileRemovals,
  file_imports: fileImportQueue,
  imports:     importQueue,
  invitations: invitationMails,
  labels:      purchaseQueue,
  looks:       pollQueue,
  notices:     noticeMails,
  print_jobs:  printQueue,
  parcel_labels: parcelLabelQueue,
  reports:     reportQueue,
  shop_stock:  stockQueue,
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
    const taken = await Promise.all(stores.map((store) => release(store, (tx) => takeOverClaims(tx, id))));
    await registry.forget(id);
    const records = taken.reduce((sum, count) => sum + count, 0);
    service.log.warn("a server is gone; its claims were taken over", { server: id, records });
  });
}

/** Takes over the claims of earlier processes, where one process alone uses the data. */
export async function takeOverEarlier(store: Store, { registry, log }: Service): Promise<void> {
  if (registry !== null || !(await store.read(hasOthersClaims))) return;
  const records = await release(store, takeOverOthersClaims);
  log.info("the claims of an earlier process were taken over", { mode: store.mode, records });
}

/** Ends claims in the transaction that takes them over. If several servers try, only one finds them. */
async function release(store: Store, takeOver: (tx: Tx) => Promise<readonly RecordedClaim[]>): Promise<number> {
  const held = await store.write(async (tx) => {
    const all = await takeOver(tx);
    for (const claims of all) {
      // A claim that ended by itself is due without a rest.
      const at = Math.min(tx.now + claims.rest_ms, claims.until);
      await queues[claims.kind].release(tx, claims, at);
      tx.wake(queues[claims.kind].job, at);
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
