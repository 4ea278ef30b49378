// Merchants are the same in both environments, even if only one of them is filled.

import type { Clock } from "../../core/clock.ts";
import type { Environment } from "../../core/environment.ts";
import { assert, Fault } from "../../core/faults.ts";
import { type ProgressBar, progressBar, type Terminal } from "../../core/progress.ts";
import { customerList } from "../../customers/customers.sql.ts";
import { countStoredEvents } from "../../events/events.sql.ts";
import { countUnits, verifyInventory } from "../../inventory/inventory_audit.sql.ts";
import { ensureWarehouse } from "../../inventory/warehouses/warehouses.ts";
import { isClosed } from "../../merchants/merchant.transitions.ts";
import type { Merchant } from "../../merchants/merchant.ts";
import { copyMerchants } from "../../merchants/merchants.jobs.ts";
import { listMerchants } from "../../merchants/merchants.sql.ts";
import { createMerchant, updateMerchant } from "../../merchants/merchants.ts";
import { storeForCommand } from "../../merchants/tenant_scopes.ts";
import { publicOrderStatuses } from "../../orders/order.transitions.ts";
import { countOrders } from "../../orders/search/order_list.sql.ts";
import { productList } from "../../products/products.sql.ts";
import { ensureRateCards } from "../../shipping/rates/rate_cards.ts";
import type { Db, Store } from "../../storage/database.ts";
import type { DemoPlan } from "./acts.ts";
import { equipFloor } from "./floor.ts";
import { sampleMerchants } from "./merchants.ts";
import { type DemoStory, newStory, performAct } from "./perform_act.ts";
import { planOperator } from "./plan.ts";

type MerchantStores = Readonly<Record<Environment, Store>>;

// The default name of the first merchant.
const unnamed = "Main";

/**
 * Creates the sample merchants in both environments. Does nothing and returns false if live data is in use. The first
 * merchant becomes the grocer unless it already has a name.
 */
export async function settleMerchants(stores: MerchantStores): Promise<boolean> {
  const { grocer, neighbours } = sampleMerchants;
  const codes = [grocer, ...neighbours.map(({ merchant }) => merchant)].map(({ code }) => code);
  const known = await stores.live.read(listMerchants);
  const first = known.find(({ code }) => code === grocer.code);
  const strangers = known.some(({ code, status }) => !codes.includes(code) || isClosed(status));
  if (strangers || first === undefined) return false;
  const missing = neighbours.filter(({ merchant }) => !known.some(({ code }) => code === merchant.code));
  if (missing.length > 0 && (await stores.live.read(isInUse))) return false;
  await stores.live.write(async (tx) => {
    const { code: _code, ...described } = grocer;
    if (first.name === unnamed) await updateMerchant(tx, grocer.code, described);
    for (const { merchant } of missing) await createMerchant(tx, merchant, null);
  });
  await copyMerchants(stores);
  return true;
}

async function isInUse(db: Db): Promise<boolean> {
  return (await countOrders(db, {})) > 0 || (await productList.count(db, {})) > 0;
}

type DemoStores = Readonly<Record<Environment, Store>>;

/** A clock that shows the time of the current act. */
interface StoryClock extends Clock {
  set(at: number): void;
}

/** A clock that stands still at the time that was set, initially 1970. Its machine time stands still as well. */
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

/** The environment to load, and for which merchant. */
interface DemoSettings {
  readonly mode: Environment;
  readonly seed: number;
  /** The merchant that gets the grocer's business; undefined for all sample merchants. */
  readonly merchant: string | undefined;
}

/**
 * Loads the sample businesses into an empty environment, each act at its own time, and returns lines about the result.
 * If a merchant is named, or live data is in use, only the grocer's business is loaded. The floor is equipped unless a
 * merchant is named. Refuses: write_conflict.
 */
