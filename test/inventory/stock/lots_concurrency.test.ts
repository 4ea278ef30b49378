// Lots and counts concurrently with other acts on the same stock; on PostgreSQL in separate transactions.
import { expect, test } from "bun:test";
import { openShop } from "../../build/shop.ts";

const shop = await openShop();

const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status);

test("orders that picked of a lot during its recall are held, and no others", async () => {
  const product = await shop.product();
  await shop.app.stock(product.sku, 30, { lot_number: "R1" });
  const [{ id: lot }] = (await shop.app.get(`/inventory/${product.sku}`)).body.data.lots;
  const orders: { id: string }[] = [];
  for (let made = 0; made < 12; made++) orders.push(await shop.order([[product, 2]]));
  const recall = () => shop.app.post(`/inventory/lots/${lot}/status`, { status: "recalled", reason: "Salmonella." });
  const picks = orders.map(({ id }, at) => async () => {
    await Bun.sleep(at);
    return shop.app.post(`/orders/${id}/pick`);
  });
  const late = async () => {
    await Bun.sleep(6);
    return recall();
  };
  const [recalled, ...picked] = await Promise.all([late(), ...picks.map((pick) => pick())]);
  expect(recalled?.status).toBe(200);
  // A pick that came too late found its reservation gone.
  expect(new Set(statuses(picked)).difference(new Set([200, 409]))).toEqual(new Set());
  await shop.app.runJobs();
  for (const [at, { id }] of orders.entries()) {
    const order = await shop.get(id);
    const has = order.line_items[0].quantity_picked > 0;
    expect([id, has, order.status === "on_hold"]).toEqual([id, picked[at]?.status === 200, has]);
    expect(order.allocation.complete).toBe(has);
  }
  await shop.app.post(`/inventory/lots/${lot}/status`, { status: "available", reason: "A false alarm." });
  await shop.app.runJobs();
  for (const { id } of orders) {
    const order = await shop.get(id);
    expect([order.holds, order.allocation.complete]).toEqual([[], true]);
  }
}, 30_000);

test("a count posts what it saw, or not at all, while units are picked", async () => {
  const product = await shop.product({ units: 50 });
  const count = (await shop.app.post("/inventory/counts", { skus: [product.sku] })).body.data;
  const path = `/inventory/counts/${count.id}`;
  await shop.app.post(`${path}/items`, { items: [{ sku: product.sku, bin: "A-01", quantity: 40 }] });
  await shop.app.post(`${path}/review`);
  const take = () => shop.app.patch(`/inventory/${product.sku}`, { adjustment: -1, reason: "sample" });
  const post = () => shop.app.post(`${path}/post`);
  const answers = await Promise.all([take(), post(), take(), post(), take()]);
  const posted = [answers[1], answers[3]].filter((answer) => answer?.status === 200).length;
  expect(posted).toBeLessThanOrEqual(1);
  expect((await shop.app.get(`/inventory/${product.sku}`)).body.data.on_hand).toBe(50 - 10 * posted - 3);
}, 30_000);

test("one of two concurrent restocks of the same units finds none", async () => {
  const product = await shop.product({ units: 5 });
  const order = await shop.order([[product, 4]]);
  await shop.act(order.id, "pick");
  await shop.cancel(order.id);
  const back = { order_id: order.id, sku: product.sku, quantity: 3, bin: "A-01" };
  const answers = await Promise.all([1, 2].map(() => shop.app.post("/inventory/putbacks", back)));
  expect(statuses(answers).sort()).toEqual([201, 409]);
  expect(await shop.available(product.sku)).toBe(4);
});
