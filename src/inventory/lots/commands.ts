import type { Tx } from "../../database/store.ts";
import type { Actor } from "../../kit/actor.ts";
import { assert } from "../../kit/assert.ts";
import { iso } from "../../kit/clock.ts";
import { invalid, missing } from "../../kit/fault.ts";
import { readId } from "../../kit/ids.ts";
import { move } from "../../kit/moves.ts";
import { displacePromises, fillBackorders, freshShelves, type Shortfall } from "../backorders/commands.ts";
import { type OpenShelf, type Shelves, shelfOf } from "../shelves/commands.ts";
import type { LotStatus } from "../status.ts";
import { markLotsExpired } from "../stock/store.ts";
import { isPastExpiry, type NamedLot } from "./lot.ts";
import type { SetLotStatus } from "./schemas.ts";
import { lotActions, lotMoves } from "./status.ts";
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
  const status = move<LotStatus, typeof lotMoves>(lotMoves, lotActions[input.status], before.status);
  if (status === "available" && isPastExpiry(before, tx.now)) {
    throw invalid("status", `cannot be available: the lot expired at ${iso(before.expiration_date ?? 0)}`);
  }
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
