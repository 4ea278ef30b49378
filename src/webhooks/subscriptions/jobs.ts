import type { Store } from "../../database/store.ts";
import { endNext } from "./commands.ts";

/** A round of `webhooks.end_waiting`: some of what waits for subscriptions that take nothing more is ended. */
export async function endWaiting(store: Store): Promise<number | null> {
  return (await store.write(endNext)) ? store.clock.now() : null;
}

/** Ends all of it, some in each transaction. */
export async function endAllWaiting(store: Store): Promise<void> {
  while (await store.write(endNext));
}
