import { describe, expect, test } from "bun:test";
import type { Answered } from "../build/service.ts";
import { openShop } from "../build/shop.ts";

const shop = await openShop();
const goods: { id: string; sku: string } = await shop.product({ sku: "HEAVY-1", units: 500 });
await shop.app.patch(`/products/${goods.id}`, { weight: 2, weight_unit: "lb" });

type Result = Answered["body"];

const act = async ({ dry_run, ...body }: { dry_run?: boolean; [field: string]: unknown }, headers = {}) => {
  const query = dry_run ? "?dry_run=true" : "";
  const answer = await shop.app.call("POST", `/orders/actions${query}`, body, { headers });
  return { ...answer, data: answer.body.data as Result };
};
const orders = async (count: number) => {
  const created = await Promise.all(Array.from({ length: count }, () => shop.order([[goods, 1]])));
  return created.map(({ id }) => id);
};
const told = (results: Result[]) => results.map(({ id, status, error }) => [id, status, error?.code]);
const events = async () => (await shop.app.takeEvents()).map(({ type }) => type).filter((type) => /^order/.test(type));

/** Sends a request that stops after its first write, as if the process died. */
async function interrupted(send: () => Promise<{ status: number }>) {
  const { live } = shop.app.service.stores;
  const { write } = live;
  let writes = 0;
  live.write = (work) => {
    writes += 1;
    if (writes > 1) return Promise.reject(new Error("the process dies"));
    return write.call(live, work) as ReturnType<typeof write<never>>;
  };
  expect((await send()).status).toBe(500);
  live.write = write;
}

