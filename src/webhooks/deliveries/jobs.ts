import type { Store } from "../../database/store.ts";
import { endNext, fanOut } from "./commands.ts";

/** A round of `webhooks.fan_out`: the oldest new events become deliveries. */
export async function fanOutEvents(store: Store): Promise<number | null> {
  const more = await store.write(fanOut);
  return more ? store.clock.now() : null;
}

/** Hands out what waits, some in each transaction, so that little is left for one that hands out all. */
export async function fanOutWaiting(store: Store): Promise<void> {
  while (await store.write(fanOut));
}

/** A round of `webhooks.end_waiting`: some of what waits for subscriptions that take nothing more is ended. */
export async function endWaiting(store: Store): Promise<number | null> {
  return (await store.write(endNext)) ? store.clock.now() : null;
}

/** Ends all of it, some in each transaction. */
export async function endAllWaiting(store: Store): Promise<void> {
  while (await store.write(endNext));
}
