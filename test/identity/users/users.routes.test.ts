import { describe, expect, test } from "bun:test";
import { hashPassword } from "../../../src/identity/users/passwords.ts";
import type { Role } from "../../../src/identity/users/roles.ts";
import { getUser, saveUser } from "../../../src/identity/users/users.sql.ts";
import { openShop } from "../../build/shop.ts";
import { type Person, signedInAs, signInAgain } from "../people.ts";

const shop = await openShop();
await signedInAs(shop.app.service, "owner", "Olive");

const person = (role: Role) => signedInAs(shop.app.service, role);
const as = (who: Pick<Person, "headers">, method: string, path: string, body?: unknown, more = {}) =>
  shop.app.call(method, path, body, { headers: { ...who.headers, ...more } });
const codeOf = (answer: { status: number; body: { error?: { code: string } } }) =>
  answer.body.error?.code ?? answer.status;
const change = async (who: Person, other: Person, body: object) =>
  codeOf(await as(who, "PATCH", `/users/${other.id}`, body));

describe("works", () => {
  test("a user's acts show the user wherever a key would be shown", async () => {
    const office = await person("office");
    const goods = await shop.product({ units: 5 });
    const { body } = await as(office, "POST", "/orders", shop.draft([[goods, 1]]));
    const [first] = (await as(office, "GET", `/orders/${body.data.id}/history`)).body.data;
    expect(first.actor).toMatchObject({ type: "user", id: office.id });
    await as(office, "PATCH", `/inventory/${goods.sku}`, { adjustment: 1, reason: "correction" });
    const [moved] = (await as(office, "GET", `/inventory/movements?sku=${goods.sku}&limit=1`)).body.data;
    expect(JSON.stringify(moved)).toContain(office.id);
  });

  test("each request names its environment, and records of one are not in the other", async () => {
    const office = await person("office");
    const test_mode = { "packhouse-mode": "test" };
    const made = await as(office, "POST", "/products", { sku: "ONLY-HERE", name: "Tea" }, test_mode);
    expect(made.body.data.id).toMatch(/^prd_1000000\d{3}$/);
    expect((await as(office, "GET", "/products?sku=ONLY-HERE")).body.data).toEqual([]);
    expect((await as(office, "GET", "/products?sku=ONLY-HERE", undefined, test_mode)).body.data.length).toBe(1);
    expect((await as(office, "GET", "/users/me", undefined, test_mode)).body.data.id).toBe(office.id);
    expect(codeOf(await as(office, "GET", "/products", undefined, { "packhouse-mode": "moon" }))).toBe(
      "malformed_header",
    );
    const { live } = shop.app.keys;
    const named = (mode: string) =>
      shop.app.call("GET", "/products", undefined, { key: live.full, headers: { "packhouse-mode": mode } });
    expect([codeOf(await named("live")), codeOf(await named("test"))]).toEqual([200, "malformed_header"]);
  });

  test("browsers cache nothing that a user sees, since other users may see other data under the same tag", async () => {
    const office = await person("office");
    const goods = await shop.product({ units: 1 });
    const path = `/products/${goods.sku}`;
    for (const shown of [path, "/users/me", "/orders", "/products/none"]) {
      expect([shown, (await as(office, "GET", shown)).headers.get("cache-control")]).toEqual([
        shown,
        "private, no-store",
      ]);
    }
  });

  test("changing the password keeps this session and ends all others", async () => {
    const office = await person("office");
    const [old_password, password] = ["correct horse battery", "another horse battery"];
    for (const text of [old_password, password]) shop.app.watch.keep("a password", text);
    const password_hash = await hashPassword(old_password);
    const { live } = shop.app.service.stores;
    await live.write(async (tx) => saveUser(tx, { ...(await getUser(tx, office.id)), password_hash }));
    const elsewhere = { headers: await signInAgain(shop.app.service, office.id) };
    const wrong = await as(office, "POST", "/users/me/password", { current_password: "x", password });
    expect(codeOf(wrong)).toBe("invalid_credentials");
    const headers = { "idempotency-key": "password-1" };
    const body = { current_password: old_password, password };
    for (const _ of [1, 2]) expect(codeOf(await as(office, "POST", "/users/me/password", body, headers))).toBe(200);
    expect([codeOf(await as(office, "GET", "/users/me")), codeOf(await as(elsewhere, "GET", "/users/me"))]).toEqual([
      200,
      "authentication_required",
    ]);
    const again = await shop.app.call(
      "POST",
      "/dashboard/api/session",
      { email: office.email, password },
      { key: null },
    );
    expect(again.status).toBe(200);
  });

  test("sessions are listed and ended, by the user and by managers of users", async () => {
    const [office, manager] = [await person("office"), await person("manager")];
    const others = [await signInAgain(shop.app.service, office.id), await signInAgain(shop.app.service, office.id)];
    const { data } = (await as(office, "GET", "/users/me/sessions")).body;
    expect(data.map(({ current }: { current: boolean }) => current)).toEqual([false, false, true]);
    expect((await as(manager, "GET", `/users/${office.id}/sessions`)).body.data.length).toBe(3);
    await as(manager, "DELETE", `/users/${office.id}/sessions/${data[0].id}`);
    expect(codeOf(await as({ headers: others[1] ?? { cookie: "" } }, "GET", "/users/me"))).toBe(
      "authentication_required",
    );
    expect(codeOf(await as(manager, "DELETE", `/users/me/sessions/${data[1].id}`))).toBe("resource_missing");
    expect((await as(office, "DELETE", "/users/me/sessions")).body.data).toEqual({ ended: 1 });
    expect((await as(office, "GET", "/users/me/sessions")).body.data.length).toBe(1);
    await as(manager, "DELETE", `/users/${office.id}/sessions`);
    expect(codeOf(await as(office, "GET", "/users/me"))).toBe("authentication_required");
  });
});

