import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { notices } from "../../db/schema/webhooks.ts";
import { openMailServer } from "./mail_server.ts";
import { useScene } from "./scene.ts";

let server: Awaited<ReturnType<typeof openMailServer>>;
beforeEach(async () => {
  server = await openMailServer();
});
afterEach(() => server.stop());
const scene = useScene(() => ({ mail: { url: server.url, from: "packhouse@example.com", to: "ops@example.com" } }));

const disableOne = async (): Promise<string> => {
  scene.receiver.answerWith(() => 410);
  const { id } = await scene.subscribe();
  await scene.tell([1, 2, 3, 4, 5, 6, 7, 8].map((n) => `ord_${n}`));
  await scene.app.runJobs();
  return id;
};
const kept = () => scene.app.service.stores.test.read((db) => db.sql.select().from(notices));

describe("an e-mail", () => {
  test("a disabled subscription causes one notice and one e-mail", async () => {
    const id = await disableOne();
    await scene.app.runJobs();
    expect(server.mails.length).toBe(1);
    const [mail = ""] = server.mails;
    expect(mail).toContain("Subject: Packhouse (test): a webhook was disabled");
    expect(mail).toContain("To: ops@example.com");
    expect(mail).toContain("From: packhouse@example.com");
    expect(mail.replaceAll("=\n", "")).toContain(
      `${id} (${scene.receiver.url}) was disabled because it returned 410 Gone.`,
    );
    expect(await kept()).toMatchObject([{ kind: "webhook_disabled", mail_status: "sent", mail_attempts: 1 }]);
  });

  test("that the mail server rejects is retried under the same id, and finally given up", async () => {
    server.take(false);
    await disableOne();
    expect(await kept()).toMatchObject([{ mail_status: "waiting", mail_attempts: 1 }]);
    scene.app.clocks.test.advance(59_000);
    await scene.app.runJobs();
    expect(await kept()).toMatchObject([{ mail_attempts: 1 }]);
    for (let n = 0; n < 6; n += 1) {
      scene.app.clocks.test.advance(12 * 3_600_000);
      await scene.app.runJobs();
    }
    expect(server.mails).toEqual([]);
    expect(await kept()).toMatchObject([{ mail_status: "failed", mail_attempts: 6, mail_next_at: null }]);
  });
});
