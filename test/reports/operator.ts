// Some weeks of random activity of an operator, and its records as their own routes return them.

import { expect } from "bun:test";
import { type Random, seededRandom } from "../../src/core/random.ts";
import { day_ms, hour_ms } from "../../src/core/time.ts";
import { type Answered, start } from "../build/service.ts";
import { openShop, type Shop } from "../build/shop.ts";

export type Records = readonly Answered["body"][];

/** The time zone of the first warehouse, where daylight saving time starts on 8 March 2026. */
export const timezone = "America/New_York";
/** A second warehouse with other working days and hours. */
const other = { timezone: "Pacific/Auckland", working_days: ["mon", "wed", "sat"], cutoff_time: "09:30" };

/** All pages of a list. */
export async function allOf({ app }: Shop, path: string): Promise<Records> {
  const found: unknown[] = [];
  for (let page = 1; ; page++) {
    const { body } = await app.get(`${path}${path.includes("?") ? "&" : "?"}limit=100&page=${page}`);
    found.push(...body.data);
    if (body.data.length < 100) return found as Records;
  }
}

/** Refusals are ignored: the story continues. */
async function may(shop: Shop, method: string, path: string, body: object | undefined): Promise<void> {
  const { status, body: answer } = await shop.app.call(method, path, body);
  expect([path, body, answer.error?.code ?? status]).not.toContain("internal_error");
}

/** Plays some weeks around the clock change at random, the same for the same seed. */
export async function playHouse(seed: number, acts: number): Promise<Shop> {
  const random = seededRandom(seed);
  const shop = await openShop();
  const { app } = shop;
  app.clocks.live.advance(Date.parse("2026-02-25T12:00:00Z") - start);
  const [first] = (await app.get("/inventory/locations")).body.data;
  await app.patch(`/inventory/locations/${first.warehouse_id}`, { holidays: ["2026-03-03"], cutoff_time: "14:10" });
  const location_zones = [{ zone_id: "A", temperature_zone: "ambient", bins: [{ code: "A-1" }] }];
  const made = await app.post("/inventory/locations", {
    name: "Other",
    address: first.address,
    location_zones,
    ...other,
  });
  expect([made.status, made.body.error]).toEqual([201, undefined]);
  const warehouses = [first.warehouse_id, made.body.data.warehouse_id];
  const products = await Promise.all([
    shop.product({ units: 40 }),
    shop.product({ units: 3 }),
    shop.product(),
    shop.product({ units: 500 }),
  ]);
  const orders: string[] = [];
  for (let act = 0; act < acts; act++) {
    app.clocks.live.advance(random.integer(1, 3 * hour_ms));
    await playAct(shop, random, { warehouses, products, orders });
  }
  app.clocks.live.advance(random.integer(1, day_ms));
  return shop;
}

interface Props {
  readonly warehouses: readonly string[];
  readonly products: readonly { readonly id: string; readonly sku: string }[];
  readonly orders: string[];
}

async function playAct(shop: Shop, random: Random, { warehouses, products, orders }: Props): Promise<void> {
  const order = orders.length === 0 ? "ord_1" : random.pick(orders.slice(-12));
  const product = random.pick(products);
  switch (random.weighted([6, 3, 3, 3, 4, 1, 1, 1, 1, 4, 2])) {
    case 0: {
      const lines = products.filter(() => random.chance(0.5)).map((one) => [one, random.integer(1, 7)] as const);
      const fields = random.chance(0.3) ? { warehouse_id: random.pick(warehouses) } : {};
      const draft = shop.draft(lines.length === 0 ? [[product, 1]] : lines, fields);
      const [line] = draft.line_items as { discount_amount?: string }[];
      if (line !== undefined && random.chance(0.4)) line.discount_amount = (random.integer(0, 900) / 100).toFixed(2);
      const made = await shop.app.post("/orders", draft);
      if (made.status === 201) orders.push(made.body.data.id);
      return;
    }
    case 1:
      return may(shop, "POST", `/orders/${order}/process`, {});
    case 2:
      return may(shop, "POST", `/orders/${order}/pick`, {});
    case 3:
      return may(shop, "POST", `/orders/${order}/pack`, { partial: true });
    case 4:
      return may(shop, "POST", `/orders/${order}/ship`, random.chance(0.7) ? { partial: true } : {});
    case 5:
      return may(shop, "POST", `/orders/${order}/hold`, { reason: random.pick(["payment", "fraud"]) });
    case 6:
      return may(shop, "POST", `/orders/${order}/release`, {});
    case 7:
      return may(shop, "DELETE", `/orders/${order}?reason=customer`, undefined);
    case 8: {
      const items = [{ sku: product.sku, quantity: 1 }];
      return may(shop, "POST", `/orders/${order}/cancel_items`, { items, reason: "customer" });
    }
    case 9: {
      const label = {
        order_id: order,
        carrier: "local",
        service: "standard",
        package: { weight: 2, weight_unit: "lb" },
      };
      return may(shop, "POST", "/shipping/labels", label);
    }
    case 10: {
      const stock = { sku: product.sku, quantity: random.integer(1, 30), location: random.pick(warehouses) };
      return may(shop, "POST", "/inventory", stock);
    }
  }
}
