import { writePieces } from "../../database/pieces.ts";
import type { Store } from "../../database/store.ts";
import type { Service } from "../../http/service.ts";
import { forgetOld } from "./commands.ts";

const forgotten_together_max = 500;

/** Forgets notifications after four days, and what was told of orders that came to nothing after thirty. */
export async function forgetNotifications(store: Store, service: Service): Promise<void> {
  await writePieces(store, service, (tx) => forgetOld(tx, forgotten_together_max));
}
