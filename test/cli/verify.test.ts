// `verify` after the tables were changed directly: events, refunds, stored responses and
// numbers. Stock and the counters of orders have their own tests.
import { beforeAll, expect, test } from "bun:test";
import { eq, inArray, sql } from "drizzle-orm";
import { carrier_accounts } from "../../db/schema/carrier_accounts.ts";
import { movements } from "../../db/schema/inventory.ts";
import { order_history, order_lines, orders } from "../../db/schema/orders.ts";
import { events } from "../../db/schema/outbox.ts";
import { platform_reports } from "../../db/schema/platform_reports.ts";
import { platform_connections, platform_imports } from "../../db/schema/platforms.ts";
import { rate_card_versions } from "../../db/schema/rates.ts";
import { refunds, return_items, returns } from "../../db/schema/returns.ts";
import { idempotency_keys } from "../../db/schema/service.ts";
import { labels, shipments } from "../../db/schema/shipments.ts";
import { shipping_rules } from "../../db/schema/shipping_rules.ts";
import { deliveries, notices } from "../../db/schema/webhooks.ts";
import { verifyStore } from "../../src/cli/verify.ts";
import type { RuleContent } from "../../src/orders/shipping_rules/shipping_rule.ts";
import type { Tx } from "../../src/storage/database.ts";
import { openShop } from "../build/shop.ts";

const places = "I10 the positions of events have no gaps except those that restores left, and each belongs to an event";
const last_place = "I10 the last position of an event is the last one assigned or skipped";
const told = (type: string) => `I11 there is one event ${type} for each time that it happened`;
const rows = "I10 the rows of an order's history have no gap";
const last_row = "I10 the last row of an order's history has the highest number";
const chain = "I10 each row of an order's history begins where the one before it ended";
const whole = "I14 a stored response is complete";
const made = "I14 the record that a stored response created exists";
const numbers = "I15 the numbers of a subscription's deliveries have no gaps except those that restores left";
const last_number = "I15 the last number of a subscription's deliveries is the last one assigned or skipped";
const parts = "I16 a refund equals the sum of its parts, in cents";
const worth = "I16 refunds for an order's units do not exceed the cost of the accepted units, in cents";
const postage = "I16 refunds of an order's shipping do not exceed its cost, in cents";
const claimed = "an order line has no more returned units than shipped units";
const entered = "units received with a return are in the ledger until they are disposed of or sent back";
const waiting = "units of a return are in a returns bin from their receipt to their inspection";
const counted = "an order line's returned units equal the units that inspections accepted";

let count: number;
const shop = await openShop();
beforeAll(async () => {
  const { app } = shop;
  const goods = await shop.product({ units: 40 });
  await app.post("/webhooks", {
    url: "https://example.com/hook",
    events: ["order.created", "order.shipped"],
    active: false,
  });
  // ord_1001 has shipped and two of its three units came back; ord_1002 is pending; 22 more were created with a key.
  const order = await shop.order([[goods, 3]], { shipping_amount: "4.00" });
  await shop.act(order.id, "process");
  await shop.act(order.id, "ship");
  await shop.order([[goods, 1]]);
  for (let n = 0; n < 22; n += 1) {
    const headers = { "idempotency-key": `key-${n}` };
    expect((await app.call("POST", "/orders", shop.draft([[goods, 1]]), { headers })).status).toBe(201);
  }
  const refused = { headers: { "idempotency-key": "refused" } };
  const short = { ...shop.draft([[goods, 500]]), allow_backorder: false };
  expect((await app.call("POST", "/orders", short, refused)).status).toBe(409);
  const { id } = (await app.post("/returns", { order_id: order.id, reason: "expired", items: [item(goods.sku, 2)] }))
    .body.data;
  await app.post(`/returns/${id}/receive`);
  const items = [{ ...item(goods.sku, 2), condition: "opened" }];
  expect((await app.post(`/returns/${id}/inspect`, { items })).status).toBe(200);
  expect((await app.post(`/returns/${id}/refund`, { refund_shipping: true })).status).toBe(201);
  const parcel = {
    order_id: "ord_1002",
    carrier: "local",
    service: "standard",
    package: { weight: 1, weight_unit: "lb" },
  };
  const bought = await app.post("/shipping/labels", parcel);
  expect([bought.status, bought.body.error]).toEqual([201, undefined]);
  await app.runJobs();
  count = await app.service.stores.live.read((db) => db.sql.$count(events));
});

const item = (sku: string, quantity: number) => ({ sku, quantity });

