import { writePieces } from "../database/pieces.ts";
import type { Store } from "../database/store.ts";
import type { Service } from "../http/service.ts";
import { retentionIn } from "../retention/store.ts";
import { forgetOldEntries } from "./commands.ts";

const forgotten_together_max = 500;

/** Deletes entries of the audit trail that are too old, some in each transaction. */
export async function forgetOldActs(store: Store, service: Service): Promise<void> {
  await writePieces(store, service, async (tx) => {
    const { audit_trail } = await retentionIn(tx, service);
    return forgetOldEntries(tx, audit_trail, forgotten_together_max);
  });
}
