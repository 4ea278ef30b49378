// Invitations from the link to the first sign-in, also by email, and the permissions to invite.
import { describe, expect, test } from "bun:test";
import { invitation_ms } from "../../../src/identity/users/invitation.ts";
import { roles } from "../../../src/identity/users/roles.ts";
import { openApp, openTestApp } from "../../build/service.ts";
import { outcomeOf } from "../../build/shop.ts";
import { openMailServer } from "../../webhooks/mail_server.ts";
import { signedInAs } from "../people.ts";

const app = await openApp();

const password = "correct horse battery";
let made = 0;
const invite = async (role = "office", fields: object = {}) => {
  made += 1;
  const { status, body } = await app.post("/invitations", { email: `guest.${made}@packhouse.test`, role, ...fields });
  expect(status).toBe(201);
  return body.data;
};
const tokenIn = ({ link }: { link: string }) => link.split("#")[1] ?? "";
const open = (method: "look" | "accept", body: unknown) =>
  app.call("POST", `/dashboard/api/invitations/${method}`, body, { key: null });
const accept = (invitation: { link: string }, name = "Gil Guest") =>
  open("accept", { token: tokenIn(invitation), name, password });

describe("works", () => {
  test("a link leads to a signed-in user", async () => {
    const invitation = await invite("floor", { name: "Gil" });
    const { email } = invitation;
    expect(invitation.link).toMatch(/^http:\/\/packhouse\.test\/dashboard\/invitation#[\w-]{43}$/);
    expect((await open("look", { token: tokenIn(invitation) })).body).toEqual({
      email,
      name: "Gil",
      role: "floor",
      merchant: null,
      invited_by: "full",
      proof: "none",
      existing_user: false,
      expires_at: invitation.expires_at,
    });
    const { status, body, headers } = await accept(invitation, "Gil Guest");
    expect([status, body.user.role, body.user.email]).toEqual([201, "floor", email]);
    const cookie = (headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    const me = await app.call("GET", "/users/me", undefined, { key: null, headers: { cookie } });
    expect([me.status, me.body.data.name]).toEqual([200, "Gil Guest"]);
    const kept = (await app.get(`/invitations/${invitation.id}`)).body.data;
    expect([kept.status, kept.user_id, "link" in kept]).toEqual(["accepted", body.user.id, false]);
    expect((await app.post("/dashboard/api/session", { email, password })).status).toBe(200);
  });

  test("resending makes another link, valid for seven days", async () => {
    const first = await invite();
    app.clocks.live.advance(invitation_ms);
    expect((await app.get(`/invitations/${first.id}`)).body.data.status).toBe("expired");
    expect(outcomeOf(await accept(first))).toEqual([401, "invalid_link"]);
    const again = (await app.post(`/invitations/${first.id}/resend`)).body.data;
    expect([again.status, again.link === first.link]).toEqual(["open", false]);
    expect(outcomeOf(await accept(first))).toEqual([401, "invalid_link"]);
    app.clocks.live.advance(invitation_ms - 1);
    expect((await accept(again)).status).toBe(201);
  });

  test("an expired invitation can be resent", async () => {
    const { id, email } = await invite();
    app.clocks.live.advance(invitation_ms);
    const anew = await invite("office", { email });
    expect((await app.get(`/invitations/${id}`)).body.data.status).toBe("revoked");
    expect((await accept(anew)).status).toBe(201);
  });

  test("invitations are listed by status, and found by part of the address", async () => {
    const { id, email } = await invite();
    const listed = async (query: string) =>
      (await app.get(`/invitations?limit=100&${query}`)).body.data.map((one: { id: string }) => one.id);
    expect(await listed("status=open")).toContain(id);
    expect(await listed(`q=${email.slice(0, 9).toUpperCase()}`)).toContain(id);
    await app.post(`/invitations/${id}/revoke`);
    expect([(await listed("status=open")).includes(id), (await listed("status=revoked")).includes(id)]).toEqual([
      ...[false, true],
    ]);
  });
});

describe("refuses", () => {
  test("a used, revoked or invented link", async () => {
    const invitation = await invite();
    expect((await accept(invitation)).status).toBe(201);
    expect(outcomeOf(await accept(invitation))).toEqual([401, "invalid_link"]);
    const revoked = await invite();
    await app.post(`/invitations/${revoked.id}/revoke`);
    expect(outcomeOf(await accept(revoked))).toEqual([401, "invalid_link"]);
    expect(outcomeOf(await open("look", { token: "a".repeat(43) }))).toEqual([401, "invalid_link"]);
    expect(outcomeOf(await app.post(`/invitations/${revoked.id}/resend`))).toEqual([409, "invalid_state_transition"]);
    expect(outcomeOf(await app.post(`/invitations/${invitation.id}/revoke`))).toEqual([
      409,
      "invalid_state_transition",
    ]);
  });

  test("all but one of two that accept a link concurrently", async () => {
    const invitation = await invite();
    const both = await Promise.all([accept(invitation, "One"), accept(invitation, "Two")]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 401]);
  });

  test("a second invitation of an address, and the invitation of a user", async () => {
    const { id, email } = await invite();
    const again = await app.post("/invitations", { email: email.toUpperCase(), role: "office" });
    expect([outcomeOf(again), again.body.error.existing_id]).toEqual([[409, "duplicate_email"], id]);
    const user = await signedInAs(app.service, "office");
    expect(outcomeOf(await app.post("/invitations", { email: user.email, role: "office" }))).toEqual([
      ...[409, "duplicate_email"],
    ]);
  });

  test("a password that is too short, and names the field", async () => {
    const invitation = await invite();
    const short = await open("accept", { token: tokenIn(invitation), name: "Gil", password: "short" });
    expect([short.status, short.body.error.details[0].field]).toEqual([422, "password"]);
  });
});

describe("guards", () => {
  test("users cannot invite to a role above their own, nor end such an invitation", async () => {
    for (const role of roles) {
      const person = await signedInAs(app.service, role);
      const ask = (path: string, body: object = {}) =>
        app.call("POST", path, body, { key: null, headers: person.headers });
      const may: string[] = [];
      for (const other of roles) {
        made += 1;
        const { status } = await ask("/invitations", { email: `guest.${made}@packhouse.test`, role: other });
        if (status === 201) may.push(other);
        else expect([role, other, status]).toEqual([role, other, 403]);
      }
      const expected = role === "owner" ? [...roles] : role === "manager" ? roles.slice(1) : [];
      expect([role, may]).toEqual([role, expected]);
      const owner = await invite("owner");
      const answers = [await ask(`/invitations/${owner.id}/resend`), await ask(`/invitations/${owner.id}/revoke`)];
      expect(answers.map(({ status }) => status === 200)).toEqual([role === "owner", role === "owner"]);
    }
  });
});

describe("whose inviter", () => {
  test.each([
    [{ status: "disabled" }, ["invalid_link", "invalid_link"]],
    [{ role: "office" }, ["invalid_link", "invalid_link"]],
    [{ role: "manager" }, ["invalid_link", undefined]],
  ])("that becomes %p stay valid only if the inviter could still create them", async (change, expected) => {
    const inviter = await signedInAs(app.service, "owner");
    const invited = async (role: string) => {
      made += 1;
      const body = { email: `guest.${made}@packhouse.test`, role };
      return (await app.call("POST", "/invitations", body, { key: null, headers: inviter.headers })).body.data;
    };
    const [owner, floor] = [await invited("owner"), await invited("floor")];
    await signedInAs(app.service, "owner");
    expect((await app.patch(`/users/${inviter.id}`, change)).status).toBe(200);
    expect([await accept(owner), await accept(floor)].map(({ body }) => body.error?.code)).toEqual(expected);
  });
});

describe("by email", () => {
  test("the link is sent until the mail server accepts it, and is not stored afterwards", async () => {
    const server = await openMailServer();
    const mail = { url: server.url, from: "packhouse@example.com", to: "boss@example.com" };
    const posting = await openTestApp({ mail, base_url: "https://ship.example.com" });
    const { data } = (await posting.post("/invitations", { email: "gil@example.com", role: "office" })).body;
    expect(data.mail_status).toBe("waiting");
    server.take(false);
    await posting.runJobs();
    const state = async () => (await posting.get(`/invitations/${data.id}`)).body.data.mail_status;
    expect([await state(), server.mails.length]).toEqual(["waiting", 0]);
    server.take(true);
    posting.clocks.live.advance(60_000);
    await posting.runJobs();
    expect([await state(), server.mails.length]).toEqual(["sent", 1]);
    const [letter = ""] = server.mails;
    expect(letter).toContain("To: gil@example.com");
    expect(letter.replaceAll("=\n", "").replaceAll("=3D", "=")).toContain(data.link);
    await posting.close();
    server.stop();
  });
});
