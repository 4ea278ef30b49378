import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { Fault } from "../../src/core/faults.ts";
import { wireId } from "../../src/core/ids.ts";
import { addressList } from "../../src/core/ip_addresses.ts";
import { routesOf } from "../../src/http/route.ts";
import { listKeys } from "../../src/identity/api_keys/api_keys.sql.ts";
import { createKey, type NewKey, revokeKey } from "../../src/identity/api_keys/api_keys.ts";
import { openApp, openTestApp, start, type TestApp } from "../build/service.ts";

const app = await openApp();

async function keyWith(fields: Partial<NewKey>, { service } = app) {
  const random = crypto.getRandomValues(new Uint8Array(96));
  return service.stores.live.write((tx) => createKey(tx, { name: "till", permission: "read", ...fields }, random));
}

const list = (key: string | null, headers: Record<string, string> = {}, { call } = app) =>
  call("GET", "/products", undefined, { key, headers });

const unknown_key = "ph_live_0000000000000000000000000000002jKTnv";
const known_form = "ph_test_0000000000000000000000000000002jKTnv";

describe("works", () => {
  test("the first use of a key is recorded", async () => {
    const { key, text } = await keyWith({});
    expect((await list(text)).status).toBe(200);
    // The use is recorded after the response and, on PostgreSQL, in parallel with other writes.
    const noted = async () => {
      const keys = await app.service.stores.live.write(listKeys);
      return keys.find(({ id }) => id === key.id)?.last_used_at ?? null;
    };
    for (let tries = 0; tries < 200 && (await noted()) === null; tries += 1) await Bun.sleep(10);
    expect(await noted()).toBe(start);
  });
});

