import type { Tx } from "../storage/database.ts";
import { takeTurn } from "../storage/leases.ts";
import type { ItemDay, OpenStorageDay, StorageDayClose, StorageWarehouse } from "./storage_day.ts";
import {
  findNewest,
  findWritten,
  insertClose,
  insertDays,
  lastMovement,
  lockClose,
  saveClosed,
} from "./storage_days.sql.ts";

/**
 * Starts to record a day of a warehouse, up to the last movement so far. Null if another server has started it.
 * Refuses: nothing. Emits: nothing.
 */
export async function beginDay(
  tx: Tx,
  warehouse: StorageWarehouse,
  last: StorageDayClose | null,
  day: OpenStorageDay,
): Promise<StorageDayClose | null> {
  await takeTurn(tx, "billing.storage");
  const known = await findNewest(tx, warehouse.id);
  if (known.last?.business_date !== last?.business_date) return null;
  const last_movement_id = await lastMovement(tx);
  const close = { warehouse_id: warehouse.id, ...day, last_movement_id, next_movement_id: 0, closed_at: null };
  await insertClose(tx, close);
  return close;
}

const storage_batch_rows_max = 500;

/** The totals of a day. */
interface StorageTotals {
  readonly items: readonly ItemDay[];
  readonly next_movement_id: number;
}

/**
 * Writes the next rows of a day, and closes it after the last one. Returns whether more are left. A closed day does
 * not change. Refuses: nothing. Emits: nothing.
 */
export async function writeDay(
  tx: Tx,
  warehouse: StorageWarehouse,
  day: StorageDayClose,
  { items, next_movement_id }: StorageTotals,
) {
  const now = await lockClose(tx, day);
  if (now === null || now.closed_at !== null) return false;
  const written = await findWritten(tx, day);
  const left = items.filter(({ stock_item_id }) => stock_item_id > written);
  await insertDays(tx, day, warehouse.timezone, left.slice(0, storage_batch_rows_max));
  if (left.length > storage_batch_rows_max) return true;
  await saveClosed(tx, day, next_movement_id);
  return false;
}
