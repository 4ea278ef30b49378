import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createKey, type NewKey, revokeKey } from "../../src/keys/commands.ts";
import { grants, permissions } from "../../src/keys/permission.ts";
import { routeNeeds } from "../../src/keys/permissions.ts";
import { listKeys } from "../../src/keys/store.ts";
import { wireId } from "../../src/kit/ids.ts";
import { openTestApp, start, type TestApp } from "../harness.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app.close());

async function keyWith(fields: Partial<NewKey>) {
  const random = crypto.getRandomValues(new Uint8Array(96));
  return app.service.stores.live.write((tx) => createKey(tx, { name: "till", permission: "read", ...fields }, random));
}

const list = (key: string | null, headers: Record<string, string> = {}) =>
  app.call("GET", "/products", undefined, { key, headers });

const routes = Object.entries(routeNeeds).map(([route, need]) => {
  const [method = "", pattern = ""] = route.split(" ");
  return { method, path: pattern.replace(/:\w+/g, "7"), need };
});

describe("works", () => {
  test("the first use of a key is noted", async () => {
    const { key, text } = await keyWith({});
    expect((await list(text)).status).toBe(200);
    // The note is written beside the answer, and on PostgreSQL beside other writes too.
    const noted = async () => {
      const keys = await app.service.stores.live.write(listKeys);
      return keys.find(({ id }) => id === key.id)?.last_used_at ?? null;
    };
    for (let tries = 0; tries < 200 && (await noted()) === null; tries += 1) await Bun.sleep(10);
    expect(await noted()).toBe(start);
  });

  test("a list of addresses, enforced or only observed", async () => {
    const here = await keyWith({ ip_mode: "enforce", ip_list: ["10.0.0.0/8", "127.0.0.1"] });
    expect((await list(here.text)).status).toBe(200);
    const watched = await keyWith({ ip_mode: "observe", ip_list: ["10.0.0.0/8"] });
    const answer = await list(watched.text, { "x-forwarded-for": "10.1.1.1" });
    expect([answer.status, answer.headers.get("x-ip-allowlist")]).toEqual([200, "denied"]);
  });
});

describe("refuses", () => {
  test("a key that was revoked, has expired, or was never given", async () => {
    const revoked = await keyWith({});
    await app.service.stores.live.write((tx) => revokeKey(tx, wireId("key", revoked.key.id)));
    const expired = await keyWith({ expires_at: start });
    const codes = [
      [revoked.text, "api_key_revoked"],
      [expired.text, "api_key_expired"],
      ["ph_live_0000000000000000000000000000002jKTnv", "invalid_api_key"],
      ["ph_test_0000000000000000000000000000002jKTnv", "invalid_api_key"],
      ["sesame", "invalid_api_key"],
    ] as const;
    for (const [text, code] of codes) {
      const answer = await list(text);
      expect([answer.status, answer.body.error.code]).toEqual([401, code]);
      expect(answer.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
    }
  });

  test("a request without a key, which learns of no path either", async () => {
    for (const path of ["/products", "/nowhere"]) {
      const answer = await app.call("GET", path, undefined, { key: null });
      expect([answer.status, answer.body.error.code]).toEqual([401, "authentication_required"]);
      expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="api"');
    }
  });

  test("an address outside of the key's list, which it does not show", async () => {
    const { text } = await keyWith({ ip_mode: "enforce", ip_list: ["10.0.0.0/8"] });
    // Nobody trusts this peer to say for whom it asks.
    const answer = await list(text, { "x-forwarded-for": "10.1.1.1" });
    expect([answer.status, answer.body.error.code]).toEqual([403, "ip_not_allowed"]);
    expect(JSON.stringify(answer.body)).not.toContain("10.0.0.0");
  });

  test("a name of several lines, and more keys than an account may have", async () => {
    await expect(keyWith({ name: "two\nlines" })).rejects.toMatchObject({ code: "validation_failed" });
    await expect(keyWith({ name: "" })).rejects.toMatchObject({ code: "validation_failed" });
    const few = await openTestApp();
    const random = () => crypto.getRandomValues(new Uint8Array(96));
    const store = few.service.stores.test;
    const more = () => store.write((tx) => createKey(tx, { name: "more", permission: "read" }, random()));
    const made = await store.read(listKeys);
    for (let count = made.length; count < 20; count += 1) await more();
    await expect(more()).rejects.toMatchObject({ code: "key_limit" });
    await store.write((tx) => revokeKey(tx, wireId("key", made[0]?.id ?? 0)));
    expect((await more()).text).toStartWith("ph_test_");
    await few.close();
  });
});

describe("guards", () => {
  test.each(routes)("$method $path needs $need", async ({ method, path, need }) => {
    const body = method === "GET" ? undefined : {};
    if (need === "none") {
      const { status, body: said } = await app.call(method, path, body, { key: null });
      expect([status, said.error?.code]).not.toEqual([401, "authentication_required"]);
      return;
    }
    expect((await app.call(method, path, body, { key: null })).status).toBe(401);
    for (const granted of permissions) {
      const { status, body: said } = await app.call(method, path, body, { key: app.keys.test[granted] });
      if (grants(granted, need)) expect(status).not.toBeOneOf([401, 403, 405, 500]);
      else expect([status, said.error]).toMatchObject([403, { required: need, granted }]);
    }
  });
});
