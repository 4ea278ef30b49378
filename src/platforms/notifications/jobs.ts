import { writePieces } from "../../database/pieces.ts";
import type { Store } from "../../database/store.ts";
import type { Service } from "../../http/service.ts";
import { retentionIn } from "../../retention/store.ts";
import { forgetOld } from "./commands.ts";

const forgotten_together_max = 500;

/** Deletes notifications, and received orders that were never imported, that are older than they are kept. */
export async function forgetNotifications(store: Store, service: Service): Promise<void> {
  await writePieces(store, service, async (tx) => {
    return forgetOld(tx, await retentionIn(tx, service), forgotten_together_max);
  });
}
