// What requests cost with fifty merchants, compared with one merchant that has as many products.
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { startService } from "../service.ts";
import { env, type Ids, placeOrders, sender, skus, startStocked } from "./business.ts";
import { type Compared, comparePair } from "./pairs.ts";
import { copySku, openForSeeding } from "./seed.ts";
import { adjust, askRates, createOrder, listOrders, listStock, orderById, reserveHot, reserveSome } from "./shots.ts";

const merchant_count = 50;
const sku_count = 100_000;
const order_count = 3000;
/** Allowance for the noise of two services on two cores. */
const worst_ratio = 1.1;

/**
 * Measures requests of one merchant and of the operator, alongside 49 other merchants. Returns how many goals are
 * missed.
 */
export async function measureMerchants(seconds: number): Promise<number> {
  const { service: made, key: operator_key } = await startStocked();
  const merchant = await made.makeKey("test", "full", "MAIN");
  const ids = await placeOrders(made.url, operator_key, order_count);
  await made.stop();
  const many_data = `${made.data}-many`;
  await cp(made.data, many_data, { recursive: true });
  await addMerchants(many_data);
  const start = (data: string, owners: number) => {
    copySku(join(data, "test.db"), skus[0] ?? "", sku_count - skus.length, owners);
    return startService({ data, env });
  };
  const few = await start(made.data, 1);
  const many = await start(many_data, merchant_count);
  console.log(`\ncost with ${merchant_count} merchants against one, both with ${sku_count} products`);
  const missed = await comparePair({ few, many }, comparedBy({ operator_key, merchant }, ids), seconds);
  await few.remove();
  await many.remove();
  return missed;
}

/**
 * The same requests to both services: the first merchant's own with its key, and with the operator's key what only the
 * operator may do.
 */
function comparedBy({ operator_key, merchant }: { operator_key: string; merchant: string }, ids: Ids): Compared[] {
  const both = (name: string, key: string, shot: Compared["few"]) => ({
    name,
    key,
    few: shot,
    many: shot,
    worst_ratio,
  });
  return [
    both("order create (3 lines)", merchant, createOrder(ids)),
    both("reserve (1 of 200 SKUs)", merchant, reserveSome),
    both("reserve (1 hot SKU)", merchant, reserveHot),
    both("adjust, by the operator", operator_key, adjust),
    both("inventory, list of 50", merchant, listStock),
    both("  by the operator", operator_key, listStock),
    both("order by id", merchant, orderById(ids)),
    both("  by the operator", operator_key, orderById(ids)),
    both("orders, list of 50", merchant, listOrders),
    both("  by the operator", operator_key, listOrders),
    both("rates (3 cards)", merchant, askRates),
  ];
}

/** Creates the other merchants, and lets the bins hold stock of several merchants. */
async function addMerchants(data: string): Promise<void> {
  const service = await startService({ data, env });
  const send = sender(service.url, await service.makeKey("live"));
  for (let n = 2; n <= merchant_count; n += 1) await send("/merchants", { code: `M-${n}`, name: `Merchant ${n}` });
  // They reach the test environment after the live one.
  const operator = sender(service.url, await service.makeKey("test"));
  while ((await operator("/merchants?limit=1", null, "GET")).meta.pagination.total < merchant_count)
    await Bun.sleep(50);
  await service.stop();
  const db = openForSeeding(join(data, "test.db"));
  db.run("update bins set mix_merchants = 1");
  db.close();
}
