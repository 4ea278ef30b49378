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
 * Copies new and changed merchants from live, where they are created and changed, to test. If the copy right after a
 * change fails, the next round repeats it.
 */
export async function copyMerchants({ live, test }: BothStores): Promise<void> {
  const known = new Map((await test.read(listMerchants)).map((merchant) => [merchant.id, merchant]));
  const others = (await live.read(listMerchants)).filter((one) => !isDeepStrictEqual(one, known.get(one.id)));
  if (others.length > 0) await test.write((tx) => putMerchants(tx, others));
}

/** The job that copies merchants. It runs for the live store only. */
export async function copyMerchantsOf(store: Store, { stores }: Pick<Service, "stores">): Promise<void> {
  if (store.mode === "live") await copyMerchants(stores);
}

/** The operator's time zone, that of the first warehouse; null without a warehouse. */
export async function timezoneOf(db: Db): Promise<string | null> {
  const [first] = await listPlainWarehouses(db);
  return first?.timezone ?? null;
}

/** Reads a merchant's open orders and stock: in test at once, in live later within the closing transaction. */
export async function openWorkSourceOf({ test }: BothStores, name: string): Promise<OpenWorkSource> {
  const merchant = await test.read((db) => findMerchantNamed(db, name));
  return { test: merchant === null ? none : await test.read((db) => leftOf(db, merchant)), live: leftOf };
}

const none: OpenMerchantWork = { open_orders: 0, units: 0 };

async function leftOf(db: Db, { id }: Merchant): Promise<OpenMerchantWork> {
  // The merchant in the path counts, whatever else the request names.
  const own = db.scoped({ visible: id, owner: null });
  return { open_orders: await countOpenOrders(own), units: await countGoods(own) };
}
