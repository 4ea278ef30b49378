// What requests for orders cost with a million orders, compared with a thousand.
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { type StartedService, startService } from "../service.ts";
import { env, type Ids, line, placeOrders, sender, skus, startStocked } from "./business.ts";
import { copyOrders, type Model } from "./order_seed.ts";
import { type Compared, comparePair } from "./pairs.ts";
import { createOrder, createOrders, listOrdersBy, orderById } from "./shots.ts";

const [few_count, many_count] = [1000, 1_000_000];
const asked_for = 3000;

/** Measures orders among a thousand and among a million. Returns how many goals are missed. */
export async function measureOrders(seconds: number): Promise<number> {
  const { service, key } = await startStocked();
  const { ids, models } = await placeModels(service.url, key);
  await service.stop();
  const many_data = `${service.data}-many`;
  await cp(service.data, many_data, { recursive: true });
  const start = async (data: string, count: number) => {
    const begun = performance.now();
    copyOrders(join(data, "test.db"), models, count);
    const took_s = (performance.now() - begun) / 1000;
    return { took_s, ...(await sideOf(await startService({ data, env }), key, ids, count)) };
  };
  const few = await start(service.data, few_count);
  const many = await start(many_data, many_count);
  console.log(`\ncost with ${many_count} orders against ${few_count}`);
  console.log(`the million orders were copied in ${many.took_s.toFixed(0)} s`);
  const compared = kinds.map(({ name, shot, worst_ratio }): Compared => {
    return { name, few: shot(few), many: shot(many), worst_ratio };
  });
  const missed = await comparePair({ few: few.service, many: many.service, key }, compared, seconds);
  await few.service.remove();
  await many.service.remove();
  return missed;
}

/** A service, and the records that its requests refer to. */
interface Side {
  readonly service: StartedService;
  readonly ids: Ids;
  /** The cursor of the second page of pending orders. */
  readonly cursor: string;
}

const kinds: readonly { name: string; shot: (side: Side) => Compared["few"]; worst_ratio: number }[] = [
  { name: "order create (3 lines)", shot: ({ ids }) => createOrder(ids), worst_ratio: 1.25 },
  { name: "bulk create (50 of 3 lines)", shot: ({ ids }) => createOrders(ids), worst_ratio: 1.25 },
  { name: "order by id", shot: ({ ids }) => orderById(ids), worst_ratio: 1.15 },
  {
    name: "50 pending orders, by cursor",
    shot: ({ cursor }) => listOrdersBy(`status=pending&cursor=${cursor}`),
    worst_ratio: 1.25,
  },
  { name: "50 pending orders, with total", shot: () => listOrdersBy("status=pending"), worst_ratio: 1.5 },
  { name: "50 orders, with total", shot: () => listOrdersBy(""), worst_ratio: 1.5 },
  // Both return the same number: a page of 50 would be full among a million orders and hold a handful among a thousand.
  { name: "search for an order number", shot: () => listOrdersBy("q=S-0-7&limit=5"), worst_ratio: 3 },
  { name: "search for a SKU", shot: () => listOrdersBy("q=BENCH-77&limit=5"), worst_ratio: 3 },
];

/** The orders to copy: with three lines, one backordered and one on hold; with one line, one cancelled. */
async function placeModels(url: string, key: string): Promise<{ ids: Ids; models: readonly Model[] }> {
  const ids = await placeOrders(url, key, 2);
  const send = sender(url, key);
  const [waiting = "", held = ""] = ids.orders;
  await send(`/orders/${held}/hold`, { reason: "payment" });
  const { orders: _orders, ...to } = ids;
  const placed = await send("/orders", { order_number: "S-GONE", ...to, line_items: [line(skus[0] ?? "")] });
  const cancelled: string = placed.data.id;
  await send(`/orders/${cancelled}`, null, "DELETE");
  const number = (id: string) => Number(id.replace("ord_", ""));
  const models = [
    { id: number(waiting), share: 0.2 },
    { id: number(held), share: 0.1 },
    { id: number(cancelled), share: 0.7 },
  ];
  return { ids, models };
}

async function sideOf(service: StartedService, key: string, { orders, ...to }: Ids, count: number): Promise<Side> {
  const first = Math.max(...orders.map((id) => Number(id.replace("ord_", "")))) + 2;
  const step = Math.max(1, count / asked_for);
  const some = Array.from({ length: Math.min(count, asked_for) }, (_, n) => `ord_${first + Math.floor(n * step)}`);
  const page = await sender(service.url, key)("/orders?limit=50&status=pending", null, "GET");
  return { service, ids: { ...to, orders: some }, cursor: page.meta.pagination.next_cursor };
}