describe("works", () => {
  test("each order is processed individually, as with a single request", async () => {
    const [one, two, three] = (await orders(3)) as [string, string, string];
    await shop.act(two, "ship");
    await events();
    const { data, body } = await act({ action: "hold", order_ids: [one, two, three], input: { reason: "fraud" } });
    expect([data.action, data.done, data.failed]).toEqual(["hold", 2, 1]);
    expect(told(data.results)).toEqual([
      [one, 200, undefined],
      [two, 409, "invalid_state_transition"],
      [three, 200, undefined],
    ]);
    expect(data.results[1].error.allowed_actions).toContain("deliver");
    expect(data.results[0].order).toEqual((await shop.app.get(`/orders/${one}`)).body.data);
    const history = (await shop.app.get(`/orders/${one}/history`)).body.data.at(-1);
    const { actor, request_id } = history;
    expect([history.event, history.reason, actor.type, request_id]).toEqual([
      "hold",
      "fraud",
      "api_key",
      body.meta.request_id,
    ]);
    const released = await act({ action: "release", order_ids: [three, "ord_1", Number(one.slice(4))] });
    expect(told(released.data.results)).toEqual([
      [three, 200, undefined],
      ["ord_1", 404, "resource_missing"],
      [one, 200, undefined],
    ]);
    expect(await events()).toEqual([]);
    const cancelled = await act({ action: "cancel", order_ids: [one, three], input: { reason: "customer" } });
    expect(cancelled.data.results.map(({ order }: Result) => order.cancel_reason)).toEqual(["customer", "customer"]);
    expect(await events()).toEqual(["order.cancelled", "order.cancelled"]);
  });

  test("orders are picked, packed, shipped and delivered, and one refusal leaves the others alone", async () => {
    const held = await shop.order([[goods, 1]]);
    await shop.act(held.id, "hold", {});
    const ids = await orders(12);
    const asked = [...ids.slice(0, 5), held.id, ...ids.slice(5), "ord_1"];
    const before = (await shop.app.get(`/orders/${ids[0]}`)).body.data;
    const dry = await act({ action: "pick", order_ids: asked, dry_run: true });
    expect([dry.data.done, dry.data.failed]).toEqual([12, 2]);
    expect((await shop.app.get(`/orders/${ids[0]}`)).body.data).toEqual(before);
    const steps = { pick: "processing", pack: "fulfilled", ship: "shipped", deliver: "delivered" };
    const emitted = { pick: [], pack: ["order.fulfilled"], ship: ["order.shipped"], deliver: ["order.delivered"] };
    await events();
    for (const [action, status] of Object.entries(steps)) {
      const { data } = await act({ action, order_ids: asked });
      expect(data.results.map(({ id }: Result) => id)).toEqual(asked);
      expect(told(data.results.filter(({ ok }: Result) => !ok))).toEqual([
        [held.id, 409, "invalid_state_transition"],
        ["ord_1", 404, "resource_missing"],
      ]);
      const done = data.results.filter(({ ok }: Result) => ok);
      expect(new Set(done.map(({ order }: Result) => order.status))).toEqual(new Set([status]));
      const expected = emitted[action as keyof typeof emitted].flatMap((type) => ids.map(() => type));
      expect(await events()).toEqual(expected);
    }
    const again = await act({ action: "ship", order_ids: ids.slice(0, 2) });
    expect(told(again.data.results)).toEqual(ids.slice(0, 2).map((id) => [id, 409, "invalid_state_transition"]));
  }, 60_000);

  test("picks and packs are taken back with one reason, except of orders with labels", async () => {
    const [packed, labeled, fresh] = (await orders(3)) as [string, string, string];
    const ids = [packed, labeled, fresh];
    for (const id of [packed, labeled]) await shop.act(id, "pack");
    const { label_id } = await shop.label(labeled, { package: { weight: 2 } });
    const billed = async () =>
      (await shop.app.get("/billing/events?limit=100")).body.data
        .filter(({ act, source }: Result) => act.startsWith("order.p") && source.id === packed)
        .map(({ act, quantity, reversal_of }: Result) => [act, quantity, reversal_of !== null]);
    const before = [await shop.get(packed), await billed()];
    const input = { reason: "damaged", note: "Wet boxes" };
    const dry = await act({ action: "unpack", order_ids: ids, input, dry_run: true });
    expect([await shop.get(packed), await billed()]).toEqual(before);
    await events();
    const { data } = await act({ action: "unpack", order_ids: ids, input });
    expect(told(data.results)).toEqual([
      [packed, 200, undefined],
      [labeled, 409, "labels_not_voided"],
      [fresh, 409, "invalid_state_transition"],
    ]);
    expect([told(dry.data.results), dry.data.results[0].order.status]).toEqual([told(data.results), "processing"]);
    expect(data.results[1].error.label_ids).toEqual([label_id]);
    const unpicked = await act({ action: "unpick", order_ids: ids, input });
    expect([unpicked.data.done, unpicked.data.results[0].order.line_items[0]]).toMatchObject([
      1,
      { quantity_picked: 0, quantity_packed: 0, quantity_reserved: 1 },
    ]);
    expect(await billed()).toEqual([
      ["order.pick", -1, true],
      ["order.pack", -1, true],
      ["order.pack", 1, false],
      ["order.pick", 1, false],
    ]);
    const history = (await shop.app.get(`/orders/${packed}/history`)).body.data.slice(-2);
    expect(history.map(({ event, reason }: Result) => `${event}: ${reason}`)).toEqual([
      "unpack: damaged",
      "unpick: damaged",
    ]);
    expect(await events()).toEqual([]);
    const again = await act({ action: "pack", order_ids: [packed] });
    expect([again.data.results[0].order.status, await events()]).toEqual(["fulfilled", ["order.fulfilled"]]);
    const unsaid = await act({ action: "unpack", order_ids: [packed] });
    expect([unsaid.status, unsaid.body.error.details[0].field]).toEqual([422, "input.reason"]);
    await shop.expectVerified();
  });

  test("a dry run returns the same results and does nothing", async () => {
    const [one, two] = (await orders(2)) as [string, string];
    await shop.act(two, "hold", {});
    const before = (await shop.app.get(`/orders/${one}`)).body.data;
    const asked = { action: "process", order_ids: [one, two] };
    const dry = await act({ ...asked, dry_run: true });
    expect([told(dry.data.results), dry.data.results[0].order.status]).toEqual([
      [
        [one, 200, undefined],
        [two, 409, "invalid_state_transition"],
      ],
      "processing",
    ]);
    expect((await shop.app.get(`/orders/${one}`)).body.data).toEqual(before);
    expect(told((await act(asked)).data.results)).toEqual(told(dry.data.results));
    const held = await act({ action: "hold", order_ids: [one], dry_run: true });
    expect(held.data.results[0].order.holds).toMatchObject([{ id: null, reason: "manual" }]);
  });

  test("an order that has changed since its ETag was read is skipped", async () => {
    const [one, two] = (await orders(2)) as [string, string];
    const etags = { [one]: '"1"', [two]: '"1"' };
    await shop.app.patch(`/orders/${two}`, { priority: 5 });
    const { data } = await act({ action: "hold", order_ids: [one, two], etags });
    expect(told(data.results)).toEqual([
      [one, 200, undefined],
      [two, 412, "precondition_failed"],
    ]);
  });

  test("a repeated request has one effect, even if it was interrupted after some of its orders", async () => {
    const ids = (await orders(3)) as [string, string, string];
    const asked = { action: "hold", order_ids: ids, input: { reason: "payment" } };
    // The first order as the interrupted request left it: on hold, with its response stored.
    const key = { "idempotency-key": "many-1" };
    await interrupted(() => act(asked, key));
    const again = await act(asked, key);
    expect(again.data.done).toBe(3);
    const events = (await shop.app.get(`/orders/${ids[0]}/history`)).body.data.map(({ event }: Result) => event);
    expect(events.filter((event: string) => event === "hold")).toEqual(["hold"]);
    const replayed = await act(asked, key);
    expect([replayed.body, replayed.headers.get("idempotency-replayed")]).toEqual([again.body, "true"]);
    const other = await act({ ...asked, order_ids: ids.slice(1) }, key);
    expect(other.body.error.code).toBe("idempotency_key_reused");
  });

  test("a batch that was interrupted is continued, and no order ships twice", async () => {
    const ids = await orders(50);
    const asked = { action: "ship", order_ids: ids };
    const key = { "idempotency-key": "many-2" };
    await interrupted(() => act(asked, key));
    const shipped = await Promise.all(ids.map(async (id) => (await shop.app.get(`/orders/${id}`)).body.data.status));
    const first = shipped.filter((status) => status === "shipped").length;
    expect([first > 0, first < 50]).toEqual([true, true]);
    const again = await act(asked, key);
    expect([again.data.done, again.data.failed]).toEqual([50, 0]);
    expect((await act(asked, key)).body).toEqual(again.body);
    const types = (await shop.app.takeEvents()).filter(({ type }) => type === "order.shipped");
    expect(types.length).toBe(50);
  }, 60_000);

  test("a label is bought for each order, with the calculated weight unless a package is given", async () => {
    const [one, two] = (await orders(2)) as [string, string];
    const unweighed = await shop.order([[await shop.product({ units: 1 }), 1]]);
    const input = { carrier: "local", service: "express" };
    const { data } = await act({ action: "buy_label", order_ids: [one, unweighed.id, two], input });
    expect(told(data.results)).toEqual([
      [one, 201, undefined],
      [unweighed.id, 422, "validation_failed"],
      [two, 201, undefined],
    ]);
    const [{ label }] = data.results;
    expect([label.order_id, label.package.weight, label.package.weight_unit]).toEqual([one, 907.18474, "g"]);
    const given = { ...input, package: { weight: 5 } };
    const again = await act({ action: "buy_label", order_ids: [one, unweighed.id], input: given });
    expect(told(again.data.results)).toEqual([
      [one, 409, "invalid_state_transition"],
      [unweighed.id, 201, undefined],
    ]);
    const key = { "idempotency-key": "labels-1" };
    const [three, four] = (await orders(2)) as [string, string];
    const many = { action: "buy_label", order_ids: [three, four], input };
    const first = await act(many, key);
    expect((await act(many, key)).body).toEqual(first.body);
    expect(new Set(first.data.results.map((result: Result) => result.label.order_id))).toEqual(new Set([three, four]));
  });

  test("an interrupted purchase keeps its labels, although the weight of the products has changed", async () => {
    const product: { id: string } = await shop.product({ units: 2, weight: 100, weight_unit: "g" });
    const one = await shop.order([[product, 1]]);
    const two = await shop.order([[product, 1]]);
    const key = { "idempotency-key": "labels-2" };
    const input = { carrier: "local", service: "express" };
    const buy = () => act({ action: "buy_label", order_ids: [one.id, two.id], input }, key);
    await interrupted(buy);
    const [bought] = (await shop.app.get(`/shipping/labels?order_id=${one.id}`)).body.data;
    await shop.app.must("PATCH", `/products/${product.id}`, { weight: 250 });
    const { results } = (await buy()).data;
    expect(results.map(({ status, label }: Result) => [status, label?.package.weight])).toEqual([
      [201, 100],
      [201, 250],
    ]);
    expect(results[0].label.label_id).toBe(bought.label_id);
  });
});

