import type { Actor } from "../../core/actor.ts";
import { assert, Fault, invalid, missing } from "../../core/faults.ts";
import { readId } from "../../core/ids.ts";
import { dayOf, dayStart, dayText, momentIn } from "../../core/time_zone.ts";
import { allowedActions } from "../../core/transitions.ts";
import type { Tx } from "../../storage/database.ts";
import {
  hasExpired,
  isAvailable,
  isRecalled,
  type LotStatus,
  lotActions,
  lotTransitions,
  type SettableLotStatus,
} from "../inventory.transitions.ts";
import { displaceReserved, fillBackorders, lockFreshStock } from "../reservations/backorders.ts";
import { type LockedStock, type LockedStockMap, lockedStockOf } from "../reservations/locked_stock.ts";
import type { Shortfall } from "../reservations/reservation.ts";
import type { CorrectLot, SetLotStatus } from "./lot.schema.ts";
import {
  allowedStatuses,
  correctedStatus,
  correctionOf,
  hasPassed,
  type LocalNow,
  type LotDates,
  lotSpot,
  lotStatus,
  type NamedLot,
} from "./lot.ts";
import { findNamedLot, markLotsExpired, saveLotDates, saveLotStatus, zonesOf } from "./lots.sql.ts";

/** A lot after a change, and the orders that lost reserved units and are backordered. */
export interface LotChangeResult {
  readonly lot: NamedLot;
  readonly shortfalls: readonly Shortfall[];
}

/**
 * Sets the status of a lot. If it can no longer be sold, its reserved unpicked units are reserved from other stock, or
 * their orders are backordered. If it becomes available, backorders get its units. A recall wakes the job that holds
 * orders with units of the lot. The current status changes nothing.
 * Refuses: resource_missing, invalid_state_transition, validation_failed (an expired lot cannot be available).
 * Emits: inventory.updated, inventory.low_stock.
 */
export async function setLotStatus(tx: Tx, id: string, input: SetLotStatus, actor: Actor): Promise<LotChangeResult> {
  const { stocks, stock, lot: before, at } = await lockLot(tx, id);
  const { reason, notes } = input;
  if (before.status === input.status) return { lot: before, shortfalls: [] };
  const status = nextStatus(before, input.status, at);
  await saveLotStatus(tx, before, status, { reason, notes, actor });
  const lot = { ...before, status, revision: before.revision + 1 };
  updateItems(stock, lot);
  const shortfalls = isAvailable(before.status) ? await displaceAll(tx, stocks, stock, lot.id) : [];
  if (isAvailable(status)) {
    await fillBackorders(tx, stocks, [before.product_id]);
    wakeAtExpiry(tx, before, at);
  }
  if (isRecalled(status) || isRecalled(before.status)) tx.wake("orders.hold_recalled", tx.now);
  return { lot, shortfalls };
}

/**
 * Corrects the expiry or the received date of a lot. If it has expired by the new date, its reserved unpicked units are
 * reserved from other stock, or their orders are backordered. If it has not, it is for sale, and backorders get its
 * units. Other reservations and the ledger stay. The current dates change nothing.
 * Refuses: resource_missing, validation_failed. Emits: inventory.updated, inventory.low_stock.
 */
export async function correctLot(tx: Tx, id: string, input: CorrectLot, actor: Actor): Promise<LotChangeResult> {
  const { stocks, stock, lot: before, at } = await lockLot(tx, id);
  const dates = correctedDates(before, stock, input, at);
  const reason = correctionOf(before, dates);
  if (reason === "") return { lot: before, shortfalls: [] };
  const status = correctedStatus(before, dates, at);
  const lot = { ...before, ...dates, status, revision: before.revision + 1 };
  await saveLotDates(tx, lot);
  await saveLotStatus(tx, before, lot.status, { reason, notes: input.notes, actor });
  updateItems(stock, lot);
  stock.details_changed = true;
  const isOver = isAvailable(before.status) && hasExpired(lot.status);
  const shortfalls = isOver ? await displaceAll(tx, stocks, stock, lot.id) : [];
  await fillBackorders(tx, stocks, [lot.product_id]);
  wakeAtExpiry(tx, lot, at);
  return { lot, shortfalls };
}

