// What requests cost in a house of fifty merchants, against a house of one with as many products.
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
/** What is left to the noise of two services on two cores. */
const worst_ratio = 1.1;

/** Measures requests of one merchant, and of the house, beside 49 others; answers how many goals are missed. */
export async function measureMerchants(seconds: number): Promise<number> {
  const { service: made, key: house } = await startStocked();
  const merchant = await made.makeKey("test", "full", "MAIN");
  const ids = await placeOrders(made.url, house, order_count);
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
  const missed = await comparePair({ few, many }, comparedBy({ house, merchant }, ids), seconds);
  await few.remove();
  await many.remove();
  return missed;
}

/** The same requests to both houses: the first merchant's own by its key, and by the house's what it alone may do. */
function comparedBy({ house, merchant }: { house: string; merchant: string }, ids: Ids): Compared[] {
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
    both("adjust, by the house", house, adjust),
    both("inventory, list of 50", merchant, listStock),
    both("  by the house", house, listStock),
    both("order by id", merchant, orderById(ids)),
    both("  by the house", house, orderById(ids)),
    both("orders, list of 50", merchant, listOrders),
    both("  by the house", house, listOrders),
    both("rates (3 cards)", merchant, askRates),
  ];
}

/** Makes the other merchants, and lets the bins hold what several of them have. */
async function addMerchants(data: string): Promise<void> {
  const service = await startService({ data, env });
  const send = sender(service.url, await service.makeKey("live"));
  for (let n = 2; n <= merchant_count; n += 1) await send("/merchants", { code: `M-${n}`, name: `Merchant ${n}` });
  // They come to the test world after the live one.
  const house = sender(service.url, await service.makeKey("test"));
  while ((await house("/merchants?limit=1", null, "GET")).meta.pagination.total < merchant_count) await Bun.sleep(50);
  await service.stop();
  const db = openForSeeding(join(data, "test.db"));
  db.run("update bins set mix_merchants = 1");
  db.close();
}
