// Acts that began before billing and ended afterwards: `verify` accepts their events.

import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { billing_start } from "../../db/schema/billing.ts";
import { labels } from "../../db/schema/shipments.ts";
import { verifyBilling } from "../../src/billing/billing_audit.sql.ts";
import { hour_ms } from "../../src/core/time.ts";

import { openShop } from "../build/shop.ts";
import { openWest } from "../build/west.ts";

const main = "whs_1001";

// Events of acts before billing count as differences here. Nobody has such events, and tests cannot remove them.
const shop = await openShop({ verified: false });
const store = shop.app.service.stores.live;

/** The difference between billed and performed units, by rule and record. */
async function excess(): Promise<Record<string, number>> {
  const found = await store.read(verifyBilling);
  return Object.fromEntries(
    found.map(({ rule, subject, expected, actual }) => [`${rule}: ${subject}`, (actual ?? 0) - (expected ?? 0)]),
  );
}

test("a transfer, a return and a label that were in progress when billing began", async () => {
  const tea = await shop.product({ sku: "TEA", units: 30 });
  const line = (quantity: number) => ({ sku: "TEA", quantity });
  const west = await openWest(shop.app);
  const transfer = async () => {
    const { id } = await shop.app.create("/inventory/transfers", {
      from_location: main,
      to_location: west,
      items: [line(4)],
    });
    await shop.app.create(`/inventory/transfers/${id}/ship`);
    return `/inventory/transfers/${id}`;
  };
  const transfers = [await transfer(), await transfer(), await transfer()];
  await shop.app.create(`${transfers[1]}/receive`, { items: [line(1)] });
  const { id: order_id } = await shop.order([[tea, 6]], { warehouse_id: main });
  await shop.app.create(`/orders/${order_id}/ship`);
  const wanted = { order_id, reason: "customer_remorse", items: [line(3)] };
  const returned = (await shop.app.create("/returns", wanted)).id;
  await shop.app.create(`/returns/${returned}/receive`, { items: [line(1)] });

  shop.app.clocks.live.advance(hour_ms);
  const began_at = store.clock.now();
  await store.write((tx) => tx.sql.update(billing_start).set({ began_at }));
  shop.app.clocks.live.advance(hour_ms);
  const before = await excess();

  await shop.app.create(`${transfers[0]}/receive`);
  await shop.app.create(`${transfers[1]}/receive`);
  await shop.app.create(`${transfers[2]}/receive`, { items: [line(1)] });
  await shop.app.create(`${transfers[2]}/close`, { reason: "lost" });
  await shop.app.create(`/returns/${returned}/receive`);
  await shop.app.create(`/returns/${returned}/inspect`, { items: [{ ...line(3), condition: "unopened" }] });
  const other = await shop.order([[tea, 1]], { warehouse_id: main });
  const parcel = { carrier: "local", service: "standard", package: { weight: 2, weight_unit: "lbs" } };
  const { label_id } = await shop.app.create("/shipping/labels", { order_id: other.id, ...parcel });
  // Like one that a carrier was asked for before.
  const asked = { created_at: began_at - 1 };
  await store.write((tx) =>
    tx.sql
      .update(labels)
      .set(asked)
      .where(eq(labels.id, Number(label_id.slice(4)))),
  );
  await shop.app.create(`/shipping/labels/${label_id}/void`);
  expect(await excess()).toEqual(before);
});
