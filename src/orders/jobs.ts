import type { Store } from "../database/store.ts";
import type { Service } from "../http/service.ts";
import { system } from "../kit/actor.ts";
import { releaseDueHolds } from "./holds/commands.ts";
import { listOrdersWithDueHolds, nextHoldEnd } from "./holds/store.ts";

const holds_max = 100;

/** `orders.release_holds`: lifts holds whose time has come. Answers when the next one ends (ms), or null. */
export async function releaseHolds(store: Store, _service: Service): Promise<number | null> {
  const due = await store.read((db) => listOrdersWithDueHolds(db, holds_max));
  const actor = system("orders.release_holds");
  for (const order_id of due) await store.write((tx) => releaseDueHolds(tx, order_id, actor));
  // More may have come due meanwhile, or be left over: another round finds out.
  return due.length > 0 ? store.clock.now() : store.read(nextHoldEnd);
}
