import type { Tx } from "../../../database/store.ts";
import type { Actor } from "../../../kit/actor.ts";
import { assert } from "../../../kit/assert.ts";
import { iso, momentOf } from "../../../kit/clock.ts";
import { Fault, invalid, missing } from "../../../kit/fault.ts";
import { readId } from "../../../kit/ids.ts";
import { allowedActions } from "../../../kit/moves.ts";
import { displacePromises, fillBackorders, freshShelves } from "../../backorders/commands.ts";
import type { Shortfall } from "../../backorders/shortfall.ts";
import { type OpenShelf, type Shelves, shelfOf } from "../../shelves/commands.ts";
import { hasExpired, isAvailable, isRecalled, type LotStatus } from "../../status.ts";
import {
  allowedStatuses,
  correctedStatus,
  correctionOf,
  isPastExpiry,
  type LotDates,
  lotSpot,
  lotStatus,
  type NamedLot,
} from "../lot.ts";
import type { CorrectLot, SetLotStatus } from "../schemas.ts";
import { type GivenLotStatus, lotActions, lotMoves } from "../status.ts";
import { findNamedLot, markLotsExpired, saveLotDates, saveLotStatus } from "../store.ts";

/** A lot after a change of its status, and the orders that lost reserved units and wait now. */
export interface ChangedLot {
  readonly lot: NamedLot;
  readonly shortfalls: readonly Shortfall[];
}

/**
 * Sets the status of a lot. If it can no longer be sold, its reserved unpicked units are reserved from other stock, or
 * their orders wait; if it becomes available, waiting orders get its units. A recall asks for a hold of the orders that
 * have picked of it. The present status changes nothing. Refuses: resource_missing, invalid_state_transition,
 * validation_failed (an expired lot cannot be available). Emits: inventory.updated, inventory.low_stock.
 */
export async function setLotStatus(tx: Tx, id: string, input: SetLotStatus, actor: Actor): Promise<ChangedLot> {
  const { shelves, shelf, lot: before } = await openLot(tx, id);
  const { reason, notes } = input;
  if (before.status === input.status) return { lot: before, shortfalls: [] };
  const status = nextStatus(before, input.status, tx.now);
  await saveLotStatus(tx, before, status, { reason, notes, actor });
  const lot = { ...before, status, version: before.version + 1 };
  relabel(shelf, lot);
  const shortfalls = isAvailable(before.status) ? await displaceAll(tx, shelves, shelf, lot.id) : [];
  if (isAvailable(status)) {
    await fillBackorders(tx, shelves, [before.product_id]);
    if (before.expiration_date !== null) tx.wake("inventory.expire_lots", before.expiration_date);
  }
  if (isRecalled(status) || isRecalled(before.status)) tx.wake("orders.hold_recalled", tx.now);
  return { lot, shortfalls };
}

/**
 * Corrects the expiry or the date of receipt of a lot. A lot that has expired by the right date cannot be sold: its
 * reserved unpicked units are reserved from other stock, or their orders wait. One that has not expired is for sale,
 * and waiting orders get its units. Other reservations stay, and so does the ledger. The present dates change nothing.
 * Refuses: resource_missing, validation_failed. Emits: inventory.updated, inventory.low_stock.
 */
export async function correctLot(tx: Tx, id: string, input: CorrectLot, actor: Actor): Promise<ChangedLot> {
  const { shelves, shelf, lot: before } = await openLot(tx, id);
  const dates = correctedDates(before, shelf, input, tx.now);
  const reason = correctionOf(before, dates);
  if (reason === "") return { lot: before, shortfalls: [] };
  const status = correctedStatus(before, dates, tx.now);
  const lot = { ...before, ...dates, status, version: before.version + 1 };
  await saveLotDates(tx, lot);
  await saveLotStatus(tx, before, lot.status, { reason, notes: input.notes, actor });
  relabel(shelf, lot);
  shelf.relabelled = true;
  const isOver = isAvailable(before.status) && hasExpired(lot.status);
  const shortfalls = isOver ? await displaceAll(tx, shelves, shelf, lot.id) : [];
  await fillBackorders(tx, shelves, [lot.product_id]);
  if (isAvailable(lot.status) && lot.expiration_date !== null) {
    tx.wake("inventory.expire_lots", lot.expiration_date);
  }
  return { lot, shortfalls };
}

/** The dates of a lot after a correction. Refuses: validation_failed. */
function correctedDates(lot: NamedLot, { product }: OpenShelf, input: CorrectLot, now: number): LotDates {
  const expiry = momentOf(input.expiration_date);
  const received_date = momentOf(input.received_date) ?? lot.received_date;
  if (input.expiration_date === null && product.expiration_tracking) {
    throw invalid("expiration_date", `is required: ${product.sku} tracks expiry`, "required");
  }
  if (input.received_date !== undefined && received_date > now) throw invalid("received_date", "lies in the future");
  if (input.notes && input.expiration_date === undefined && input.received_date === undefined) {
    throw invalid("notes", "are kept with a correction: name expiration_date or received_date");
  }
  return { expiration_date: expiry === undefined ? lot.expiration_date : expiry, received_date };
}

/** A lot as it is at this moment, with the open shelf of its product. Refuses: resource_missing. */
async function openLot(tx: Tx, id: string) {
  const lot_id = readId("lot", id) ?? 0;
  const known = await findNamedLot(tx, lot_id);
  if (known === null) throw missing("lot", id);
  const shelves = await freshShelves(tx, [known.product_id]);
  // Read under the lock: another request may have corrected it meanwhile.
  const locked = await findNamedLot(tx, lot_id);
  assert(locked, `lot ${lot_id} stays where it is`);
  // A lot without units is on no shelf, where its expiry would have been noted.
  const isLate = lotStatus(locked, tx.now) !== locked.status;
  if (isLate) await markLotsExpired(tx, [lot_id]);
  const lot = isLate ? ((await findNamedLot(tx, lot_id)) ?? locked) : locked;
  return { shelves, shelf: shelfOf(shelves, lot.product_id), lot };
}

/** The status that a lot may be given. Refuses: invalid_state_transition, validation_failed. */
function nextStatus(lot: NamedLot, wanted: GivenLotStatus, now: number): LotStatus {
  const action = lotActions[wanted];
  const allowed_actions = allowedActions<LotStatus, typeof lotMoves>(lotMoves, lot.status, false);
  if (!allowed_actions.includes(action)) {
    throw new Fault("invalid_state_transition", `A lot that is ${lot.status} cannot become ${wanted}.`, {
      from: lot.status,
      action,
      allowed_actions,
      allowed_statuses: allowedStatuses(lot, now),
    });
  }
  if (wanted === "available" && isPastExpiry(lot, now)) {
    throw invalid("status", `cannot be available: the lot expired at ${iso(lot.expiration_date ?? 0)}`);
  }
  return lotMoves[action].to;
}

function relabel({ items }: OpenShelf, lot: NamedLot): void {
  for (const [at, item] of items.entries()) if (item.lot_id === lot.id) items[at] = { ...item, ...lotSpot(lot) };
}

/** Reserves a lot's reserved unpicked units from other stock. */
async function displaceAll(tx: Tx, shelves: Shelves, shelf: OpenShelf, lot_id: number): Promise<Shortfall[]> {
  const shortfalls: Shortfall[] = [];
  for (const item of shelf.items.filter((item) => item.lot_id === lot_id && item.bin_kind !== "staging")) {
    shortfalls.push(...(await displacePromises(tx, shelves, shelf, item, item.reserved)));
  }
  return shortfalls;
}