/** Schedules the expiry of an available lot for the end of its last day in each of these zones. */
function wakeAtExpiry(tx: Tx, { status, expires_on }: Pick<NamedLot, "status" | "expires_on">, at: LocalNow): void {
  if (!isAvailable(status) || expires_on === null) return;
  for (const zone of at.zones) tx.wake("inventory.expire_lots", dayStart(expires_on + 1, zone));
}

/** The dates of a lot after a correction. Refuses: validation_failed. */
function correctedDates(
  lot: NamedLot,
  { product }: LockedStock,
  input: CorrectLot,
  { zones, now }: LocalNow,
): LotDates {
  const [zone = "UTC"] = zones;
  const { expiration_date: expiry } = input;
  const received_date = input.received_date === undefined ? lot.received_date : momentIn(input.received_date, zone);
  if (expiry === null && product.expiration_tracking) {
    throw invalid("expiration_date", `is required: ${product.sku} tracks expiry`, "required");
  }
  if (input.received_date !== undefined && received_date > now)
    throw invalid("received_date", "must not be in the future");
  if (input.notes && expiry === undefined && input.received_date === undefined) {
    throw invalid("notes", "need a correction: specify expiration_date or received_date");
  }
  const expires_on = expiry === undefined ? lot.expires_on : expiry === null ? null : dayOf(expiry, zone);
  return { expires_on, received_date };
}

/** A lot as it is now, with its product's stock locked. Refuses: resource_missing. */
async function lockLot(tx: Tx, id: string) {
  const lot_id = readId("lot", id) ?? 0;
  const known = await findNamedLot(tx, lot_id);
  if (known === null) throw missing("lot", id);
  const stocks = await lockFreshStock(tx, [known.product_id]);
  // Read under the lock: another request may have corrected it since.
  const locked = await findNamedLot(tx, lot_id);
  assert(locked, `lot ${lot_id} still exists`);
  const stock = lockedStockOf(stocks, locked.product_id);
  const units = stock.items.filter((item) => item.lot_id === lot_id && item.on_hand > 0);
  const at = { zones: await zonesOf(tx, units), now: tx.now };
  // A lot without units is in no locked stock, where its expiry would have been recorded.
  const isLate = lotStatus(locked, at) !== locked.status;
  if (isLate) await markLotsExpired(tx, [lot_id]);
  const lot = isLate ? ((await findNamedLot(tx, lot_id)) ?? locked) : locked;
  return { stocks, stock, lot, at };
}

/** The status that a client's change leads to. Refuses: invalid_state_transition, validation_failed. */
function nextStatus(lot: NamedLot, wanted: SettableLotStatus, at: LocalNow): LotStatus {
  const action = lotActions[wanted];
  const allowed_actions = allowedActions<LotStatus, typeof lotTransitions>(lotTransitions, lot.status, false);
  if (!allowed_actions.includes(action)) {
    throw new Fault("invalid_state_transition", `A lot that is ${lot.status} cannot become ${wanted}.`, {
      from: lot.status,
      action,
      allowed_actions,
      allowed_statuses: allowedStatuses(lot, at),
    });
  }
  if (wanted === "available" && hasPassed(lot, at)) {
    throw invalid("status", `cannot be available: the lot expired after ${dayText(lot.expires_on ?? 0)}`);
  }
  return lotTransitions[action].to;
}

function updateItems({ items }: LockedStock, lot: NamedLot): void {
  for (const [at, item] of items.entries()) if (item.lot_id === lot.id) items[at] = { ...item, ...lotSpot(lot) };
}

/** Reserves other stock for a lot's reserved unpicked units. Returns the orders that are backordered. */
async function displaceAll(tx: Tx, stocks: LockedStockMap, stock: LockedStock, lot_id: number): Promise<Shortfall[]> {
  const shortfalls: Shortfall[] = [];
  for (const item of stock.items.filter((item) => item.lot_id === lot_id && item.bin_kind !== "staging")) {
    shortfalls.push(...(await displaceReserved(tx, stocks, stock, item, item.reserved)));
  }
  return shortfalls;
}