export async function runDemo(
  stores: DemoStores,
  { mode, seed, merchant }: DemoSettings,
  clock: StoryClock,
  terminal: Terminal,
): Promise<string[]> {
  const begun_ms = performance.now();
  const until = clock.now() - clock.ahead_ms;
  const asked = merchant === undefined ? stores[mode] : await storeForCommand(stores[mode], merchant, true);
  if ((await asked.read((db) => countOrders(db, {}))) > 0) {
    const message = `The ${mode} data already has orders. Sample data can only be loaded into an empty environment.`;
    throw new Fault("write_conflict", message);
  }
  const plans = planOperator({ seed, until });
  clock.set(plans[0]?.plan.acts[0]?.at ?? until);
  const parts = await partsOf(stores, mode, plans, merchant);
  const acts = parts.flatMap(({ plan, own, story }) => plan.acts.map((act) => ({ act, own, story })));
  const bar: ProgressBar = progressBar("Sample business", acts.length, terminal);
  await asked.write((tx) => ensureWarehouse(tx));
  await asked.write((tx) => ensureRateCards(tx));
  // The sort is stable, so acts at the same time keep their order.
  for (const { act, own, story } of acts.sort((a, b) => a.act.at - b.act.at)) {
    clock.set(act.at);
    const remember = await own.write((tx) => performAct(tx, act, story));
    remember?.();
    bar.step();
  }
  bar.done();
  clock.set(until);
  if (merchant === undefined) await equipFloor(stores[mode]);
  const lines = await summary(stores[mode], parts, (performance.now() - begun_ms) / 1000);
  const alone = merchant === undefined && parts.length < plans.length;
  const loaded =
    mode === "test"
      ? ["Loaded as test data. The dashboard opens on it while live data has no orders."]
      : ["Loaded as live data."];
  if (alone) loaded.push("Live data is in use, so only the grocer's business was loaded.");
  return [...loaded, ...lines];
}

/** The plan for a merchant, and the store in the merchant's scope. */
interface DemoPart {
  readonly plan: DemoPlan;
  readonly own: Store;
  readonly story: DemoStory;
}

async function partsOf(
  stores: DemoStores,
  mode: Environment,
  plans: ReturnType<typeof planOperator>,
  merchant: string | undefined,
): Promise<DemoPart[]> {
  const store = stores[mode];
  if (merchant === undefined && (await settleMerchants(stores))) {
    const merchants = await store.read(listMerchants);
    return plans.map(({ merchant, plan }) => {
      const { id } = theOne(merchants, ({ code }) => code === merchant.code);
      return { plan, own: store.scoped({ visible: id, owner: id }), story: newStory() };
    });
  }
  const own = await storeForCommand(store, merchant, true);
  return plans.slice(0, 1).map(({ plan }) => ({ plan, own, story: newStory() }));
}

function theOne(merchants: readonly Merchant[], isMeant: (merchant: Merchant) => boolean): Merchant {
  const found = merchants.find(isMeant);
  assert(found, "each sample business has its merchant in this environment");
  return found;
}

type SummaryRow = readonly [label: string, value: string | number];

async function summary(store: Store, parts: readonly DemoPart[], seconds: number): Promise<string[]> {
  const merchants = await store.read(listMerchants);
  const rows: SummaryRow[] = [];
  for (const { own } of parts) {
    const { code, name } = theOne(merchants, ({ id }) => id === own.scope.owner);
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

/** The figures of the merchant in scope. */
async function figuresOf(db: Db): Promise<SummaryRow[]> {
  const rows: SummaryRow[] = [
    ["  products", await productList.count(db, {})],
    ["  customers", await customerList.count(db, {})],
    ["  orders", await countOrders(db, {})],
  ];
  for (const status of publicOrderStatuses) {
    const count = await countOrders(db, { statuses: [status] });
    if (count > 0) rows.push([`    ${status}`, count]);
  }
  const units = await countUnits(db);
  return [...rows, ["  units on hand", units.on_hand], ["    of these reserved", units.reserved]];
}
