import type { Store } from "../../database/store.ts";
import { forgetOld } from "./commands.ts";

const forgotten_together_max = 500;

/** Forgets payloads and log lines older than thirty days, and answers of receivers older than seven. */
export async function forgetOldDeliveries(store: Store): Promise<void> {
  for (let more = true; more; ) more = await store.write((tx) => forgetOld(tx, forgotten_together_max));
}
