// The real side of the simulation: its own store, and the service's own commands on it.
import { and, eq, sql } from "drizzle-orm";
import { billable_events } from "../../db/schema/billing.ts";
import { verifyStore } from "../../src/cli/verify.ts";
import { systemActor } from "../../src/core/actor.ts";
import type { Clock } from "../../src/core/clock.ts";
import { engine } from "../../src/core/config.ts";
import { Fault } from "../../src/core/faults.ts";
import { wireId } from "../../src/core/ids.ts";
import { customerList, withAddresses } from "../../src/customers/customers.sql.ts";
import { createCustomer } from "../../src/customers/customers.ts";
import { expireLots, expireReservations } from "../../src/inventory/inventory.jobs.ts";
import { verifyLedger } from "../../src/inventory/inventory_audit.sql.ts";
import { findReservation } from "../../src/inventory/reservations/reservations.sql.ts";
import { itemView } from "../../src/inventory/stock/product_stock.ts";
import { loadStock, loadStockWithSets } from "../../src/inventory/stock/stock.sql.ts";
import { listPlainWarehouses } from "../../src/inventory/warehouses/warehouses.sql.ts";
import { createWarehouse } from "../../src/inventory/warehouses/warehouses.ts";
import { listMerchants } from "../../src/merchants/merchants.sql.ts";
import { createMerchant } from "../../src/merchants/merchants.ts";
import type { Order } from "../../src/orders/order.ts";
import { holdRecalled, noteAllAllocationChanges } from "../../src/orders/orders.jobs.ts";
import { verifyOrders } from "../../src/orders/orders_audit.sql.ts";
import { listHistory } from "../../src/orders/search/order_history.sql.ts";
import { findProductsBySku, productList } from "../../src/products/products.sql.ts";
import { createProduct } from "../../src/products/products.ts";
import type { Db, Store, Tx } from "../../src/storage/database.ts";
import { unscoped } from "../../src/storage/scope.ts";
import { prepared, type StatementArgs } from "../../src/storage/statements.ts";
import type { VerifierDifference } from "../../src/storage/verifier.ts";
import { gtinOf } from "./bin_model.ts";
import {
  bins,
  goods,
  type House,
  houses,
  type Kit,
  kitNames,
  type Level,
  merchants,
  partsOf,
  type Sku,
  skus,
} from "./business.ts";

export const clerk = systemActor("simulation");

const ownScope = (id: number) => ({ visible: id, owner: id });

