import { writePieces } from "../../database/pieces.ts";
import type { Store } from "../../database/store.ts";
import type { Service } from "../../http/service.ts";
import { beginDay, writeDay } from "./commands.ts";
import type { Close, ItemDay } from "./day.ts";
import { nextDay, type Stored, Tally } from "./rules.ts";
import { findNewest, findStaged, findStart, listFlows, listStored, listUnits } from "./store.ts";

const flows_together_max = 2000;

/**
 * Adds up the storage of every day that is over, in each warehouse, one day after the other. A day is added up once;
 * one that a stop has interrupted is gone on with.
 */
export async function closeStorage(store: Store, service: Service): Promise<void> {
  const began = await store.read(findStart);
  for (const warehouse of await store.read(listStored)) {
    while (!service.ending.aborted && (await closeNext(store, service, warehouse, began)));
  }
}

/** Adds up the next day of a warehouse; false when none is over that was not added up. */
async function closeNext(store: Store, service: Service, warehouse: Stored, began: number): Promise<boolean> {
  const { last, before } = await store.read((db) => findNewest(db, warehouse.id));
  if (last !== null && last.closed_at === null) {
    await addUp(store, service, warehouse, last, before);
    return true;
  }
  const open = nextDay(last, warehouse, began, store.clock.now());
  if (open === null) return false;
  const day = await store.write((tx) => beginDay(tx, warehouse, last, open));
  if (day !== null) await addUp(store, service, warehouse, day, last);
  return true;
}

async function addUp(store: Store, service: Service, warehouse: Stored, day: Close, before: Close | null) {
  const opening = before === null ? [] : await store.read((db) => listUnits(db, before));
  const tally = new Tally(day, before, opening);
  for (let from: number | null = before?.next_movement_id ?? 0; from !== null; ) {
    if (service.ending.aborted) return;
    from = await store.read(async (db) => {
      const flows = await listFlows(db, warehouse.id, from ?? 0, flows_together_max);
      for (const flow of flows) if (flow.id <= day.last_movement_id) tally.count(flow);
      const end = flows.at(-1)?.id ?? day.last_movement_id;
      return flows.length < flows_together_max || end >= day.last_movement_id ? null : end + 1;
    });
  }
  const { next_movement_id } = tally;
  const items = await withoutPassage(store, tally.items);
  await writePieces(store, service, (tx) => writeDay(tx, warehouse, day, { items, next_movement_id }));
}

/** Without what only passed through staging on the day, of which every order has a bin. */
async function withoutPassage(store: Store, items: readonly ItemDay[]): Promise<ItemDay[]> {
  const gone = items.filter(({ units_at_close }) => units_at_close === 0).map(({ stock_item_id }) => stock_item_id);
  const passed = new Set<number>();
  for (let at = 0; at < gone.length; at += flows_together_max) {
    const some = gone.slice(at, at + flows_together_max);
    for (const id of await store.read((db) => findStaged(db, some))) passed.add(id);
  }
  return items.filter(({ stock_item_id }) => !passed.has(stock_item_id));
}
