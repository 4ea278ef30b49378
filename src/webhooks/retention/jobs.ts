import { writePieces } from "../../database/pieces.ts";
import type { Store } from "../../database/store.ts";
import type { Service } from "../../http/service.ts";
import { forgetOld } from "./commands.ts";

const forgotten_together_max = 500;

/** Deletes what is older than the operator wants to keep, some in each transaction. */
export async function forgetOldDeliveries(store: Store, service: Service): Promise<void> {
  const days = service.event_retention_days;
  await writePieces(store, service, (tx) => forgetOld(tx, days, forgotten_together_max));
}
