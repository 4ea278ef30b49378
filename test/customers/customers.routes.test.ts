import { describe, expect, test } from "bun:test";
import { openApp } from "../build/service.ts";
import { openShop, portland } from "../build/shop.ts";

const app = await openApp();

const office = { ...portland, name: "Goods in", address_line1: "1 Dock Rd", postal_code: "97202-1234" };
const london = { address_line1: "120 Hanover Sq.", city: "London", postal_code: "WA1 1DP", country: "GB" };

let number = 0;
const email = () => `buyer-${++number}@example.com`;
const create = async (fields: object = {}) => (await app.post("/customers", { email: email(), ...fields })).body;
const defaults = (customer: { shipping_addresses: { is_default: boolean }[] }) =>
  customer.shipping_addresses.map(({ is_default }) => is_default);

describe("works", () => {
  test("the body of a GET creates a copy under another email address, with its own addresses", async () => {
    const made = await create({ first_name: "Jane", shipping_addresses: [portland, { ...office, is_default: true }] });
    const shown = (await app.get(`/customers/${made.id}`)).body;
    const copied = await app.post("/customers", { ...shown, email: email() });
    expect(copied.status).toBe(201);
    const without = ({ id: _, ...address }: { id: string }) => address;
    expect(copied.body.shipping_addresses.map(without)).toEqual(shown.shipping_addresses.map(without));
    const ids = [...shown.shipping_addresses, ...copied.body.shipping_addresses].map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
  });

  test("a customer is created and read, without an envelope and without milliseconds", async () => {
    const answer = await app.post("/customers", {
      email: "Jane.Doe@Example.com",
      first_name: "Jane",
      last_name: "Doe",
      phone: "+1 503 555 0100",
      company: "Doe & Co",
      shipping_addresses: [portland, { ...office, is_default: true }],
      metadata: { tier: "gold", score: 3, vip: true },
    });
    expect(answer.status).toBe(201);
    const { id, merchant_id, shipping_addresses, ...rest } = answer.body;
    expect(merchant_id).toBe("mer_1");
    expect(id).toMatch(/^cus_\d+$/);
    expect(rest).toEqual({
      email: "Jane.Doe@Example.com",
      first_name: "Jane",
      last_name: "Doe",
      phone: "+1 503 555 0100",
      company: "Doe & Co",
      metadata: { tier: "gold", score: 3, vip: true },
      created_at: "2026-01-02T03:04:05Z",
      updated_at: "2026-01-02T03:04:05Z",
      erased_at: null,
    });
    const verification = {
      status: "verified",
      method: "offline",
      errors: [],
      warnings: [],
      suggestion: null,
      po_box: false,
      residential: null,
      checked_at: "2026-01-02T03:04:05Z",
    };
    expect(shipping_addresses).toEqual([
      {
        id: expect.stringMatching(/^adr_\d+$/),
        name: "Jane Doe",
        ...portland,
        address_line2: null,
        phone: null,
        company: "Doe & Co",
        is_default: false,
        is_verified: true,
        verification,
      },
      {
        id: expect.stringMatching(/^adr_\d+$/),
        ...office,
        address_line2: null,
        phone: null,
        company: "Doe & Co",
        is_default: true,
        is_verified: true,
        verification,
      },
    ]);
    const detail = { ...answer.body, order_history: [], order_count: 0 };
    expect((await app.get(`/customers/${id}`)).body).toEqual(detail);
    expect((await app.get(`/customers/${id.slice(4)}`)).body).toEqual(detail);
    // The response of a GET can be sent back.
    expect((await app.patch(`/customers/${id}`, detail)).body).toEqual(answer.body);
    expect(await app.takeEvents()).toEqual([]);
  });

  test("an address defaults to the customer's name, otherwise to the company, and never to the email", async () => {
    const named = async (fields: object) =>
      (await create({ shipping_addresses: [portland], ...fields })).shipping_addresses;
    expect((await named({ first_name: " ", last_name: "Doe", company: "Co" }))[0].name).toBe("Doe");
    expect((await named({ first_name: "", company: "Co" }))[0].name).toBe("Co");
    expect((await named({ email: "plain@example.com" }))[0].name).toBeNull();
  });

  test("an address defaults to the customer's company, unless it has its own or the name contains it", async () => {
    const fields = { first_name: "Jane", company: "Doe & Co" };
    const sites = [
      portland,
      { ...portland, company: "Roe Ltd" },
      { ...portland, company: null },
      { ...portland, company: "" },
      { ...portland, name: "Doe & Co, gate 2" },
    ];
    const customer = await create({ ...fields, shipping_addresses: sites });
    const companies = async () => {
      const { shipping_addresses } = (await app.get(`/customers/${customer.id}`)).body;
      return shipping_addresses.map(({ company }: { company: string | null }) => company);
    };
    expect(await companies()).toEqual(["Doe & Co", "Roe Ltd", null, null, null]);
    const path = `/customers/${customer.id}/addresses`;
    const [first] = customer.shipping_addresses;
    expect((await app.post(path, portland)).body.company).toBe("Doe & Co");
    expect((await app.patch(`${path}/${first.id}`, { city: "Salem" })).body.company).toBe("Doe & Co");
    expect((await app.patch(`${path}/${first.id}`, { company: null })).body.company).toBeNull();
    expect((await app.patch(`${path}/${first.id}`, { company: "Roe Ltd" })).body.company).toBe("Roe Ltd");
    const { shipping_addresses } = (await app.get(`/customers/${customer.id}`)).body;
    await app.patch(`/customers/${customer.id}`, { shipping_addresses });
    expect(await companies()).toEqual(["Roe Ltd", "Roe Ltd", null, null, null, "Doe & Co"]);
  });

  test("an update without a difference keeps updated_at", async () => {
    const { id } = await create({ first_name: "Jane", shipping_addresses: [portland, { ...portland, city: "Salem" }] });
    const before = (await app.get(`/customers/${id}`)).body;
    const [first, second] = before.shipping_addresses;
    app.clocks.live.advance(1500);
    for (const same of [{}, { first_name: "Jane" }, { shipping_addresses: before.shipping_addresses }]) {
      await app.patch(`/customers/${id}`, same);
      expect((await app.get(`/customers/${id}`)).body).toEqual(before);
    }
    for (const same of [{}, { city: second.city }, { is_default: false }]) {
      await app.patch(`/customers/${id}/addresses/${second.id}`, same);
      expect((await app.get(`/customers/${id}`)).body).toEqual(before);
    }
    await app.patch(`/customers/${id}/addresses/${second.id}`, { is_default: true });
    const other = (await app.get(`/customers/${id}`)).body;
    expect(other.updated_at).not.toBe(before.updated_at);
    app.clocks.live.advance(1500);
    const back = [
      { ...first, is_default: true },
      { ...second, is_default: false },
    ];
    await app.patch(`/customers/${id}`, { shipping_addresses: back });
    expect((await app.get(`/customers/${id}`)).body.updated_at).not.toBe(other.updated_at);
  });

  test("only provided fields change, by PATCH or PUT", async () => {
    const { id } = await create({ first_name: "Jane", company: "Co", shipping_addresses: [portland] });
    app.clocks.live.advance(1500);
    const patched = (await app.patch(`/customers/${id}`, { company: null, metadata: { a: 1 } })).body;
    expect(patched).toMatchObject({ first_name: "Jane", company: null, metadata: { a: 1 } });
    expect(Date.parse(patched.updated_at)).toBeGreaterThan(Date.parse(patched.created_at));
    const put = (await app.call("PUT", `/customers/${id}`, { last_name: "Doe" })).body;
    expect(put).toMatchObject({ first_name: "Jane", last_name: "Doe", company: null });
    expect(put.shipping_addresses.length).toBe(1);
    const own = { email: put.email.toUpperCase() };
    expect((await app.patch(`/customers/${id}`, own)).body.email).toBe(own.email);
  });

  test("a list of addresses replaces all; those with an id change in place", async () => {
    const before = await create({ first_name: "Jane", shipping_addresses: [portland, office] });
    const [first, second] = before.shipping_addresses;
    const changed = await app.patch(`/customers/${before.id}`, {
      shipping_addresses: [london, { id: second.id, address_line2: "Gate 2" }],
    });
    const after = changed.body.shipping_addresses;
    expect(after).toEqual([
      { ...second, address_line2: "Gate 2", is_default: false },
      {
        ...first,
        ...london,
        id: after[1].id,
        state: null,
        is_default: true,
        is_verified: false,
        verification: expect.objectContaining({ status: "unverified", errors: [], warnings: [] }),
      },
    ]);
    expect(after[1].id).not.toBe(first.id);
    const none = await app.patch(`/customers/${before.id}`, { shipping_addresses: [] });
    expect(none.body.shipping_addresses).toEqual([]);
  });

  test("there is always exactly one default address", async () => {
    const customer = await create({ shipping_addresses: [portland, office] });
    const path = `/customers/${customer.id}`;
    const read = async () => (await app.get(path)).body;
    const [first, second] = customer.shipping_addresses;
    expect(defaults(customer)).toEqual([true, false]);
    const third = (await app.post(`${path}/addresses`, { ...london, is_default: true })).body;
    expect(third).toMatchObject({ ...london, is_default: true });
    expect(defaults(await read())).toEqual([false, false, true]);
    await app.post(`${path}/addresses`, london);
    expect(defaults(await read())).toEqual([false, false, true, false]);
    expect((await app.patch(`${path}/addresses/${second.id}`, { is_default: true })).body.is_default).toBe(true);
    expect(defaults(await read())).toEqual([false, true, false, false]);
    const moved = await app.patch(`${path}/addresses/${second.id}`, {
      ...second,
      address_line2: "Gate 3",
      is_default: true,
    });
    expect(moved.body).toEqual({ ...second, address_line2: "Gate 3", is_default: true });
    const without = await app.call("DELETE", `${path}/addresses/${second.id}`);
    expect([without.status, defaults(without.body)]).toEqual([200, [true, false, false]]);
    const kept = await app.patch(path, { shipping_addresses: [{ id: third.id }, { id: first.id }] });
    expect(kept.body.shipping_addresses.map(({ id }: { id: string }) => id)).toEqual([first.id, third.id]);
    expect(defaults(kept.body)).toEqual([true, false]);
    await app.call("DELETE", `${path}/addresses/${third.id}`);
    expect((await app.call("DELETE", `${path}/addresses/${first.id}`)).body.shipping_addresses).toEqual([]);
    expect((await app.post(`${path}/addresses`, portland)).body.is_default).toBe(true);
  });

  test("the detail has the newest orders and their number", async () => {
    const shop = await openShop();
    const goods = [await shop.product({ units: 100 }), await shop.product({ units: 100 })] as const;
    const first = await shop.order(
      [
        [goods[0], 2],
        [goods[1], 1],
      ],
      { shipping_amount: "4.90" },
    );
    const held = await shop.order([[goods[0], 1]]);
    await shop.act(held.id, "hold");
    const path = `/customers/${shop.customer.id}`;
    const { order_history, order_count } = (await shop.app.get(path)).body;
    expect(order_count).toBe(2);
    const { id, order_number, created_at } = first;
    expect(order_history).toMatchObject([
      { id: held.id, status: "on_hold", total: 12.5, item_count: 1 },
      { id, order_number, created_at, status: "pending", total: 42.4, currency: "USD", item_count: 3 },
    ]);
    for (let n = 0; n < 50; n += 1) await shop.order([[goods[1], 1]]);
    const full = (await shop.app.get(path)).body;
    expect([full.order_count, full.order_history.length]).toEqual([52, 50]);
    expect(full.order_history.map((order: { id: string }) => order.id)).not.toContain(first.id);
    // Orders keep a copy of the address, so it may be changed and removed.
    const [address] = shop.customer.shipping_addresses;
    expect((await shop.app.call("DELETE", `${path}/addresses/${address.id}`)).status).toBe(200);
    expect((await shop.get(first.id)).shipping_address).toMatchObject({ city: "Portland", name: "Jane Doe" });
  });
});

