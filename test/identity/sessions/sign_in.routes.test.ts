import { beforeEach, describe, expect, test } from "bun:test";
import type { Service } from "../../../src/http/service.ts";
import { hashPassword } from "../../../src/identity/users/passwords.ts";
import { listUsers, type NewUser } from "../../../src/identity/users/users.sql.ts";
import { createUser, makeLink } from "../../../src/identity/users/users.ts";
import { createApp } from "../../../src/server/app.ts";
import { openApp, openTestApp } from "../../build/service.ts";
import { signInAgain } from "../people.ts";

const password = "correct horse battery";
let peer = 0;
const password_hash = await hashPassword(password);
const app = await openApp();
app.watch.keep("a password", password);
await makeUser({});
beforeEach(() => {
  // An address with too many failures has to wait.
  peer += 1;
  Object.assign(app.service, { peerOf: () => `192.0.2.${peer}` });
});

async function makeUser(fields: Partial<NewUser>, { service } = app) {
  const input = { email: "Ann@house.test", name: "Ann", role: "owner", password_hash, ...fields } as const;
  return service.stores.live.write((tx) => createUser(tx, input));
}

const signIn = (body: object, headers: Record<string, string> = {}, { call } = app) =>
  call("POST", "/dashboard/api/session", body, { key: null, headers });
const cookieOf = (answer: { headers: Headers }) => answer.headers.get("set-cookie") ?? "";
const sidOf = (answer: { headers: Headers }) => ({ cookie: cookieOf(answer).split(";")[0] ?? "" });
const ann = { email: "ann@HOUSE.test", password };

describe("works", () => {
  test("a signed-in user is identified by the cookie until signing out", async () => {
    const answer = await signIn(ann);
    expect([answer.status, answer.body.user]).toEqual([
      200,
      {
        id: "usr_1001",
        name: "Ann",
        email: "Ann@house.test",
        role: "owner",
        second_factor: false,
        second_factor_required: false,
      },
    ]);
    expect(answer.body.permissions).toContain("keys.manage");
    expect(cookieOf(answer)).toMatch(/^sid=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/);
    const headers = sidOf(answer);
    expect((await app.call("GET", "/dashboard/api/session", undefined, { headers })).body).toEqual(answer.body);
    expect((await app.call("GET", "/orders", undefined, { headers })).status).toBe(200);
    const out = await app.call("DELETE", "/dashboard/api/session", undefined, { headers });
    expect([out.status, cookieOf(out)]).toEqual([200, "sid=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0"]);
    expect((await app.call("GET", "/orders", undefined, { headers })).body.error.code).toBe("authentication_required");
  });

  test("a session expires after thirty days", async () => {
    const own = await openApp();
    await makeUser({}, own);
    const headers = sidOf(await signIn(ann, {}, own));
    own.clocks.live.advance(30 * 24 * 3_600_000 - 1);
    expect((await own.call("GET", "/users/me", undefined, { headers })).status).toBe(200);
    own.clocks.live.advance(1);
    expect((await own.call("GET", "/users/me", undefined, { headers })).status).toBe(401);
  });

  test("over TLS, or behind a proxy with TLS, the cookie is Secure and bound to the host", async () => {
    const secure = "__Host-sid=";
    const cases: [Partial<Service>, string][] = [
      [{ tls: true }, secure],
      [{ base_url: "https://packhouse.test" }, secure],
      [{ base_url: "https://elsewhere.test" }, "sid="],
      [{}, "sid="],
    ];
    for (const [fields, name] of cases) {
      const house = createApp({ ...app.service, ...fields });
      const body = JSON.stringify(ann);
      const headers = { "content-type": "application/json" };
      const url = "http://packhouse.test/dashboard/api/session";
      const answer = await house.handle(new Request(url, { method: "POST", body, headers }));
      expect([answer.status, cookieOf(answer).startsWith(name)]).toEqual([200, true]);
      expect(cookieOf(answer).endsWith("; Secure")).toBe(name === secure);
    }
  });
});

