import { describe, expect } from "bun:test";
import { expectPages, replay } from "./service.ts";
import {
  anyListOf,
  decimal,
  envelope,
  envelopedList,
  expectShape,
  flag,
  integer,
  listOf,
  moment,
  object,
  oneOf,
  orNull,
  prefixed,
  record,
  text,
} from "./shape.ts";
import { fresh, makeCustomer, makeOrder, makeShippedOrder, makeStock, numberOf } from "./supplies.ts";

const created = record({ id: prefixed("ord_"), order_number: text, status: oneOf("pending"), created_at: moment });

const line = record({
  id: text,
  product_id: prefixed("prd_"),
  sku: text,
  name: text,
  quantity: integer,
  unit_price: decimal,
  discount_amount: decimal,
  line_total: decimal,
  quantity_reserved: integer,
  quantity_backordered: integer,
  quantity_picked: integer,
  quantity_packed: integer,
  quantity_shipped: integer,
  quantity_delivered: integer,
  quantity_returned: integer,
  quantity_cancelled: integer,
});

const order = record({
  id: prefixed("ord_"),
  order_number: text,
  status: oneOf("pending", "processing", "fulfilled", "shipped", "delivered", "cancelled", "on_hold"),
  fulfillment_status: text,
  customer_id: prefixed("cus_"),
  customer: record({ id: prefixed("cus_"), email: text, name: text }),
  shipping_address_id: prefixed("adr_"),
  shipping_address: object,
  line_items: listOf(line),
  shipping_method: orNull(text),
  order_notes: orNull(text),
  packing_note: orNull(text),
  tags: anyListOf(text),
  requires_cold_storage: flag,
  priority: integer,
  holds: anyListOf(object),
  shipments: anyListOf(object),
  returns: anyListOf(text),
  subtotal: decimal,
  currency: text,
  allocation: record({ complete: flag, backordered_units: integer }),
  estimated_ship_date: orNull(text),
  source: record({ platform: orNull(text), external_id: orNull(text) }),
  imported: flag,
  metadata: object,
  allowed_actions: anyListOf(text),
  revision: integer,
  created_at: moment,
  updated_at: moment,
  processing_at: orNull(moment),
  fulfilled_at: orNull(moment),
  shipped_at: orNull(moment),
  delivered_at: orNull(moment),
  cancelled_at: orNull(moment),
  cancel_reason: orNull(text),
});

const change = record({
  id: text,
  event: text,
  from_status: orNull(text),
  to_status: text,
  reason: orNull(text),
  note: orNull(text),
  actor: record({ type: oneOf("api_key", "user", "system", "carrier", "platform"), id: orNull(text), name: text }),
  request_id: orNull(text),
  created_at: moment,
});

