import type { Store } from "../../database/store.ts";
import { endNext, fanOut } from "./commands.ts";

/** A round of `webhooks.fan_out`: creates deliveries of the oldest new events. */
export async function fanOutEvents(store: Store): Promise<number | null> {
  const more = await store.write(fanOut);
  return more ? store.clock.now() : null;
}

/** Fans out waiting events, some in each transaction, so that little is left for a transaction that fans out all. */
export async function fanOutWaiting(store: Store): Promise<void> {
  while (await store.write(fanOut));
}

/** A round of `webhooks.end_waiting`: ends some waiting deliveries of subscriptions that are off. */
export async function endWaiting(store: Store): Promise<number | null> {
  return (await store.write(endNext)) ? store.clock.now() : null;
}

/** Ends all of them, some in each transaction. */
export async function endAllWaiting(store: Store): Promise<void> {
  while (await store.write(endNext));
}
