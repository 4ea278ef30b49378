import { beforeEach, describe, expect, test } from "bun:test";
import { idempotency_keys } from "../../../db/schema/service.ts";
import { addressList } from "../../../src/core/ip_addresses.ts";
import { day_ms } from "../../../src/core/time.ts";
import { openApp, start, type TestApp } from "../../build/service.ts";

let app: TestApp;
beforeEach(async () => {
  app = await openApp();
});

const at = (ms: number) => new Date(start + ms).toISOString();
const status = async (key: string) => (await app.call("GET", "/products", undefined, { key })).status;
const make = async (fields: object = {}) =>
  (await app.post("/keys", { name: "till", permission: "read", ...fields })).body.data;
/** The first three keys are the harness's: read, read_write, full. */
const own = "key_1003";

/** The code of a refusal, and its fields. */
const told = ({
  status,
  body,
}: {
  status: number;
  body: { error: { code: string; details: { field: string }[] } };
}) => [...[status, body.error.code], ...body.error.details.map(({ field }) => field)];

describe("works", () => {
  test("a key is created, shown once, read and listed", async () => {
    const made = await app.post("/keys", { name: "till", permission: "read_write" });
    expect(made.status).toBe(201);
    const { key, ...shown } = made.body.data;
    expect(key).toMatch(/^ph_live_[0-9A-Za-z]{36}$/);
    expect(shown).toEqual({
      id: "key_1004",
      merchant_id: null,
      name: "till",
      mode: "live",
      permission: "read_write",
      prefix: "ph_live_",
      observed: null,
      last_four: key.slice(-4),
      status: "active",
      ip_mode: "off",
      ip_list: [],
      rate_limit_per_minute: null,
      created_at: at(0),
      last_used_at: null,
      expires_at: null,
      revoked_at: null,
      replaced_by: null,
    });
    expect((await app.get(`/keys/${shown.id}`)).body.data).toEqual(shown);
    expect((await app.get("/keys/1004")).body.data).toEqual(shown);
    const listed = (await app.get("/keys")).body;
    expect(listed.data.map(({ id }: { id: string }) => id)).toEqual(["key_1004", "key_1003", "key_1002", "key_1001"]);
    expect([listed.data[0], listed.meta.pagination.total]).toEqual([shown, 4]);
    expect(JSON.stringify(listed)).not.toContain(key);
    expect(await status(key)).toBe(200);
  });

  test("the body of a GET creates another key, and a list without a mode is enforced", async () => {
    const { key: _, ...shown } = await make({ rate_limit_per_minute: 60, expires_at: at(day_ms) });
    const again = await app.post("/keys", { ...shown, ip_list: ["127.0.0.1", "2001:db8::/32"], ip_mode: undefined });
    expect(again.body.data).toMatchObject({
      ip_mode: "enforce",
      ip_list: ["127.0.0.1", "2001:db8::/32"],
      rate_limit_per_minute: 60,
      expires_at: at(day_ms),
    });
    expect(again.body.data.id).not.toBe(shown.id);
    const watched = await make({ ip_mode: "observe", ip_list: ["10.0.0.0/8"] });
    expect([watched.ip_mode, await status(watched.key)]).toEqual(["observe", 200]);
  });

  test("a repeated request creates one key and shows it again, and the database stores it encrypted", async () => {
    const headers = { "idempotency-key": "key-1" };
    const body = { name: "till", permission: "read" };
    const made = await app.call("POST", "/keys", body, { headers });
    const again = await app.call("POST", "/keys", body, { headers });
    expect([again.status, again.headers.get("idempotency-replayed"), again.body]).toEqual([201, "true", made.body]);
    const rotated = await app.call(
      "POST",
      `/keys/${made.body.data.id}/rotate`,
      {},
      { headers: { "idempotency-key": "2" } },
    );
    const kept = await app.service.stores.live.read((db) => db.sql.select().from(idempotency_keys));
    expect(kept.length).toBe(2);
    for (const { key } of [made.body.data, rotated.body.data]) expect(JSON.stringify(kept)).not.toContain(key);
    expect((await app.get("/keys")).body.meta.pagination.total).toBe(5);
  });

  test("name, addresses, limit and expiry change, and omitted fields stay", async () => {
    const { key: _, ...before } = await make();
    const change = { name: "shop", ip_mode: "observe", ip_list: ["10.0.0.0/8"], rate_limit_per_minute: 0 };
    const changed = await app.patch(`/keys/${before.id}`, { ...change, expires_at: at(1000) });
    expect([changed.status, changed.body.data]).toEqual([200, { ...before, ...change, expires_at: at(1000) }]);
    const back = await app.patch(`/keys/${before.id}`, { rate_limit_per_minute: null, expires_at: null });
    expect(back.body.data).toEqual({ ...before, ...change, rate_limit_per_minute: null });
    const { key: __, ...same } = await make();
    expect((await app.patch(`/keys/${same.id}`, same)).body.data).toEqual(same);
  });

  test("rotation creates a key with the same permission, and the old one works for a while", async () => {
    const before = await make({ rate_limit_per_minute: 60, ip_mode: "observe", ip_list: ["127.0.0.1"] });
    const made = await app.post(`/keys/${before.id}/rotate`, { overlap_seconds: 60 });
    expect(made.status).toBe(201);
    const { id: _, key: __, last_four: ___, ...like } = before;
    expect(made.body.data).toMatchObject(like);
    expect(made.body.data.key).not.toBe(before.key);
    const old = (await app.get(`/keys/${before.id}`)).body.data;
    expect(old).toMatchObject({ status: "active", revoked_at: at(60_000), replaced_by: made.body.data.id });
    app.clocks.live.advance(59_999);
    expect([await status(before.key), await status(made.body.data.key)]).toEqual([200, 200]);
    app.clocks.live.advance(1);
    expect([await status(before.key), await status(made.body.data.key)]).toEqual([401, 200]);
    expect((await app.get(`/keys/${before.id}`)).body.data.status).toBe("revoked");
  });

  test("rotation overlaps for a day by default, and never beyond the old key's expiry", async () => {
    const [one, two, three] = [await make(), await make(), await make()];
    await app.post(`/keys/${one.id}/rotate`);
    await app.post(`/keys/${two.id}/rotate`, { overlap_seconds: 0 });
    await app.post(`/keys/${three.id}/revoke`, { at: at(1000) });
    await app.post(`/keys/${three.id}/rotate`);
    const ends = [];
    for (const { id } of [one, two, three]) ends.push((await app.get(`/keys/${id}`)).body.data.revoked_at);
    expect(ends).toEqual([at(day_ms), at(0), at(1000)]);
    expect(await status(two.key)).toBe(401);
  });

  test("a key ends now, or at a time that can be changed until then", async () => {
    const [now, later] = [await make(), await make()];
    const ended = await app.call("DELETE", `/keys/${now.id}`);
    expect([ended.status, ended.body.data]).toMatchObject([200, { status: "revoked", revoked_at: at(0) }]);
    expect((await app.post(`/keys/${later.id}/revoke`, { at: at(9000) })).body.data.status).toBe("active");
    const moved = await app.post(`/keys/${later.id}/revoke`, { at: at(1000) });
    expect(moved.body.data).toMatchObject({ status: "active", revoked_at: at(1000) });
    app.clocks.live.advance(1000);
    const past = await app.post(`/keys/${later.id}/revoke`);
    expect(past.body.data).toMatchObject({ status: "revoked", revoked_at: at(1000) });
    expect((await app.call("DELETE", `/keys/${now.id}`)).body.data.revoked_at).toBe(at(0));
  });

  test("keys of one environment manage keys of that environment", async () => {
    const inTest = (method: string, path: string, body?: unknown) =>
      app.call(method, path, body, { key: app.keys.test.full });
    const made = await inTest("POST", "/keys", { name: "till", permission: "read" });
    expect(made.body.data).toMatchObject({ id: "key_1000000004", mode: "test", prefix: "ph_test_" });
    expect((await app.get("/keys")).body.meta.pagination.total).toBe(3);
    for (const route of ["GET ", "PATCH ", "DELETE ", "POST /rotate", "POST /revoke"]) {
      const [method = "", path] = route.split(" ");
      const answer = await app.call(method, `/keys/key_1000000004${path}`, method === "GET" ? undefined : {});
      expect(told(answer)).toEqual([404, "resource_missing"]);
    }
    expect(await status(made.body.data.key)).toBe(200);
  });

  test("the last key with full permission can be revoked with allow_lockout", async () => {
    const ended = await app.post(`/keys/${own}/revoke`, { allow_lockout: true });
    expect([ended.status, ended.body.data.status]).toEqual([200, "revoked"]);
    const last = await openApp();
    expect((await last.call("DELETE", `/keys/${own}?allow_lockout=true`)).status).toBe(200);
  });
});

