import { writePieces } from "../../database/pieces.ts";
import type { Store } from "../../database/store.ts";
import type { Service } from "../../http/service.ts";
import { forgetOld } from "./commands.ts";

const forgotten_together_max = 500;

/** Deletes notifications after four days, and received orders that were never imported after thirty. */
export async function forgetNotifications(store: Store, service: Service): Promise<void> {
  await writePieces(store, service, (tx) => forgetOld(tx, forgotten_together_max));
}
