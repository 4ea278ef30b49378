import type { Store } from "../../database/store.ts";
import { forgetOld } from "./commands.ts";

const kept_ms = 30 * 24 * 3_600_000;
const forgotten_together_max = 500;

/** Forgets payloads and log lines that are older than thirty days. */
export async function forgetOldDeliveries(store: Store): Promise<void> {
  const before = store.clock.now() - kept_ms;
  for (let more = true; more; ) more = await store.write((tx) => forgetOld(tx, before, forgotten_together_max));
}
