import { describe, expect, test } from "bun:test";
import { openShop } from "../build/shop.ts";

const shop = await openShop();

/** A shipped order with these quantities, each of its own product at 12.50. Its events are already taken. */
async function shipped(quantities: readonly number[], fields: object = {}) {
  const products = [];
  for (const quantity of quantities) products.push(await shop.product({ units: quantity + 5 }));
  const lines = products.map((product, at) => [product, quantities[at] ?? 0] as const);
  const order = await shop.order(lines, fields);
  await shop.act(order.id, "ship");
  await shop.app.takeEvents();
  return { order, skus: products.map(({ sku }) => sku) };
}

const created = (body: object) => shop.app.create("/returns", body);

/** Sends a step and returns the response, which must not be a refusal. */
const act = (id: string, step: string, body: object = {}) => shop.app.create(`/returns/${id}/${step}`, body);

/** A return of one shipped product, inspected as unopened. */
async function inspected(quantity: number, fields: object = {}, order: object = {}) {
  const { order: made, skus } = await shipped([quantity], order);
  const { id } = await created({ order_id: made.id, reason: "customer_remorse", ...fields });
  await act(id, "receive");
  await act(id, "inspect", { items: [{ sku: skus[0], quantity, condition: "unopened" }] });
  await shop.app.takeEvents();
  return { id, order: made, sku: skus[0] as string };
}

const read = async (id: string) => (await shop.app.get(`/returns/${id}`)).body.data;

async function refused(path: string, body: object = {}, method = "POST") {
  const { status, body: answer } = await shop.app.call(method, path, body);
  const fields = answer.error.details.map((problem: { field: string }) => problem.field);
  return [status, answer.error.code, ...fields];
}

