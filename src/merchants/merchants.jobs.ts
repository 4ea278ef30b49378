import { isDeepStrictEqual } from "node:util";
import type { Service } from "../http/service.ts";
import { countGoods } from "../inventory/stock/stock.sql.ts";
import { listPlainWarehouses } from "../inventory/warehouses/warehouses.sql.ts";
import { countOpenOrders } from "../orders/lifecycle/order_counters.sql.ts";
import type { Db, Store } from "../storage/database.ts";
import type { Merchant, OpenMerchantWork } from "./merchant.ts";
import { findMerchantNamed, listMerchants } from "./merchants.sql.ts";
import { type OpenWorkSource, putMerchants } from "./merchants.ts";

type BothStores = Service["stores"];

/**
 * Copies to the test world the merchants that it lacks or has otherwise. A merchant is made and changed in the live
 * world; when the copy fails right after that, the next round makes up for it.
 */
export async function copyMerchants({ live, test }: BothStores): Promise<void> {
  const known = new Map((await test.read(listMerchants)).map((merchant) => [merchant.id, merchant]));
  const others = (await live.read(listMerchants)).filter((one) => !isDeepStrictEqual(one, known.get(one.id)));
  if (others.length > 0) await test.write((tx) => putMerchants(tx, others));
}

/** Copies merchants once for both worlds. */
export async function copyMerchantsOf(store: Store, { stores }: Pick<Service, "stores">): Promise<void> {
  if (store.mode === "live") await copyMerchants(stores);
}

/** The time zone of the house: that of its first warehouse; null before it has one. */
export async function timezoneOf(db: Db): Promise<string | null> {
  const [first] = await listPlainWarehouses(db);
  return first?.timezone ?? null;
}

/** What is left of a merchant: in the test world at once, in the live world once its transaction asks. */
export async function openWorkSourceOf({ test }: BothStores, name: string): Promise<OpenWorkSource> {
  const merchant = await test.read((db) => findMerchantNamed(db, name));
  return { test: merchant === null ? none : await test.read((db) => leftOf(db, merchant)), live: leftOf };
}

const none: OpenMerchantWork = { open_orders: 0, units: 0 };

async function leftOf(db: Db, { id }: Merchant): Promise<OpenMerchantWork> {
  // Whomever the request names beside the path, it is this merchant's that count.
  const own = db.scoped({ sees: id, makes: null });
  return { open_orders: await countOpenOrders(own), units: await countGoods(own) };
}
