// Authentication and refusals. The specification shows the header and the forms of keys; the rest is the contract's.
import { describe, expect, test } from "bun:test";
import { type Answer, type ContractCaller, callers, keyOf, makeListedKey, open, replay, send } from "./service.ts";
import {
  envelope,
  envelopedList,
  expectShape,
  integer,
  listOf,
  moment,
  oneOf,
  prefixed,
  record,
  refusal,
  text,
} from "./shape.ts";
import { customerBody, fresh, makeCustomer, makeOrder } from "./supplies.ts";

function expectRefusal(answer: Answer, status: number, code: string): void {
  expect([answer.status, answer.at("error.code")]).toEqual([status, code]);
  expectShape(answer.body, refusal(code));
}

const inBothEnvironments = (what: string, work: (caller: ContractCaller) => Promise<void>) =>
  test.each(callers)(`${what} ($mode key, $base)`, work);

describe("authentication", () => {
  inBothEnvironments("a key says its mode after the prefix", async ({ mode }) => {
    expect(keyOf(mode, "full")).toMatch(new RegExp(`^ph_${mode}_[0-9A-Za-z]{36}$`));
  });

  inBothEnvironments(
    "a request without a key, with a malformed and with an unknown one is 401",
    async ({ mode, base }) => {
      const none = await send("GET", `${base}/orders`, null);
      expectRefusal(none, 401, "authentication_required");
      expect(none.headers.get("www-authenticate")).toStartWith("Bearer");
      const basic = await send("GET", `${base}/orders`, null, undefined, { authorization: "Basic amFuZTpqYW5l" });
      expectRefusal(basic, 401, "authentication_required");
      const unknown = await send("GET", `${base}/orders`, `ph_${mode}_${"0".repeat(36)}`);
      expectRefusal(unknown, 401, "invalid_api_key");
      expectRefusal(await send("GET", `${base}/no-such-path`, null), 401, "authentication_required");
    },
  );

  test("a key that may read reads, and quotes rates", async () => {
    const api = open(callers[0], "read");
    for (const path of ["/orders", "/products", "/inventory", "/customers", "/returns", "/webhooks"])
      await api.get(path);
    const body = { from_zip: "90001", to_zip: "10001", weight: 1, weight_unit: "lbs" };
    expect((await api.ask("POST", "/shipping/rates", body)).status).not.toBe(403);
    expect((await api.post("/tracking/batch", { tracking_numbers: ["NOSUCHNUMBER1"] })).status).toBe(200);
    const refused = await api.refused(403, "insufficient_permission", "POST", "/customers", customerBody());
    expect(refused.at("error")).toMatchObject({ required: "read_write", granted: "read" });
    await api.refused(403, "insufficient_permission", "DELETE", "/orders/ord_1", undefined);
  });

  test("a key that may write writes, but changes no settings", async () => {
    const api = open(callers[0], "read_write");
    await makeOrder(api);
    const body = { url: "https://shop.example.com/hooks", events: ["order.created"] };
    await api.refused(403, "insufficient_permission", "POST", "/webhooks", body);
  });

  test("a key with a list of addresses is good from those only", async () => {
    const lists = ["127.0.0.0/8", "192.0.2.0/24"];
    const [here = "", elsewhere = ""] = await Promise.all(lists.map((list) => makeListedKey("live", list)));
    expect((await send("GET", "/v1/orders", here)).status).toBe(200);
    expectRefusal(await send("GET", "/v1/orders", elsewhere), 403, "ip_not_allowed");
  });

  test("a key of one mode finds nothing of the other", async () => {
    const [live, sandbox] = callers.map((caller) => open(caller));
    if (live === undefined || sandbox === undefined) throw new Error("There are two environments.");
    for (const [mine, other] of [
      [live, sandbox],
      [sandbox, live],
    ] as const) {
      const order = await makeOrder(mine);
      const { customer_id } = await makeCustomer(mine);
      await other.refused(404, "resource_missing", "GET", `/orders/${order.id}`);
      await other.refused(404, "resource_missing", "GET", `/customers/${customer_id}`);
      await other.refused(404, "resource_missing", "GET", `/inventory/${order.sku}`);
    }
  });

  test("both base addresses show the same", async () => {
    const key = keyOf("live", "full");
    const order = await makeOrder(open({ mode: "live", base: "/v1" }));
    const [one, other] = [
      await send("GET", `/v1/orders/${order.id}`, key),
      await send("GET", `/api/v1/orders/${order.id}`, key),
    ];
    expect([one.status, other.status]).toEqual([200, 200]);
    expect(other.at("data")).toEqual(one.at("data"));
    expect(other.headers.get("link")).toContain('rel="canonical"');
  });
});