describe("nobody can grant more than their own permissions", () => {
  test("neither with a role, nor by changing a user with more permissions", async () => {
    const [owner, manager, office] = [await person("owner"), await person("manager"), await person("office")];
    expect(await change(manager, office, { role: "owner" })).toBe("insufficient_permission");
    expect(await change(manager, owner, { status: "disabled" })).toBe("insufficient_permission");
    expect(await change(manager, owner, { role: "viewer" })).toBe("insufficient_permission");
    expect(codeOf(await as(manager, "DELETE", `/users/${owner.id}/sessions`))).toBe("insufficient_permission");
    expect(await change(manager, manager, { role: "owner" })).toBe("insufficient_permission");
    expect(await change(manager, office, { role: "manager" })).toBe(200);
    expect(await change(owner, office, { role: "owner" })).toBe(200);
    expect(await change(await person("office"), manager, { role: "viewer" })).toBe("insufficient_permission");
  });

  test("live keys act like an owner; test keys cannot manage users", async () => {
    const office = await person("office");
    const { live, test: of_test } = shop.app.keys;
    const patch = async (key: string) =>
      codeOf(await shop.app.call("PATCH", `/users/${office.id}`, { role: "floor" }, { key }));
    expect([await patch(of_test.full), await patch(live.read_write), await patch(live.full)]).toEqual([
      "live_only",
      "insufficient_permission",
      200,
    ]);
  });
});

describe("guards", () => {
  test("the last owner stays and can sign in, even if two owners leave concurrently", async () => {
    const { service } = shop.app;
    const all = (await shop.app.get("/users?role=owner&status=active&limit=100")).body.data as { id: string }[];
    const [one, other] = [await signedInAs(service, "owner"), await signedInAs(service, "owner")];
    for (const { id } of all) await shop.app.patch(`/users/${id}`, { role: "viewer" });
    const leave = (who: Person, body: object) => change(who, who, body);
    const left = await Promise.all([leave(one, { status: "disabled" }), leave(other, { role: "viewer" })]);
    expect(left.map(String).sort()).toEqual(["200", "last_owner"]);
    await shop.app.patch(`/users/${all[0]?.id}`, { role: "owner" });
  });

  test.each(["live", "test"])(
    "a user who is disabled or loses the role cannot write to the %s environment any more",
    async (mode) => {
      const { app } = shop;
      const more = { "packhouse-mode": mode };
      for (const body of [{ status: "disabled" }, { role: "viewer" }]) {
        const office = await person("office");
        const make = (sku: string) => as(office, "POST", "/products", { sku, name: "Tea" }, more);
        expect((await make(`A-${office.id}-${mode}`)).status).toBe(201);
        expect((await app.patch(`/users/${office.id}`, body)).status).toBe(200);
        const expected = "role" in body ? "insufficient_permission" : "authentication_required";
        expect(codeOf(await make(`B-${office.id}-${mode}`))).toBe(expected);
      }
    },
  );

  test.each(["live", "test"] as const)(
    "a request admitted before that does not write to the %s environment",
    async (mode) => {
      const { app } = shop;
      for (const body of [{ status: "disabled" }, { role: "viewer" }]) {
        const office = await person("office");
        const store = app.service.stores[mode];
        const { write } = store;
        let wrote = 0;
        // The user loses it after admission, when the request is about to write.
        const late: typeof write = async (work) => {
          Object.assign(store, { write });
          await app.patch(`/users/${office.id}`, body);
          wrote += 1;
          return write.call(store, work) as never;
        };
        await as(office, "GET", "/products", undefined, { "packhouse-mode": mode });
        Object.assign(store, { write: late });
        const sku = `LATE-${office.id}-${mode}`;
        const answer = await as(office, "POST", "/products", { sku, name: "Tea" }, { "packhouse-mode": mode });
        Object.assign(store, { write });
        expect(wrote).toBe(1);
        expect([401, 403, 409]).toContain(answer.status);
        const { key = "" } = { key: app.keys[mode].full };
        expect((await app.call("GET", `/products?sku=${sku}`, undefined, { key })).body.data).toEqual([]);
      }
    },
  );

  test("acts started as an owner grant no owner-only permission once the user is no longer an owner", async () => {
    const { app } = shop;
    const [owner, friend] = [await person("owner"), await person("manager")];
    const { live: store } = app.service.stores;
    const { write } = store;
    const late: typeof write = async (work) => {
      Object.assign(store, { write });
      expect((await app.patch(`/users/${owner.id}`, { role: "manager" })).status).toBe(200);
      return write.call(store, work) as never;
    };
    expect((await as(owner, "GET", "/users/me")).status).toBe(200);
    Object.assign(store, { write: late });
    expect(await change(owner, friend, { role: "owner" })).toBe("write_conflict");
    Object.assign(store, { write });
    expect(await change(owner, friend, { role: "owner" })).toBe("insufficient_permission");
    expect((await app.get(`/users/${friend.id}`)).body.data.role).toBe("manager");
  });
});