describe("refuses", () => {
  test.each([
    [{ action: "eat", order_ids: [1001] }, "action"],
    [{ action: "hold", order_ids: [] }, "order_ids"],
    [{ action: "hold", order_ids: new Array(501).fill(1001) }, "order_ids"],
    [{ action: "hold", order_ids: [1001, "ord_1001"] }, "order_ids[1]"],
    [{ action: "hold", order_ids: [1001], input: { reason: "boredom" } }, "input.reason"],
    [{ action: "pick", order_ids: [1001], input: { items: [] } }, "input.items"],
    [{ action: "process", order_ids: [1001], input: { reason: "fraud" } }, "input.reason"],
    [{ action: "hold", order_ids: [1001], etags: { ord_1002: '"1"' } }, "etags.ord_1002"],
    [{ action: "hold", order_ids: [1001], etags: { ord_1001: "1" } }, "etags.ord_1001"],
    [{ action: "buy_label", order_ids: [1001], dry_run: true }, "dry_run"],
  ])("%j", async (body, field) => {
    const { status, body: answer } = await act(body);
    expect([status, answer.error.code, answer.error.details[0].field]).toEqual([422, "validation_failed", field]);
  });

  test("a condition for all orders, before anything is done", async () => {
    const [id] = (await orders(1)) as [string];
    const answer = await act({ action: "hold", order_ids: [id] }, { "if-match": '"1"' });
    expect([answer.status, answer.body.error.code]).toEqual([400, "malformed_header"]);
    expect((await shop.app.get(`/orders/${id}`)).body.data.status).toBe("pending");
  });
});
