// Invited users prove their address. The inviter can neither find out whether it has an account nor create one.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openTestApp, type TestApp } from "../../build/service.ts";
import { outcomeOf } from "../../build/shop.ts";
import { openMailServer } from "../../webhooks/mail_server.ts";
import { signedInAs } from "../people.ts";

let app: TestApp;
let mailing: TestApp;
let server: Awaited<ReturnType<typeof openMailServer>>;
beforeAll(async () => {
  server = await openMailServer();
  app = await openTestApp();
  const mail = { url: server.url, from: "packhouse@example.com", to: "ops@example.com" };
  mailing = await openTestApp({ mail });
});
afterAll(async () => {
  await app.close();
  await mailing.close();
  server.stop();
});

const password = "correct horse battery";
const tokenIn = ({ link }: { link: string }) => link.split("#")[1] ?? "";
const open = (at: TestApp, method: "look" | "accept", body: object) =>
  at.call("POST", `/dashboard/api/invitations/${method}`, body, { key: null });
const accept = (at: TestApp, token: string) => open(at, "accept", { token, name: "Gil", password });

/** The response to a merchant's key that invites somebody. */
async function inviteOf(at: TestApp, email: string) {
  const { key } = (await at.post("/keys", { name: email, permission: "full", merchant_id: "MAIN" })).body.data;
  const made = await at.call("POST", "/invitations", { email, role: "office" }, { key });
  expect(made.status).toBe(201);
  return made.body.data;
}

describe("a merchant that invites", () => {
  test("does not learn whether an address has an account, and cannot create one", async () => {
    await signedInAs(app.service, "office", "known one");
    const known = await inviteOf(app, "known.one@packhouse.test");
    const strange = await inviteOf(app, "strange.one@packhouse.test");
    const seen = [];
    for (const invitation of [known, strange]) {
      expect(invitation.proof).toBe("operator");
      const { body } = await open(app, "look", { token: tokenIn(invitation) });
      const refused = await accept(app, tokenIn(invitation));
      expect(outcomeOf(refused)).toEqual([401, "invalid_link"]);
      const { email: _, invited_by: __, ...looked } = body;
      seen.push([looked, refused.body.error.message]);
    }
    expect(seen[0]).toEqual(seen[1] as unknown[]);
    expect((await app.get("/users?q=strange.one")).body.data).toEqual([]);
  });

  test("needs the operator to hand over a new link if no email is sent", async () => {
    const invitation = await inviteOf(app, "handed.over@packhouse.test");
    const again = (await app.post(`/invitations/${invitation.id}/resend`)).body.data;
    expect(again.proof).toBe("none");
    expect(outcomeOf(await accept(app, tokenIn(invitation)))).toEqual([401, "invalid_link"]);
    expect((await accept(app, tokenIn(again))).status).toBe(201);
  });

  test("does not know the emailed link, the only one that can create the account", async () => {
    const invitation = await inviteOf(mailing, "by.mail@packhouse.test");
    expect(invitation.proof).toBe("email");
    await mailing.runJobs();
    const letter = (server.mails.at(-1) ?? "").replaceAll("=\r\n", "").replaceAll("=\n", "");
    const mailed = /#([\w-]{43}\.[\w-]{22})/.exec(letter)?.[1] ?? "";
    expect(mailed.startsWith(`${tokenIn(invitation)}.`)).toBe(true);
    expect(outcomeOf(await accept(mailing, tokenIn(invitation)))).toEqual([401, "invalid_link"]);
    expect(outcomeOf(await accept(mailing, `${tokenIn(invitation)}.AAAAAAAAAAAAAAAAAAAAAA`))).toEqual([
      401,
      "invalid_link",
    ]);
    expect((await open(mailing, "look", { token: mailed })).body.existing_user).toBe(false);
    expect((await accept(mailing, mailed)).status).toBe(201);
  });
});

test("a signed-in user joins with the shown link", async () => {
  const user = await signedInAs(app.service, "office", "joins by link");
  const invitation = await inviteOf(app, user.email);
  const joined = await app.call(
    "POST",
    "/users/me/memberships",
    { token: tokenIn(invitation) },
    { key: null, headers: user.headers },
  );
  expect(joined.status).toBe(201);
});

test("with a mail server, an invitation by the operator is also proved by email", async () => {
  const made = (await mailing.post("/invitations", { email: "staff@packhouse.test", role: "floor" })).body.data;
  expect([made.proof, outcomeOf(await accept(mailing, tokenIn(made)))]).toEqual(["email", [401, "invalid_link"]]);
});
