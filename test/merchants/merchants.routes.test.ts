import { describe, expect, test } from "bun:test";
import { copyMerchants } from "../../src/merchants/merchants.jobs.ts";
import { listMerchants } from "../../src/merchants/merchants.sql.ts";
import { createMerchant, suspendMerchant } from "../../src/merchants/merchants.ts";
import { openShop } from "../build/shop.ts";
import { signedInAs } from "../identity/people.ts";

const shop = await openShop();

type Asked = { key?: string; headers?: Record<string, string> };
const ask = async (method: string, path: string, body?: unknown, asked?: Asked) => {
  const { status, body: answer } = await shop.app.call(method, path, body, asked);
  return { status, data: answer.data, error: answer.error };
};
const inTest = () => ({ key: shop.app.keys.test.full });
const made = async (code: string, fields: object = {}) => {
  const { status, data, error } = await ask("POST", "/merchants", { code, name: `${code} Ltd`, ...fields });
  expect([status, error]).toEqual([201, undefined]);
  return data;
};

const dock = { address_line1: "1 Pier", city: "Oakland", state: "CA", postal_code: "94607", country: "US" };

describe("works", () => {
  test("a new installation has one merchant, in both environments", async () => {
    const { data } = await ask("GET", "/merchants/MAIN");
    expect(data).toEqual({
      id: "mer_1",
      code: "MAIN",
      name: "Main",
      legal_name: null,
      status: "active",
      currency: "USD",
      timezone: "America/New_York",
      contact: null,
      return_address: null,
      ship_from_name: null,
      may_buy_labels: false,
      shared_waves: true,
      color: null,
      metadata: {},
      allowed_actions: ["suspend", "close"],
      revision: 1,
      created_at: "2026-01-02T03:04:05.000Z",
      updated_at: "2026-01-02T03:04:05.000Z",
      suspended_at: null,
      closed_at: null,
    });
    expect((await ask("GET", "/merchants", undefined, inTest())).data).toEqual([data]);
  });

  test("a new merchant exists in both environments under one id, and is found by id and code", async () => {
    await shop.app.takeEvents();
    const fields = {
      contact: { email: "ops@acme.example" },
      return_address: dock,
      color: "#1F6FEB",
      timezone: "Europe/Berlin",
      metadata: { rate: { kind: "A" } },
    };
    const acme = await made("ACME", fields);
    expect(acme).toMatchObject({
      id: "mer_1001",
      currency: "USD",
      timezone: "Europe/Berlin",
      contact: { name: null, email: "ops@acme.example", phone: null },
      return_address: { ...dock, name: "ACME Ltd", address_line2: null },
      color: "#1f6feb",
      metadata: { rate: { kind: "A" } },
    });
    for (const name of ["ACME", "mer_1001", "1001"]) {
      expect((await ask("GET", `/merchants/${name}`)).data).toEqual(acme);
      expect((await ask("GET", `/merchants/${name}`, undefined, inTest())).data).toEqual(acme);
    }
    expect(await shop.app.takeEvents()).toEqual([]);
  });

  test("a change applies to both environments; sending back a GET changes nothing", async () => {
    const bolt = await made("BOLT");
    shop.app.clocks.live.advance(1000);
    expect((await ask("PATCH", "/merchants/BOLT", bolt)).data).toEqual(bolt);
    const change = { name: "Bolt & Co", legal_name: "Bolt Incorporated", may_buy_labels: true, contact: {} };
    const { data } = await ask("PATCH", `/merchants/${bolt.id}`, change);
    const updated_at = new Date(shop.app.clocks.live.now()).toISOString();
    expect(data).toEqual({ ...bolt, ...change, contact: null, revision: 2, updated_at });
    expect((await ask("GET", "/merchants/BOLT", undefined, inTest())).data).toEqual(data);
  });

  test("a merchant is suspended, reactivated and permanently closed", async () => {
    const { id } = await made("CORA");
    const now = new Date(shop.app.clocks.live.now()).toISOString();
    const suspended = await ask("POST", `/merchants/${id}/suspend`);
    expect(suspended.data).toMatchObject({
      status: "suspended",
      allowed_actions: ["reactivate", "close"],
      suspended_at: now,
    });
    expect((await ask("GET", "/merchants/CORA", undefined, inTest())).data).toEqual(suspended.data);
    const again = await ask("POST", `/merchants/${id}/suspend`);
    expect([again.status, again.error.code]).toEqual([409, "invalid_state_transition"]);
    const active = await ask("POST", "/merchants/CORA/reactivate");
    expect(active.data).toMatchObject({ status: "active", suspended_at: null, revision: 3 });
    const closed = await ask("POST", "/merchants/CORA/close");
    expect(closed.data).toMatchObject({ status: "closed", allowed_actions: [], closed_at: now });
    for (const act of ["suspend", "reactivate", "close"]) {
      expect((await ask("POST", `/merchants/CORA/${act}`)).error.code).toBe("invalid_state_transition");
    }
    const listed = await ask("GET", "/merchants?status=closed");
    expect(listed.data).toEqual([closed.data]);
    expect((await ask("GET", "/merchants?q=cora")).data).toEqual([closed.data]);
  });

  test("a lost copy is repeated, and an old one never replaces a newer one", async () => {
    const { live, test: other } = shop.app.service.stores;
    const input = { code: "LOST", name: "Lost" };
    const lost = await live.write((tx) => createMerchant(tx, input, "UTC"));
    expect((await ask("GET", "/merchants/LOST", undefined, inTest())).status).toBe(404);
    const before = await live.read(listMerchants);
    await live.write((tx) => suspendMerchant(tx, "LOST"));
    await copyMerchants({ live, test: other });
    const late = { ...live, read: async () => before } as typeof live;
    await copyMerchants({ live: late, test: other });
    expect(await other.read(listMerchants)).toEqual(await live.read(listMerchants));
    expect(await other.read(listMerchants)).toContainEqual({
      ...lost,
      ...{ status: "suspended", suspended_at: lost.created_at, revision: 2 },
    });
  });

  test("owners and managers manage merchants from either environment, other staff see them", async () => {
    const [manager, floor] = [
      await signedInAs(shop.app.service, "manager"),
      await signedInAs(shop.app.service, "floor"),
    ];
    const headers = { ...manager.headers, origin: "http://packhouse.test", "packhouse-mode": "test" };
    const { status } = await ask("POST", "/merchants", { code: "DUNE", name: "Dune" }, { headers });
    expect(status).toBe(201);
    const seen = await ask("GET", "/merchants/DUNE", undefined, { headers: floor.headers });
    expect(seen.data).toMatchObject({ code: "DUNE" });
    const refused = await ask("POST", "/merchants/DUNE/close", undefined, {
      headers: { ...floor.headers, origin: "http://packhouse.test" },
    });
    expect([refused.status, refused.error.permission]).toEqual([403, "merchants.manage"]);
  });
});