const refused = async (method: string, path: string, body?: unknown) => {
  const answer = await app.call(method, path, body);
  const fields = answer.body.error.details.map((problem: { field: string }) => problem.field);
  return [answer.status, answer.body.error.code, fields];
};

describe("refuses", () => {
  test.each([
    ["no e-mail address", { email: undefined }, ["email"]],
    ["no e-mail address worth the name", { email: "jane" }, ["email"]],
    ["metadata nested too deep", { metadata: { a: { b: { c: { d: { e: {} } } } } } }, ["metadata.a.b.c.d.e"]],
    ["an address without its lines", { shipping_addresses: [{}] }, ["address_line1", "country"]],
    ["a country's name", { shipping_addresses: [{ ...portland, country: "USA" }] }, ["country"]],
    ["UK", { shipping_addresses: [{ ...london, country: "UK" }] }, ["country"]],
    ["an unknown country", { shipping_addresses: [{ ...london, country: "QX" }] }, ["country"]],
    ["no state", { shipping_addresses: [{ ...portland, state: null }] }, ["state"]],
    ["no postal code", { shipping_addresses: [{ ...london, postal_code: "" }] }, ["postal_code"]],
    ["a wrong postal code", { shipping_addresses: [{ ...portland, postal_code: "9720" }] }, ["postal_code"]],
    ["no city", { shipping_addresses: [{ ...london, city: undefined }] }, ["city"]],
    [
      "blank lines",
      { shipping_addresses: [{ ...portland, address_line1: " ", city: " " }] },
      ["address_line1", "city"],
    ],
  ])("%s", async (_name, fields, names) => {
    const prefix = "shipping_addresses" in fields ? "shipping_addresses[0]." : "";
    const expected = [422, "validation_failed", names.map((name) => prefix + name)];
    expect(await refused("POST", "/customers", { email: email(), ...fields })).toEqual(expected);
  });

  test("reports every bad field of every address at once", async () => {
    const shipping_addresses = [portland, { ...portland, state: null, postal_code: "1" }, { ...london, country: "ZZ" }];
    expect(await refused("POST", "/customers", { email: email(), shipping_addresses })).toEqual([
      422,
      "validation_failed",
      ["shipping_addresses[1].state", "shipping_addresses[1].postal_code", "shipping_addresses[2].country"],
    ]);
  });

  test("an email address in use, in any case, and names the customer", async () => {
    const first = await create({ email: "taken@example.com" });
    const second = await app.post("/customers", { email: "TAKEN@example.com" });
    expect([second.status, second.body.error.code]).toEqual([409, "duplicate_email"]);
    expect(second.body.error.existing_id).toBe(first.id);
    const other = await create();
    const changed = await app.patch(`/customers/${other.id}`, { email: "Taken@Example.com", first_name: "X" });
    expect([changed.status, changed.body.error.existing_id]).toEqual([409, first.id]);
    expect((await app.get(`/customers/${other.id}`)).body).toMatchObject({ email: other.email, first_name: null });
  });

  test("two default addresses, and removing the default mark", async () => {
    const two = [portland, office].map((address) => ({ ...address, is_default: true }));
    const expected = [422, "validation_failed", ["shipping_addresses[1].is_default"]];
    expect(await refused("POST", "/customers", { email: email(), shipping_addresses: two })).toEqual(expected);
    const customer = await create({ shipping_addresses: [portland] });
    const path = `/customers/${customer.id}/addresses/${customer.shipping_addresses[0].id}`;
    expect(await refused("PATCH", path, { is_default: false })).toEqual([422, "validation_failed", ["is_default"]]);
    expect(await refused("PATCH", path, { country: "CA", city: "" })).toEqual([
      422,
      "validation_failed",
      ["city", "postal_code"],
    ]);
    expect(await refused("PATCH", path, { country: "CA" })).toEqual([422, "validation_failed", ["postal_code"]]);
  });

  test("another customer's address, and unknown records", async () => {
    const mine = await create({ shipping_addresses: [portland] });
    const other = await create({ shipping_addresses: [portland] });
    const foreign = other.shipping_addresses[0].id;
    const gone = [404, "resource_missing", []];
    expect(await refused("PATCH", `/customers/${mine.id}/addresses/${foreign}`, { city: "Salem" })).toEqual(gone);
    expect(await refused("DELETE", `/customers/${mine.id}/addresses/${foreign}`)).toEqual(gone);
    const set = { shipping_addresses: [{ id: foreign }] };
    const named = [404, "resource_missing", ["shipping_addresses[0].id"]];
    expect(await refused("PATCH", `/customers/${mine.id}`, set)).toEqual(named);
    const { id } = mine.shipping_addresses[0];
    const twice = { shipping_addresses: [{ id }, { id }] };
    expect((await refused("PATCH", `/customers/${mine.id}`, twice))[2]).toEqual(["shipping_addresses[1].id"]);
    expect(await refused("GET", "/customers/cus_1")).toEqual(gone);
    expect(await refused("GET", "/customers/ord_1001")).toEqual(gone);
    expect(await refused("PATCH", "/customers/cus_1", {})).toEqual(gone);
    expect(await refused("POST", "/customers/cus_1/addresses", portland)).toEqual(gone);
    expect((await app.get(`/customers/${mine.id}`)).body.shipping_addresses).toEqual(mine.shipping_addresses);
    expect(await app.takeEvents()).toEqual([]);
  });
});

describe("guards", () => {
  test("of customers created concurrently with one email address, only one is stored", async () => {
    const tries = Array.from({ length: 8 }, (_, n) =>
      app.post("/customers", { email: n % 2 ? "RACE@example.com" : "race@example.com" }),
    );
    const statuses = (await Promise.all(tries)).map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
  });

  test("addresses added concurrently leave one default", async () => {
    const { id } = await create();
    const tries = Array.from({ length: 6 }, () =>
      app.post(`/customers/${id}/addresses`, { ...portland, is_default: true }),
    );
    expect((await Promise.all(tries)).map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 201]);
    const customer = (await app.get(`/customers/${id}`)).body;
    expect(defaults(customer).filter(Boolean).length).toBe(1);
  });
});
