// The second factor over HTTP: set up, required, lost; and each code is valid once.
import { describe, expect, test } from "bun:test";
import { Secret, TOTP } from "otpauth";
import { openApp } from "../../build/service.ts";
import { type Person, personWithPassword, signedInAs } from "../people.ts";

const app = await openApp();

const password = "correct horse battery";
const as = (person: Person, method: string, path: string, body?: unknown) =>
  app.call(method, path, body, { key: null, headers: person.headers });
const signIn = (email: string, code?: string, given = password) => {
  const body = { email, password: given, ...(code === undefined ? {} : { code }) };
  return app.call("POST", "/dashboard/api/session", body, { key: null });
};
const codeOf = (secret: string) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: app.clocks.live.now() });
const period = () => app.clocks.live.advance(30_000);
const factor = "/users/me/second_factor";

/** A user with a second factor, with its secret and recovery codes. */
async function withFactor(role: "owner" | "office" = "office") {
  const person = await personWithPassword(app.service, role, password);
  const { secret } = (await as(person, "POST", factor)).body.data;
  const { status, body } = await as(person, "POST", `${factor}/confirm`, { code: codeOf(secret) });
  expect(status).toBe(200);
  period();
  return { person, secret: secret as string, codes: body.data.recovery_codes as string[] };
}

describe("works", () => {
  test("a QR code leads to a sign-in with a code", async () => {
    const person = await personWithPassword(app.service, "office", password);
    expect((await as(person, "GET", factor)).body.data).toEqual({
      status: "off",
      required: false,
      confirmed_at: null,
      recovery_codes_left: 0,
    });
    const { secret, address, qr_svg } = (await as(person, "POST", factor)).body.data;
    expect([new URL(address).searchParams.get("secret"), qr_svg.slice(0, 4)]).toEqual([secret, "<svg"]);
    // Until the first code is confirmed, the password is enough.
    expect([(await as(person, "GET", factor)).body.data.status, (await signIn(person.email)).status]).toEqual([
      ...["pending", 200],
    ]);
    const { recovery_codes } = (await as(person, "POST", `${factor}/confirm`, { code: codeOf(secret) })).body.data;
    expect(new Set(recovery_codes).size).toBe(10);
    period();
    const without = await signIn(person.email);
    expect([without.status, without.body.error.code]).toEqual([401, "second_factor_required"]);
    const { status, body } = await signIn(person.email, codeOf(secret));
    expect([status, body.user.second_factor]).toEqual([200, true]);
    expect((await app.get(`/users/${person.id}`)).body.data.second_factor).toBe(true);
  });

  test("a recovery code signs in once, and new ones replace the old ones", async () => {
    const { person, codes } = await withFactor();
    const [first = "", second = "", third = ""] = codes;
    expect((await signIn(person.email, first.toUpperCase().replaceAll("-", " "))).status).toBe(200);
    expect((await signIn(person.email, first)).body.error.code).toBe("second_factor_invalid");
    expect((await as(person, "GET", factor)).body.data.recovery_codes_left).toBe(9);
    const fresh = (await as(person, "POST", `${factor}/recovery_codes`, { password })).body.data.recovery_codes;
    expect((await signIn(person.email, second)).body.error.code).toBe("second_factor_invalid");
    expect((await signIn(person.email, fresh[2])).status).toBe(200);
    expect(fresh).not.toContain(third);
  });

  test("after turning it off with the password, the password is enough", async () => {
    const { person } = await withFactor();
    expect((await as(person, "POST", `${factor}/turn_off`, { password })).body.data.status).toBe("off");
    expect((await signIn(person.email)).status).toBe(200);
  });
});

