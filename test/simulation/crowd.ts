// Many clients that act at random on the same stock at once, without a model: only the invariants can be checked
// afterwards.

import { iso } from "../../src/core/clock.ts";
import { type Random, seededRandom } from "../../src/core/random.ts";
import { day_ms } from "../../src/core/time.ts";
import { adjustStock } from "../../src/inventory/counts/adjust_stock.ts";
import { addStock } from "../../src/inventory/receiving/receive_units.ts";
import { releaseClientReservation, reserveStock } from "../../src/inventory/reservations/client_reservations.ts";
import { cancelOrder } from "../../src/orders/changes/cancel_order.ts";
import { updateOrder } from "../../src/orders/changes/change_order.ts";
import { holdOrder, releaseOrder } from "../../src/orders/changes/holds.ts";
import { packOrder, pickOrder, processOrder } from "../../src/orders/fulfillment/pick_and_pack.ts";
import { shipOrder } from "../../src/orders/fulfillment/ship_order.ts";
import { createOrder } from "../../src/orders/lifecycle/create_order.ts";
import type { Tx } from "../../src/storage/database.ts";
import { firstId } from "../../src/storage/migrations/migrate.ts";
import { houses, kitNames, skus } from "./business.ts";
import { clerk, type Service } from "./service.ts";

const clients = 6;

/** Runs the clients of one process. Returns how often each outcome occurred. */
export async function crowd(service: Service, seed: number, acts: number): Promise<Record<string, number>> {
  const random = seededRandom(seed);
  const met: Record<string, number> = {};
  let left = acts;
  let orders = 1;
  const client = async () => {
    while (left > 0) {
      left -= 1;
      const [name, work] = chosen(service, random, `${seed}-${left}`, orders);
      const { code } = await service.attempt(work);
      // The other process uses the same ids, so its orders are affected too.
      if (name === "order") orders += 1;
      const outcome = code === null ? name : `${name}: ${code}`;
      met[outcome] = (met[outcome] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return met;
}

type Work = (tx: Tx) => Promise<unknown>;

function chosen(service: Service, random: Random, ref: string, orders: number): [name: string, work: Work] {
  const id = String(firstId.live + random.integer(Math.max(0, orders - 12), orders));
  const partial = random.chance(0.5);
  const onOrder: Record<string, Work> = {
    process: (tx) => processOrder(tx, id, clerk),
    pick: (tx) => pickOrder(tx, id, { partial }, clerk),
    pack: (tx) => packOrder(tx, id, { partial }, clerk),
    ship: (tx) => shipOrder(tx, id, { partial }, clerk),
    cancel: (tx) => cancelOrder(tx, id, {}, clerk),
    hold: (tx) => holdOrder(tx, id, { reserve_inventory: partial }, clerk),
    resume: (tx) => releaseOrder(tx, id, {}, clerk),
    cold: (tx) => updateOrder(tx, id, { requires_cold_storage: partial }, clerk),
  };
  const all = [...onStock(service, random, ref), ...Object.entries(onOrder)];
  return all[random.weighted([6, 3, 4, 2, 8, 1, 2, 1, 4, 2, 1, 1, 1])] as [string, Work];
}

function onStock(service: Service, random: Random, ref: string): [name: string, work: Work][] {
  const sku = random.pick(skus);
  const location = service.house.get(random.pick(houses)) ?? 0;
  const quantity = random.integer(1, 6);
  const few = <Of>(wares: readonly Of[]) =>
    Array.from({ length: random.integer(1, 3) }, () => ({ sku: random.pick(wares), quantity }));
  const items = few(skus);
  const ordered = few([...skus, ...kitNames]);
  const ahead = random.integer(1, 4);
  const lot = (now: number) => (Math.floor(now / day_ms) + ahead) * day_ms;
  const batch = (now: number) =>
    sku === "LOTTED" ? { lot_number: `L${lot(now)}`, expiration_date: iso(lot(now)) } : {};
  const adjustment = random.integer(-4, 3) || 1;
  const said = { adjustment, reason: "correction", allow_shortfall: random.chance(0.5) } as const;
  const booking = firstId.live + random.integer(0, 400);
  return [
    ["add", (tx) => addStock(tx, { sku, quantity: quantity * 2, location, ...batch(tx.now) }, clerk)],
    ["adjust", (tx) => adjustStock(tx, sku, { ...said, location, ...batch(tx.now) }, clerk)],
    ["reserve", (tx) => reserveStock(tx, { order_id: `B-${ref}`, items, expires_at: iso(tx.now + 300) })],
    ["release", (tx) => releaseClientReservation(tx, booking)],
    ["order", (tx) => createOrder(tx, orderOf(ref, ordered), clerk)],
  ];
}

function orderOf(ref: string, items: readonly { sku: string; quantity: number }[]) {
  return {
    order_number: `N-${ref}`,
    customer_id: firstId.live,
    shipping_address_id: firstId.live,
    line_items: items.map((item) => ({ ...item, unit_price: "1.00" })),
  };
}