/** The differences after a change that is rolled back. */
async function found(change: (tx: Tx) => PromiseLike<unknown>) {
  const undone = new Error("undone");
  let differences: (readonly [string, string])[] = [];
  const spoil = async (tx: Tx) => {
    await change(tx);
    differences = (await verifyStore(tx)).map(({ rule, subject, expected, actual }) => [
      rule,
      `${subject}: ${expected} ${actual}`,
    ]);
    throw undone;
  };
  expect(await shop.app.service.stores.live.write(spoil).catch((error) => error)).toBe(undone);
  return differences;
}

const ofOrder = (number: number) => sql`${order_history.order_id} = 1001 and ${order_history.number} = ${number}`;

test("nothing", async () => expect(await found(async () => {})).toEqual([]));

test("deleted events, and the last one", async () => {
  expect(count).toBeGreaterThan(50);
  const gone = await found((tx) => tx.sql.delete(events).where(sql`${events.position} between 11 and 50`));
  expect(gone).toContainEqual([places, `events: ${count} ${count - 40}`]);
  expect(await found((tx) => tx.sql.delete(events).where(eq(events.position, count)))).toEqual(
    expect.arrayContaining([
      [places, `events: ${count} ${count - 1}`],
      [last_place, `events: ${count} ${count - 1}`],
    ]),
  );
});

test("an event that was deleted before it had a position", async () => {
  const [before, after] = [24, 23];
  const unplaced = (tx: Tx) =>
    tx.sql.delete(events).where(sql`${events.seq} = (select max(seq) from events where type = 'order.created')`);
  expect(await found(unplaced)).toContainEqual([told("order.created"), `events: ${before} ${after}`]);
});

test.each<[string, (tx: Tx) => PromiseLike<unknown>, (readonly [rule: string, what: string])[]]>([
  [
    "an event of a thing that never happened",
    (tx) => tx.sql.update(orders).set({ shipped_at: null }).where(eq(orders.id, 1001)),
    [[told("order.shipped"), "events: 0 1"]],
  ],
  [
    "a row of history that is gone from the middle",
    (tx) => tx.sql.delete(order_history).where(ofOrder(3)),
    [[rows, "order 1001: 9 8"]],
  ],
  [
    "the last row of a history",
    (tx) => tx.sql.delete(order_history).where(ofOrder(9)),
    [
      [rows, "order 1001: 9 8"],
      [last_row, "order 1001: 9 8"],
    ],
  ],
  [
    "a row of history that leads elsewhere",
    (tx) => tx.sql.update(order_history).set({ to_status: "cancelled" }).where(ofOrder(2)),
    [[chain, "order 1001: 0 1"]],
  ],
  [
    "a refund ten times as large",
    (tx) => tx.sql.update(refunds).set({ amount_cents: 29_000 }),
    [[parts, "refund 1001: 2900 29000"]],
  ],
  [
    "a refund ten times as large with all its parts",
    (tx) =>
      tx.sql.update(refunds).set({
        amount_cents: 29_000,
        breakdown: { items_cents: 25_000, shipping_cents: 4000, restocking_fee_cents: 0 },
      }),
    [
      [worth, "order 1001: 2500 25000"],
      [postage, "order 1001: 400 4000"],
    ],
  ],
  [
    "a return of what was never shipped",
    async (tx) => {
      await tx.sql.update(return_items).set({ order_line_id: 1002 });
      await tx.sql.update(returns).set({ order_id: 1002 });
    },
    [
      [claimed, "order line 1002: 0 2"],
      [counted, "order line 1001: 0 2"],
      [counted, "order line 1002: 2 0"],
    ],
  ],
  [
    "a returned unit that the ledger does not have",
    (tx) => tx.sql.update(movements).set({ quantity: 1 }).where(eq(movements.reason, "return_received")),
    [[entered, "return 1001: 2 1"]],
  ],
  [
    "units that left the returns bin before their inspection",
    (tx) => tx.sql.update(returns).set({ status: "received" }),
    [[waiting, "return 1001: 2 0"]],
  ],
  [
    "units that count as returned and never came",
    (tx) => tx.sql.update(order_lines).set({ quantity_returned: 3 }).where(eq(order_lines.id, 1001)),
    [[counted, "order line 1001: 2 3"]],
  ],
  [
    "answers that were blanked",
    (tx) =>
      tx.sql
        .update(idempotency_keys)
        .set({ body: "" })
        .where(inArray(idempotency_keys.key, ["key-1", "refused"])),
    [
      [whole, "stored response key-1: 1 0"],
      [whole, "stored response refused: 1 0"],
    ],
  ],
  [
    "an answer that says of an order what is not there",
    (tx) =>
      tx.sql
        .update(idempotency_keys)
        .set({ body: sql`replace(${idempotency_keys.body}, 'ord_1003', 'ord_9999')` })
        .where(eq(idempotency_keys.key, "key-0")),
    [[made, "stored response key-0: 1 0"]],
  ],
  [
    "a delivery that is gone",
    (tx) => tx.sql.delete(deliveries).where(eq(deliveries.sequence, 3)),
    [[numbers, "subscription 1001: 25 24"]],
  ],
  [
    "the last delivery",
    (tx) => tx.sql.delete(deliveries).where(eq(deliveries.sequence, 25)),
    [
      [numbers, "subscription 1001: 25 24"],
      [last_number, "subscription 1001: 25 24"],
    ],
  ],
  [
    "a label that nobody was told of",
    (tx) => tx.sql.update(labels).set({ status: "error", error_code: "carrier_refused" }),
    [[told("shipment.created"), "events: 0 1"]],
  ],
  [
    "what a rate card said before",
    (tx) => tx.sql.delete(rate_card_versions).where(eq(rate_card_versions.card_id, 1002)),
    [["C1 every revision of a rate card is stored", "rate card 1002: 1 0"]],
  ],
  [
    "what a shipping rule said before",
    (tx) =>
      tx.sql.insert(shipping_rules).values({
        ...{ id: 7, position: 1, name: "Rush", active: false, revision: 2, created_at: tx.now, updated_at: tx.now },
        ...({ conditions: {}, actions: {} } as never as Pick<RuleContent, "conditions" | "actions">),
      }),
    [["every revision of a shipping rule is stored", "shipping rule 7: 2 0"]],
  ],
  [
    "a label without its document",
    (tx) => tx.sql.update(labels).set({ drawing: null }),
    [["L1 a bought label has a tracking number and a document", "label 1001: 1 0"]],
  ],
  [
    "a label of another order's parcel",
    (tx) => tx.sql.update(labels).set({ order_id: 1001 }),
    [["L3 a label belongs to a parcel or a return of its order", "label 1001: 1001 1002"]],
  ],
  [
    "a purchase that nobody has ended for days",
    async (tx) => {
      const claimed = { account_id: 1001, status: "processing", claimed_until: tx.now } as const;
      await tx.sql.insert(carrier_accounts).values({
        id: 1001,
        key: "k",
        connector: "easypost",
        name: "EasyPost",
        status: "active",
        carriers: [],
        revision: 1,
        created_at: tx.now,
        updated_at: tx.now,
      });
      await tx.sql.update(labels).set({ ...claimed, created_at: tx.now - 26 * 3_600_000 });
    },
    [["L5 no purchase stays unfinished for more than a day", "label 1001: 0 1"]],
  ],
  [
    "a parcel with another number than its label",
    (tx) => tx.sql.update(labels).set({ tracking_number: "WH1" }),
    [["L4 a labeled parcel has its label's tracking number", "label 1001: 1 0"]],
  ],
])("%s", async (_, change, differences) => {
  const said = await found(change);
  for (const difference of differences) expect(said).toContainEqual(difference);
});

