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
// Longer than any transaction of the service itself takes.
const writers_timeout_ms = 60_000;

/** One round over all warehouses. */
interface StorageRound {
  readonly store: Store;
  readonly service: Service;
  /** The remaining time to wait for open transactions. */
  remaining_ms: number;
  /** The postponed days, and the process ids of the transactions that the first of them waited for. */
  readonly waiting: string[];
  pids: readonly number[];
}

/**
 * Records the storage of each past day, for each warehouse in turn. A day is recorded once; an interrupted one is
 * continued. A failure in one warehouse does not affect the others, but an open transaction that writes to the ledger
 * delays all of them.
 */
export async function closeStorage(store: Store, service: Service, timeout_ms = writers_timeout_ms): Promise<void> {
  const round: StorageRound = { store, service, remaining_ms: timeout_ms, waiting: [], pids: [] };
  const began = await store.read(findStart);
  const failed: string[] = [];
  for (const warehouse of await store.read(listStorageWarehouses)) {
    try {
      while (!service.ending.aborted && (await closeNext(round, warehouse, began)));
    } catch (error) {
      const name = wireId("warehouse", warehouse.id);
      failed.push(name);
      const message = `the storage of ${name} could not be recorded; the next round tries again`;
      service.log.error(`${message}. If it keeps failing, run packhouse verify`, {
        warehouse: name,
        mode: store.mode,
        error: String(error),
      });
    }
  }
  warnOfWait(round);
  if (failed.length > 0) throw new Error(`the storage of ${failed.join(", ")} could not be recorded`);
}

/** Records the next day of a warehouse; false if there is none, or if it has to wait. */
async function closeNext(round: StorageRound, warehouse: StorageWarehouse, began: number): Promise<boolean> {
  const { store } = round;
  const { last, before } = await store.read((db) => findNewest(db, warehouse.id));
  if (last !== null && last.closed_at === null) return addUp(round, warehouse, last, before);
  const open = nextDay(last, warehouse, began, store.clock.now());
  if (open === null) return false;
  const day = await store.write((tx) => beginDay(tx, warehouse, last, open));
  return day === null || addUp(round, warehouse, day, last);
}

/** Records a day that was started; false if it has to wait. */
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
  const totals = new StorageDayTotals(day, before, opening);
  for (let from: number | null = before?.next_movement_id ?? 0; from !== null; ) {
    if (service.ending.aborted) return false;
    from = await store.read(async (db) => {
      const flows = await listFlows(db, warehouse.id, from ?? 0, flows_per_batch_max);
      for (const flow of flows) if (flow.id <= day.last_movement_id) totals.count(flow);
      const end = flows.at(-1)?.id ?? day.last_movement_id;
      return flows.length < flows_per_batch_max || end >= day.last_movement_id ? null : end + 1;
    });
  }
  const { next_movement_id } = totals;
  const items = await withoutPassage(store, totals.items);
  await writeChunks(store, service, (tx) => writeDay(tx, warehouse, day, { items, next_movement_id }));
  return true;
}

/**
 * Whether all transactions that wrote to the ledger when the day was started have ended. Their rows become visible
 * late, with ids below the last one of the day.
 */
async function haveEnded(round: StorageRound): Promise<boolean> {
  const { store, service } = round;
  const writing = () => store.read((db) => openWriters(db, "movements"));
  const first = await writing();
  for (let open = new Set(first.keys()); open.size > 0; open = open.intersection(await writing())) {
    if (service.ending.aborted || round.remaining_ms <= 0) {
      // Without waiting time left, transactions found later may be short ones, so only the first are reported.
      if (round.waiting.length === 0) round.pids = [...open].flatMap((name) => first.get(name) ?? []);
      return false;
    }
    round.remaining_ms -= ask_every_ms;
    await Bun.sleep(ask_every_ms);
  }
  return true;
}

/** Logs the postponed days and the transactions that delay them, once per round. */
function warnOfWait({ store, service, waiting, pids }: StorageRound): void {
  if (waiting.length === 0) return;
  const what = "the storage of all warehouses waits for an open transaction that changes stock";
  const where = pids.length === 0 ? "see pg_prepared_xacts" : "look up its pid in pg_stat_activity";
  const facts = { waiting: waiting.join(", "), pid: pids.join(", "), mode: store.mode };
  service.log.warn(`${what}: ${where}`, facts);
}

/** Leaves out stock that only passed through staging bins on the day. */
async function withoutPassage(store: Store, items: readonly ItemDay[]): Promise<ItemDay[]> {
  const gone = items.filter(({ units_at_close }) => units_at_close === 0).map(({ stock_item_id }) => stock_item_id);
  const passed = new Set<number>();
  for (let at = 0; at < gone.length; at += flows_per_batch_max) {
    const some = gone.slice(at, at + flows_per_batch_max);
    for (const id of await store.read((db) => findStaged(db, some))) passed.add(id);
  }
  return items.filter(({ stock_item_id }) => !passed.has(stock_item_id));
}