describe("works", () => {
  test("a return is created with every field of the specification", async () => {
    const { order, skus } = await shipped([3, 1]);
    const items = [{ sku: skus[0], quantity: 2, condition: "damaged", notes: "The box was wet." }];
    const answer = await shop.app.post("/returns", {
      order_id: order.order_number,
      reason: "defective",
      items,
      return_shipping: { carrier: "UPS", tracking_number: "1Z999", label_url: "https://labels.example/1" },
      refund_amount: "20.00",
      refund_shipping: true,
      restocking_fee: 1.5,
      customer_email: "jane@home.example",
    });
    expect(answer.status).toBe(201);
    expect(answer.body.meta).toMatchObject({ request_id: answer.body.meta.requestId, timestamp: expect.any(String) });
    const made = answer.body.data;
    expect(made).toEqual({
      merchant_id: "mer_1",
      id: expect.stringMatching(/^ret_\d+$/),
      order_id: order.id,
      status: "initiated",
      reason: "defective",
      items: [{ ...items[0], quantity_received: 0, inspections: [] }],
      return_shipping: {
        carrier: "UPS",
        tracking_number: "1Z999",
        label_url: "https://labels.example/1",
        tracking_url: "https://www.ups.com/track?tracknum=1Z999",
        status: "pending",
      },
      refund_status: "pending",
      refund_amount: 20,
      refund_shipping: true,
      restocking_fee: 1.5,
      currency: "USD",
      customer_email: "jane@home.example",
      refunds: [],
      allowed_actions: ["receive", "cancel", "label"],
      revision: 1,
      created_at: made.created_at,
      updated_at: made.created_at,
      received_at: null,
      inspected_at: null,
      arrived_at: null,
      completed_at: null,
    });
    expect(await shop.app.takeEvents()).toEqual([
      expect.objectContaining({ type: "return.created", data: { object: "return", ...made } }),
    ]);
    expect(await read(made.id)).toEqual(made);
    expect((await shop.get(order.id)).returns).toEqual([made.id]);
  });

  test("units are received, inspected into stock or disposed of, and refunded, each emitted once", async () => {
    const { order, skus } = await shipped([3, 1], { shipping_amount: "4.90" });
    const [first, second] = skus as [string, string];
    const { id } = await created({ order_id: order.id, reason: "wrong_item" });
    expect((await read(id)).items).toMatchObject([
      { sku: first, quantity: 3 },
      { sku: second, quantity: 1 },
    ]);
    await shop.app.takeEvents();
    const part = await act(id, "receive", { items: [{ sku: first, quantity: 2 }] });
    expect(part).toMatchObject({ status: "received", items: [{ quantity_received: 2 }, { quantity_received: 0 }] });
    const arrived = await act(id, "receive");
    expect(arrived.items).toMatchObject([{ quantity_received: 3 }, { quantity_received: 1 }]);
    expect(await act(id, "receive")).toEqual(arrived);
    const told = await shop.app.takeEvents();
    expect(told.map(({ type, data }) => `${type} ${data["sku"] ?? data["id"]}`)).toEqual([
      ...[`return.received ${id}`, `inventory.updated ${first}`],
      ...[`return.received ${id}`, `inventory.updated ${first}`, `inventory.updated ${second}`],
    ]);
    expect(told[2]?.data).toEqual({ object: "return", ...arrived });
    expect([await shop.available(first), await shop.available(second)]).toEqual([5, 5]);

    const seen = await act(id, "inspect", {
      items: [
        { sku: first, quantity: 1, condition: "unopened", bin: "A-01" },
        { sku: first, quantity: 1, condition: "damaged", notes: "Crushed." },
        { sku: first, quantity: 1, condition: "opened", disposition: "return_to_sender" },
        { sku: second, quantity: 1, condition: "opened" },
      ],
    });
    expect(seen).toMatchObject({ status: "inspected", allowed_actions: ["refund", "close"] });
    expect(seen.items[0].inspections).toEqual([
      { quantity: 1, condition: "unopened", disposition: "restock", lot_number: null, notes: null },
      { quantity: 1, condition: "damaged", disposition: "dispose", lot_number: null, notes: "Crushed." },
      { quantity: 1, condition: "opened", disposition: "return_to_sender", lot_number: null, notes: null },
    ]);
    expect(seen.items[1].inspections).toMatchObject([{ condition: "opened", disposition: "quarantine" }]);
    // Of the second product only the place has changed.
    expect(await shop.takeStockEvents()).toEqual([`inventory.updated ${first}`]);
    const level = (await shop.app.get(`/inventory/${second}`)).body.data;
    expect([await shop.available(first), level.available, level.unavailable.quarantined]).toEqual([6, 5, 1]);
    const lines = (await shop.get(order.id)).line_items;
    expect(lines.map((line: { quantity_returned: number }) => line.quantity_returned)).toEqual([2, 1]);

    // Three units at 12.50 were accepted; the one sent back to the customer is not refunded.
    const refund = await act(id, "refund", { refund_shipping: true, method: "store_credit", notes: "Sorry." });
    expect(refund).toEqual({
      refund_id: expect.stringMatching(/^rfd_\d+$/),
      return_id: id,
      amount: 42.4,
      currency: "USD",
      breakdown: { items: 37.5, shipping: 4.9, restocking_fee: 0 },
      method: "store_credit",
      refund_status: "processing",
      notes: "Sorry.",
      estimated_completion: "2026-01-13",
      created_at: refund.created_at,
      updated_at: refund.created_at,
    });
    const done = await read(id);
    expect(done).toMatchObject({ status: "completed", refund_status: "processing", refunds: [refund] });
    expect(await shop.app.takeEvents()).toEqual([
      expect.objectContaining({ type: "return.processed", data: { object: "return", ...done } }),
    ]);
    const paid = await act(id, `refunds/${refund.refund_id}`, { status: "refunded" });
    expect(paid).toEqual({ ...refund, refund_status: "refunded", updated_at: paid.updated_at });
    expect(await act(id, `refunds/${refund.refund_id}`, { status: "refunded" })).toEqual(paid);
    expect((await read(id)).refund_status).toBe("refunded");
    expect(await shop.takeTypes()).toEqual([]);
  });

  test("several refunds share the refundable amount, and a failed one leaves it to the next", async () => {
    const { id } = await inspected(4, { restocking_fee: 5, refund_amount: null });
    const first = await act(id, "refund", { amount: "10.00" });
    expect(first.breakdown).toEqual({ items: 15, shipping: 0, restocking_fee: 5 });
    expect(await shop.takeTypes()).toEqual(["return.processed"]);
    const second = await act(id, "refund");
    expect([second.amount, second.breakdown]).toEqual([35, { items: 35, shipping: 0, restocking_fee: 0 }]);
    expect(await refused(`/returns/${id}/refund`)).toEqual([422, "refund_exceeds_amount", "amount"]);
    await act(id, `refunds/${first.refund_id}`, { status: "refunded" });
    await act(id, `refunds/${second.refund_id}`, { status: "failed" });
    expect((await read(id)).refund_status).toBe("partially_refunded");
    const third = await act(id, "refund");
    await act(id, `refunds/${third.refund_id}`, { status: "processing" });
    await act(id, `refunds/${third.refund_id}`, { status: "refunded" });
    expect([third.amount, (await read(id)).refund_status]).toEqual([35, "refunded"]);
    expect(await shop.takeTypes()).toEqual([]);
  });

  test("the shipping of an order is refunded once, whichever return requests it", async () => {
    const { order, skus } = await shipped([2], { shipping_amount: 6 });
    const amounts = [];
    for (const _ of [1, 2]) {
      const body = { order_id: order.id, reason: "defective", items: [{ sku: skus[0], quantity: 1 }] };
      const { id } = await created({ ...body, refund_shipping: true });
      await act(id, "receive");
      await act(id, "inspect", { items: [{ sku: skus[0], quantity: 1, condition: "defective" }] });
      amounts.push((await act(id, "refund")).amount);
    }
    expect(amounts).toEqual([18.5, 12.5]);
  });

  test("a return is closed without a refund, and may be refunded afterwards", async () => {
    const { id } = await inspected(1);
    expect(await act(id, "close")).toMatchObject({ status: "completed", refund_status: "pending" });
    expect(await shop.takeTypes()).toEqual(["return.processed"]);
    expect((await act(id, "refund")).amount).toBe(12.5);
    expect(await shop.takeTypes()).toEqual([]);
  });

  test("units of a cancelled return, or that never arrived, may be returned again", async () => {
    const { order, skus } = await shipped([2]);
    const body = { order_id: order.id, reason: "expired" };
    const first = await created(body);
    expect(await refused("/returns", body)).toEqual([409, "nothing_to_return"]);
    expect(await act(first.id, "cancel")).toMatchObject({ status: "cancelled", allowed_actions: [] });
    const second = await created(body);
    await act(second.id, "receive", { items: [{ sku: skus[0], quantity: 1 }] });
    await act(second.id, "inspect", { items: [{ sku: skus[0], quantity: 1, condition: "expired" }] });
    expect((await created(body)).items).toMatchObject([{ sku: skus[0], quantity: 1 }]);
  });

  test("the lot is the shipped one, or the one named", async () => {
    const lots = async (numbers: readonly string[]) => {
      const sku = `LOT-${numbers.join()}`;
      const product = await shop.app.product(sku, { lot_tracking: true });
      for (const lot_number of numbers) await shop.app.stock(sku, 1, { lot_number });
      const order = await shop.order([[product, numbers.length]]);
      await shop.act(order.id, "ship");
      const { id } = await created({ order_id: order.id, reason: "customer_remorse" });
      await act(id, "receive");
      return { id, sku };
    };
    const one = await lots(["L1"]);
    const unopened = (sku: string, fields: object = {}) => ({ sku, quantity: 1, condition: "unopened", ...fields });
    const seen = await act(one.id, "inspect", { items: [unopened(one.sku)] });
    expect(seen.items[0].inspections).toMatchObject([{ disposition: "restock", lot_number: "L1" }]);
    const two = await lots(["L2", "L3"]);
    const path = `/returns/${two.id}/inspect`;
    const vague = { items: [{ ...unopened(two.sku), quantity: 2 }] };
    expect(await refused(path, vague)).toEqual([422, "validation_failed", "items[0].lot_number"]);
    await act(two.id, "inspect", {
      items: [unopened(two.sku, { lot_number: "L3" }), unopened(two.sku, { lot_number: "L2" })],
    });
    const level = (await shop.app.get(`/inventory/${two.sku}`)).body.data;
    const lotsThere = level.lots.map((lot: { lot_number: string; quantity: number }) => [lot.lot_number, lot.quantity]);
    expect(Object.fromEntries(lotsThere)).toEqual({ L2: 1, L3: 1 });
  });

  test("terms and return shipping can change; the response of a GET can be sent back", async () => {
    const { order } = await shipped([1]);
    const made = await created({ order_id: order.id, reason: "defective" });
    expect(made.return_shipping).toEqual({
      carrier: null,
      tracking_number: null,
      label_url: null,
      tracking_url: null,
      status: "pending",
    });
    expect(made).toMatchObject({ customer_email: "jane@example.com", refund_amount: null, refund_shipping: false });
    await shop.app.takeEvents();
    const path = `/returns/${made.id}`;
    const changed = (await shop.app.patch(path, { return_shipping: { carrier: "fedex", tracking_number: "12" } })).body
      .data;
    expect(changed.return_shipping).toMatchObject({ carrier: "fedex", status: "pending" });
    const moved = { return_shipping: { status: "in_transit" }, refund_amount: 3 };
    const after = (await shop.app.patch(path, moved)).body.data;
    expect(after).toMatchObject({ return_shipping: { carrier: "fedex", status: "in_transit" }, refund_amount: 3 });
    expect(after.return_shipping.tracking_url).toContain("fedex");
    shop.app.clocks.live.advance(1500);
    for (const nothing of [{}, after]) expect((await shop.app.patch(path, nothing)).body.data).toEqual(after);
    expect(await shop.takeTypes()).toEqual([]);
  });

  test("the refund status follows changed terms after a refund", async () => {
    const { id } = await inspected(2, { refund_amount: 10 });
    const path = `/returns/${id}`;
    const { refund_id } = await act(id, "refund");
    const changed = async (body: object) => (await shop.app.patch(path, body)).body.data.refund_status;
    expect(await changed({ refund_amount: 20 })).toBe("processing");
    await act(id, `refunds/${refund_id}`, { status: "refunded" });
    expect((await read(id)).refund_status).toBe("partially_refunded");
    expect(await changed({ refund_amount: 10 })).toBe("refunded");
    expect(await changed({ refund_amount: null })).toBe("partially_refunded");
    expect(await changed({ restocking_fee: 15 })).toBe("refunded");
  });

  test("a cancelled return refuses changes, but not its own response", async () => {
    const { order } = await shipped([1]);
    const { id } = await created({ order_id: order.id, reason: "defective" });
    const cancelled = await act(id, "cancel");
    const path = `/returns/${id}`;
    for (const change of [{ refund_amount: 3 }, { return_shipping: { carrier: "ups" } }, { customer_email: null }]) {
      expect(await refused(path, change, "PATCH")).toEqual([409, "invalid_state_transition"]);
    }
    for (const nothing of [{}, cancelled]) expect((await shop.app.patch(path, nothing)).status).toBe(200);
    expect(await read(id)).toMatchObject({
      status: "cancelled",
      refund_amount: null,
      customer_email: "jane@example.com",
    });
  });

  test("return shipping follows the tracking of its parcel", async () => {
    const { order } = await shipped([2]);
    const return_shipping = { tracking_number: "BACK-1", carrier: "local" };
    const { id } = await created({ order_id: order.id, reason: "defective", return_shipping });
    expect((await read(id)).return_shipping.status).toBe("pending");
    const other = await shop.order([[await shop.product({ units: 1 }), 1]]);
    const bought = await shop.app.post("/shipping/labels", {
      order_id: other.id,
      carrier: "local",
      service: "standard",
      package: { weight: 1, weight_unit: "lb" },
    });
    const { tracking_number } = bought.body.data;
    const typed = ` ${tracking_number.slice(0, 6).toLowerCase()}-${tracking_number.slice(6)}`;
    await shop.app.patch(`/returns/${id}`, { return_shipping: { tracking_number: typed } });
    expect((await read(id)).return_shipping.tracking_number).toBe(tracking_number);
    await shop.app.post(`/tracking/${tracking_number}/events`, { status: "in_transit" });
    expect((await read(id)).return_shipping.status).toBe("in_transit");
    await shop.app.post(`/tracking/${tracking_number}/events`, { status: "delivered" });
    const listed = (await shop.app.get(`/returns?order_id=${order.id}`)).body.data;
    expect(listed[0].return_shipping.status).toBe("delivered");
  });

  test("a list filters by status, order and day", async () => {
    const { order, skus } = await shipped([3]);
    const one = { order_id: order.id, reason: "other", items: [{ sku: skus[0], quantity: 1, notes: "Too blue." }] };
    const ids = [];
    for (const _ of [1, 2, 3]) ids.unshift((await created(one)).id);
    await act(ids[1], "cancel");
    const found = async (query: string) =>
      (await shop.app.get(`/returns?${query}`)).body.data.map(({ id }: { id: string }) => id);
    expect(await found(`order_id=${order.id}`)).toEqual(ids);
    expect(await found(`order_id=${order.order_number}&status=cancelled`)).toEqual([ids[1]]);
    expect(await found(`order_id=${order.id}&status=initiated&limit=1`)).toEqual([ids[0]]);
    expect(await found(`order_id=${order.id}&created_after=2026-01-02&created_before=2026-01-03`)).toEqual(ids);
    expect(await found(`order_id=${order.id}&created_before=2026-01-02`)).toEqual([]);
    expect(await found("order_id=nobody")).toEqual([]);
    const { meta } = (await shop.app.get(`/returns?order_id=${order.id}&limit=2`)).body;
    expect(meta.pagination).toMatchObject({ page: 1, limit: 2, total: 3, total_pages: 2, has_more: true });
    expect(await found(`order_id=${order.id}&limit=2&cursor=${meta.pagination.next_cursor}`)).toEqual([ids[2]]);
  });
});