describe("refuses", () => {
  test("a key that is revoked, expired, unknown or malformed", async () => {
    const own = await openApp();
    const { live } = own.service.stores;
    const [now, later] = [await keyWith({}, own), await keyWith({}, own)];
    const expired = await keyWith({ expires_at: start + 1000 }, own);
    await live.write((tx) => revokeKey(tx, wireId("key", now.key.id), null, true));
    await live.write((tx) => revokeKey(tx, wireId("key", later.key.id), start + 1000, true));
    own.clocks.live.advance(999);
    for (const { text } of [later, expired]) expect((await list(text, {}, own)).status).toBe(200);
    own.clocks.live.advance(1);
    const codes = [
      [now.text, "api_key_revoked"],
      [later.text, "api_key_revoked"],
      [expired.text, "api_key_expired"],
      [unknown_key, "invalid_api_key"],
      [known_form, "invalid_api_key"],
      ["sesame", "invalid_api_key"],
    ] as const;
    for (const [text, code] of codes) {
      const answer = await list(text, {}, own);
      expect([answer.status, answer.body.error.code]).toEqual([401, code]);
      expect(answer.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
    }
    const used = await live.write(listKeys);
    expect(used.find(({ id }) => id === now.key.id)?.last_used_at).toBeNull();
  });

  test.each(["", "Bearer", "Bearer ", "Basic cGg6cGg=", `Bearer ${known_form} ${known_form}`, `Token ${known_form}`])(
    "the Authorization %j, which contains no key",
    async (authorization) => {
      const answer = await list(null, { authorization });
      expect([answer.status, answer.body.error.code]).toEqual([401, "authentication_required"]);
    },
  );

  test("a request without a key, without revealing whether its path exists", async () => {
    for (const path of ["/products", "/nowhere"]) {
      const answer = await app.call("GET", path, undefined, { key: null });
      expect([answer.status, answer.body.error.code]).toEqual([401, "authentication_required"]);
      expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="api"');
    }
  });
});

describe("an IP allowlist", () => {
  const ip_list = ["198.51.100.0/24", "2a00:7::/32"];
  let keys: string[];
  let own: TestApp;
  beforeAll(async () => {
    own = await openTestApp();
    const modes = ["enforce", "observe", "off"] as const;
    keys = [];
    for (const ip_mode of modes) keys.push((await keyWith({ ip_mode, ip_list }, own)).text);
  });
  afterAll(() => own.close());
  const from = (peer: string, trusted: string[] = []) =>
    Object.assign(own.service, { peerOf: () => peer, trusted_proxies: addressList(trusted) });

  /** The result of a request with these `X-Forwarded-For` lines: the status, and the outcome of an observed list. */
  async function admitted(...lines: string[]) {
    const headers = lines.length === 0 ? {} : { "x-forwarded-for": lines.join(", ") };
    const answers = [];
    for (const key of keys) answers.push(await list(key, headers, own));
    expect(answers.slice(1).map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[2]?.headers.has("x-ip-allowlist")).toBe(false);
    return [answers[0]?.status, answers[1]?.headers.get("x-ip-allowlist")];
  }
  const inside = [200, "allowed"];
  const outside = [403, "denied"];

  test.each<[string, string, string[], string[], (string | number)[]]>([
    ["the peer itself", "198.51.100.7", [], [], inside],
    ["a mapped peer", "::ffff:198.51.100.7", [], [], inside],
    ["a mapped peer in groups", "::ffff:c633:6407", [], [], inside],
    ["another peer", "203.0.113.7", [], [], outside],
    ["a peer whom nobody trusts to speak for others", "203.0.113.7", ["10.0.0.0/8"], ["198.51.100.7"], outside],
    ["a trusted proxy", "10.0.0.1", ["10.0.0.0/8"], ["198.51.100.7"], inside],
    ["a spoofed leftmost address", "10.0.0.1", ["10.0.0.0/8"], ["198.51.100.7, 203.0.113.7"], outside],
    ["a spoof in a line of its own", "10.0.0.1", ["10.0.0.0/8"], ["198.51.100.7", "203.0.113.7"], outside],
    ["several proxies", "10.0.0.1", ["10.0.0.0/8"], ["203.0.113.7", "198.51.100.7, 10.0.0.2"], inside],
    ["an address of the sixth version with a port", "10.0.0.1", ["10.0.0.0/8"], ["[2a00:7::1]:443"], inside],
    ["a mapped hop", "10.0.0.1", ["10.0.0.0/8"], ["::ffff:198.51.100.7"], inside],
    ["a hop that cannot be read", "10.0.0.1", ["10.0.0.0/8"], ["198.51.100.7, unknown"], outside],
    ["a hop that is empty", "10.0.0.1", ["10.0.0.0/8"], ["198.51.100.7,"], outside],
    ["a trusted proxy that names nobody", "10.0.0.1", ["10.0.0.0/8"], [], outside],
  ])("%s", async (_, peer, trusted, lines, expected) => {
    from(peer, trusted);
    expect<unknown[]>(await admitted(...lines)).toEqual(expected);
  });

  test("is not shown to callers that it refuses", async () => {
    from("203.0.113.7");
    const answer = await list(keys[0] ?? "", {}, own);
    expect([answer.status, answer.body.error.code]).toEqual([403, "ip_not_allowed"]);
    expect(JSON.stringify(answer.body)).not.toContain("198.51.100");
  });
});

describe("limits", () => {
  let own: TestApp;
  beforeEach(async () => {
    own = await openTestApp();
  });
  afterEach(() => own.close());
  const names = ["ratelimit-policy", "ratelimit", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];
  const told = (headers: Headers) => names.map((name) => headers.get(name));

  test("every response to a key includes the remaining limit, even refusals and responses without a body", async () => {
    const { text: key } = await keyWith({ permission: "read_write", rate_limit_per_minute: 100 }, own);
    const etag = { "if-none-match": "*" };
    await own.post("/products", { sku: "TEA", name: "Tea" });
    const asked: [string, string, unknown, number, Record<string, string>?][] = [
      ["GET", "/products", undefined, 200],
      ["POST", "/products", { sku: "RICE", name: "Rice" }, 201],
      ["GET", "/products/1001", undefined, 200],
      ["GET", "/products/1001", undefined, 304, etag],
      ["GET", "/products/export.csv", undefined, 200],
      ["GET", "/nowhere", undefined, 404],
      ["PUT", "/products", undefined, 405],
      ["POST", "/webhooks", {}, 403],
      ["POST", "/products", "{", 400],
      ["POST", "/products", {}, 422],
      ["POST", "/products", { sku: "TEA", name: "Tea" }, 409],
    ];
    for (const [at, [method, path, body, status, headers = {}]] of asked.entries()) {
      const answer = await own.call(method, path, body, { key, headers });
      const seconds = Math.ceil(((at + 1) * 60) / 100);
      const [left, reset] = [99 - at, Math.floor(start / 1000) + seconds];
      expect([method, path, answer.status, ...told(answer.headers)]).toEqual([
        ...[method, path, status],
        ...['"default";q=100;w=60', `"default";r=${left};t=${seconds}`, "100", `${left}`, `${reset}`],
      ]);
    }
  });

  test("a caller over the limit can retry after the stated time", async () => {
    const { text } = await keyWith({ rate_limit_per_minute: 3 }, own);
    for (let count = 0; count < 3; count += 1) expect((await list(text, {}, own)).status).toBe(200);
    const refused = await list(text, {}, own);
    expect([refused.status, refused.body.error.type, refused.body.error.code]).toEqual([
      ...[429, "rate_limit", "rate_limited"],
    ]);
    expect([refused.headers.get("retry-after"), ...told(refused.headers)]).toEqual([
      ...["60", '"default";q=3;w=60', '"default";r=0;t=60', "3", "0", `${Math.floor(start / 1000) + 60}`],
    ]);
    own.clocks.live.advance(20_000);
    expect([(await list(text, {}, own)).status, (await list(text, {}, own)).status]).toEqual([200, 429]);
    own.clocks.live.advance(60_000);
    for (let count = 0; count < 3; count += 1) expect((await list(text, {}, own)).status).toBe(200);
  });

  test("each key has its own limit, and a key without one gets no rate limit headers", async () => {
    const [one, other] = [await keyWith({ rate_limit_per_minute: 1 }, own), await keyWith({}, own)];
    expect([(await list(one.text, {}, own)).status, (await list(one.text, {}, own)).status]).toEqual([200, 429]);
    expect((await list(other.text, {}, own)).headers.get("ratelimit")).toBe('"default";r=199;t=1');
    const free = await keyWith({ rate_limit_per_minute: 0 }, own);
    for (let count = 0; count < 250; count += 1) {
      const { status, headers } = await list(free.text, {}, own);
      expect([status, ...told(headers)]).toEqual([200, null, null, null, null, null]);
    }
  });

  test("a caller with too many failed authentications has to wait, but no valid key does", async () => {
    const codes = async (text: string | null) => {
      const answer = await list(text, {}, own);
      return [answer.status, answer.body.error?.code, answer.headers.get("retry-after")];
    };
    for (let count = 0; count < 10; count += 1) expect((await codes("sesame"))[1]).toBe("invalid_api_key");
    expect(await codes("sesame")).toEqual([429, "rate_limited", "60"]);
    expect(await codes(unknown_key)).toEqual([429, "rate_limited", "60"]);
    expect(await codes(null)).toEqual([401, "authentication_required", null]);
    expect((await codes(own.keys.live.read))[0]).toBe(200);
    own.clocks.live.advance(6000);
    expect([(await codes("sesame"))[1], (await codes("sesame"))[1]]).toEqual(["invalid_api_key", "rate_limited"]);
  });

  test("an error of the service does not count as a failure of the client", async () => {
    const failing = async () => {
      throw new Fault("unavailable", "The database does not answer.");
    };
    Object.assign(own.service.stores.live, { read: failing });
    for (let count = 0; count < 12; count += 1) expect((await list(own.keys.live.read, {}, own)).status).toBe(503);
  });

  test("failures are counted per customer network, not per address", async () => {
    const peer = (address: string) => Object.assign(own.service, { peerOf: () => address });
    for (let count = 0; count < 10; count += 1) {
      peer(`2001:db8:0:7:${count}::1`);
      expect((await list("sesame", {}, own)).status).toBe(401);
    }
    expect((await list("sesame", {}, own)).status).toBe(429);
    peer("2001:db8:0:8::1");
    expect((await list("sesame", {}, own)).status).toBe(401);
  });
});

describe("a route", () => {
  const mounted = (detail: object | undefined) => ({ method: "GET", path: "/v1/orders", hooks: { detail } });

  test("must declare what it needs, or nothing starts", () => {
    const silent = "GET /v1/orders does not declare what it needs";
    expect(() => routesOf([mounted(undefined)])).toThrow(silent);
    expect(() => routesOf([mounted({ id: "listOrders", summary: "List orders" })])).toThrow(silent);
    expect(routesOf([mounted({ needs: "orders.read" })])).toMatchObject([{ name: "GET /orders", writes: false }]);
  });
});
