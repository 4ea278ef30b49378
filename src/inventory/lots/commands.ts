import type { Tx } from "../../database/store.ts";
import type { Actor } from "../../kit/actor.ts";
import { assert } from "../../kit/assert.ts";
import { iso } from "../../kit/clock.ts";
import { Fault, invalid, missing } from "../../kit/fault.ts";
import { readId } from "../../kit/ids.ts";
import { allowedActions } from "../../kit/moves.ts";
import { displacePromises, fillBackorders, freshShelves, type Shortfall } from "../backorders/commands.ts";
import { type OpenShelf, type Shelves, shelfOf } from "../shelves/commands.ts";
import type { LotStatus } from "../status.ts";
import { markLotsExpired } from "../stock/store.ts";
import { allowedStatuses, isPastExpiry, type NamedLot } from "./lot.ts";
import type { SetLotStatus } from "./schemas.ts";
import { type GivenLotStatus, lotActions, lotMoves } from "./status.ts";
import { findNamedLot, saveLotStatus } from "./store.ts";

/** A lot after its status has changed, and the units that lost their promise and wait now. */
export interface ChangedLot {
  readonly lot: NamedLot;
  readonly shortfalls: readonly Shortfall[];
}

/**
 * Gives a lot another status. When it stops being sellable, promises of its unpicked units move to other stock or wait;
 * when it is available again, whoever waits gets its units. A recall asks that the orders which have picked of it be
 * held. The status that the lot has already changes nothing. Refuses: resource_missing, invalid_state_transition,
 * validation_failed (an expired lot is not available). Emits: inventory.updated, inventory.low_stock.
 */
export async function setLotStatus(tx: Tx, id: string, input: SetLotStatus, actor: Actor): Promise<ChangedLot> {
  const lot_id = readId("lot", id) ?? 0;
  const known = await findNamedLot(tx, lot_id);
  if (known === null) throw missing("lot", id);
  const shelves = await freshShelves(tx, [known.product_id]);
  // A lot without units lies on no shelf, where it would have been put aside.
  if (isPastExpiry(known, tx.now)) await markLotsExpired(tx, [lot_id]);
  const before = await findNamedLot(tx, lot_id);
  assert(before, `lot ${lot_id} stays where it is`);
  const { reason, notes } = input;
  if (before.status === input.status) return { lot: before, shortfalls: [] };
  const status = nextStatus(before, input.status, tx.now);
  await saveLotStatus(tx, before, status, { reason, notes, actor });
  const shelf = shelfOf(shelves, before.product_id);
  relabel(shelf, lot_id, status);
  const shortfalls = before.status === "available" ? await displaceAll(tx, shelves, shelf, lot_id) : [];
  if (status === "available") {
    await fillBackorders(tx, shelves, [before.product_id]);
    if (before.expiration_date !== null) tx.wake("inventory.expire_lots", before.expiration_date);
  }
  if (status === "recalled" || before.status === "recalled") tx.wake("orders.hold_recalled", tx.now);
  return { lot: { ...before, status }, shortfalls };
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

function relabel({ items }: OpenShelf, lot_id: number, lot_status: LotStatus): void {
  for (const [at, item] of items.entries()) if (item.lot_id === lot_id) items[at] = { ...item, lot_status };
}

/** Moves the promises of a lot's unpicked units to other stock. */
async function displaceAll(tx: Tx, shelves: Shelves, shelf: OpenShelf, lot_id: number): Promise<Shortfall[]> {
  const shortfalls: Shortfall[] = [];
  for (const item of shelf.items.filter((item) => item.lot_id === lot_id && item.bin_kind !== "staging")) {
    shortfalls.push(...(await displacePromises(tx, shelves, shelf, item, item.reserved)));
  }
  return shortfalls;
}
