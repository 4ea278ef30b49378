import { Fault, missing } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import { transition } from "../../core/transitions.ts";
import { listRestockTasks } from "../../inventory/receiving/restock_tasks.sql.ts";
import { isBegun } from "../../orders/order.ts";
import { getOrder } from "../../orders/orders.sql.ts";
import type { Db, Tx } from "../../storage/database.ts";
import {
  awaitsRelease,
  isBeingPicked,
  isPickable,
  isWavePicked,
  type WaveStatus,
  waveTransitions,
} from "../floor.transitions.ts";
import { deleteClaim } from "../work/claims.sql.ts";
import { listTotesIn, listTotesOf, saveTote } from "./totes.sql.ts";
import { releaseTotesOf } from "./totes.ts";
import type { Wave } from "./wave.ts";
import { closeWaveOrders, deleteWaveOrder, findWaveOrder, lockWave, saveWave } from "./waves.sql.ts";

const statusAfter = (name: keyof typeof waveTransitions, status: WaveStatus) =>
  transition<WaveStatus, typeof waveTransitions>(waveTransitions, name, status);

/** Releases a planned wave for picking. Refuses: resource_missing, invalid_state_transition. */
export async function releaseWave(tx: Tx, id: string): Promise<Wave> {
  const wave = await lockWave(tx, id);
  const status = statusAfter("release", wave.status);
  return saveWave(tx, wave, { status, released_at: tx.now });
}

/** Closes a picked wave before all of its orders are packed. Refuses: resource_missing, invalid_state_transition. */
export async function closeWave(tx: Tx, id: string): Promise<Wave> {
  return endWave(tx, await lockWave(tx, id), "close");
}

/**
 * Cancels a wave that is not picked. What is picked stays with its orders, and their totes stay taken.
 * Refuses: resource_missing, invalid_state_transition.
 */
export async function cancelWave(tx: Tx, id: string): Promise<Wave> {
  return endWave(tx, await lockWave(tx, id), "cancel");
}

/** Ends a wave: its orders leave it. Refuses: invalid_state_transition. */
export async function endWave(tx: Tx, wave: Wave, how: "close" | "cancel"): Promise<Wave> {
  const status = statusAfter(how, wave.status);
  await closeWaveOrders(tx, wave.id, null);
  const filled = (await listTotesIn(tx, wave.id)).flatMap(({ order_id }) => order_id ?? []);
  for (const order_id of new Set(filled)) await leaveTotes(tx, order_id);
  await deleteClaim(tx, { kind: "pick", subject_id: wave.id });
  return saveWave(tx, wave, how === "close" ? { status, closed_at: tx.now } : { status, cancelled_at: tx.now });
}

/**
 * Removes an order from a wave. What is picked of it stays picked.
 * Refuses: resource_missing, wave_closed.
 */
export async function removeFromWave(tx: Tx, id: string, order_id: string): Promise<Wave> {
  const wave = await lockWave(tx, id);
  if (!isPickable(wave.status) && !awaitsRelease(wave.status)) throw waveClosed(wave);
  const order = await findWaveOrder(tx, wave.id, readId("order", order_id) ?? 0);
  if (order === null) throw missing("order of the wave", order_id);
  await deleteWaveOrder(tx, wave.id, order.order_id);
  await leaveTotes(tx, order.order_id);
  return saveWave(tx, wave, {});
}

/** Detaches the totes of an order from its wave, and frees them if no units are in them. */
async function leaveTotes(tx: Tx, order_id: number): Promise<void> {
  const { lines } = await getOrder(tx, order_id);
  const isFilled = lines.some(isBegun) || (await hasUnitsToPutBack(tx, order_id));
  if (!isFilled) return releaseTotesOf(tx, order_id);
  for (const tote of await listTotesOf(tx, [order_id])) await saveTote(tx, tote, { wave_id: null });
}

/** The refusal of work on a wave that is not open for it. */
export function waveClosed(wave: Wave): Fault {
  return new Fault(
    "wave_closed",
    `Wave ${wireId("wave", wave.id)} is ${wave.status}, so nothing of it can be picked.`,
    {
      wave_id: wireId("wave", wave.id),
      status: wave.status,
    },
  );
}

/** Stores that picking has begun, is complete, or goes on, by the units that are left. */
export async function advanceWave(tx: Tx, wave: Wave, units_left: number): Promise<Wave> {
  if (units_left > 0) {
    if (isBeingPicked(wave.status)) return wave;
    const status = statusAfter(isWavePicked(wave.status) ? "resume" : "pick", wave.status);
    return saveWave(tx, wave, { status, picked_at: null });
  }
  if (isWavePicked(wave.status)) return wave;
  await deleteClaim(tx, { kind: "pick", subject_id: wave.id });
  return saveWave(tx, wave, { status: statusAfter("finish", wave.status), picked_at: tx.now });
}

/** Whether units that were picked for an order wait to be put back. */
export async function hasUnitsToPutBack(db: Db, order_id: number): Promise<boolean> {
  const window = { limit: 100, offset: 0, after: null };
  const tasks = await listRestockTasks(db, { order_ids: [order_id] }, window);
  return tasks.some(({ origin }) => origin.type === "order");
}
