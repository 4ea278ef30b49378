import type { Store } from "../../database/store.ts";
import { queueSome } from "./commands.ts";

/** A round of `webhooks.recover`: queues some of what receivers missed. */
export async function queueRecoveries(store: Store): Promise<number | null> {
  const more = await store.write((tx) => queueSome(tx));
  return more ? store.clock.now() : null;
}
