// Plays the sample business into a store, each act at its own time by the store's clock.
import type { Store } from "../database/store.ts";
import { countUnits, verifyInventory } from "../inventory/audit/store.ts";
import { ensureWarehouse } from "../inventory/warehouses/commands.ts";
import type { Clock } from "../kit/clock.ts";
import { Fault } from "../kit/fault.ts";
import { type Progress, progress, type Terminal } from "../kit/progress.ts";
import { countOrders } from "../orders/list/store.ts";
import { publicOrderStatuses } from "../orders/status.ts";
import { countStoredEvents } from "../outbox/store.ts";
import { ensureRateCards } from "../shipping/rates/commands.ts";
import { newStory, performAct } from "./commands.ts";
import { planBusiness } from "./plan.ts";

/** A clock that shows the time of the act being played. */
export interface StoryClock extends Clock {
  set(at: number): void;
}

/** A clock that stands where it was set, at first in 1970, with the machine's clock stopped as it was then. */
export function storyClock(machine: Clock): StoryClock {
  const begun = machine.now();
  let at = 0;
  return {
    now: () => at,
    get ahead_ms() {
      return at - begun;
    },
    advance: (by_ms) => {
      at += by_ms;
    },
    elapsed: () => 0,
    set: (moment) => {
      at = moment;
    },
  };
}

/**
 * Plays the whole sample business into an empty store and reports the result line by line. Throws a Fault when the
 * store has orders already.
 */
export async function runDemo(store: Store, clock: StoryClock, seed: number, terminal: Terminal): Promise<string[]> {
  const begun_ms = performance.now();
  const until = clock.now() - clock.ahead_ms;
  if ((await store.read((db) => countOrders(db, {}))) > 0) {
    throw new Fault(
      "write_conflict",
      `The ${store.mode} data has orders already. The sample business needs an empty world.`,
    );
  }
  const { acts } = planBusiness({ seed, until });
  const story = newStory();
  const bar: Progress = progress("Sample business", acts.length, terminal);
  clock.set(acts[0]?.at ?? until);
  await store.write((tx) => ensureWarehouse(tx));
  await store.write((tx) => ensureRateCards(tx));
  for (const act of acts) {
    clock.set(act.at);
    const remember = await store.write((tx) => performAct(tx, act, story));
    remember?.();
    bar.step();
  }
  bar.done();
  clock.set(until);
  return summary(store, story.orders.size, (performance.now() - begun_ms) / 1000);
}

async function summary(store: Store, orders: number, seconds: number): Promise<string[]> {
  return store.read(async (db) => {
    const rows: [string, string | number][] = [["orders", orders]];
    for (const status of publicOrderStatuses) {
      const count = await countOrders(db, { statuses: [status] });
      if (count > 0) rows.push([`  ${status}`, count]);
    }
    const units = await countUnits(db);
    rows.push(["units on hand", units.on_hand], ["  of these reserved", units.reserved]);
    rows.push(["events written", await countStoredEvents(db)]);
    rows.push(["stock against ledger", `${(await verifyInventory(db)).length} differences`]);
    rows.push(["time", `${seconds.toFixed(1)} s`]);
    const width = Math.max(...rows.map(([label]) => label.length));
    return rows.map(([label, value]) => `${label.padEnd(width + 2)}${String(value).padStart(16)}`);
  });
}