const address = { address_line1: "12 Elm St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };

/** The bins of a warehouse's zone. */
function zoneOf(house: House, cold: boolean) {
  const own = bins
    .filter((bin) => bin.cold === cold && bin.later !== true)
    .map(({ code, kind, pick_order, kept, mixes }) => {
      return { code, kind, pick_order, dedicated_merchant_id: kept, mix_merchants: mixes.includes(house) };
    });
  const temperature_zone = cold ? ("refrigerated" as const) : ("ambient" as const);
  return { zone_id: cold ? "CHILL" : "FLOOR", temperature_zone, bins: own };
}

/** Creates the warehouses in an empty store, and the goods and the customer of each merchant. */
export async function furnish(store: Store): Promise<void> {
  for (const code of merchants) {
    if (code !== "MAIN") await store.write((tx) => createMerchant(tx, { code, name: code }, null));
  }
  for (const [at, name] of houses.entries()) {
    const place = { ...address, name };
    const location_zones = [zoneOf(name, false), zoneOf(name, true)];
    const fields = { name, priority: 100 * (at + 1), address: place, location_zones };
    await store.write((tx) => createWarehouse(tx, fields));
  }
  for (const { id, code } of await store.read(listMerchants)) {
    await furnishOne(store.scoped(ownScope(id)), merchants.indexOf(code as (typeof merchants)[number]));
  }
}

async function furnishOne(store: Store, whose: number): Promise<void> {
  for (const sku of skus) {
    const { cold, lots, shelf_life_days, reorder_point } = goods[sku];
    const temperature_zone = cold ? ("refrigerated" as const) : ("ambient" as const);
    const tracked = { lot_tracking: lots, expiration_tracking: lots, min_shelf_life_days: shelf_life_days };
    const barcodes = [{ value: gtinOf(whose, sku), type: "ean" as const }];
    const plain = { sku, name: sku, temperature_zone, reorder_point, barcodes };
    await store.write((tx) => createProduct(tx, { ...plain, ...tracked }));
  }
  for (const sku of kitNames) {
    const components = partsOf(sku).map(([part, quantity]) => ({ sku: part, quantity }));
    await store.write((tx) => createProduct(tx, { sku, name: sku, type: "bundle", components }));
  }
  const jane = { email: "jane@example.com", first_name: "Jane", last_name: "Doe", shipping_addresses: [address] };
  await store.write((tx) => createCustomer(tx, jane));
}

const dataVersion = prepared((select, _: StatementArgs<object>) =>
  select.select({ version: sql<number>`data_version` }).from(sql`pragma_data_version`),
);

const billedUnits = prepared((select, a: StatementArgs<{ order_id: number }>) =>
  select
    .select({ act: billable_events.act, units: sql<number>`sum(${billable_events.quantity})`.mapWith(Number) })
    .from(billable_events)
    .where(and(eq(billable_events.source_type, "order"), eq(billable_events.source_id, a.order_id)))
    .groupBy(billable_events.act),
);

/** SQLite counts the commits of other connections that changed anything in the file; PostgreSQL does not. */
async function versionOf(db: Db): Promise<number | null> {
  return engine === "postgres" ? null : ((await dataVersion(db, {}))[0]?.version ?? null);
}

/** The result of a request: its response, or the code of its refusal. */
export interface Outcome<T> {
  readonly code: string | null;
  readonly value: T | null;
}

/** The numbers of each SKU, the number of sets, and the invariants that the rows violate. */
export interface Look {
  readonly levels: ReadonlyMap<Sku, Level>;
  readonly available: ReadonlyMap<Kit, number>;
  readonly broken: readonly VerifierDifference[];
}

/** The SKUs that a GTIN identifies, by merchant; in the scope of a merchant only its own. */
export async function scanned(db: Db, gtin: string): Promise<Record<number, string>> {
  const found = await productList.rows(db, { barcode: gtin, sort: "created_at" }, { limit: 10 });
  return Object.fromEntries(found.map(({ merchant_id, sku }) => [merchant_id, sku]));
}

/** The customer of a merchant, and the shipping address. */
interface Buyer {
  readonly customer_id: number;
  readonly shipping_address_id: number;
}

/** A furnished store as one merchant sees it, and the records that requests have created in it. */
export class Service {
  readonly store: Store;
  readonly buyer: Buyer;
  readonly clock: Clock;
  readonly house: ReadonlyMap<House, number>;
  readonly products: readonly number[];
  /** By the number that the model assigns to them. */
  readonly orders: Order[] = [];
  readonly bookings = new Map<number, number>();
  readonly transfers: number[] = [];
  readonly receipts: number[] = [];
  readonly returns: number[] = [];
  /** The names of the warehouses, by their ids in the API. */
  readonly #names: ReadonlyMap<string, House>;
  /** The available quantities at the last check, and the number of sets they made. */
  #free = "";
  #available: ReadonlyMap<Kit, number> = new Map();
  /** The version of the file at the last check. */
  #version: number | null = null;
  /** The jobs that commits have woken since they last ran. */
  readonly #woken: Set<string>;

  constructor(
    store: Store,
    buyer: Buyer,
    clock: Clock,
    house: ReadonlyMap<House, number>,
    products: readonly number[],
    woken: Set<string>,
  ) {
    this.store = store;
    this.buyer = buyer;
    this.clock = clock;
    this.house = house;
    this.products = products;
    this.#woken = woken;
    this.#names = new Map([...house].map(([name, id]) => [wireId("warehouse", id), name]));
  }

  /** The service before any request, once its store is reset. */
  anew(): Service {
    this.#woken.clear();
    return new Service(this.store, this.buyer, this.clock, this.house, this.products, this.#woken);
  }

  productOf(sku: Sku): number {
    return this.products[skus.indexOf(sku)] ?? 0;
  }

  /** The id of the merchant that it serves. */
  get merchant_id(): number {
    return this.store.scope.owner ?? 0;
  }

  /** Like `attempt`, but as the operator, who names no merchant. */
  attemptAsHouse<T>(work: (tx: Tx) => Promise<T>): Promise<Outcome<T>> {
    return this.attempt(work, this.store.base);
  }

  /** Runs one request in its own transaction. Any error that is not a refusal is thrown. */
  async attempt<T>(work: (tx: Tx) => Promise<T>, store = this.store): Promise<Outcome<T>> {
    try {
      return { code: null, value: await store.write(work) };
    } catch (error) {
      if (error instanceof Fault) return { code: error.code, value: null };
      throw error;
    }
  }

  /** The numbers of each SKU as the API returns them, and the invariants that the rows violate. */
  look(): Promise<Look> {
    return this.store.read((db) => this.#lookAt(db));
  }

  /** Like `look`, or null if every row is as it was at the last check: what held then still holds. */
  lookIfChanged(): Promise<Look | null> {
    return this.store.read(async (db) => {
      const version = await versionOf(db);
      return version !== null && version === this.#version ? null : this.#lookAt(db);
    });
  }

  async #lookAt(db: Db): Promise<Look> {
    const shelves = await loadStock(db, this.products.slice(0, skus.length));
    const views = shelves.map((shelf) => itemView(shelf, db.now, shelf.updated_at));
    const levels = new Map(views.map((view) => this.#levelOf(view)));
    const free = views.map(({ available }) => available).join();
    if (free !== this.#free) this.#available = await this.#setsIn(db);
    this.#free = free;
    this.#version = await versionOf(db);
    return {
      levels,
      available: this.#available,
      broken: [...(await verifyLedger(db.scoped(unscoped))), ...(await verifyOrders(db.scoped(unscoped)))],
    };
  }

  /** The number of sets, which changes only with the available quantity of goods. */
  async #setsIn(db: Db): Promise<ReadonlyMap<Kit, number>> {
    const shelves = await loadStockWithSets(db, this.products.slice(skus.length));
    const views = shelves.map((shelf) => itemView(shelf, db.now, shelf.updated_at));
    return new Map(views.map(({ sku, available }) => [sku as Kit, available]));
  }

  #levelOf(view: ReturnType<typeof itemView>): [sku: Sku, level: Level] {
    const { sku, on_hand, reserved, available, picked, backordered, incoming, unavailable, total } = view;
    const held = Object.values(unavailable).reduce((sum, units) => sum + units, 0);
    if (total !== available + reserved) throw new Error(`${sku}: total ${total} is not available + reserved`);
    if (on_hand !== total + held) throw new Error(`${sku}: on hand ${on_hand} is not total + unavailable`);
    const places = Object.fromEntries(
      view.locations.map((one) => [`${this.#names.get(one.warehouse_id)} ${one.location}`, one.quantity]),
    );
    const batches = Object.fromEntries(view.lots.map((lot) => [`${lot.lot_number} ${lot.status}`, lot.quantity]));
    const counts = { on_hand, reserved, available, picked, backordered, incoming };
    return [sku as Sku, { ...counts, unavailable, places, batches }];
  }

  /** Runs the due scheduled jobs. */
  async runJobs(): Promise<void> {
    for (const job of [expireReservations, expireLots]) {
      let rounds = 0;
      for (let next: number | null = 0; next !== null && next <= this.clock.now(); rounds += 1) {
        if (rounds === 100) throw new Error(`${job.name} asks to run again and again`);
        next = await job(this.store.base);
      }
    }
  }

  /** Runs the job that follows a recall, if a commit has woken it. */
  async followRecalls(): Promise<void> {
    if (!this.#woken.delete("orders.hold_recalled")) return;
    let next: number | null = 0;
    while (next !== null) next = await holdRecalled(this.store.base, null as never);
  }

  /** Lets orders process the changes of their claims. */
  async followClaims(): Promise<void> {
    let next: number | null = 0;
    while (next !== null) next = await noteAllAllocationChanges(this.store.base, null as never);
  }

  /** The state of each reservation, by the number that the model assigns to it. */
  async bookingStates(): Promise<ReadonlyMap<number, string>> {
    const states = new Map<number, string>();
    for (const [number, id] of this.bookings) {
      const found = await this.store.read((db) => findReservation(db, id));
      states.set(number, found?.status ?? "gone");
    }
    return states;
  }

  /** The units that picks and packs of an order are billed for, less those that were reversed. */
  async billedFor(order_id: number) {
    const rows = await this.store.read((db) => billedUnits(db, { order_id }));
    const units = (act: string) => rows.find((row) => row.act === act)?.units ?? 0;
    return { picks: units("order.pick"), packs: units("order.pack") };
  }

  /** The steps of an order that were taken back, by its history. */
  async undoneOf(order_id: number): Promise<string[]> {
    const rows = await this.store.read((db) => listHistory(db, { order_id }, { limit: 1000, offset: 0, after: null }));
    return rows.map(({ event }) => event).filter((event) => event.startsWith("unp"));
  }

  /** Everything that `packhouse verify` checks. */
  differences(): Promise<VerifierDifference[]> {
    return this.store.base.read(verifyStore);
  }
}

/** The services of a furnished store, one per merchant. */
export async function attachAll(bare: Store, clock: Clock): Promise<Service[]> {
  const found = await bare.read(listPlainWarehouses);
  const house = new Map(houses.map((name) => [name, found.find((one) => one.name === name)?.id ?? 0]));
  const sold = [...skus, ...kitNames];
  const woken = new Set<string>();
  bare.onWake((job) => woken.add(job));
  const services: Service[] = [];
  for (const { id } of await bare.read(listMerchants)) {
    const store = bare.scoped(ownScope(id));
    const products = await store.read((db) => findProductsBySku(db, sold));
    const ids = new Map(products.map((product) => [product.sku, product.id]));
    const [customer] = await store.read(async (db) => withAddresses(db, await customerList.rows(db, {}, { limit: 1 })));
    const buyer = { customer_id: customer?.id ?? 0, shipping_address_id: customer?.shipping_addresses[0]?.id ?? 0 };
    const own = sold.map((sku) => ids.get(sku) ?? 0);
    services.push(new Service(store, buyer, clock, house, own, woken));
  }
  return services;
}

/** The service of the first merchant on a furnished store. */
export async function attach(store: Store, clock: Clock): Promise<Service> {
  const [first] = await attachAll(store, clock);
  if (first === undefined) throw new Error("the house has a merchant");
  return first;
}
