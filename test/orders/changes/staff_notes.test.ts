import { beforeAll, describe, expect, test } from "bun:test";
import { buyerOf } from "../../build/buyer.ts";
import { openApp } from "../../build/service.ts";

const app = await openApp();
const keys: Record<string, string> = {};
let order: { id: string; order_number: string };
beforeAll(async () => {
  for (const code of ["ACME", "BOLT"]) {
    await app.must("POST", "/merchants", { code, name: code });
    keys[code] = (await app.must("POST", "/keys", { name: code, permission: "full", merchant_id: code })).key;
  }
  await app.must("POST", "/products", { sku: "TEA", name: "Tea", merchant_id: "ACME" });
  await app.must("POST", "/inventory", { sku: "TEA", quantity: 50, location: "whs_1001", merchant_id: "ACME" });
  const buyer = await buyerOf(app.must, { email: "jane@example.com", merchant_id: "ACME" });
  order = await buyer.order("N-1", [["TEA", 1]]);
});

const as = (key: string) => ({ key: keys[key] ?? key });
const add = async (body: object, by = {}) => app.call("POST", `/orders/${order.id}/notes`, body, by);
const textsFor = async (by = {}): Promise<string[]> =>
  (await app.call("GET", `/orders/${order.id}/notes`, undefined, by)).body.data.map(
    ({ text }: { text: string }) => text,
  );
const found = async (q: string, by = {}): Promise<number> =>
  (await app.call("GET", `/orders?q=${encodeURIComponent(q)}`, undefined, by)).body.data.length;

describe("works", () => {
  test("a note of the operator is internal, also for searches, unless it is shared", async () => {
    const internal = await add({ text: "Suspicious\naddress (see O'Neill)" });
    expect(internal.status).toBe(201);
    expect(internal.body.data).toMatchObject({ order_id: order.id, shared: false, author: { name: "full" } });
    await add({ text: "Repacked in a larger carton", shared: true });
    await add({ text: "Buyer called us" }, as("ACME"));
    const mine = ["Suspicious\naddress (see O'Neill)", "Repacked in a larger carton", "Buyer called us"];
    expect(await textsFor()).toEqual(mine);
    expect(await textsFor(as("ACME"))).toEqual(mine.slice(1));
    for (const word of ["suspicious", "neill", "ADDRESS see"]) {
      expect([word, await found(word), await found(word, as("ACME"))]).toEqual([word, 1, 0]);
    }
    for (const word of ["carton", "called", "larg call"]) {
      expect([word, await found(word), await found(word, as("ACME"))]).toEqual([word, 1, 1]);
      expect(await found(word, as("BOLT"))).toBe(0);
    }
    const shown = (await app.call("GET", `/orders/${order.id}/notes`, undefined, as("ACME"))).body.data;
    expect(shown.map(({ author }: { author: { name: string } }) => author.name)).toEqual(["The warehouse", "ACME"]);
    expect((await app.get(`/orders/${order.id}`)).body.data.revision).toBe(1);
    expect((await app.get(`/orders/${order.id}/history`)).body.data).toHaveLength(1);
  });

  test("the author deletes a note, and a search no longer finds it", async () => {
    const { body } = await add({ text: "ephemeral" }, as("ACME"));
    const path = `/orders/${order.id}/notes/${body.data.id}`;
    expect(await found("ephemeral")).toBe(1);
    expect((await app.call("DELETE", path)).body.error.code).toBe("insufficient_permission");
    const deleted = await app.call("DELETE", path, undefined, as("ACME"));
    expect(deleted.body.data).toEqual({ id: body.data.id, deleted: true });
    expect([await found("ephemeral"), (await textsFor()).includes("ephemeral")]).toEqual([0, false]);
    expect((await app.call("DELETE", path, undefined, as("ACME"))).status).toBe(404);
  });

  test("a request that is repeated adds one note", async () => {
    const by = { headers: { "idempotency-key": "note-1" } };
    const [one, again] = [await add({ text: "once" }, by), await add({ text: "once" }, by)];
    expect(again.body.data.id).toBe(one.body.data.id);
    expect((await textsFor()).filter((text) => text === "once")).toHaveLength(1);
  });
});

describe("refused", () => {
  test("an internal note of a merchant, an empty one, and one on an order of another merchant", async () => {
    expect((await add({ text: "x", shared: false }, as("ACME"))).body.error.details[0].field).toBe("shared");
    expect((await add({ text: "" })).status).toBe(422);
    expect((await add({ text: "x" }, as("BOLT"))).status).toBe(404);
    expect((await app.call("GET", `/orders/${order.id}/notes`, undefined, as("BOLT"))).status).toBe(404);
  });

  test("a merchant does not learn that an internal note exists", async () => {
    const { id } = (await add({ text: "secret" })).body.data;
    const path = (note: string) => `/orders/${order.id}/notes/${note}`;
    const [hidden, none] = [
      await app.call("DELETE", path(id), undefined, as("ACME")),
      await app.call("DELETE", path("nte_999999"), undefined, as("ACME")),
    ];
    expect(hidden.status).toBe(404);
    expect(hidden.body.error.code).toBe(none.body.error.code);
  });
});