describe("refuses", () => {
  test("invalid fields of a key, and names them", async () => {
    const wrong: [object, string][] = [
      [{ name: "" }, "name"],
      [{ name: "two\nlines" }, "name"],
      [{ name: " " }, "name"],
      [{ name: "x".repeat(101) }, "name"],
      [{ permission: "all" }, "permission"],
      [{ permission: undefined }, "permission"],
      [{ ip_list: ["10.0.0.0/8", "10.0.0.0/33"] }, "ip_list[1]"],
      [{ ip_list: ["host"] }, "ip_list[0]"],
      [{ ip_list: "10.0.0.0/8" }, "ip_list"],
      [{ ip_mode: "enforce" }, "ip_list"],
      [{ ip_mode: "observe", ip_list: [] }, "ip_list"],
      [{ ip_mode: "strict" }, "ip_mode"],
      [{ rate_limit_per_minute: -1 }, "rate_limit_per_minute"],
      [{ rate_limit_per_minute: 1.5 }, "rate_limit_per_minute"],
      [{ expires_at: at(0) }, "expires_at"],
      [{ expires_at: "tomorrow" }, "expires_at"],
      [{ key: "ph_live_x" }, "key"],
    ];
    for (const [fields, field] of wrong) {
      const answer = await app.post("/keys", { name: "till", permission: "read", ...fields });
      expect([fields, ...told(answer)]).toEqual([fields, 422, "validation_failed", field]);
    }
    expect((await app.get("/keys")).body.meta.pagination.total).toBe(3);
  });

  test("changes that a key cannot have", async () => {
    const { id } = await make();
    const changes: [object, unknown[]][] = [
      [{ permission: "full" }, [422, "immutable_field", "permission"]],
      [{ ip_mode: "enforce" }, [422, "validation_failed", "ip_list"]],
      [{ ip_list: ["10.0.0.0"], name: "a\nb" }, [422, "validation_failed", "name"]],
      [{ expires_at: at(-1) }, [422, "validation_failed", "expires_at"]],
    ];
    for (const [change, refusal] of changes)
      expect<unknown[]>(told(await app.patch(`/keys/${id}`, change))).toEqual(refusal);
    const overlap = await app.post(`/keys/${id}/rotate`, { overlap_seconds: 604_801 });
    expect(told(overlap)).toEqual([422, "validation_failed", "overlap_seconds"]);
    expect(told(await app.post(`/keys/${id}/revoke`, { at: at(0) }))).toEqual([422, "validation_failed", "at"]);
  });

  test("to change or rotate an ended key, or to rotate twice", async () => {
    const [revoked, expired, rotated] = [await make(), await make({ expires_at: at(1000) }), await make()];
    await app.call("DELETE", `/keys/${revoked.id}`);
    app.clocks.live.advance(1000);
    const { data } = (await app.post(`/keys/${rotated.id}/rotate`)).body;
    const twice = await app.post(`/keys/${rotated.id}/rotate`);
    expect(told(twice)).toEqual([409, "rotation_in_progress"]);
    expect(twice.body.error.replaced_by).toBe(data.id);
    for (const [{ id }, from] of [
      [revoked, "revoked"],
      [expired, "expired"],
    ] as const) {
      const [changed, again] = [await app.patch(`/keys/${id}`, {}), await app.post(`/keys/${id}/rotate`)];
      expect(changed.body.error).toMatchObject({ code: "invalid_state_transition", from, action: "update" });
      expect(again.body.error).toMatchObject({ code: "invalid_state_transition", from, action: "rotate" });
    }
  });

  test("a chain of rotations with more than twenty active keys", async () => {
    let { id } = await make();
    const texts: string[] = [];
    for (let count = 0; count < 30; count += 1) {
      const rotated = await app.post(`/keys/${id}/rotate`, { overlap_seconds: 3600 });
      if (rotated.status !== 201) break;
      id = rotated.body.data.id;
      texts.push(rotated.body.data.key);
    }
    // Three of the harness, the first one and sixteen more.
    expect(texts).toHaveLength(16);
    expect((await app.get("/keys?status=active&limit=100")).body.data).toHaveLength(20);
  });

  test("more than twenty active keys, not counting ended ones, but counting rotated ones until they end", async () => {
    const { id } = await make({ expires_at: at(1000) });
    for (let count = 4; count < 20; count += 1) await make();
    expect(told(await app.post("/keys", { name: "more", permission: "read" }))).toEqual([409, "key_limit"]);
    expect(told(await app.post(`/keys/${id}/rotate`))).toEqual([409, "key_limit"]);
    expect((await app.post(`/keys/${id}/rotate`, { overlap_seconds: 0 })).status).toBe(201);
    expect(told(await app.post("/keys", { name: "more", permission: "read" }))).toEqual([409, "key_limit"]);
    app.clocks.live.advance(1000);
    expect((await app.post("/keys", { name: "more", permission: "read" })).status).toBe(201);
  });

  test("to leave no key with full permission without allow_lockout", async () => {
    const ends = async () => [
      told(await app.call("DELETE", `/keys/${own}`)),
      told(await app.post(`/keys/${own}/revoke`, { at: at(5000) })),
      told(await app.patch(`/keys/${own}`, { expires_at: at(5000) })),
    ];
    const refused = [409, "would_lock_out"];
    expect(await ends()).toEqual([refused, refused, refused]);
    expect((await app.patch(`/keys/${own}`, { name: "main" })).status).toBe(200);
    // Another key counts as long as it exists.
    const { id } = await make({ permission: "full", expires_at: at(5000) });
    expect(await ends()).toEqual([refused, refused, refused]);
    const again = await app.post(`/keys/${own}/revoke`);
    expect(again.body.error.message).toContain(`from ${at(5000)}`);
    const { key } = await make({ permission: "full" });
    expect((await app.post(`/keys/${own}/revoke`, { at: at(5000) })).status).toBe(200);
    expect((await app.call("DELETE", `/keys/${id}`)).status).toBe(200);
    app.clocks.live.advance(5000);
    expect((await app.call("GET", "/keys", undefined, { key })).status).toBe(200);
  });

  test("to lock out its own address without allow_lockout", async () => {
    const list = { ip_mode: "enforce", ip_list: ["10.0.0.0/8"] };
    expect(told(await app.patch(`/keys/${own}`, list))).toEqual([409, "would_lock_out"]);
    expect((await app.get(`/keys/${own}`)).body.data.ip_mode).toBe("off");
    const { id } = await make();
    expect((await app.patch(`/keys/${id}`, list)).status).toBe(200);
    Object.assign(app.service, { peerOf: () => "10.1.2.3", trusted_proxies: addressList([]) });
    expect((await app.patch(`/keys/${own}`, list)).status).toBe(200);
    expect((await app.patch(`/keys/${own}`, { ...list, ip_list: ["192.0.2.1"], allow_lockout: true })).status).toBe(
      200,
    );
  });
});

describe("guards", () => {
  test("keys emit no events", async () => {
    const { id } = await make();
    await app.post(`/keys/${id}/rotate`);
    expect(await app.takeEvents()).toEqual([]);
  });

  test("twenty concurrent requests stay within the limit", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => app.post("/keys", { name: "many", permission: "read" })),
    );
    const codes = answers.map(({ status }) => status).toSorted();
    expect(codes).toEqual([...Array(17).fill(201), ...Array(3).fill(409)]);
  });

  test("of two last keys that revoke each other, one stays", async () => {
    const other = await make({ permission: "full" });
    const ends = await Promise.all([
      app.call("DELETE", `/keys/${other.id}`),
      app.call("DELETE", `/keys/${own}`, undefined, { key: other.key }),
    ]);
    // The second one is refused for the lockout, or because its key has ended.
    const codes = ends.map(({ status, body }) => body.error?.code ?? status).toSorted();
    expect(codes[0]).toBe(200);
    expect(["would_lock_out", "api_key_revoked"]).toContain(codes[1]);
  });
});
