// The audit of orders after the tables were changed directly.
import { beforeAll, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { movements } from "../../db/schema/inventory.ts";
import { merchants } from "../../db/schema/merchants.ts";
import { order_counts, order_holds, order_lines, orders } from "../../db/schema/orders.ts";
import { reservation_lines } from "../../db/schema/reservations.ts";
import { shipment_lines, shipments } from "../../db/schema/shipments.ts";
import { verifyOrders } from "../../src/orders/orders_audit.sql.ts";
import type { Tx } from "../../src/storage/database.ts";
import { insert } from "../../src/storage/statements.ts";
import { openShop } from "../build/shop.ts";

const claimed = "an order's allocation wants its open units";
const packed = "no more units are packed than were picked";
const sold = "an order's shipped units are the ledger's, of each product";

const gone = "an order line's shipped units are those of its parcels";
const arrived = "an order line's delivered units are those of its parcels";
const boxed = "no more units are in unshipped parcels than are open";
const over = "an order that has shipped or is cancelled has no open units";
const ready = "every open unit of a fulfilled order is packed";
const charged = "I17 an order's packed units are billed, if none were cancelled";
const held = "an order is held while it has an open hold";
const worth = "an order's subtotal is the cost of its units that are not cancelled, in cents";
const last = "the last row of an order's history has its status";

const filed = "an order line has its order's creation time";

/** Creates a second merchant. */
async function otherMerchant(tx: Tx): Promise<void> {
  const since = { created_at: 1, updated_at: 1 };
  const currency = { currency: "USD", timezone: "UTC" };
  await insert(tx, merchants, [{ id: 2, code: "OTHER", name: "Other", status: "active", ...currency, ...since }]);
}

const tally = "are as many as their stored counter shows";

const shop = await openShop();
beforeAll(async () => {
  const goods = await shop.product({ units: 20 });
  // Line 1001 is half picked, 1002 has shipped, 1003 waits for stock, 1004 is cancelled.
  const begun = await shop.order([[goods, 4]]);
  await shop.act(begun.id, "pick", { items: [{ sku: goods.sku, quantity: 2 }] });
  await shop.act((await shop.order([[goods, 3]])).id, "ship");
  await shop.order([[goods, 50]]);
  await shop.cancel((await shop.order([[goods, 2]])).id);
  // 1005 is packed in two parcels, of which one has shipped.
  const others = await shop.product({ units: 2 });
  const packedOrder = await shop.order([[others, 2]]);
  const items = [{ sku: others.sku, quantity: 1 }];
  const { shipments } = await shop.act(packedOrder.id, "pack", { packages: [{ items }, { items }] });
  await shop.act(packedOrder.id, "ship", { shipment_id: shipments[0].id });
});

/** The audit's differences after a change that is rolled back. */
async function found(change: (tx: Tx) => PromiseLike<unknown>) {
  const undone = new Error("undone");
  let differences: unknown = null;
  const spoil = async (tx: Tx) => {
    await change(tx);
    differences = (await verifyOrders(tx)).map(({ rule, subject, expected, actual }) => [
      rule,
      `${subject}: ${expected} ${actual}`,
    ]);
    throw undone;
  };
  expect(await shop.app.service.stores.live.write(spoil).catch((error) => error)).toBe(undone);
  return differences;
}

const line = (id: number) => sql`${order_lines.id} = ${id}`;

test.each<[string, (tx: Tx) => PromiseLike<unknown>, [rule: string, what: string][]]>([
  ["nothing", async () => {}, []],
  [
    "a claim that forgot a unit",
    (tx) =>
      tx.sql
        .update(reservation_lines)
        .set({ wanted: sql`${reservation_lines.wanted} - 1` })
        .where(sql`${reservation_lines.order_line_id} = 1003`),
    [[claimed, "order line 1003: 50 49"]],
  ],
  [
    "a unit that is cancelled and still claimed",
    (tx) => tx.sql.update(order_lines).set({ quantity_cancelled: 1 }).where(line(1001)),
    [
      [claimed, "order line 1001: 3 4"],
      [worth, "order 1001: 3750 5000"],
    ],
  ],
  [
    "a cancelled order whose units are open",
    (tx) => tx.sql.update(order_lines).set({ quantity_cancelled: 0 }).where(line(1004)),
    [
      [claimed, "order line 1004: 2 0"],
      [over, "order 1004: 0 2"],
      [worth, "order 1004: 2500 0"],
    ],
  ],
  [
    "a line without a claim",
    (tx) => tx.sql.update(reservation_lines).set({ order_line_id: null }).where(sql`order_line_id = 1001`),
    [[claimed, "order line 1001: 4 0"]],
  ],
  [
    "units packed that nobody picked",
    (tx) => tx.sql.update(order_lines).set({ quantity_packed: 3 }).where(line(1001)),
    [
      [packed, "order line 1001: 2 3"],
      [charged, "order 1001: 3 0"],
    ],
  ],
  [
    "units that have left the house and not the order",
    (tx) => tx.sql.update(order_lines).set({ quantity_shipped: 1 }).where(line(1002)),
    [
      [claimed, "order line 1002: 2 0"],
      [packed, "order line 1002: 1 3"],
      [sold, "order 1002: 3 1"],
      [gone, "order line 1002: 3 1"],
      [over, "order 1002: 0 2"],
    ],
  ],
  [
    "a sale of another order",
    (tx) =>
      tx.sql
        .update(movements)
        .set({ reference_id: "ord_1001" })
        .where(sql`reference_id = 'ord_1002' and type = 'sale'`),
    [
      [sold, "order 1001: 3 0"],
      [sold, "order 1002: 0 3"],
    ],
  ],
  [
    "a parcel that never left",
    (tx) => tx.sql.update(shipments).set({ shipped_at: null }).where(sql`id = 1001`),
    [[gone, "order line 1002: 0 3"]],
  ],
  [
    "a parcel that arrived unnoticed",
    (tx) => tx.sql.update(shipments).set({ delivered_at: 1 }).where(sql`id = 1001`),
    [[arrived, "order line 1002: 3 0"]],
  ],
  [
    "a parcel that holds too much",
    (tx) => tx.sql.update(shipment_lines).set({ quantity: 3 }).where(sql`shipment_id = 1003`),
    [[boxed, "order line 1005: 1 3"]],
  ],
  [
    "a fulfilled order that is not packed",
    (tx) => tx.sql.update(order_lines).set({ quantity_packed: 1 }).where(line(1005)),
    [
      [ready, "order 1005: 0 1"],
      [charged, "order 1005: 1 2"],
    ],
  ],
  [
    "a hold that holds nothing, and what is held without one",
    async (tx) => {
      const hold = { order_id: 1001, reason: "fraud", note: null, hold_until: null, reserve_inventory: true } as const;
      await tx.sql.insert(order_holds).values({ ...hold, created_at: 1, released_at: null });
      await tx.sql.update(orders).set({ held: true }).where(sql`id = 1003`);
    },
    [
      [held, "order 1001: 1 0"],
      [held, "order 1003: 0 1"],
      [last, "order 1003: 1 0"],
    ],
  ],
  [
    "a price nobody pays",
    (tx) => tx.sql.update(orders).set({ subtotal_cents: 7 }).where(sql`id = 1003`),
    [[worth, "order 1003: 62500 7"]],
  ],
  [
    "a discount that its order knows nothing of",
    (tx) => tx.sql.update(order_lines).set({ discount_cents: 1 }).where(line(1001)),
    [[worth, "order 1001: 4999 5000"]],
  ],
  [
    "a state that no act explains",
    (tx) => tx.sql.update(orders).set({ status: "delivered" }).where(sql`id = 1002`),
    [[last, "order 1002: 1 0"]],
  ],
  [
    "a line that is filed under another time",
    (tx) => tx.sql.update(order_lines).set({ ordered_at: 5 }).where(line(1001)),
    [[filed, expect.stringMatching(/^order line 1001: \d{13} 5$/)]],
  ],
  [
    "counts of states that forgot an order",
    (tx) =>
      tx.sql.insert(order_counts).values([
        { merchant_id: 1, status: "pending", held: false, part: 9, number: -1 },
        { merchant_id: 1, status: "shipped", held: true, part: 9, number: 1 },
      ]),
    [
      [`the orders in state pending ${tally}`, "merchant 1: 1 0"],
      [`the orders in state shipped that are held ${tally}`, "merchant 1: 0 1"],
    ],
  ],
  [
    "counts of states that give an order to another merchant",
    async (tx) => {
      await otherMerchant(tx);
      await tx.sql.insert(order_counts).values([
        { merchant_id: 1, status: "pending", held: false, part: 9, number: -1 },
        { merchant_id: 2, status: "pending", held: false, part: 9, number: 1 },
      ]);
    },
    [
      [`the orders in state pending ${tally}`, "merchant 1: 1 0"],
      [`the orders in state pending ${tally}`, "merchant 2: 0 1"],
    ],
  ],
  [
    "a parcel of another merchant",
    async (tx) => {
      await otherMerchant(tx);
      await tx.sql.update(shipments).set({ merchant_id: 2 }).where(sql`id = 1001`);
    },
    [["a parcel has its order's merchant", "parcel 1001: 1 2"]],
  ],
])("finds %s", async (_, change, expected) => {
  expect(await found(change)).toEqual(expected);
});
