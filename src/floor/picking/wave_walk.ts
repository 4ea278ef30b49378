import { wireId } from "../../core/ids.ts";
import { findBin } from "../../inventory/warehouses/warehouses.sql.ts";
import { isUnpacked } from "../../orders/order.transitions.ts";
import type { Db } from "../../storage/database.ts";
import type { AssignedTote, MovedShare, WaveAct } from "./pick_in_wave.ts";
import { listTotesOf } from "./totes.sql.ts";
import {
  codesByOrder,
  orderNamed,
  plainWaveView,
  progressOf,
  stopsOf,
  stopView,
  type TotesByOrder,
  type Wave,
  waitingView,
  waveOrdersView,
} from "./wave.ts";
import { listPickers, listUnitsToPick, listWaveOrders, sizeOf, statesOf } from "./waves.sql.ts";

/** Waves as lists show them. */
export async function plainWaveViews(db: Db, waves: readonly Wave[]) {
  const states = await statesOf(
    db,
    waves.map(({ id }) => id),
  );
  return waves.flatMap((wave) => {
    const state = states.get(wave.id);
    return state === undefined ? [] : plainWaveView(wave, state.progress, state.ship_by);
  });
}

/** A wave with its orders, as its detail shows it. */
export async function waveView(db: Db, wave: Wave) {
  const states = await statesOf(db, [wave.id]);
  const { progress, ship_by } = states.get(wave.id) ?? {
    progress: progressOf({ orders: 0, units: 0, unpicked: 0 }, []),
    ship_by: null,
  };
  const orders = await listWaveOrders(db, wave.id);
  const left = await listUnitsToPick(db, wave.id);
  const totes = await totesOf(
    db,
    orders.filter(({ open }) => open).map(({ order_id }) => order_id),
  );
  const order_ids = orders.map(({ order_id }) => order_id);
  return {
    ...plainWaveView(wave, progress, ship_by),
    orders: waveOrdersView(orders, left, totes),
    picked_by: await listPickers(db, wave, order_ids),
  };
}

async function totesOf(db: Db, order_ids: readonly number[]): Promise<TotesByOrder> {
  return codesByOrder(await listTotesOf(db, order_ids));
}

/** The walk of a wave from a bin on (undefined: from its start), as the API shows it. */
export async function walkView(db: Db, wave: Wave, last_bin?: string) {
  const at = last_bin === undefined ? null : await findBin(db, wave.warehouse_id, last_bin);
  const left = await listUnitsToPick(db, wave.id);
  const orders = await listWaveOrders(db, wave.id);
  const totes = await totesOf(
    db,
    orders.map(({ order_id }) => order_id),
  );
  const place = at === null ? null : { pick_order: at.pick_order, bin: at.code };
  return {
    wave_id: wireId("wave", wave.id),
    warehouse_id: wireId("warehouse", wave.warehouse_id),
    mode: wave.mode,
    status: wave.status,
    progress: progressOf(await sizeOf(db, wave.id), left),
    stops: stopsOf(left, place).map((stop) => stopView(stop, totes)),
    waiting: waitingView(orders, ({ status, held }) => isUnpacked(status) && !held, totes),
  };
}

/** The result of an act in a wave and the next stop, as the API shows them. */
export async function waveActView(db: Db, { wave, picked, short, returned, count_id, left, bin }: WaveAct) {
  const at = bin === null ? null : await findBin(db, wave.warehouse_id, bin);
  const [next] = stopsOf(left, at === null ? null : { pick_order: at.pick_order, bin: at.code });
  const shares = [...picked, ...short, ...returned, ...(next?.shares ?? [])];
  const totes = await totesOf(db, [...new Set(shares.map(({ order_id }) => order_id))]);
  const shown = ({ sku, quantity, ...order }: MovedShare) => {
    return { ...orderNamed(order), sku, quantity, totes: [...(totes.get(order.order_id) ?? [])] };
  };
  return {
    wave_id: wireId("wave", wave.id),
    status: wave.status,
    picked: picked.map(shown),
    short: short.map(({ held, ...share }) => ({ ...shown(share), held })),
    returned: returned.map(shown),
    count_id: count_id === null ? null : wireId("count", count_id),
    next: next === undefined ? null : stopView(next, totes),
    progress: progressOf(await sizeOf(db, wave.id), left),
  };
}

/** An order that got a tote, as the API shows it. */
export function assignedToteView({ order, tote, orders_without_tote }: AssignedTote) {
  return { ...orderNamed(order), tote, orders_without_tote };
}
