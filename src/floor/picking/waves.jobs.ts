import { isUnpacked } from "../../orders/order.transitions.ts";
import type { Store, Tx } from "../../storage/database.ts";
import { awaitsRelease, isPickable, isWavePicked } from "../floor.transitions.ts";
import { listSettledOrders } from "./totes.sql.ts";
import { releaseTotesOf } from "./totes.ts";
import type { WaveOrder } from "./wave.ts";
import { closeWaveOrders, listUnsettledWaves, listWaveOrders, lockWave, statesOf } from "./waves.sql.ts";
import { advanceWave, endWave, hasUnitsToPutBack } from "./waves.ts";

/**
 * Ends the membership of packed and cancelled orders in their waves, closes waves without open orders, and frees the
 * totes of orders that have left them. Returns null: it runs when woken.
 */
export async function settleWaves(store: Store): Promise<number | null> {
  for (const wave_id of await store.read(listUnsettledWaves)) {
    await store.write((tx) => settleWave(tx, wave_id));
  }
  for (const order_id of await store.read(listSettledOrders)) {
    await store.write((tx) => settleTotes(tx, order_id));
  }
  return null;
}

/** Ends the membership of orders that are packed or cancelled, and closes a wave without open orders. */
async function settleWave(tx: Tx, wave_id: number): Promise<void> {
  let wave = await lockWave(tx, wave_id);
  const orders = await listWaveOrders(tx, wave.id);
  const isGone = ({ open, status }: WaveOrder) => open && !isUnpacked(status);
  const gone = orders.filter(isGone).map(({ order_id }) => order_id);
  if (gone.length > 0) await closeWaveOrders(tx, wave.id, gone);
  const left = (await statesOf(tx, [wave.id])).get(wave.id)?.progress.units_left ?? 0;
  if (isPickable(wave.status) && left === 0) wave = await advanceWave(tx, wave, 0);
  if (orders.some((order) => order.open && !isGone(order))) return;
  if (isWavePicked(wave.status)) await endWave(tx, wave, "close");
  else if (awaitsRelease(wave.status)) await endWave(tx, wave, "cancel");
}

/** Frees the totes of an order that is packed or cancelled, unless units still wait to be put back. */
async function settleTotes(tx: Tx, order_id: number): Promise<void> {
  if (!(await hasUnitsToPutBack(tx, order_id))) await releaseTotesOf(tx, order_id);
}
