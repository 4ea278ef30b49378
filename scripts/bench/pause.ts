// How long other requests wait while very many reservations expire at once.
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { placeOrders, skus, startStocked } from "./business.ts";

const reservation_count = 10_000;
const at_once = 50;
const longest_ms = 100;

/**
 * Lets ten thousand reservations expire at the same time, and measures meanwhile how long consecutive writes and reads
 * wait. Returns how many goals are missed.
 */
export async function measurePause(): Promise<number> {
  const { service, key } = await startStocked();
  const { url, data } = service;
  const { orders } = await placeOrders(url, key, 1);
  const [order] = orders;
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const reserve = async (n: number, expires_at: string) => {
    const items = [{ sku: skus[n % skus.length], quantity: 1 }];
    const body = JSON.stringify({ order_id: `P-${n}`, items, expires_at });
    const answer = await fetch(`${url}/v1/inventory/reserve`, { method: "POST", headers, body });
    if (!answer.ok) throw new Error(`a reservation returned ${answer.status}: ${await answer.text()}`);
    await answer.arrayBuffer();
  };
  const read = async () => {
    await (await fetch(`${url}/v1/orders/${order}`, { headers })).arrayBuffer();
  };
  const end = Date.now() + 30_000;
  const later = new Date(end + 3_600_000).toISOString();
  for (let n = 0; n < reservation_count; n += at_once) {
    const some = Array.from({ length: at_once }, (_, more) => n + more);
    await Promise.all(some.map((one) => reserve(one, new Date(end).toISOString())));
  }
  if (Date.now() > end - 3000) throw new Error("the reservations were not created in time");

  const db = new Database(join(data, "test.db"), { readonly: true });
  const open = db.prepare("select count(*) as n from reservations where status = 'reserved' and expires_at = ?");
  const isOver = () => (open.get(end) as { n: number }).n === 0;
  let n = reservation_count;
  const write = () => reserve(n++, later);
  const until = (moment: number) => () => Date.now() >= moment;
  await Bun.sleep(end - 2500 - Date.now());
  const before = await longestOf(write, read, until(end - 500));
  await Bun.sleep(end - 20 - Date.now());
  const begun = performance.now();
  const during = await longestOf(write, read, isOver);
  const took_ms = performance.now() - begun;
  db.close();

  console.log(`\nthe longest wait while ${reservation_count} reservations expire (goal: at most ${longest_ms} ms)`);
  console.log(`${"".padEnd(34)}${["before ms", "during ms"].map((it) => it.padStart(12)).join("")}`);
  let missed = 0;
  for (const [name, at] of [
    ["reserve", 0],
    ["order by id", 1],
  ] as const) {
    const late = during[at] > longest_ms;
    if (late) missed += 1;
    const cells = [before[at], during[at]].map((it) => it.toFixed(1).padStart(12)).join("");
    console.log(`${name.padEnd(34)}${cells}${late ? "  missed" : ""}`);
  }
  console.log(`all of them expired within ${(took_ms / 1000).toFixed(1)} s`);
  await service.remove();
  return missed;
}

type Act = () => Promise<void>;

/** The longest wait of a write and of a read, each repeated until `isOver`. */
async function longestOf(write: Act, read: Act, isOver: () => boolean): Promise<[number, number]> {
  let over = false;
  const repeat = async (act: Act, mayEnd: boolean) => {
    let longest = 0;
    while (!over) {
      const begun = performance.now();
      await act();
      longest = Math.max(longest, performance.now() - begun);
      if (mayEnd) over = isOver();
    }
    return longest;
  };
  return Promise.all([repeat(write, true), repeat(read, false)]);
}
