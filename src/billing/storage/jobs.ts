import { openWriters } from "../../database/open_writers.ts";
import { writePieces } from "../../database/pieces.ts";
import type { Store } from "../../database/store.ts";
import type { Service } from "../../http/service.ts";
import { wireId } from "../../kit/ids.ts";
import { beginDay, writeDay } from "./commands.ts";
import type { Close, ItemDay } from "./day.ts";
import { nextDay, type Stored, Tally } from "./rules.ts";
import { findNewest, findStaged, findStart, listFlows, listStored, listUnits } from "./store.ts";

const flows_together_max = 2000;
const ask_every_ms = 50;
// The service's own transactions wait for nothing that long.
const patience_ms = 60_000;

/** A look at all warehouses. */
interface Round {
  readonly store: Store;
  readonly service: Service;
  /** For how long it still waits, in all, for transactions that do not end. */
  patience_ms: number;
}

/**
 * Adds up the storage of every day that is over, in each warehouse, one day after the other. A day is added up once;
 * one that a stop has interrupted is gone on with. What fails in one warehouse does not keep the others from it.
 */
export async function closeStorage(store: Store, service: Service, patience = patience_ms): Promise<void> {
  const round: Round = { store, service, patience_ms: patience };
  const began = await store.read(findStart);
  const failed: string[] = [];
  for (const warehouse of await store.read(listStored)) {
    try {
      while (!service.ending.aborted && (await closeNext(round, warehouse, began)));
    } catch (error) {
      const name = wireId("warehouse", warehouse.id);
      failed.push(name);
      const what = `the storage of ${name} was not added up; the next round tries it again. If that fails as well, run`;
      service.log.error(`${what} packhouse verify, which says what does not fit`, {
        warehouse: name,
        mode: store.mode,
        error: String(error),
      });
    }
  }
  if (failed.length > 0) throw new Error(`the storage of ${failed.join(", ")} was not added up`);
}

/** Adds up the next day of a warehouse; false when none is over that can be added up now. */
async function closeNext(round: Round, warehouse: Stored, began: number): Promise<boolean> {
  const { store } = round;
  const { last, before } = await store.read((db) => findNewest(db, warehouse.id));
  if (last !== null && last.closed_at === null) return addUp(round, warehouse, last, before);
  const open = nextDay(last, warehouse, began, store.clock.now());
  if (open === null) return false;
  const day = await store.write((tx) => beginDay(tx, warehouse, last, open));
  return day === null || addUp(round, warehouse, day, last);
}

/** Adds up a day that was begun; false where that must wait. */
async function addUp(round: Round, warehouse: Stored, day: Close, before: Close | null): Promise<boolean> {
  const { store, service } = round;
  if (!(await haveEnded(round))) {
    const [name, { business_date }] = [wireId("warehouse", warehouse.id), day];
    const what = `the storage of ${business_date} in ${name} waits for a transaction that changes stock and does not`;
    const way = "end: pg_stat_activity shows who holds it open. The next round goes on once it has ended";
    service.log.warn(`${what} ${way}`, { warehouse: name, business_date, mode: store.mode });
    return false;
  }
  const opening = before === null ? [] : await store.read((db) => listUnits(db, before));
  const tally = new Tally(day, before, opening);
  for (let from: number | null = before?.next_movement_id ?? 0; from !== null; ) {
    if (service.ending.aborted) return false;
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
  return true;
}

/**
 * Whether all have ended who were storing rows of the ledger when a day was begun: what they have stored is shown late,
 * under ids that are lower than the last one of the day.
 */
async function haveEnded(round: Round): Promise<boolean> {
  const { store, service } = round;
  const writing = () => store.read((db) => openWriters(db, "movements"));
  for (let open = await writing(); open.size > 0; open = open.intersection(await writing())) {
    if (service.ending.aborted || round.patience_ms <= 0) return false;
    round.patience_ms -= ask_every_ms;
    await Bun.sleep(ask_every_ms);
  }
  return true;
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
