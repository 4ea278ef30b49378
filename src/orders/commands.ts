import type { Tx } from "../database/store.ts";
import { Fault } from "../kit/fault.ts";
import type { Entry } from "./history/store.ts";
import type { Order } from "./order.ts";
import { addReturned, saveOrder } from "./store.ts";

/** Writes what became of a return of a locked order into the order's history. */
export async function noteReturn(tx: Tx, order: Order, entry: Entry): Promise<Order> {
  return saveOrder(tx, order, order, entry);
}

/** Counts units of a line as returned. Refuses: nothing_to_return (more than were shipped). */
export async function noteReturned(tx: Tx, order_line_id: number, quantity: number): Promise<void> {
  if (await addReturned(tx, order_line_id, quantity)) return;
  throw new Fault("nothing_to_return", "More units would be returned than were shipped.");
}
