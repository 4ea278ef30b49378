import { takeTurn } from "../../database/lease.ts";
import type { Tx } from "../../database/store.ts";
import type { Close, ItemDay } from "./day.ts";
import type { OpenDay, Stored } from "./rules.ts";
import { findNewest, findWritten, insertClose, insertDays, lastMovement, lockClose, saveClosed } from "./store.ts";

/**
 * Begins to add up a day of a warehouse: what the ledger holds by now counts for it. Null when another server began it.
 * Refuses: nothing. Emits: nothing.
 */
export async function beginDay(tx: Tx, warehouse: Stored, last: Close | null, day: OpenDay): Promise<Close | null> {
  await takeTurn(tx, "billing.storage");
  const known = await findNewest(tx, warehouse.id);
  if (known.last?.business_date !== last?.business_date) return null;
  const last_movement_id = await lastMovement(tx);
  const close = { warehouse_id: warehouse.id, ...day, last_movement_id, next_movement_id: 0, closed_at: null };
  await insertClose(tx, close);
  return close;
}

const rows_together_max = 500;

/** What a day came to. */
interface AddedUp {
  readonly items: readonly ItemDay[];
  readonly next_movement_id: number;
}

/**
 * Writes the next rows of a day, and closes it with the last of them. Answers whether more are left. A day that is
 * closed stays as it is. Refuses: nothing. Emits: nothing.
 */
export async function writeDay(tx: Tx, warehouse: Stored, day: Close, { items, next_movement_id }: AddedUp) {
  const now = await lockClose(tx, day);
  if (now === null || now.closed_at !== null) return false;
  const written = await findWritten(tx, day);
  const left = items.filter(({ stock_item_id }) => stock_item_id > written);
  await insertDays(tx, day, warehouse.timezone, left.slice(0, rows_together_max));
  if (left.length > rows_together_max) return true;
  await saveClosed(tx, day, next_movement_id);
  return false;
}
