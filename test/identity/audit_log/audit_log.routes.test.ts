// The audit log: what it records, and how it is read.
import { describe, expect, test } from "bun:test";
import type { Environment } from "../../../src/core/environment.ts";
import { forgetOldActs } from "../../../src/identity/identity.jobs.ts";
import { type Answered, openApp } from "../../build/service.ts";

const app = await openApp();

const trail = async (query = ""): Promise<Answered["body"][]> => (await app.get(`/audit?limit=100${query}`)).body.data;

/** The entries that a request adds, newest first. */
async function left(work: () => Promise<Answered>): Promise<{ status: number; entries: Answered["body"][] }> {
  const before = await trail();
  const { status } = await work();
  const after = await trail();
  return { status, entries: after.slice(0, after.length - before.length) };
}

const key_input = { name: "shop", permission: "read", ip_mode: "enforce", ip_list: ["192.0.2.0/24"] };
const asked =
  (mode: Environment, path: string, body: unknown, headers: Record<string, string> = {}) =>
  () =>
    app.call("POST", path, body, { key: app.keys[mode].full, headers });

describe("works", () => {
  test("a change of settings by a key adds one entry, in either environment", async () => {
    for (const mode of ["live", "test"] as const) {
      const { status, entries } = await left(asked(mode, "/keys", key_input, { "x-request-id": `req-of-${mode}` }));
      const [entry] = entries;
      expect([status, entries.length]).toEqual([201, 1]);
      expect(entry).toEqual({
        id: expect.stringMatching(/^aud_\d+$/),
        created_at: expect.any(String),
        actor: { type: "api_key", id: expect.stringMatching(/^key_/), name: "full" },
        mode,
        action: "createKey",
        targets: [expect.stringMatching(/^key_/)],
        status: 201,
        request_id: `req-of-${mode}`,
        ip_address: "127.0.0.1",
        facts: { fields: Object.keys(key_input), permission: "read", ip_mode: "enforce" },
      });
      const { data } = (await app.call("GET", `/keys/${entry.targets[0]}`, undefined, { key: app.keys[mode].full }))
        .body;
      expect(data.name).toBe("shop");
    }
  });

  test("a repeated request adds no second entry", async () => {
    const ask = asked("test", "/keys", key_input, { "idempotency-key": "audit-once" });
    const { entries } = await left(ask);
    const again = await left(ask);
    expect([entries.length, again.status, again.entries]).toEqual([1, 201, []]);
  });

  test("entries are found by target, and exported as CSV", async () => {
    const [entry] = await trail("&action=createKey&mode=test");
    const [target] = entry.targets;
    const found = await trail(`&target=${target}&mode=test`);
    expect(found.map(({ id }) => id)).toContain(entry.id);
    const { body } = await app.get(`/audit/export.csv?target=${target}&mode=test`);
    const [head = "", ...rows] = (body as string).trim().split("\r\n");
    expect(head.split(",").slice(0, 4)).toEqual(["id", "created_at", "actor_type", "actor_id"]);
    expect(rows.map((row) => row.split(",")[0])).toEqual(found.map(({ id }) => id));
  });

  test("entries are deleted after 400 days, and not before", async () => {
    const ids = (await trail()).map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(2);
    app.clocks.live.advance(400 * 86_400_000);
    await forgetOldActs(app.service.stores.live, app.service);
    expect((await trail()).map(({ id }) => id)).toEqual(ids);
    app.clocks.live.advance(1);
    await forgetOldActs(app.service.stores.live, app.service);
    expect(await trail()).toEqual([]);
  });
});

describe("refuses", () => {
  test("a refused request adds no entry, even if the refusal is stored for a repeated request", async () => {
    const wrong = { ...key_input, ip_list: ["nowhere"] };
    expect(await left(asked("live", "/keys", wrong))).toEqual({ status: 422, entries: [] });
    const once = { "idempotency-key": "audit-refused" };
    expect(await left(asked("test", "/keys", wrong, once))).toEqual({ status: 422, entries: [] });
    const stranger = () => app.call("POST", "/keys", key_input, { key: app.keys.live.read });
    expect(await left(stranger)).toEqual({ status: 403, entries: [] });
  });

  test("test keys cannot read it", async () => {
    const { status, body } = await app.call("GET", "/audit", undefined, { key: app.keys.test.full });
    expect([status, body.error.code]).toEqual([403, "live_only"]);
  });
});

describe("guards", () => {
  test("orders and stock written by keys add no entries", async () => {
    const { status, entries } = await left(asked("live", "/products", { sku: "TEA", name: "Tea" }));
    expect([status, entries]).toEqual([201, []]);
    expect((await left(asked("live", "/inventory", { sku: "TEA", quantity: 1 }))).entries).toEqual([]);
  });
});
