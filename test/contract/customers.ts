import { describe, expect } from "bun:test";
import { expectPages, replay } from "./service.ts";
import {
  anyListOf,
  bareList,
  decimal,
  expectShape,
  flag,
  integer,
  listOf,
  moment,
  object,
  orNull,
  prefixed,
  record,
  text,
  wholeSecond,
} from "./shape.ts";
import { customerBody, makeCustomer, makeOrder, numberOf } from "./supplies.ts";

const address = record({
  id: prefixed("adr_"),
  name: text,
  address_line1: text,
  address_line2: orNull(text),
  city: text,
  state: orNull(text),
  postal_code: orNull(text),
  country: text,
  is_default: flag,
  is_verified: flag,
});

const fields = {
  id: prefixed("cus_"),
  email: text,
  first_name: orNull(text),
  last_name: orNull(text),
  phone: orNull(text),
  company: orNull(text),
  shipping_addresses: anyListOf(address),
  metadata: object,
  created_at: wholeSecond,
  updated_at: wholeSecond,
};
const customer = record(fields);

const placed = record({
  id: prefixed("ord_"),
  order_number: text,
  status: text,
  total: decimal,
  currency: text,
  item_count: integer,
  // An order's moment, with milliseconds as the order itself has it.
  created_at: moment,
});

const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();

describe("customers", () => {
  replay("POST /customers", "answers the customer without an envelope", async (api) => {
    const body = customerBody();
    const answer = await api.ask("POST", "/customers", body);
    expect(answer.status).toBe(201);
    expectShape(answer.body, customer);
    expectShape(answer.at("shipping_addresses"), listOf(address));
    expect(answer.body).toMatchObject(body);
    for (const name of ["success", "data", "meta"]) expect(answer.body).not.toHaveProperty(name);
  });

  replay("POST /customers", "needs nothing but an e-mail address, which is unique", async (api) => {
    const { email } = customerBody();
    const answer = await api.post("/customers", { email });
    expectShape(answer.body, customer);
    const again = await api.refused(409, "duplicate_email", "POST", "/customers", { email: email.toUpperCase() });
    expect(again.at("error.existing_id")).toBe(answer.at("id"));
    await api.refused(422, "validation_failed", "POST", "/customers", { first_name: "Jane" });
  });

  replay("GET /customers", "lists in pages beside the customers, not in a meta", async (api) => {
    await makeCustomer(api);
    await makeCustomer(api);
    const answer = await api.get("/customers");
    expectShape(answer.body, bareList(customer));
    for (const name of ["success", "meta"]) expect(answer.body).not.toHaveProperty(name);
    await expectPages(api, "/customers", "pagination");
    expect((await api.get("/customers?limit=1")).at("pagination.has_more")).toBe(true);
  });

  replay("GET /customers", "filters by e-mail address and by day of creation", async (api) => {
    const body = customerBody();
    const made = await api.post("/customers", body);
    const found = await api.get(`/customers?email=${encodeURIComponent(body.email)}`);
    expect(found.at("data")).toMatchObject([{ id: made.at("id") }]);
    expect(found.at("pagination")).toMatchObject({ total: 1, page: 1, limit: 50, total_pages: 1, has_more: false });
    expect((await api.get(`/customers?email=${body.email.slice(1)}`)).at("data")).toEqual([]);
    for (const since of ["2025-01-01", "2025-01-01T00:00:00Z"]) {
      expect((await api.get(`/customers?created_after=${since}&limit=1`)).at("data")).toMatchObject([
        { id: made.at("id") },
      ]);
    }
    expect((await api.get(`/customers?created_after=${tomorrow()}`)).at("data")).toEqual([]);
    await api.refused(422, "validation_failed", "GET", "/customers?created_after=yesterday");
  });

  replay("GET /customers/:id", "answers the customer with all addresses and the orders placed", async (api) => {
    const to = await makeCustomer(api);
    const order = await makeOrder(api, to);
    const answer = await api.get(`/customers/${to.customer_id}`);
    expectShape(answer.body, record({ ...fields, order_history: listOf(placed), order_count: integer }));
    expect(answer.body).toMatchObject({
      id: to.customer_id,
      shipping_addresses: [{ id: to.shipping_address_id }],
      order_history: [{ id: order.id, order_number: order.order_number, status: "pending", item_count: 2 }],
      order_count: 1,
    });
    expect(answer.body).not.toHaveProperty("data");
    expect((await api.get(`/customers/${numberOf(to.customer_id)}`)).body).toEqual(answer.body);
    await api.refused(404, "resource_missing", "GET", "/customers/cus_999");
  });

  // The specification names no method: Packhouse takes both.
  for (const method of ["PATCH", "PUT"]) {
    replay(`${method} /customers/:id`, "changes what is given and nothing else", async (api) => {
      const made = await api.post("/customers", customerBody());
      const answer = await api.must(method, `/customers/${made.textAt("id")}`, { phone: "+1-555-010-0100" });
      expect(answer.status).toBe(200);
      expectShape(answer.body, customer);
      const { updated_at: _at, revision: _revision, ...before } = made.body as Record<string, unknown>;
      expect(answer.body).toMatchObject({ ...before, phone: "+1-555-010-0100" });
    });
  }

  replay("PATCH /customers/:id", "takes back the addresses that it gave", async (api) => {
    const made = await api.post("/customers", customerBody());
    const [first] = made.at("shipping_addresses") as object[];
    const addresses = [{ ...first, city: "Brooklyn" }];
    const answer = await api.patch(`/customers/${made.textAt("id")}`, { shipping_addresses: addresses });
    expect(answer.at("shipping_addresses.0")).toMatchObject({
      id: made.at("shipping_addresses.0.id"),
      city: "Brooklyn",
    });
  });
});