describe("refuses", () => {
  test.each([
    [{ code: "A" }, "code", "invalid_value"],
    [{ code: "acme" }, "code", "invalid_value"],
    [{ code: "-ACME" }, "code", "invalid_value"],
    [{ code: "1001" }, "code", "invalid_value"],
    [{ code: "MAIN" }, "code", "duplicate"],
    [{ currency: "dollars" }, "currency", "invalid_value"],
    [{ timezone: "Mars/Olympus" }, "timezone", "invalid_value"],
    [{ contact: { email: "nobody" } }, "contact.email", "invalid_value"],
    [{ return_address: { ...dock, postal_code: "9" } }, "return_address.postal_code", "invalid_format"],
    [{ color: "red" }, "color", "invalid_value"],
  ])("a merchant with %p", async (fields, field, code) => {
    const { status, error } = await ask("POST", "/merchants", { code: "NEW", name: "New", ...fields });
    expect([status, error.details?.map((one: { field: string }) => one.field)]).toEqual([422, [field]]);
    expect(error.details[0].code).toBe(code);
  });

  test("another code, and an unknown merchant", async () => {
    const code = await ask("PATCH", "/merchants/MAIN", { code: "OTHER" });
    expect([code.status, code.error.code]).toEqual([422, "immutable_field"]);
    for (const name of ["NOBODY", "mer_77", "77"]) {
      expect((await ask("GET", `/merchants/${name}`)).status).toBe(404);
      expect((await ask("POST", `/merchants/${name}/close`)).status).toBe(404);
    }
  });

  test("a change by a test key, which live data would not know", async () => {
    for (const [method, path] of [
      ["POST", "/merchants"],
      ["PATCH", "/merchants/MAIN"],
      ["POST", "/merchants/MAIN/suspend"],
    ] as const) {
      const { status, error } = await ask(method, path, { code: "T1", name: "T" }, inTest());
      expect([status, error.code, error.required, error.granted]).toEqual([403, "live_only", "full", undefined]);
      expect(error.message).toContain("Use a live key (ph_live_…) with full permission.");
    }
  });

  test("to close a merchant with open work, in either environment", async () => {
    const eave = await made("EAVE");
    const owned = { headers: { "packhouse-merchant": "EAVE" } };
    for (const [mode, key] of [
      ["live", shop.app.keys.live.full],
      ["test", shop.app.keys.test.full],
    ] as const) {
      const as = { ...owned, key };
      await shop.app.call("POST", "/products", { sku: "E-1", name: "E" }, as);
      await shop.app.call("POST", "/inventory", { sku: "E-1", quantity: 3 }, as);
      const { status, error } = await ask("POST", "/merchants/EAVE/close");
      const facts = { mode, open_orders: 0, units: 3, merchant: eave.id };
      expect([status, error]).toMatchObject([409, { code: "merchant_not_empty", ...facts }]);
      // The merchant in the path counts, whatever else the request names.
      const beside = await ask("POST", "/merchants/EAVE/close", undefined, {
        headers: { "packhouse-merchant": "MAIN" },
      });
      expect(beside.error).toMatchObject({ code: "merchant_not_empty", ...facts });
      const out = { adjustment: -3, reason: "lost" };
      expect((await shop.app.call("PATCH", "/inventory/E-1", out, as)).status).toBe(200);
    }
    expect((await ask("POST", "/merchants/EAVE/close")).data).toMatchObject({ status: "closed" });
  });

  test("to close the only merchant", async () => {
    const { data } = await ask("GET", "/merchants?limit=100");
    const open = data.filter(
      ({ status, code }: { status: string; code: string }) => status !== "closed" && code !== "MAIN",
    );
    for (const { id } of open) expect((await ask("POST", `/merchants/${id}/close`)).status).toBe(200);
    const { status, error } = await ask("POST", "/merchants/MAIN/close");
    expect([status, error.code, error.message]).toEqual([
      409,
      "invalid_state_transition",
      "The only merchant cannot be closed.",
    ]);
  });
});
