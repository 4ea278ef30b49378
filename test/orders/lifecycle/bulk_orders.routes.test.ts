import { describe, expect, test } from "bun:test";
import { seededRandom } from "../../../src/core/random.ts";
import type { Answered } from "../../build/service.ts";
import { openShop } from "../../build/shop.ts";

const shop = await openShop();

type Result = Answered["body"];
const bulk = async (orders: readonly unknown[]): Promise<Answered["body"]> => {
  const { status, body } = await shop.app.post("/orders/bulk", { orders });
  return { status, results: [], ...body.data, error: body.error };
};
const codes = (results: readonly Result[]) => results.map(({ status, error }) => error?.code ?? status);

describe("works", () => {
  test("each order is created or refused individually, in the order of the request", async () => {
    const cup = await shop.product({ units: 10 });
    const ended = await shop.product();
    await shop.app.patch(`/products/${ended.id}`, { status: "inactive" });
    const first = shop.draft([[cup, 2]]);
    await shop.app.takeEvents();
    const { status, created, failed, results } = await bulk([
      first,
      { ...shop.draft([[cup, 1]]), line_items: [], colour: "red" },
      shop.draft([[cup, 3]], { customer_id: "cus_77" }),
      shop.draft([[ended, 1]]),
      { ...shop.draft([[cup, 1]]), order_number: first.order_number },
      "nonsense",
      shop.draft([[cup, 4]]),
    ]);
    expect({ status, created, failed }).toEqual({ status: 200, created: 2, failed: 5 });
    expect(results.map(({ index }: Result) => index)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(results.map(({ status }: Result) => status)).toEqual([201, 422, 404, 422, 409, 422, 201]);
    const fields = results.map(({ error }: Result) => error?.details.map(({ field }: Result) => field));
    expect(fields[1]?.sort()).toEqual(["colour", "line_items"]);
    expect([fields[2], fields[3]]).toEqual([["customer_id"], ["line_items[0].product_id"]]);
    expect(results[4]?.error).toMatchObject({ code: "duplicate_order_number", existing_id: results[0].data.id });
    const { id } = results[6].data;
    expect(results[6].data).toEqual(await shop.get(id));
    expect(await shop.available(cup.sku)).toBe(4);
    expect(await shop.told()).toEqual(["order.created", "order.created"]);
    expect(await shop.history(id)).toEqual(["create: - > pending"]);
  });

  test("stock is emitted once per SKU, with its final state", async () => {
    const cup = await shop.product({ units: 10 });
    await shop.app.takeEvents();
    await bulk([1, 2, 3].map((units) => shop.draft([[cup, units]])));
    const events = await shop.app.takeEvents();
    expect(events.map(({ type }) => type)).toEqual([
      "order.created",
      "order.created",
      "order.created",
      "inventory.updated",
    ]);
    expect(events[3]?.data).toMatchObject({ sku: cup.sku, available: 4, reserved: 6 });
  });

  test("orders without backorders take their turn among the others", async () => {
    const cup = await shop.product({ units: 5 });
    const strict = { allow_backorder: false };
    const { results } = await bulk([
      shop.draft([[cup, 2]]),
      shop.draft([[cup, 3]], strict),
      shop.draft([[cup, 1]], strict),
      shop.draft([[cup, 1]]),
    ]);
    expect(codes(results)).toEqual([201, 201, "insufficient_inventory", 201]);
    expect(results[3].data.allocation).toEqual({ complete: false, backordered_units: 1 });
    expect(await shop.available(cup.sku)).toBe(0);
  });

  test("earlier reservations are adopted, by number and by id", async () => {
    const cup = await shop.product({ units: 6 });
    const drafts = [1, 2, 3].map((units) => shop.draft([[cup, units]]));
    const reserve = (order_id: string, quantity: number) =>
      shop.app.post("/inventory/reserve", { order_id, items: [{ sku: cup.sku, quantity }] });
    await reserve(drafts[1]?.order_number ?? "", 2);
    const { reservation_id } = (await reserve("someone", 3)).body.data;
    await reserve("another", 1);
    const { results } = await bulk([drafts[0], drafts[1], { ...drafts[2], reservation_id }]);
    expect(codes(results)).toEqual([201, 201, 201]);
    expect(results.map(({ data }: Result) => data.allocation.complete)).toEqual([false, true, true]);
  });

  test("500 orders have the same result as one by one", async () => {
    const random = seededRandom(11);
    const made = await Promise.all(
      [[], []].map(() => Promise.all([30, 200, 0, 900].map((units) => shop.product({ units })))),
    );
    const orders = Array.from({ length: 500 }, () => {
      const count = random.integer(1, 4);
      const lines = Array.from({ length: count }, () => [random.integer(0, 3), random.integer(1, 3)] as const);
      const fields = random.chance(0.05) ? { allow_backorder: false } : { priority: random.integer(0, 2) };
      return { lines, fields };
    });
    const [some = [], others = []] = made.map((products) =>
      orders.map(({ lines, fields }) =>
        shop.draft(
          lines.map(([at, units]) => [products[at] ?? { id: "" }, units] as const),
          fields,
        ),
      ),
    );
    const { results } = await bulk(some);
    const shape = ({ line_items, status, subtotal, allocation, priority }: Result) => ({
      lines: line_items.map((line: Result) => [line.quantity_reserved, line.quantity_backordered]),
      status,
      subtotal,
      allocation,
      priority,
    });
    for (const [at, draft] of others.entries()) {
      const { status, body } = await shop.app.post("/orders", draft);
      const result = results[at];
      expect([at, result.status]).toEqual([at, status]);
      if (status === 201) expect(shape(result.data)).toEqual(shape(body.data));
      else expect(result.error.code).toBe(body.error.code);
    }
    expect(new Set(codes(results)).size).toBe(2);
  }, 60_000);
});

describe("refuses", () => {
  test("every order individually, if all are bad", async () => {
    const bad = shop.draft([[await shop.product({ units: 5 }), 1]], { customer_id: 1 });
    const { created, failed, results } = await bulk([bad, { ...bad, order_number: "N-X" }]);
    expect([created, failed]).toEqual([0, 2]);
    expect(results.map((one: { error: { code: string } }) => one.error.code)).toEqual(
      Array(2).fill("resource_missing"),
    );
  });

  test("no orders, and more than 500", async () => {
    expect((await bulk([])).error.details).toMatchObject([{ field: "orders", code: "too_few" }]);
    expect((await bulk(Array(501).fill({}))).error.details).toMatchObject([{ field: "orders", code: "too_many" }]);
  });
});

describe("guards", () => {
  test("concurrent calls share the available units, and each number is used once", async () => {
    const goods = [await shop.product({ units: 20 }), await shop.product({ units: 20 })];
    const numbers = Array.from({ length: 20 }, (_, n) => `SAME-${n}`);
    const call = (reversed: boolean) => {
      const orders = numbers.map((order_number) => {
        const lines = goods.map((product) => [product, 1] as const);
        return { ...shop.draft(reversed ? lines.reverse() : lines), order_number };
      });
      return bulk(reversed ? orders.reverse() : orders);
    };
    const answers = await Promise.all([call(false), call(true), call(false), call(true)]);
    expect(answers.reduce((sum, { created }) => sum + created, 0)).toBe(20);
    const all = answers.flatMap(({ results }) => codes(results));
    expect(all.filter((code) => code === "duplicate_order_number")).toHaveLength(60);
    for (const { sku } of goods) expect(await shop.available(sku)).toBe(0);
  }, 60_000);
});
