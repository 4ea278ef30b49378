import { writePieces } from "../database/pieces.ts";
import type { Store } from "../database/store.ts";
import type { Service } from "../http/service.ts";
import { forgetOldEntries } from "./commands.ts";

const forgotten_together_max = 500;

/** Deletes entries of the audit trail that are too old, some in each transaction. */
export async function forgetOldActs(store: Store, service: Service): Promise<void> {
  await writePieces(store, service, (tx) => forgetOldEntries(tx, forgotten_together_max));
}