describe("the first user", () => {
  const person = { email: "first@house.test", name: "First", password };
  const open = async () => {
    const own = await openTestApp();
    const random = () => crypto.getRandomValues(new Uint8Array(32));
    const link = () => own.service.stores.live.write((tx) => makeLink(tx, "setup", null, random()));
    const setUp = (token: string, fields = {}) =>
      own.call("POST", "/dashboard/api/setup", { ...person, token, ...fields }, { key: null });
    return { own, link, setUp };
  };

  test("is created with the link: an owner who is signed in, once", async () => {
    const { own, link, setUp } = await open();
    const [token, other] = [await link(), await link()];
    const wrong = await setUp(`${token.slice(1)}A`);
    expect([wrong.status, wrong.body.error.code]).toEqual([401, "invalid_link"]);
    expect((await setUp(token, { password: "eleven char" })).body.error.details[0].field).toBe("password");
    const made = await setUp(token);
    expect([made.status, made.body.user.role]).toEqual([201, "owner"]);
    expect((await own.call("GET", "/users/me", undefined, { headers: sidOf(made) })).body.data.name).toBe("First");
    for (const used of [token, other]) expect((await setUp(used)).body.error.code).toBe("invalid_link");
    expect((await setUp(await link())).body.error.code).toBe("invalid_link");
    await own.close();
  });

  test("is a single one, even if two links are used concurrently", async () => {
    const { own, link, setUp } = await open();
    const tokens = [await link(), await link()];
    const answers = await Promise.all(tokens.map((token, at) => setUp(token, { email: `u${at}@house.test` })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401]);
    expect((await own.service.stores.live.read(listUsers)).length).toBe(1);
    await own.close();
  });

  test("must be created within a day", async () => {
    const { own, link, setUp } = await open();
    const token = await link();
    own.clocks.live.advance(24 * 3_600_000);
    expect((await setUp(token)).body.error.code).toBe("invalid_link");
    await own.close();
  });
});

