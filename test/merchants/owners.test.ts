// The owner of keys, subscriptions and invitations is determined in the same way everywhere.
import { beforeEach, describe, expect, test } from "bun:test";
import { openApp, type TestApp } from "../build/service.ts";

let app: TestApp;
beforeEach(async () => {
  app = await openApp();
});

let number = 0;
const makers: Record<string, () => [string, object]> = {
  "a key": () => ["/keys", { name: "till", permission: "read" }],
  "a subscription": () => ["/webhooks", { url: `https://example.com/${number}`, events: ["order.created"] }],
  "an invitation": () => ["/invitations", { email: `jo${number}@example.com`, role: "office" }],
};

/** The owner when the body, the header and the query name a merchant like this. */
async function owner(maker: keyof typeof makers, said: { body?: unknown; header?: string; query?: string }) {
  number += 1;
  const [path, fields] = makers[maker]?.() ?? [];
  const body = { ...fields, ...(said.body !== undefined && { merchant_id: said.body }) };
  const headers: Record<string, string> = said.header === undefined ? {} : { "packhouse-merchant": said.header };
  const query = said.query === undefined ? "" : `?merchant=${said.query}`;
  const { status, body: answer } = await app.call("POST", `${path}${query}`, body, { headers });
  expect([status, answer.error]).toEqual([201, undefined]);
  const { merchant_id, membership } = answer.data;
  return membership === undefined ? merchant_id : membership.merchant_id;
}

describe.each(Object.keys(makers))("%s", (maker) => {
  test("belongs to the only merchant if the operator names it, and to the operator if none is named", async () => {
    expect(await owner(maker, {})).toBeNull();
    expect(await owner(maker, { body: null })).toBeNull();
    expect(await owner(maker, { body: "MAIN" })).toBe("mer_1");
    expect(await owner(maker, { header: "MAIN" })).toBe("mer_1");
  });

  test("belongs to the merchant in the body before the one in the header, or to the operator", async () => {
    await app.post("/merchants", { code: "ACME", name: "Acme" });
    expect(await owner(maker, {})).toBeNull();
    expect(await owner(maker, { header: "ACME" })).toBe("mer_1001");
    expect(await owner(maker, { body: "ACME" })).toBe("mer_1001");
    expect(await owner(maker, { body: "mer_1", header: "MAIN" })).toBe("mer_1");
    expect(await owner(maker, { body: null, header: "ACME" })).toBeNull();
    if (maker === "an invitation") {
      // Invitations use the body or the header; the query is ignored.
      const { status, body } = await app.post("/invitations?merchant=ACME", { email: "q@example.com", role: "office" });
      expect([status, body.error.details]).toMatchObject([422, [{ field: "merchant", code: "unknown_field" }]]);
      return;
    }
    expect(await owner(maker, { query: "ACME" })).toBe("mer_1001");
    expect(await owner(maker, { body: null, query: "ACME" })).toBeNull();
  });
});

test("a subscription of the first merchant receives no events of later merchants", async () => {
  const make = (fields: object) =>
    app.post("/webhooks", { url: "https://example.com/main", events: ["order.created"], ...fields });
  const main = (await make({ merchant_id: "MAIN" })).body.data;
  const house = (await make({ url: "https://example.com/house" })).body.data;
  await app.post("/merchants", { code: "ACME", name: "Acme" });
  const address = { address_line1: "12 Elm St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };
  for (const merchant_id of ["MAIN", "ACME"]) {
    await app.product("TEA", { merchant_id });
    const buyer = { email: "jane@example.com", shipping_addresses: [address], merchant_id };
    const { id, shipping_addresses } = (await app.post("/customers", buyer)).body;
    const line_items = [{ sku: "TEA", quantity: 1, unit_price: "3.00" }];
    const to = { customer_id: id, shipping_address_id: shipping_addresses[0].id };
    const { status } = await app.post("/orders", { order_number: "N-1", ...to, line_items, merchant_id });
    expect(status).toBe(201);
  }
  await app.runJobs();
  const told = async (id: string) => (await app.get(`/webhooks/${id}/deliveries`)).body.data.length;
  expect([await told(main.id), await told(house.id)]).toEqual([1, 2]);
});

test("a subscription of the operator is compared with the operator's others, whatever the header names", async () => {
  await app.post("/merchants", { code: "ACME", name: "Acme" });
  const fields = { url: "https://example.com/x", events: ["order.created"], merchant_id: null };
  const headers = { "packhouse-merchant": "ACME" };
  expect((await app.call("POST", "/webhooks", fields, { headers })).status).toBe(201);
  const again = await app.call("POST", "/webhooks", fields, { headers });
  expect([again.status, again.body.error?.code]).toEqual([409, "duplicate_subscription"]);
  expect((await app.call("POST", "/webhooks", { ...fields, merchant_id: "ACME" })).status).toBe(201);
});
