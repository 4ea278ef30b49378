import { writePieces } from "../../database/pieces.ts";
import type { Store } from "../../database/store.ts";
import type { Service } from "../../http/service.ts";
import { forgetCallbacks } from "./commands.ts";

const forgotten_together_max = 500;

/** Deletes callbacks after thirty days, and updates of numbers that never became known after ninety. */
export async function forgetOldCallbacks(store: Store, service: Service): Promise<void> {
  await writePieces(store, service, (tx) => forgetCallbacks(tx, forgotten_together_max));
}