describe("errors", () => {
  inBothEnvironments("an unknown path is 404, a wrong method 405 with those that are right", async (caller) => {
    const api = open(caller);
    await api.refused(404, "route_not_found", "GET", "/no-such-path");
    const answer = await api.refused(405, "method_not_allowed", "PUT", "/orders", {});
    expect(answer.headers.get("allow")).toContain("POST");
  });

  inBothEnvironments("text that names nothing is 404 on every resource", async (caller) => {
    const api = open(caller);
    for (const path of ["/orders/none", "/products/none", "/customers/none", "/returns/none", "/webhooks/none"]) {
      await api.refused(404, "resource_missing", "GET", path);
    }
  });

  inBothEnvironments("a body that is no JSON is 400, one of another type 415, one too large 413", async (caller) => {
    const api = open(caller);
    await api.refused(400, "malformed_request", "POST", "/customers", '{"email":');
    const form = await api.ask("POST", "/customers", "email=jane", {
      "content-type": "application/x-www-form-urlencoded",
    });
    expectRefusal(form, 415, "unsupported_media_type");
    const large = { ...customerBody(), company: "x".repeat(1 << 20) };
    await api.refused(413, "payload_too_large", "POST", "/customers", large);
  });

  inBothEnvironments("all bad fields are named at once, unknown ones too", async (caller) => {
    const api = open(caller);
    const body = {
      order_number: fresh("ORD"),
      customer_id: true,
      shipping_address_id: "adr_1",
      line_items: [{ product_id: 1, quantity: 0, unit_price: 1 }],
      colour: "red",
    };
    const answer = await api.refused(422, "validation_failed", "POST", "/orders", body);
    expectShape(answer.at("error.details"), listOf(record({ field: text, pointer: text, code: text, message: text })));
    const details = answer.at("error.details") as { field: string; code: string; pointer: string }[];
    expect(details.map(({ field }) => field).sort()).toEqual(["colour", "customer_id", "line_items[0].quantity"]);
    expect(details).toContainEqual(expect.objectContaining({ field: "colour", code: "unknown_field" }));
    expect(details).toContainEqual(expect.objectContaining({ pointer: "/line_items/0/quantity" }));
  });

  inBothEnvironments("an identifier in a body that names nothing is 404 and names the field", async (caller) => {
    const api = open(caller);
    const { sku: _sku, ...made } = await makeOrder(api);
    const order = await api.get(`/orders/${made.id}`);
    const body = {
      order_number: fresh("ORD"),
      customer_id: 999,
      shipping_address_id: order.at("data.shipping_address_id"),
      line_items: [{ product_id: order.at("data.line_items.0.product_id"), quantity: 1, unit_price: 1 }],
    };
    const answer = await api.refused(404, "resource_missing", "POST", "/orders", body);
    expect(answer.at("error.details")).toMatchObject([{ field: "customer_id", code: "resource_missing" }]);
  });

  inBothEnvironments("a customer's refusal has the envelope that customers have not", async (caller) => {
    await open(caller).refused(422, "validation_failed", "POST", "/customers", { email: "nobody" });
  });

  inBothEnvironments("a client may ask for problem+json", async (caller) => {
    const answer = await open(caller).ask("GET", "/orders/none", undefined, { accept: "application/problem+json" });
    expect(answer.status).toBe(404);
    expect(answer.headers.get("content-type")).toStartWith("application/problem+json");
    expect(answer.body).toMatchObject({ status: 404, code: "resource_missing" });
  });

  inBothEnvironments("an answer repeats the request's id, or gives one", async (caller) => {
    const api = open(caller);
    const named = await api.ask("GET", "/orders", undefined, { "x-request-id": "contract-1" });
    expect([named.headers.get("x-request-id"), named.at("meta.requestId")]).toEqual(["contract-1", "contract-1"]);
    expect((await api.get("/orders")).textAt("meta.request_id")).toStartWith("req_");
  });

  inBothEnvironments("a repeated request with an Idempotency-Key acts once", async (caller) => {
    const api = open(caller);
    const headers = { "idempotency-key": fresh("once") };
    const body = customerBody();
    const first = await api.ask("POST", "/customers", body, headers);
    const second = await api.ask("POST", "/customers", body, headers);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    const other = await api.ask("POST", "/customers", customerBody(), headers);
    expectRefusal(other, 422, "idempotency_key_reused");
  });

  test("health needs no key", async () => {
    expect((await send("GET", "/health", null)).status).toBe(200);
  });
});

const key = record({
  id: prefixed("key_"),
  name: text,
  permission: oneOf("read", "read_write", "full"),
  created_at: moment,
});

describe("API keys and codes", () => {
  replay("POST /keys", "takes a name, a level and addresses, and shows the key once", async (api) => {
    const body = { name: fresh("shop"), permission: "read", ip_mode: "enforce", ip_list: ["127.0.0.0/8"] };
    const made = await api.ask("POST", "/keys", body);
    expect(made.status).toBe(201);
    expectShape(made.body, envelope(key));
    expect(made.textAt("data.key")).toMatch(new RegExp(`^ph_${api.mode}_[0-9A-Za-z]{36}$`));
    const asked = (method: string, path: string) =>
      send(method, `${api.base}${path}`, made.textAt("data.key"), undefined);
    expect((await asked("GET", "/orders")).status).toBe(200);
    expectRefusal(await asked("POST", "/customers"), 403, "insufficient_permission");
    expect((await api.get(`/keys/${made.textAt("data.id")}`)).at("data")).not.toHaveProperty("key");
    await api.must("DELETE", `/keys/${made.textAt("data.id")}`);
  });

  replay("GET /keys", "lists keys without showing any", async (api) => {
    const listed = await api.get("/keys");
    expectShape(listed.body, envelopedList(key));
    expect(JSON.stringify(listed.body)).not.toContain(keyOf(api.mode, "full"));
  });

  replay("GET /errors", "lists every code with its status and what to do", async (api) => {
    const listed = await api.get("/errors");
    const code = record({ code: text, status: integer, type: text, when: text, remedy: text, doc_url: text });
    expectShape(listed.at("data"), listOf(code));
  });
});