describe("refuses", () => {
  test("a wrong password, and unknown, disabled and passwordless users, all with the same message", async () => {
    await makeUser({ email: "none@house.test", password_hash: null });
    const tries = [
      { ...ann, password: "wrong" },
      { ...ann, email: "nobody@house.test" },
      { ...ann, email: "none@house.test" },
    ];
    const bodies = [];
    for (const body of tries) {
      const answer = await signIn(body);
      expect(answer.status).toBe(401);
      bodies.push([answer.body.error, cookieOf(answer)]);
    }
    expect(new Set(bodies.map((one) => JSON.stringify(one))).size).toBe(1);
  });

  test("an unknown user as slowly as a wrong password", async () => {
    const took = async (email: string) => {
      peer += 1;
      Object.assign(app.service, { peerOf: () => `192.0.2.${peer}` });
      // Measures CPU time on all threads: on a busy machine, elapsed time means little.
      const before = process.cpuUsage();
      await signIn({ email, password: "wrong" });
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    // Alternately, taking the minimum of each: other work can only add time.
    const [known, unknown]: [number[], number[]] = [[], []];
    for (let round = 0; round < 24; round += 1) {
      await makeUser({ email: `slow.${round}@house.test`, name: `Slow ${round}` });
      known.push(await took(`slow.${round}@house.test`));
      unknown.push(await took(`nobody.${round}@house.test`));
      const ratio = Math.min(...unknown) / Math.min(...known);
      if (round >= 6 && ratio > 0.6 && ratio < 1.7) break;
    }
    expect(Math.min(...unknown) / Math.min(...known)).toBeGreaterThan(0.6);
    expect(Math.min(...unknown) / Math.min(...known)).toBeLessThan(1.7);
  });

  test("a password that is tried too often, by account and by address", async () => {
    const own = await openApp();
    await makeUser({}, own);
    const from = (last: number) => Object.assign(own.service, { peerOf: () => `198.51.100.${last}` });
    for (let at = 0; at < 10; at += 1) {
      from(at);
      expect((await signIn({ ...ann, password: "wrong" }, {}, own)).status).toBe(401);
    }
    from(99);
    const late = await signIn(ann, {}, own);
    expect([late.status, late.body.error.code, late.headers.get("retry-after")]).toEqual([429, "rate_limited", "6"]);
    for (let at = 0; at < 19; at += 1) {
      expect((await signIn({ email: `n${at}@house.test`, password: "wrong" }, {}, own)).status).toBe(401);
    }
    expect((await signIn({ email: "other@house.test", password: "wrong" }, {}, own)).status).toBe(429);
    own.clocks.live.advance(6000);
    from(7);
    for (let at = 0; at < 12; at += 1) expect((await signIn(ann, {}, own)).status).toBe(200);
  }, 120_000);

  test("a sign-in while two others are running", async () => {
    // The number of concurrent arrivals depends on the machine; with this many some always overlap.
    const answers = await Promise.all(Array.from({ length: 8 }, () => signIn(ann)));
    const statuses = new Set(answers.map(({ status }) => status));
    expect(statuses).toEqual(new Set([200, 429]));
  });

  test("to continue the browser's earlier session: each sign-in starts a new one", async () => {
    const planted = await signInAgain(app.service, "usr_1001");
    const answer = await signIn(ann, planted);
    expect(sidOf(answer).cookie).not.toBe(planted.cookie);
    expect((await app.call("GET", "/users/me", undefined, { headers: planted })).status).toBe(401);
    const made_up = { cookie: `sid=${"A".repeat(43)}` };
    expect(sidOf(await signIn(ann, made_up)).cookie).not.toBe(made_up.cookie);
  });
});

describe("requests from pages of other sites", () => {
  const own = "http://packhouse.test";
  const rows: [string, Record<string, string>, boolean][] = [
    ["from the same origin", { "sec-fetch-site": "same-origin" }, true],
    ["by hand", { "sec-fetch-site": "none" }, true],
    ["from another site", { "sec-fetch-site": "cross-site" }, false],
    ["from another host of the same site", { "sec-fetch-site": "same-site" }, false],
    ["from another site, whatever its origin says", { "sec-fetch-site": "cross-site", origin: own }, false],
    ["by an old browser from the same origin", { origin: own }, true],
    ["by an old browser from another one", { origin: "http://evil.test" }, false],
    ["by an old browser from another port", { origin: "http://packhouse.test:81" }, false],
    ["by a page without an origin", { origin: "null" }, false],
    ["by no browser", {}, true],
  ];

  test.each(rows)("%s", async (_, headers, allowed) => {
    const session = await signInAgain(app.service, "usr_1001");
    const code = async (
      method: string,
      path: string,
      more: Record<string, string>,
      body?: object,
      key: string | null = null,
    ) => {
      return (await app.call(method, path, body, { key, headers: { host: "packhouse.test", ...headers, ...more } }))
        .body.error?.code;
    };
    const or = (otherwise?: string) => (allowed ? otherwise : "cross_site_request");
    const setup = { token: "none", email: "eve@house.test", name: "Eve", password };
    expect(await code("POST", "/products", session, {})).toBe(or("validation_failed"));
    expect(await code("POST", "/dashboard/api/session", {}, ann)).toBe(or());
    expect(await code("POST", "/dashboard/api/setup", {}, setup)).toBe(or("invalid_link"));
    expect(await code("DELETE", "/dashboard/api/session", {})).toBe(or());
    // Reading changes nothing, and browsers never send keys by themselves.
    expect(await code("GET", "/products", session)).toBeUndefined();
    expect(await code("POST", "/products", session, {}, app.keys.live.full)).toBe("validation_failed");
  });
});

describe("over plain HTTP", () => {
  test.each<[string, string, string, Partial<Service>, boolean]>([
    ["this machine", "127.0.0.1", "127.0.0.1:3000", {}, true],
    ["this machine by its name", "::1", "localhost:3000", {}, true],
    ["another machine", "192.168.1.7", "192.168.1.2:3000", {}, false],
    ["another machine, where that is allowed", "192.168.1.7", "192.168.1.2:3000", { allow_insecure_lan: true }, true],
    ["another machine that calls itself this one", "192.168.1.7", "localhost", {}, false],
    ["a proxy here that nobody told of", "127.0.0.1", "ship.example.com", {}, false],
    ["a proxy that ends TLS", "10.0.0.1", "ship.example.com", { base_url: "https://ship.example.com" }, true],
  ])("%s", async (_, address, host, fields, allowed) => {
    const peerOf = () => address;
    const service = { ...app.service, allow_insecure_lan: false, peerOf, ...fields };
    const house = createApp(service);
    const send = (method: string, path: string, headers: Record<string, string>) => {
      const all = { host, "content-type": "application/json", ...headers };
      const body = method === "POST" ? JSON.stringify(ann) : null;
      return house.handle(new Request(`http://${host}${path}`, { method, body, headers: all }));
    };
    const { cookie } = await signInAgain(app.service, "usr_1001");
    const shown = { cookie: `${cookie}; __Host-${cookie}` };
    const answers = [await send("POST", "/dashboard/api/session", {}), await send("GET", "/v1/users/me", shown)];
    const codes = [];
    for (const answer of answers)
      codes.push(answer.status === 200 ? true : ((await answer.json()) as { error: { code: string } }).error.code);
    expect(codes).toEqual(Array.from(answers, () => allowed || "insecure_connection"));
    const key = { authorization: `Bearer ${app.keys.live.full}` };
    expect((await send("GET", "/v1/products", key)).status).toBe(200);
  });
});
