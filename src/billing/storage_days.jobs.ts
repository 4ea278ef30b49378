import { wireId } from "../core/ids.ts";
import type { Service } from "../http/service.ts";
import type { Store } from "../storage/database.ts";
import { writeChunks } from "../storage/database.ts";
import { openWriters } from "../storage/leases.ts";
import type { ItemDay, StorageDayClose } from "./storage_day.ts";
import { nextDay, StorageDayTotals, type StorageWarehouse } from "./storage_day.ts";
import { findNewest, findStaged, findStart, listFlows, listStorageWarehouses, listUnits } from "./storage_days.sql.ts";
import { beginDay, writeDay } from "./write_storage_day.ts";

const flows_per_batch_max = 2000;
const ask_every_ms = 50;
// The service's own transactions wait for nothing that long.
const writers_timeout_ms = 60_000;

/** A look at all warehouses. */
interface StorageRound {
  readonly store: Store;
  readonly service: Service;
  /** For how long it still waits, in all, for transactions that do not end. */
  patience_ms: number;
  /** The days that had to wait, and the processes of the transactions that the first of them waited for. */
  readonly waiting: string[];
  pids: readonly number[];
}

/**
 * Adds up the storage of every day that is over, in each warehouse, one day after the other. A day is added up once;
 * one that a stop has interrupted is gone on with. What fails in one warehouse does not keep the others from it; a
 * transaction that stores rows of the ledger and does not end keeps all of them.
 */
export async function closeStorage(store: Store, service: Service, patience = writers_timeout_ms): Promise<void> {
  const round: StorageRound = { store, service, patience_ms: patience, waiting: [], pids: [] };
  const began = await store.read(findStart);
  const failed: string[] = [];
  for (const warehouse of await store.read(listStorageWarehouses)) {
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
  warnOfWait(round);
  if (failed.length > 0) throw new Error(`the storage of ${failed.join(", ")} was not added up`);
}

/** Adds up the next day of a warehouse; false when none is over that can be added up now. */
async function closeNext(round: StorageRound, warehouse: StorageWarehouse, began: number): Promise<boolean> {
  const { store } = round;
  const { last, before } = await store.read((db) => findNewest(db, warehouse.id));
  if (last !== null && last.closed_at === null) return addUp(round, warehouse, last, before);
  const open = nextDay(last, warehouse, began, store.clock.now());
  if (open === null) return false;
  const day = await store.write((tx) => beginDay(tx, warehouse, last, open));
  return day === null || addUp(round, warehouse, day, last);
}

/** Adds up a day that was begun; false where that must wait. */
async function addUp(
  round: StorageRound,
  warehouse: StorageWarehouse,
  day: StorageDayClose,
  before: StorageDayClose | null,
): Promise<boolean> {
  const { store, service } = round;
  if (!(await haveEnded(round))) {
    if (!service.ending.aborted) round.waiting.push(`${day.business_date} in ${wireId("warehouse", warehouse.id)}`);
    return false;
  }
  const opening = before === null ? [] : await store.read((db) => listUnits(db, before));
  const tally = new StorageDayTotals(day, before, opening);
  for (let from: number | null = before?.next_movement_id ?? 0; from !== null; ) {
    if (service.ending.aborted) return false;
    from = await store.read(async (db) => {
      const flows = await listFlows(db, warehouse.id, from ?? 0, flows_per_batch_max);
      for (const flow of flows) if (flow.id <= day.last_movement_id) tally.count(flow);
      const end = flows.at(-1)?.id ?? day.last_movement_id;
      return flows.length < flows_per_batch_max || end >= day.last_movement_id ? null : end + 1;
    });
  }
  const { next_movement_id } = tally;
  const items = await withoutPassage(store, tally.items);
  await writeChunks(store, service, (tx) => writeDay(tx, warehouse, day, { items, next_movement_id }));
  return true;
}

/**
 * Whether all have ended who were storing rows of the ledger when a day was begun: what they have stored is shown late,
 * under ids that are lower than the last one of the day.
 */
async function haveEnded(round: StorageRound): Promise<boolean> {
  const { store, service } = round;
  const writing = () => store.read((db) => openWriters(db, "movements"));
  const first = await writing();
  for (let open = new Set(first.keys()); open.size > 0; open = open.intersection(await writing())) {
    if (service.ending.aborted || round.patience_ms <= 0) {
      // Whoever is at work when nobody waits any more may end in a moment.
      if (round.waiting.length === 0) round.pids = [...open].flatMap((name) => first.get(name) ?? []);
      return false;
    }
    round.patience_ms -= ask_every_ms;
    await Bun.sleep(ask_every_ms);
  }
  return true;
}

/** Says once a round which days had to wait, and for whom. */
function warnOfWait({ store, service, waiting, pids }: StorageRound): void {
  if (waiting.length === 0) return;
  const what = "the storage of all warehouses waits for a transaction that changes stock and does not end";
  const who = pids.length === 0 ? "pg_prepared_xacts shows it" : "pg_stat_activity shows who holds it open by its pid";
  const facts = { waiting: waiting.join(", "), pid: pids.join(", "), mode: store.mode };
  service.log.warn(`${what}: ${who}. The next round goes on once it has ended`, facts);
}

/** Without what only passed through staging on the day, of which every order has a bin. */
async function withoutPassage(store: Store, items: readonly ItemDay[]): Promise<ItemDay[]> {
  const gone = items.filter(({ units_at_close }) => units_at_close === 0).map(({ stock_item_id }) => stock_item_id);
  const passed = new Set<number>();
  for (let at = 0; at < gone.length; at += flows_per_batch_max) {
    const some = gone.slice(at, at + flows_per_batch_max);
    for (const id of await store.read((db) => findStaged(db, some))) passed.add(id);
  }
  return items.filter(({ stock_item_id }) => !passed.has(stock_item_id));
}