describe("refuses", () => {
  test.each([
    ["no order", { order_id: undefined }, [422, "validation_failed", "order_id"]],
    ["no reason", { reason: undefined }, [422, "validation_failed", "reason"]],
    ["an unknown reason", { reason: "bored" }, [422, "validation_failed", "reason"]],
    ["an unknown condition", { items: [{ condition: "fine" }] }, [422, "validation_failed", "items[0].condition"]],
    ["more than was shipped", { items: [{ quantity: 3 }] }, [422, "validation_failed", "items[0].quantity"]],
    ["another SKU", { items: [{ sku: "NOT-IN-IT" }] }, [422, "validation_failed", "items[0].sku"]],
    ["no items", { items: [] }, [422, "validation_failed", "items"]],
    ["other without a note", { reason: "other" }, [422, "validation_failed", "items[0].notes"]],
    ["a third decimal", { refund_amount: 1.005 }, [422, "validation_failed", "refund_amount"]],
    ["an unknown order", { order_id: "ord_5" }, [404, "resource_missing", "order_id"]],
  ])("%s", async (_name, fields, expected) => {
    const { order, skus } = await shipped([2]);
    const items = (fields as { items?: object[] }).items?.map((item) => ({ sku: skus[0], quantity: 1, ...item }));
    const body = { order_id: order.id, reason: "defective", ...fields, ...(items ? { items } : {}) };
    expect(await refused("/returns", body)).toEqual(expected as unknown[]);
    expect(await shop.takeTypes()).toEqual([]);
  });

  test("an order without shipped units", async () => {
    const order = await shop.order([[await shop.product({ units: 1 }), 1]]);
    expect(await refused("/returns", { order_id: order.id, reason: "defective" })).toEqual([409, "nothing_to_return"]);
  });

  test("steps out of order", async () => {
    const { order, skus } = await shipped([1]);
    const { id } = await created({ order_id: order.id, reason: "defective" });
    const findings = { items: [{ sku: skus[0], quantity: 1, condition: "opened" }] };
    const step = (name: string) => refused(`/returns/${id}/${name}`, name === "inspect" ? findings : {});
    const wrong = [409, "invalid_state_transition"];
    const early = [409, "return_not_inspected"];
    expect([await step("inspect"), await step("close"), await step("refund")]).toEqual([wrong, wrong, early]);
    await act(id, "receive");
    expect([await step("cancel"), await step("close"), await step("refund")]).toEqual([wrong, wrong, early]);
    await act(id, "inspect", findings);
    expect([await step("receive"), await step("inspect"), await step("cancel")]).toEqual([wrong, wrong, wrong]);
    await act(id, "close");
    const { body } = await shop.app.post(`/returns/${id}/close`);
    expect(body.error).toMatchObject({ from: "completed", action: "close", allowed_actions: ["refund"] });
    const other = await created({ order_id: (await shipped([1])).order.id, reason: "defective" });
    await act(other.id, "cancel");
    expect(await refused(`/returns/${other.id}/refund`)).toEqual(wrong);
  });

  test("units that were not announced, not received or not inspected", async () => {
    const { order, skus } = await shipped([2]);
    const { id } = await created({ order_id: order.id, reason: "defective" });
    await shop.app.takeEvents();
    const units = (quantity: number) => ({ items: [{ sku: skus[0], quantity, condition: "opened" }] });
    const arrival = { items: [{ sku: skus[0], quantity: 3 }] };
    expect(await refused(`/returns/${id}/receive`, arrival)).toEqual([422, "validation_failed", "items[0].quantity"]);
    await act(id, "receive");
    expect(await refused(`/returns/${id}/inspect`, units(3))).toEqual([422, "validation_failed", "items[0].quantity"]);
    expect(await refused(`/returns/${id}/inspect`, units(1))).toEqual([422, "validation_failed", "items"]);
    const unseen = { items: [{ sku: skus[0], quantity: 2 }] };
    expect(await refused(`/returns/${id}/inspect`, unseen)).toEqual([422, "validation_failed", "items[0].condition"]);
    expect(await shop.takeTypes()).toEqual(["return.received", "inventory.updated"]);
    expect((await shop.get(order.id)).line_items[0].quantity_returned).toBe(0);
  });

  test("more than is refundable, and reports of settled and unknown refunds", async () => {
    const { id } = await inspected(2, { refund_amount: 25.01 });
    const { body } = await shop.app.post(`/returns/${id}/refund`);
    expect(body.error).toMatchObject({ code: "refund_exceeds_amount", refundable: 25 });
    const over = { amount: 25, restocking_fee: "0.01" };
    expect(await refused(`/returns/${id}/refund`, over)).toEqual([422, "refund_exceeds_amount", "amount"]);
    expect((await read(id)).status).toBe("inspected");
    expect(await shop.takeTypes()).toEqual([]);
    const { refund_id } = await act(id, "refund", { amount: 25 });
    await act(id, `refunds/${refund_id}`, { status: "failed" });
    const settled = await refused(`/returns/${id}/refunds/${refund_id}`, { status: "refunded" });
    expect(settled).toEqual([409, "invalid_state_transition"]);
    expect(await refused(`/returns/${id}/refunds/rfd_1`, { status: "refunded" })).toEqual([404, "resource_missing"]);
    const word = await refused(`/returns/${id}/refunds/${refund_id}`, { status: "paid" });
    expect(word).toEqual([422, "validation_failed", "status"]);
  });
});

describe("guards", () => {
  test("concurrent returns never contain the same unit", async () => {
    const { order, skus } = await shipped([3]);
    const body = { order_id: order.id, reason: "defective", items: [{ sku: skus[0], quantity: 1 }] };
    const tries = await Promise.all(Array.from({ length: 8 }, () => shop.app.post("/returns", body)));
    expect(tries.filter(({ status }) => status === 201).length).toBe(3);
  });

  test("concurrent refunds never pay a cent twice", async () => {
    const { id } = await inspected(4);
    const ask = () => shop.app.post(`/returns/${id}/refund`, { amount: 20 });
    const tries = await Promise.all(Array.from({ length: 6 }, ask));
    expect(tries.filter(({ status }) => status === 201).length).toBe(2);
    const { refunds } = await read(id);
    expect(refunds.map(({ amount }: { amount: number }) => amount)).toEqual([20, 20]);
    expect(await shop.takeTypes()).toEqual(["return.processed"]);
  });
});