describe("orders", () => {
  replay("POST /orders", "takes every documented field, identifiers as integers", async (api) => {
    const { sku, product_id } = await makeStock(api, 20);
    const { customer_id, shipping_address_id } = await makeCustomer(api);
    const answer = await api.ask("POST", "/orders", {
      order_number: fresh("ORD-2025"),
      customer_id: numberOf(customer_id),
      shipping_address_id: numberOf(shipping_address_id),
      line_items: [{ product_id: numberOf(product_id), quantity: 2, unit_price: 29.99 }],
      shipping_method: "fedex_ground",
      order_notes: "Handle with care",
      requires_cold_storage: false,
    });
    expect(answer.status).toBe(201);
    expectShape(answer.body, envelope(created));
    expect(answer.at("data")).toMatchObject({ customer_id, shipping_address_id, line_items: [{ product_id, sku }] });
  });

  replay(
    "POST /orders",
    "takes identifiers as prefixed texts and as digits, and only the required fields",
    async (api) => {
      const { product_id } = await makeStock(api, 20);
      const { customer_id, shipping_address_id } = await makeCustomer(api);
      for (const form of [(id: string) => id, (id: string) => String(numberOf(id))]) {
        const answer = await api.post("/orders", {
          order_number: fresh("ORD-2025"),
          customer_id: form(customer_id),
          shipping_address_id: form(shipping_address_id),
          line_items: [{ product_id: form(product_id), quantity: 1, unit_price: "29.99" }],
        });
        expectShape(answer.body, envelope(created));
        expect(answer.at("data")).toMatchObject({ customer_id, shipping_address_id, requires_cold_storage: false });
        expect(answer.at("data.line_items.0")).toMatchObject({ product_id, unit_price: 29.99 });
      }
    },
  );

  replay("POST /orders", "names every required field that is missing", async (api) => {
    const answer = await api.refused(422, "validation_failed", "POST", "/orders", {});
    const named = (answer.at("error.details") as { field: string }[]).map(({ field }) => field);
    expect(named).toEqual(expect.arrayContaining(["order_number", "customer_id", "shipping_address_id", "line_items"]));
  });

  replay("POST /orders", "refuses an order number that is taken, naming the order", async (api) => {
    const first = await makeOrder(api);
    const body = {
      order_number: first.order_number,
      ...(await makeCustomer(api)),
      line_items: [{ sku: first.sku, quantity: 1, unit_price: 1 }],
    };
    const answer = await api.refused(409, "duplicate_order_number", "POST", "/orders", body);
    expect(answer.at("error.existing_id")).toBe(first.id);
  });

  replay("GET /orders", "lists in pages and by each documented status", async (api) => {
    await makeOrder(api);
    const processing = await makeOrder(api);
    await api.post(`/orders/${processing.id}/process`);
    const shipped = await makeShippedOrder(api);
    const delivered = await makeShippedOrder(api);
    await api.post(`/orders/${delivered.id}/deliver`);
    const cancelled = await makeOrder(api);
    await api.must("DELETE", `/orders/${cancelled.id}`);
    expectShape((await api.get("/orders")).body, envelopedList(order));
    await expectPages(api, "/orders");
    const newest = { processing, shipped, delivered, cancelled };
    for (const status of ["pending", "processing", "shipped", "delivered", "cancelled"] as const) {
      const answer = await api.get(`/orders?status=${status}`);
      expectShape(answer.body, envelopedList(record({ status: oneOf(status) })));
      if (status !== "pending") expect(answer.at("data.0.id")).toBe(newest[status].id);
    }
    await api.refused(422, "validation_failed", "GET", "/orders?status=lost");
  });

  replay("GET /orders", "lists the orders of one customer", async (api) => {
    const to = await makeCustomer(api);
    const mine = [await makeOrder(api, to), await makeOrder(api, to)];
    for (const id of [to.customer_id, numberOf(to.customer_id)]) {
      const answer = await api.get(`/orders?customer_id=${id}&page=1&limit=50`);
      expect(answer.at("data")).toMatchObject(mine.toReversed().map((made) => ({ id: made.id })));
      expect(answer.at("meta.pagination")).toMatchObject({ page: 1, limit: 50, total: 2, total_pages: 1 });
    }
  });

  replay("GET /orders/:id", "answers the whole order, by either form of its identifier", async (api) => {
    const { id, order_number, sku } = await makeOrder(api);
    const answer = await api.get(`/orders/${id}`);
    expectShape(answer.body, envelope(order));
    expect(answer.at("data")).toMatchObject({ id, order_number, line_items: [{ sku, quantity: 2 }], subtotal: 25 });
    expect((await api.get(`/orders/${numberOf(id)}`)).at("data")).toEqual(answer.at("data"));
    await api.refused(404, "resource_missing", "GET", "/orders/ord_999");
  });

  replay("PATCH /orders/:id", "changes what is given and nothing else", async (api) => {
    const made = await makeOrder(api, { order_notes: "Call first", shipping_method: "fedex_ground" });
    const answer = await api.patch(`/orders/${made.id}`, { order_notes: "Ring twice" });
    expectShape(answer.body, envelope(order));
    expect(answer.at("data")).toMatchObject({ order_notes: "Ring twice", shipping_method: "fedex_ground" });
    expect((await api.get(`/orders/${made.id}`)).at("data")).toEqual(answer.at("data"));
    await api.refused(422, "immutable_field", "PATCH", `/orders/${made.id}`, { order_number: fresh("ORD") });
    await api.refused(422, "validation_failed", "PATCH", `/orders/${made.id}`, { status: "shipped" });
  });

  replay(
    "DELETE /orders/:id",
    "cancels the order and frees its stock, and answers the same when asked again",
    async (api) => {
      const made = await makeOrder(api);
      const answer = await api.must("DELETE", `/orders/${made.id}?reason=customer`);
      expect(answer.status).toBe(200);
      expectShape(answer.body, envelope(order));
      expect(answer.at("data")).toMatchObject({ id: made.id, status: "cancelled", cancel_reason: "customer" });
      expectShape(answer.at("data.cancelled_at"), moment);
      expect((await api.get(`/inventory/${made.sku}`)).at("data")).toMatchObject({ available: 12, reserved: 0 });
      const again = await api.must("DELETE", `/orders/${made.id}`);
      expect(again.at("data")).toEqual(answer.at("data"));
    },
  );

  replay("DELETE /orders/:id", "is refused once the parcel is out", async (api) => {
    const made = await makeShippedOrder(api);
    const answer = await api.refused(409, "invalid_state_transition", "DELETE", `/orders/${made.id}`);
    expectShape(answer.at("error"), record({ from: oneOf("shipped"), action: text, allowed_actions: anyListOf(text) }));
  });

  replay("POST /orders/:id/hold", "puts the order on hold", async (api) => {
    const made = await makeOrder(api);
    const answer = await api.ask("POST", `/orders/${made.id}/hold`, { reason: "payment", note: "Card declined" });
    expect(answer.status).toBe(200);
    expectShape(answer.body, envelope(order));
    expect(answer.at("data")).toMatchObject({ id: made.id, status: "on_hold", holds: [{ reason: "payment" }] });
    expect(answer.at("data.allowed_actions")).toContain("release");
    const held = (await api.get("/orders?status=on_hold")).at("data");
    expect(held).toMatchObject([{ id: made.id }]);
  });

  replay("POST /orders/:id/hold", "needs no body", async (api) => {
    const made = await makeOrder(api);
    expect((await api.must("POST", `/orders/${made.id}/hold`)).at("data.status")).toBe("on_hold");
    expect((await api.must("POST", `/orders/${made.id}/release`)).at("data.status")).toBe("pending");
  });

  replay("POST /orders/:id/release", "gives the order back the status it was held from", async (api) => {
    const made = await makeOrder(api);
    await api.post(`/orders/${made.id}/process`);
    await api.post(`/orders/${made.id}/hold`, { reason: "address" });
    const answer = await api.ask("POST", `/orders/${made.id}/release`, {});
    expect(answer.status).toBe(200);
    expectShape(answer.body, envelope(order));
    expect(answer.at("data.status")).toBe("processing");
    const again = await api.ask("POST", `/orders/${made.id}/release`, {});
    expect([again.status, again.at("data.status")]).toEqual([200, "processing"]);
  });

  replay("GET /orders/:id/history", "tells every change of status, oldest first", async (api) => {
    const made = await makeOrder(api);
    await api.post(`/orders/${made.id}/hold`, { reason: "fraud", note: "Looks odd" });
    await api.post(`/orders/${made.id}/release`);
    await api.post(`/orders/${made.id}/process`);
    await api.must("DELETE", `/orders/${made.id}`);
    const answer = await api.get(`/orders/${made.id}/history`);
    expectShape(answer.body, envelopedList(change));
    expect(answer.at("data")).toMatchObject([
      { from_status: null, to_status: "pending", actor: { type: "api_key" } },
      { from_status: "pending", to_status: "on_hold", reason: "fraud", note: "Looks odd" },
      { from_status: "on_hold", to_status: "pending" },
      { from_status: "pending", to_status: "processing" },
      { from_status: "processing", to_status: "cancelled" },
    ]);
    await expectPages(api, `/orders/${made.id}/history`);
  });
});
