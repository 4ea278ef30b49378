import { beforeEach, describe, expect, test } from "bun:test";
import { floorPermissions } from "../../../src/http/auth/permissions.ts";
import { createApp } from "../../../src/server/app.ts";
import { type Answered, openApp } from "../../build/service.ts";
import { personWithPassword, signedInAs, signInAgain } from "../people.ts";
import { badgeDesk, pin } from "./badge_desk.ts";

const app = await openApp();
const { open, linkedDevice, device, badgeOf, worker, signIn, session } = badgeDesk(app);
let peer = 0;
beforeEach(() => {
  // An address with too many failures has to wait.
  peer += 1;
  Object.assign(app.service, { peerOf: () => `192.0.2.${peer}` });
});

const codeOf = ({ status, body }: Answered) => body.error?.code ?? status;
const get = async (path: string, headers: Record<string, string>) =>
  codeOf(await app.call("GET", path, undefined, { headers }));
const audit = async (target: string) =>
  (await app.get(`/audit?target=${target}`)).body.data.map((one: Answered["body"]) => [
    one.action,
    one.actor.id,
    one.targets,
    one.status,
  ]);

describe("a device", () => {
  test("is the browser that opened its link, once and within a day", async () => {
    const { id, token } = await linkedDevice();
    expect((await app.get(`/floor_devices/${id}`)).body.data).toMatchObject({ status: "unopened", used_by: null });
    const opened = await open(token);
    expect([opened.status, opened.body.device.id]).toEqual([200, id]);
    expect(opened.headers.get("set-cookie")).toMatch(
      /^device=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=34560000$/,
    );
    expect((await app.get(`/floor_devices/${id}`)).body.data).toMatchObject({
      status: "active",
      link_expires_at: null,
    });
    expect(codeOf(await open(token))).toBe("invalid_link");
    const here = await app.call("GET", "/dashboard/api/device", undefined, { key: null, headers: session(opened) });
    expect(here.body.device).toEqual(opened.body.device);
    expect(here.headers.get("set-cookie")).toBe(opened.headers.get("set-cookie"));
    expect((await app.call("GET", "/dashboard/api/device", undefined, { key: null })).body).toEqual({ device: null });
    const late = await linkedDevice();
    app.clocks.live.advance(24 * 3_600_000);
    expect(codeOf(await open(late.token))).toBe("invalid_link");
    expect((await audit(id)).map(([action]: string[]) => action)).toEqual(["openDeviceLink", "createFloorDevice"]);
  });

  test("moves to another browser with a new link", async () => {
    const [on, who] = [await device(), await worker()];
    const seated = session(await signIn(on, { badge: who.badge, pin }));
    const linked = await app.post(`/floor_devices/${on.id}/link`);
    expect([linked.status, await get("/orders", seated)]).toEqual([200, 200]);
    const moved = await open(linked.body.data.link.split("#")[1]);
    expect(moved.body.device.id).toBe(on.id);
    expect(await get("/orders", seated)).toBe("authentication_required");
    expect(codeOf(await signIn(on, { badge: who.badge, pin }))).toBe("device_not_allowed");
    expect(codeOf(await signIn(session(moved), { badge: who.badge, pin }))).toBe(200);
  });

  test("is renamed, listed and revoked, which ends the session on it", async () => {
    const [on, other, who] = [await device(), await device(), await worker()];
    const [seated, beside] = [
      await signIn(on, { badge: who.badge, pin }),
      await signIn(other, { badge: who.badge, pin }),
    ];
    const renamed = await app.patch(`/floor_devices/${on.id}`, { name: "Bench 2" });
    expect(renamed.body.data).toMatchObject({ name: "Bench 2", status: "active", used_by: { id: who.id } });
    expect((await app.get("/floor_devices?q=bench&status=active")).body.data).toEqual([renamed.body.data]);
    expect(await get("/orders", session(seated))).toBe(200);
    const revoked = await app.post(`/floor_devices/${on.id}/revoke`);
    expect(revoked.body.data).toMatchObject({ status: "revoked", used_by: null });
    expect([await get("/orders", session(seated)), await get("/orders", session(beside))]).toEqual([
      "authentication_required",
      200,
    ]);
    expect(codeOf(await signIn(on, { badge: who.badge, pin }))).toBe("device_not_allowed");
    expect(codeOf(await app.post(`/floor_devices/${on.id}/link`))).toBe("invalid_state_transition");
    expect((await app.post(`/floor_devices/${on.id}/revoke`)).body.data).toEqual(revoked.body.data);
  });
});

