import { describe, expect } from "bun:test";
import { type Api, expectPages, replay } from "./service.ts";
import {
  decimal,
  envelope,
  envelopedList,
  expectShape,
  flag,
  integer,
  link,
  listOf,
  moment,
  object,
  oneOf,
  orNull,
  prefixed,
  record,
  text,
} from "./shape.ts";
import { makeShippedOrder } from "./supplies.ts";

const reasons = ["defective", "wrong_item", "not_as_described", "customer_remorse", "expired", "other"];

const fields = {
  id: prefixed("ret_"),
  order_id: prefixed("ord_"),
  status: oneOf("initiated", "received", "inspected", "completed", "cancelled"),
  reason: oneOf(...reasons),
  items: listOf(record({ sku: text, quantity: integer, condition: orNull(text), notes: orNull(text) })),
  return_shipping: orNull(
    record({
      carrier: orNull(text),
      tracking_number: orNull(text),
      label_url: orNull(text),
      tracking_url: orNull(text),
      status: text,
    }),
  ),
  refund_amount: orNull(decimal),
  refund_shipping: flag,
  restocking_fee: orNull(decimal),
  customer_email: orNull(text),
  refund_status: oneOf("pending", "processing", "refunded", "partially_refunded", "failed"),
  created_at: moment,
  updated_at: moment,
};
const returned = record(fields);

const given = record({
  ...fields,
  status: oneOf("initiated"),
  refund_status: oneOf("pending"),
  return_shipping: record({ carrier: text, tracking_number: text, label_url: link, tracking_url: link, status: text }),
  refund_amount: decimal,
  restocking_fee: decimal,
  customer_email: text,
});

const refund = record({
  refund_id: text,
  return_id: prefixed("ret_"),
  amount: decimal,
  currency: text,
  breakdown: object,
  method: oneOf("original_payment"),
  refund_status: oneOf("pending", "processing", "refunded", "partially_refunded"),
  estimated_completion: text,
  created_at: moment,
});

/** A return of everything in a shipped order of two units at 12.50, at one of the documented statuses. */
async function makeReturn(api: Api, status: "initiated" | "received" | "inspected" | "completed") {
  const { id: order_id, sku } = await makeShippedOrder(api);
  const made = await api.post("/returns", { order_id, reason: "defective" });
  const id = made.textAt("data.id");
  if (status === "initiated") return { id, order_id, sku };
  expect((await api.post(`/returns/${id}/receive`)).at("data.status")).toBe("received");
  if (status === "received") return { id, order_id, sku };
  const items = [{ sku, quantity: 2, condition: "defective", disposition: "dispose" }];
  expect((await api.post(`/returns/${id}/inspect`, { items })).at("data.status")).toBe("inspected");
  if (status === "completed") await api.post(`/returns/${id}/refund`);
  return { id, order_id, sku };
}

describe("returns", () => {
  replay("POST /returns", "takes every documented field and answers it", async (api) => {
    const { id: order_id, sku } = await makeShippedOrder(api);
    const body = {
      order_id,
      reason: "defective",
      items: [{ sku, quantity: 1, condition: "damaged", notes: "Package arrived crushed" }],
      return_shipping: {
        carrier: "ups",
        tracking_number: "1Z999AA10123456784",
        label_url: "https://labels.example.com/1Z999AA10123456784.pdf",
      },
      refund_amount: 12.5,
      refund_shipping: true,
      restocking_fee: 0,
      customer_email: "jane@example.com",
    };
    const answer = await api.ask("POST", "/returns", body);
    expect(answer.status).toBe(201);
    expectShape(answer.body, envelope(given));
    expect(answer.at("data")).toMatchObject(body);
  });

  replay("POST /returns", "takes a full order, named by its number", async (api) => {
    const { id, order_number, sku } = await makeShippedOrder(api);
    const answer = await api.post("/returns", { order_id: order_number, reason: "customer_remorse" });
    expectShape(answer.body, envelope(returned));
    expect(answer.at("data")).toMatchObject({ order_id: id, items: [{ sku, quantity: 2 }] });
  });

  replay("POST /returns", "takes every documented reason, `other` with notes", async (api) => {
    const { id: order_id, sku } = await makeShippedOrder(api, reasons.length);
    const without = { order_id, reason: "other", items: [{ sku, quantity: 1, condition: "opened" }] };
    await api.refused(422, "validation_failed", "POST", "/returns", without);
    for (const reason of reasons) {
      const items = [{ sku, quantity: 1, condition: "opened", notes: "As told on the phone" }];
      expect((await api.post("/returns", { order_id, reason, items })).at("data.reason")).toBe(reason);
    }
    await api.refused(422, "validation_failed", "POST", "/returns", { order_id, reason: "bored" });
  });

  replay("GET /returns", "lists in pages, by each documented status and by order", async (api) => {
    for (const status of ["initiated", "received", "inspected", "completed"] as const) {
      const { id, order_id } = await makeReturn(api, status);
      const answer = await api.get(`/returns?status=${status}`);
      expectShape(answer.body, envelopedList(record({ ...fields, status: oneOf(status) })));
      expect(answer.at("data.0.id")).toBe(id);
      expect((await api.get(`/returns?order_id=${order_id}`)).at("data")).toMatchObject([{ id, order_id }]);
    }
    await expectPages(api, "/returns");
    await api.refused(422, "validation_failed", "GET", "/returns?status=lost");
  });

  replay("POST /returns/:id/refund", "refunds an inspected return to the original payment", async (api) => {
    const { id } = await makeReturn(api, "inspected");
    const answer = await api.post(`/returns/${id}/refund`);
    expectShape(answer.body, envelope(refund));
    expect(answer.at("data")).toMatchObject({ return_id: id, amount: 25, currency: "USD" });
    // Seven business days from now, however many weekends and holidays lie between.
    const days = (Date.parse(answer.textAt("data.estimated_completion")) - Date.now()) / 86_400_000;
    expect(days).toBeWithin(8, 14);
    expect((await api.get(`/returns/${id}`)).at("data.status")).toBe("completed");
  });

  replay("POST /returns/:id/refund", "waits for the inspection, and gives no more than there is", async (api) => {
    for (const status of ["initiated", "received"] as const) {
      const { id } = await makeReturn(api, status);
      await api.refused(409, "return_not_inspected", "POST", `/returns/${id}/refund`, {});
    }
    const { id } = await makeReturn(api, "inspected");
    await api.refused(422, "refund_exceeds_amount", "POST", `/returns/${id}/refund`, { amount: 1000 });
  });
});