test("rows of the other environment", async () => {
  const { live } = shop.app.service.stores;
  const [row] = await live.read((db) => db.sql.select().from(orders).where(eq(orders.id, 1002)));
  if (row === undefined) throw new Error("the order is there");
  const strange = { ...row, id: 1_000_000_001, order_number: "STRANGE" };
  const said = await found((tx) => tx.sql.insert(orders).values(strange));
  expect(said).toContainEqual(["I12 no row belongs to the other environment", "orders: 0 1"]);
});

test("work that waits without a due time", async () => {
  const said = await found(async (tx) => {
    const at = tx.now;
    const mail = { mail_status: "waiting", mail_attempts: 0, mail_next_at: null } as const;
    await tx.sql.insert(notices).values({ id: 1001, kind: "webhook_failing", message: "", ...mail, created_at: at });
    const whole = { created_at: at, updated_at: at };
    const store = { key: "k", platform: "shopify", name: "S", store_id: "s", api_url: "https://s.test" } as const;
    await tx.sql
      .insert(platform_connections)
      .values({ id: 1001, ...store, merchant_id: 1, order_prefix: "S", status: "active", revision: 1, ...whole });
    const [parcel] = await tx.sql.select().from(shipments);
    const queued = { id: 1001, connection_id: 1001, status: "queued", next_at: null, attempts: 0 } as const;
    const waiting = { ...queued, order_id: 1001, lines: [], give_up_at: at, ...whole };
    await tx.sql.insert(platform_imports).values({ ...waiting, merchant_id: 1, external_id: "1", revision: 1 });
    await tx.sql.insert(platform_reports).values({ ...waiting, shipment_id: parcel?.id ?? 0 });
  });
  const rule = "work that waits has a due time";
  expect(said.filter(([name]) => name === rule)).toEqual(
    ["notice", "import", "shipment update"].map((noun) => [rule, `${noun} 1001: 1 0`]),
  );
});
