// The email settings and the test email.
import { afterAll, describe, expect, test } from "bun:test";
import * as net from "node:net";
import { tryMail } from "../../src/outbound/mail.ts";
import { openApp } from "../build/service.ts";
import { openMailServer } from "../webhooks/mail_server.ts";

const to = "ops@example.com, boss@example.com";
const server = await openMailServer();
const app = await openApp({ mail: { url: server.url, from: "packhouse@example.com", to } });
afterAll(async () => {
  server.stop();
});

/** Sets the mail server of an app for one test. */
async function withMail<Done>(url: string, work: () => Promise<Done>): Promise<Done> {
  const before = app.service.mail;
  Object.assign(app.service, { mail: { ...before, url } });
  return work().finally(() => Object.assign(app.service, { mail: before }));
}

/** A mail server that greets and then always gives one answer; none for null. */
async function opened(answers: (line: string) => string | null) {
  const sockets = new Set<net.Socket>();
  const made = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.write("220 mail.test\r\n");
    socket.on("data", (chunk) => {
      const answer = answers(String(chunk).trim());
      if (answer !== null) socket.write(`${answer}\r\n`);
    });
  });
  await new Promise<void>((done) => made.listen(0, "127.0.0.1", done));
  const { port } = made.address() as net.AddressInfo;
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    made.close();
  };
  return { port, stop };
}

describe("email", () => {
  test("settings are shown without credentials", async () => {
    const { body } = await withMail("smtp://ann:sesame-42@mail.example.com", () => app.get("/mail"));
    expect(body.data).toMatchObject({
      configured: true,
      server: { address: "mail.example.com:587", tls: "when_offered" },
      from: "packhouse@example.com",
      to: ["ops@example.com", "boss@example.com"],
    });
    expect(body.data.sends.map(({ kind }: { kind: string }) => kind)).toEqual(["notices", "invitations"]);
    expect(JSON.stringify(body)).not.toMatch(/ann|sesame/);
    const tls = async (url: string) => (await withMail(url, () => app.get("/mail"))).body.data.server;
    expect(await tls("smtps://mail.example.com")).toEqual({ address: "mail.example.com:465", tls: "always" });
    expect((await tls("smtp://mail.example.com:25?requireTLS=true")).tls).toBe("always");
  });

  test("is tested per key, to the operator or another recipient, and recorded in the audit log", async () => {
    const once = { headers: { "idempotency-key": "mail-once" } };
    for (const _ of [1, 2]) {
      const { status, body } = await app.call("POST", "/mail/test", {}, once);
      expect([status, body.data]).toEqual([
        200,
        { accepted: true, to: ["ops@example.com", "boss@example.com"], refused: [], response: "250 taken" },
      ]);
    }
    expect(server.mails.length).toBe(1);
    expect(server.mails[0]).toContain("To: ops@example.com, boss@example.com");
    expect((await app.post("/mail/test", { to: "ada@example.com" })).body.data.to).toEqual(["ada@example.com"]);
    expect(server.mails[1]).toContain("To: ada@example.com");
    const trail = (await app.get("/audit?action=testMail")).body.data;
    expect(trail.length).toBe(2);
  });

  test("shows the server's answer if it is rejected, without secrets", async () => {
    server.take(false);
    const refused = await app.post("/mail/test", {});
    server.take(true);
    expect(refused.status).toBe(200);
    expect(refused.body.data.accepted).toBe(false);
    expect(refused.body.data.response).toContain("451 come again");
    const chatty = await opened((line) => {
      if (/^EHLO/.test(line)) return "250-mail.test\r\n250 AUTH PLAIN";
      const [, , told = ""] = line.split(" ");
      return `535 no, ${told} (${Buffer.from(told, "base64").toString().replaceAll("\0", " ")})`;
    });
    const { body } = await withMail(`smtp://ann:s%C3%A9same@127.0.0.1:${chatty.port}`, () =>
      app.post("/mail/test", {}),
    );
    chatty.stop();
    expect(body.data.accepted).toBe(false);
    expect(body.data.response).toContain("535 no");
    expect(body.data.response).not.toMatch(/ann|sésame|AGFub/);
  });

  test("stops waiting after its timeout, and says so", async () => {
    const silent = await opened(() => null);
    const settings = { url: `smtp://127.0.0.1:${silent.port}`, from: "a@example.com", to: "b@example.com" };
    const handed = await tryMail(settings, "b@example.com", { subject: "s", text: "t", name: "n" }, 50);
    silent.stop();
    expect(handed).toEqual({ taken: false, reason: "the mail server did not answer within 0.05 seconds" });
  });

  test("is refused without a mail server, beyond the rate limit, and for test keys", async () => {
    const answers = [];
    for (let count = 0; count < 8; count += 1) answers.push((await app.post("/mail/test", {})).status);
    expect(answers.at(-1)).toBe(429);
    app.clocks.live.advance(60_000);
    expect((await app.post("/mail/test", {})).status).toBe(200);
    for (const [method, path] of [
      ["GET", "/mail"],
      ["POST", "/mail/test"],
    ] as const) {
      const { status, body } = await app.call(method, path, method === "GET" ? undefined : {}, {
        key: app.keys.test.full,
      });
      expect([status, body.error.code, body.error.required]).toEqual([403, "live_only", "full"]);
    }
    const none = await openApp();
    expect((await none.get("/mail")).body.data).toMatchObject({ configured: false, server: null, from: null, to: [] });
    const { status, body } = await none.post("/mail/test", {});
    expect([status, body.error.code]).toEqual([409, "mail_not_configured"]);
    for (const name of ["SMTP_URL", "MAIL_TO", "MAIL_FROM"]) expect(body.error.message).toContain(`PACKHOUSE_${name}`);
  });
});
