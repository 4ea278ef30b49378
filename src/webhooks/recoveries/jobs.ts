import type { Store } from "../../database/store.ts";
import { queueSome } from "./commands.ts";

/** A round of `webhooks.recover`: some of what receivers missed is queued to be sent again. */
export async function queueRecoveries(store: Store): Promise<number | null> {
  const more = await store.write((tx) => queueSome(tx));
  return more ? store.clock.now() : null;
}
