import { writePieces } from "../../database/pieces.ts";
import type { Store } from "../../database/store.ts";
import type { Service } from "../../http/service.ts";
import { retentionIn } from "../../retention/store.ts";
import { forgetCallbacks } from "./commands.ts";

const forgotten_together_max = 500;

/** Deletes callbacks, and updates of numbers that never became known, that are older than they are kept. */
export async function forgetOldCallbacks(store: Store, service: Service): Promise<void> {
  await writePieces(store, service, async (tx) => {
    return forgetCallbacks(tx, await retentionIn(tx, service), forgotten_together_max);
  });
}