describe("refuses", () => {
  test("a code that was already used, and one of another period", async () => {
    const { person, secret } = await withFactor();
    const code = codeOf(secret);
    expect((await signIn(person.email, code)).status).toBe(200);
    expect((await signIn(person.email, code)).body.error.code).toBe("second_factor_invalid");
    period();
    // The previous code is within the clock tolerance, but older than the last used one.
    expect((await signIn(person.email, code)).body.error.code).toBe("second_factor_invalid");
    expect((await signIn(person.email, codeOf(secret))).status).toBe(200);
  });

  test("all but one of two that use one code concurrently", async () => {
    const { person, secret } = await withFactor();
    const code = codeOf(secret);
    const both = await Promise.all([signIn(person.email, code), signIn(person.email, code)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 401]);
  });

  test("the code that set it up", async () => {
    const person = await personWithPassword(app.service, "office", password);
    const { secret } = (await as(person, "POST", factor)).body.data;
    const code = codeOf(secret);
    expect((await as(person, "POST", `${factor}/confirm`, { code })).status).toBe(200);
    expect((await signIn(person.email, code)).body.error.code).toBe("second_factor_invalid");
  });

  test("a wrong first code with its field, and a confirmation without a setup", async () => {
    const person = await signedInAs(app.service, "viewer");
    const none = await as(person, "POST", `${factor}/confirm`, { code: "000000" });
    expect([none.status, none.body.error.code]).toEqual([409, "invalid_state_transition"]);
    const { secret } = (await as(person, "POST", factor)).body.data;
    const wrong = codeOf(secret) === "000000" ? "111111" : "000000";
    const { status, body } = await as(person, "POST", `${factor}/confirm`, { code: wrong });
    expect([status, body.error.details[0].field]).toEqual([422, "code"]);
    expect((await as(person, "GET", factor)).body.data.status).toBe("pending");
  });

  test("to turn it off with a wrong password, or to set up a second one", async () => {
    const { person } = await withFactor();
    const wrong = await as(person, "POST", `${factor}/turn_off`, { password: "not the password" });
    expect([wrong.status, wrong.body.error.code]).toEqual([401, "invalid_credentials"]);
    expect((await as(person, "POST", factor)).body.error.code).toBe("invalid_state_transition");
    expect((await as(person, "GET", factor)).body.data.status).toBe("on");
  });

  test("more guesses from somebody who knows the password", async () => {
    const { person, secret } = await withFactor();
    const wrong = codeOf(secret) === "000000" ? "111111" : "000000";
    const told: string[] = [];
    for (let n = 0; n < 40; n += 1) {
      told.push((await signIn(person.email, wrong)).body.error.code);
      // The limits of an account and an address recover within minutes, that of codes does not.
      app.clocks.live.advance(20_000);
    }
    const tried = told.filter((code) => code === "second_factor_invalid").length;
    expect([tried >= 10, tried <= 13, told.at(-1)]).toEqual([true, true, "rate_limited"]);
  }, 30_000);
});

describe("guards", () => {
  test("an owner of a reachable server must set it up first, and cannot turn it off", async () => {
    const beyond = await openApp({ loopback_only: false });
    const call = (method: string, path: string, body?: unknown) =>
      beyond.call(method, path, body, { key: null, headers: owner.headers });
    const owner = await personWithPassword(beyond.service, "owner", password);
    for (const [method, path] of [
      ["GET", "/orders"],
      ["GET", "/users"],
      ["POST", "/keys"],
    ] as const) {
      const { status, body } = await call(method, path, method === "POST" ? {} : undefined);
      expect([path, status, body.error.code]).toEqual([path, 403, "second_factor_setup_required"]);
    }
    const told = (await call("GET", "/dashboard/api/session")).body;
    expect([told.user.second_factor_required, told.permissions]).toEqual([true, []]);
    const { secret } = (await call("POST", factor)).body.data;
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: beyond.clocks.live.now() });
    expect((await call("POST", `${factor}/confirm`, { code })).status).toBe(200);
    expect((await call("GET", "/users")).status).toBe(200);
    expect((await call("GET", "/dashboard/api/session")).body.user.second_factor_required).toBe(false);
    const kept = await call("POST", `${factor}/turn_off`, { password });
    expect([kept.status, kept.body.error.code]).toEqual([409, "invalid_state_transition"]);
    // A user who becomes an owner while signed in also has to set it up.
    const other = await signedInAs(beyond.service, "office");
    const asks = () => beyond.call("GET", "/orders", undefined, { key: null, headers: other.headers });
    expect((await asks()).status).toBe(200);
    await call("PATCH", `/users/${other.id}`, { role: "owner" });
    expect((await asks()).body.error.code).toBe("second_factor_setup_required");
  });

  test("keys cannot have one", async () => {
    const { status, body } = await app.call("POST", factor);
    expect([status, body.error.code]).toEqual([403, "insufficient_permission"]);
  });
});
