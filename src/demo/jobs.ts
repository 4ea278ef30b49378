// Plays the sample business into a store, each act at its own time by the store's clock.
import { countCustomers } from "../customers/store.ts";
import type { Db, Store } from "../database/store.ts";
import { countUnits, verifyInventory } from "../inventory/audit/store.ts";
import { ensureWarehouse } from "../inventory/warehouses/commands.ts";
import { assert } from "../kit/assert.ts";
import type { Clock } from "../kit/clock.ts";
import { Fault } from "../kit/fault.ts";
import type { Mode } from "../kit/mode.ts";
import { type Progress, progress, type Terminal } from "../kit/progress.ts";
import type { Merchant } from "../merchants/merchant.ts";
import { storeForCommand } from "../merchants/scopes.ts";
import { listMerchants } from "../merchants/store.ts";
import { countOrders } from "../orders/list/store.ts";
import { publicOrderStatuses } from "../orders/status.ts";
import { countStoredEvents } from "../outbox/store.ts";
import { countProducts } from "../products/store.ts";
import { ensureRateCards } from "../shipping/rates/commands.ts";
import { newStory, performAct, type Story } from "./commands.ts";
import { planHouse } from "./plan.ts";
import { settleMerchants } from "./settling/jobs.ts";
import type { Plan } from "./totals.ts";

type Worlds = Readonly<Record<Mode, Store>>;

/** A clock that shows the time of the act being played. */
interface StoryClock extends Clock {
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

/** What is loaded where. */
interface DemoSettings {
  readonly mode: Mode;
  readonly seed: number;
  /** The merchant who gets the grocer's business alone; undefined for all sample merchants. */
  readonly merchant: string | undefined;
}

/**
 * Plays the sample businesses into an empty world and reports the result line by line, merchant by merchant. For one
 * merchant that is named, and in a house whose live world is in use already, it plays the grocer's alone. Throws a
 * Fault when there are orders already.
 */
export async function runDemo(
  stores: Worlds,
  { mode, seed, merchant }: DemoSettings,
  clock: StoryClock,
  terminal: Terminal,
): Promise<string[]> {
  const begun_ms = performance.now();
  const until = clock.now() - clock.ahead_ms;
  const asked = merchant === undefined ? stores[mode] : await storeForCommand(stores[mode], merchant, true);
  if ((await asked.read((db) => countOrders(db, {}))) > 0) {
    throw new Fault("write_conflict", `The ${mode} data has orders already. The sample business needs an empty world.`);
  }
  const plans = planHouse({ seed, until });
  clock.set(plans[0]?.plan.acts[0]?.at ?? until);
  const parts = await partsOf(stores, mode, plans, merchant);
  const acts = parts.flatMap(({ plan, own, story }) => plan.acts.map((act) => ({ act, own, story })));
  const bar: Progress = progress("Sample business", acts.length, terminal);
  await asked.write((tx) => ensureWarehouse(tx));
  await asked.write((tx) => ensureRateCards(tx));
  // Sorting keeps the order of acts of one time.
  for (const { act, own, story } of acts.sort((a, b) => a.act.at - b.act.at)) {
    clock.set(act.at);
    const remember = await own.write((tx) => performAct(tx, act, story));
    remember?.();
    bar.step();
  }
  bar.done();
  clock.set(until);
  const lines = await summary(stores[mode], parts, (performance.now() - begun_ms) / 1000);
  const alone = merchant === undefined && parts.length < plans.length;
  const loaded =
    mode === "test"
      ? ["Loaded as test data. The dashboard opens on it while live data has no orders."]
      : ["Loaded as live data."];
  if (alone) loaded.push("Live data is in use, so only the grocer's business was loaded.");
  return [...loaded, ...lines];
}

/** What is played for a merchant, in a store that sees and makes what is the merchant's. */
interface Part {
  readonly plan: Plan;
  readonly own: Store;
  readonly story: Story;
}

async function partsOf(
  stores: Worlds,
  mode: Mode,
  plans: ReturnType<typeof planHouse>,
  merchant: string | undefined,
): Promise<Part[]> {
  const store = stores[mode];
  if (merchant === undefined && (await settleMerchants(stores))) {
    const merchants = await store.read(listMerchants);
    return plans.map(({ merchant, plan }) => {
      const { id } = theOne(merchants, ({ code }) => code === merchant.code);
      return { plan, own: store.scoped({ sees: id, makes: id }), story: newStory() };
    });
  }
  const own = await storeForCommand(store, merchant, true);
  return plans.slice(0, 1).map(({ plan }) => ({ plan, own, story: newStory() }));
}

function theOne(merchants: readonly Merchant[], isMeant: (merchant: Merchant) => boolean): Merchant {
  const found = merchants.find(isMeant);
  assert(found, "each sample business has its merchant in this world");
  return found;
}

type Row = readonly [label: string, value: string | number];

async function summary(store: Store, parts: readonly Part[], seconds: number): Promise<string[]> {
  const merchants = await store.read(listMerchants);
  const rows: Row[] = [];
  for (const { own } of parts) {
    const { code, name } = theOne(merchants, ({ id }) => id === own.scope.makes);
    rows.push([`${name} (${code})`, ""], ...(await own.read(figuresOf)));
  }
  await store.read(async (db) => {
    rows.push(["events written", await countStoredEvents(db)]);
    rows.push(["stock against ledger", `${(await verifyInventory(db)).length} differences`]);
  });
  rows.push(["time", `${seconds.toFixed(1)} s`]);
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, value]) => `${label.padEnd(width + 2)}${String(value).padStart(16)}`.trimEnd());
}

/** What there is of the merchant that is seen. */
async function figuresOf(db: Db): Promise<Row[]> {
  const rows: Row[] = [
    ["  products", await countProducts(db, {})],
    ["  customers", await countCustomers(db, {})],
    ["  orders", await countOrders(db, {})],
  ];
  for (const status of publicOrderStatuses) {
    const count = await countOrders(db, { statuses: [status] });
    if (count > 0) rows.push([`    ${status}`, count]);
  }
  const units = await countUnits(db);
  return [...rows, ["  units on hand", units.on_hand], ["    of these reserved", units.reserved]];
}