describe("a sign-in by badge", () => {
  test("begins a session of twelve hours, which is listed with its device and covers both environments", async () => {
    const [on, who] = [await device(), await worker()];
    const answer = await signIn(on, { badge: who.badge, pin });
    expect([answer.status, answer.body.user.id, answer.body.device.id]).toEqual([200, who.id, on.id]);
    expect(answer.headers.get("set-cookie")).toMatch(
      /^sid=b[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200$/,
    );
    const headers = session(answer);
    const shown = await app.call("GET", "/dashboard/api/session", undefined, { headers });
    expect(shown.body).toEqual(answer.body);
    expect([await get("/orders", headers), await get("/orders", { ...headers, "packhouse-mode": "test" })]).toEqual([
      200, 200,
    ]);
    const listed = (await app.get(`/users/${who.id}/sessions`)).body.data;
    expect(listed[0].device).toEqual({ id: on.id, name: answer.body.device.name });
    expect(listed.at(-1).device).toBeNull();
    const kept = (await app.get(`/floor_devices/${on.id}`)).body.data;
    expect([kept.used_by.id, kept.last_used_at]).toEqual([who.id, listed[0].created_at]);
    expect((await audit(on.id))[0]).toEqual(["signIn", who.id, [who.id, on.id], 200]);
    app.clocks.live.advance(12 * 3_600_000 - 1);
    expect(await get("/orders", headers)).toBe(200);
    app.clocks.live.advance(1);
    expect(await get("/orders", headers)).toBe("authentication_required");
    expect((await app.get(`/floor_devices/${on.id}`)).body.data.used_by).toBeNull();
  });

  test("gives an owner the permissions for work on the floor, and not the own account", async () => {
    const [on, owner] = [await device(), await worker("owner")];
    const house = createApp({ ...app.service, loopback_only: false });
    const answer = await signIn(on, { badge: owner.badge, pin });
    expect(new Set(answer.body.permissions)).toEqual(new Set(floorPermissions));
    const headers = session(answer);
    const codes = async (method: string, path: string, body?: object) =>
      codeOf(await app.call(method, path, body, { headers }));
    expect(await codes("GET", "/users")).toBe("insufficient_permission");
    expect(await codes("POST", "/keys", { name: "k", permission: "read" })).toBe("insufficient_permission");
    expect(await codes("GET", "/floor_devices")).toBe("insufficient_permission");
    expect(await codes("GET", "/users/me")).toBe(200);
    for (const [method, path, body] of [
      ["POST", "/users/me/second_factor", undefined],
      ["PATCH", "/users/me", { name: "Eve" }],
      ["POST", "/users/me/view_as", { merchant_id: "mer_1001" }],
      ["PUT", "/users/me/pin", { pin: "5830", current_password: "x" }],
      ["DELETE", "/users/me/sessions", undefined],
    ] as const) {
      expect([path, await codes(method, path, body)]).toEqual([path, "insufficient_permission"]);
    }
    // An owner who has to set up a second factor has none to show here: device, badge and PIN are enough.
    const outside = (cookie: string) =>
      house.handle(new Request("http://packhouse.test/v1/orders", { headers: { cookie } }));
    expect((await outside(headers.cookie)).status).toBe(200);
    expect((await outside(owner.headers.cookie)).status).toBe(403);
  });

  test("ends the session of the person before, on this device only", async () => {
    const [on, other, one, two] = [await device(), await device(), await worker(), await worker("lead")];
    const first = session(await signIn(on, { badge: one.badge, pin }));
    const elsewhere = session(await signIn(other, { badge: one.badge, pin }));
    const second = session(await signIn(on, { badge: two.badge, pin }));
    expect([await get("/orders", first), await get("/orders", elsewhere), await get("/orders", second)]).toEqual([
      "authentication_required",
      200,
      200,
    ]);
    expect(await get("/orders", one.headers)).toBe(200);
    const out = await app.call("DELETE", "/dashboard/api/session", undefined, { key: null, headers: second });
    expect([out.status, await get("/orders", second)]).toEqual([200, "authentication_required"]);
  });

  test("asks for a PIN of the user's own after a temporary one", async () => {
    const [on, who] = [await device(), await worker("floor", true)];
    const badge = { badge: who.badge, pin };
    expect((await app.get(`/users/${who.id}/badge`)).body.data.pin).toBe("temporary");
    expect(codeOf(await signIn(on, badge))).toBe("new_pin_required");
    expect(codeOf(await signIn(on, { ...badge, new_pin: pin }))).toBe("new_pin_required");
    for (const new_pin of ["123", "123456789", "1234", "7777", "abcd"]) {
      expect([new_pin, codeOf(await signIn(on, { ...badge, new_pin }))]).toEqual([new_pin, "validation_failed"]);
    }
    expect(codeOf(await signIn(on, { ...badge, new_pin: "5830" }))).toBe(200);
    expect([codeOf(await signIn(on, badge)), codeOf(await signIn(on, { ...badge, pin: "5830" }))]).toEqual([
      "invalid_credentials",
      200,
    ]);
    expect((await app.get(`/users/${who.id}/badge`)).body.data.pin).toBe("own");
  });
});

describe("refuses", () => {
  test("other browsers, and answers alike to an unknown badge, a wrong PIN and one without a PIN", async () => {
    const [on, who, bare] = [await device(), await worker(), await signedInAs(app.service, "floor")];
    const codeless = await badgeOf(bare.id);
    for (const cookie of ["", `device=${"A".repeat(43)}`, who.headers.cookie]) {
      expect(codeOf(await signIn({ cookie }, { badge: who.badge, pin }))).toBe("device_not_allowed");
    }
    const answers = [
      await signIn(on, { badge: who.badge, pin: "0000" }),
      await signIn(on, { badge: `PHB${"1".repeat(20)}`, pin }),
      await signIn(on, { badge: codeless, pin }),
    ];
    const shown = answers.map(({ status, body, headers }) => JSON.stringify([status, body, headers.get("set-cookie")]));
    expect(shown[0]).toContain("invalid_credentials");
    expect(new Set(shown.map((text) => text.replace(/req_\w+/g, ""))).size).toBe(1);
    expect((await audit(on.id)).slice(0, 3)).toEqual([
      ["signInFailed", "anonymous", [bare.id, on.id], 401],
      ["signInFailed", "anonymous", [on.id], 401],
      ["signInFailed", "anonymous", [who.id, on.id], 401],
    ]);
    expect(codeOf(await signIn(on, { badge: who.badge, pin }))).toBe(200);
  });

  test("a badge for fifteen minutes after five wrong PINs, on every device, unknown badges too", async () => {
    const who = await worker();
    const nobody = { badge: `PHB${"2".repeat(20)}` };
    for (const one of [who, nobody]) {
      const on = await device();
      for (let at = 0; at < 5; at += 1) {
        expect(codeOf(await signIn(on, { badge: one.badge, pin: "0000" }))).toBe("invalid_credentials");
      }
      const locked = await signIn(await device(), { badge: one.badge, pin });
      expect([locked.status, locked.body.error.code, locked.headers.get("retry-after")]).toEqual([
        429,
        "rate_limited",
        "900",
      ]);
    }
    expect((await app.get(`/users/${who.id}/badge`)).body.data.locked_until).not.toBeNull();
    app.clocks.live.advance(15 * 60_000 - 1);
    const on = await device();
    expect(codeOf(await signIn(on, { badge: who.badge, pin }))).toBe("rate_limited");
    app.clocks.live.advance(1);
    expect(codeOf(await signIn(on, { badge: who.badge, pin }))).toBe(200);
    // A sign-in forgets the wrong PINs before it.
    for (let at = 0; at < 4; at += 1) await signIn(on, { badge: who.badge, pin: "0000" });
    expect(codeOf(await signIn(on, { badge: who.badge, pin }))).toBe(200);
    expect(codeOf(await signIn(on, { badge: who.badge, pin: "0000" }))).toBe("invalid_credentials");
  });

  test("more than five of many PINs that are sent at once", async () => {
    const [who, on] = [await worker(), await device()];
    const codes: string[] = [];
    // Two are checked at once; the others are sent again, as a guessing program would.
    for (let sent = 0; sent < 40; ) {
      const answers = await Promise.all(
        Array.from({ length: 4 }, (_, at) => signIn(on, { badge: who.badge, pin: String(1000 + sent + at) })),
      );
      sent += answers.length;
      codes.push(...answers.map(codeOf));
      peer += 1;
    }
    expect(codes.filter((code) => code === "invalid_credentials").length).toBe(5);
    expect(codeOf(await signIn(on, { badge: who.badge, pin }))).toBe("rate_limited");
  });

  test("a device that tries many badges", async () => {
    const [on, who] = [await device(), await worker()];
    for (let at = 0; at < 10; at += 1) {
      Object.assign(app.service, { peerOf: () => `198.51.100.${at}` });
      expect(codeOf(await signIn(on, { badge: `PHB${at}`, pin }))).toBe("invalid_credentials");
    }
    Object.assign(app.service, { peerOf: () => "198.51.100.99" });
    expect(codeOf(await signIn(on, { badge: who.badge, pin }))).toBe("rate_limited");
    expect(codeOf(await signIn(await device(), { badge: who.badge, pin }))).toBe(200);
  });

  test("a badge that was replaced or removed, and ends the sessions that began with it", async () => {
    const [on, who] = [await device(), await worker()];
    const before = session(await signIn(on, { badge: who.badge, pin }));
    const badge = await badgeOf(who.id);
    expect([await get("/orders", before), await get("/orders", who.headers)]).toEqual(["authentication_required", 200]);
    expect(codeOf(await signIn(on, { badge: who.badge, pin }))).toBe("invalid_credentials");
    const after = session(await signIn(on, { badge, pin }));
    expect(await get("/orders", after)).toBe(200);
    expect((await app.call("DELETE", `/users/${who.id}/badge`)).body.data).toMatchObject({
      badge_made_at: null,
      pin: "own",
    });
    expect(await get("/orders", after)).toBe("authentication_required");
    expect(codeOf(await signIn(on, { badge, pin }))).toBe("invalid_credentials");
  });

  test("a user who is disabled, and ends the session", async () => {
    const [on, who] = [await device(), await worker()];
    const before = session(await signIn(on, { badge: who.badge, pin }));
    await app.patch(`/users/${who.id}`, { status: "disabled" });
    expect([await get("/orders", before), codeOf(await signIn(on, { badge: who.badge, pin }))]).toEqual([
      "authentication_required",
      "invalid_credentials",
    ]);
    await app.patch(`/users/${who.id}`, { status: "active" });
    expect(codeOf(await signIn(on, { badge: who.badge, pin }))).toBe(200);
  });

  test("users of merchants, and administrators with less than the user", async () => {
    const { id: merchant } = (await app.post("/merchants", { code: "ACME", name: "ACME Ltd" })).body.data;
    const guest = await signedInAs(app.service, "owner", undefined, Number(merchant.slice(4)));
    expect(codeOf(await app.post(`/users/${guest.id}/badge`))).toBe("not_for_merchants");
    expect(codeOf(await app.call("PUT", `/users/${guest.id}/pin`, { pin }))).toBe("not_for_merchants");
    const [manager, owner] = [await signedInAs(app.service, "manager"), await signedInAs(app.service, "owner")];
    const as = async (method: string, path: string, body?: object) =>
      codeOf(await app.call(method, path, body, { headers: manager.headers }));
    expect(await as("POST", `/users/${owner.id}/badge`)).toBe("insufficient_permission");
    expect(await as("PUT", `/users/${owner.id}/pin`, { pin })).toBe("insufficient_permission");
    expect(await as("POST", `/users/${manager.id}/badge`)).toBe(201);
    expect(codeOf(await app.call("GET", "/floor_devices", undefined, { key: app.keys.test.full }))).toBe("live_only");
  });

  test("a page of another site, and plain HTTP from another machine", async () => {
    const [on, who] = [await device(), await worker()];
    const body = JSON.stringify({ badge: who.badge, pin });
    const send = (house: typeof app.app, headers: Record<string, string>) =>
      house.handle(
        new Request("http://packhouse.test/dashboard/api/badge_session", {
          method: "POST",
          body,
          headers: { "content-type": "application/json", cookie: on.cookie, ...headers },
        }),
      );
    const plain = createApp({ ...app.service, allow_insecure_lan: false, peerOf: () => "192.168.1.7" });
    const code = async (answer: Response) => ((await answer.json()) as Answered["body"]).error?.code;
    expect(await code(await send(app.app, { "sec-fetch-site": "cross-site" }))).toBe("cross_site_request");
    expect(await code(await send(plain, {}))).toBe("insecure_connection");
    const secure = createApp({ ...app.service, tls: true });
    const answer = await send(secure, { cookie: `__Host-${on.cookie}` });
    expect([answer.status, answer.headers.get("set-cookie")]).toEqual([
      200,
      expect.stringMatching(/^__Host-sid=.*; Secure$/),
    ]);
    expect(await code(await send(secure, {}))).toBe("device_not_allowed");
  });
});

test("a user sets the own PIN with the password, and signs in with it", async () => {
  const person = await personWithPassword(app.service, "office", "correct horse battery");
  const [badge, on] = [await badgeOf(person.id), await device()];
  const set = async (body: object, headers = person.headers) =>
    codeOf(await app.call("PUT", "/users/me/pin", body, { headers }));
  const current_password = "correct horse battery";
  expect(await set({ pin: "5830", current_password: "wrong" })).toBe("invalid_credentials");
  expect(await set({ pin: "1111", current_password })).toBe("validation_failed");
  expect(await set({ pin: "5830", current_password }, await signInAgain(app.service, person.id))).toBe(200);
  expect(codeOf(await signIn(on, { badge, pin: "5830" }))).toBe(200);
});
