// Keys, subscriptions, deliveries and notices, and the service itself.
import { servers as server_rows } from "../../../../db/schema/service.ts";
import type { LoggedRequest } from "../../../../src/http/request_log/logged_request.ts";
import { claimRun, endRun } from "../../../../src/operations/backups/backup_runs.ts";
import { insertRestoration } from "../../../../src/storage/installation.ts";
import { firstId } from "../../../../src/storage/migrations/migrate.ts";
import { start } from "../../../build/service.ts";
import { storeBlock } from "../../../http/request_log/logged_requests.ts";
import { openMailServer } from "../../../webhooks/mail_server.ts";
import type { Teller } from "./record_example.ts";

/** Keys of test. */
export async function keys({ app, tell, act }: Teller): Promise<void> {
  const key = app.keys.test.full;
  const made = await tell("createKey", {
    key,
    body: {
      name: "shop",
      permission: "read_write",
      ip_mode: "enforce",
      ip_list: ["203.0.113.0/24"],
      expires_at: "2036-01-01T00:00:00Z",
    },
  });
  const path = { id: made.data.id };
  await tell("getKey", { key, path });
  await tell("updateKey", { key, path, body: { name: "shop, new" } });
  const turned = await tell("rotateKey", { key, path, body: { overlap_seconds: 3600 } });
  await tell("revokeKey", { key, path: { id: turned.data.id }, body: { at: "2026-06-30T00:00:00Z" } });
  await tell("listKeys", { key, query: { status: "active" } });
  await tell("deleteKey", { key, path });
  await act("listKeys", { key });
}

/** The audit log of both environments, which requires a live key. */
export async function audit({ app, tell }: Teller): Promise<void> {
  const key = app.keys.live.full;
  await tell("listAuditEntries", { key, query: { action: "createKey", limit: "2" } });
  await tell("exportAuditEntries", { key, query: { actor: "key_1003" } });
}

/** The backups of a service that has a destination for them. */
export async function backups({ app, tell }: Teller): Promise<void> {
  const key = app.keys.live.full;
  const keep = { hours: 24, days: 30, months: 12 };
  const plan = { to: "/mnt/backups", every_minutes: 60, keep, with_key: false };
  Object.assign(app.service, { backups: plan });
  try {
    await app.service.stores.live.write(async (tx) => {
      const { run } = await claimRun(tx, plan, false);
      if (run === null) throw new Error("no backup was due");
      const moment = { live_at: start, live_commit: 48_213, test_at: start, test_commit: 7012 };
      const sha256 = "6cb148c617e5113334c938d9627c30d295c2843288c44ff79ae9a10a2fdba7d1";
      const size = { size_bytes: 57_412_019, read_bytes: 383_021_056 };
      const place = "/mnt/backups/packhouse-20260105T090000Z.tar.zst";
      await endRun(tx, run, { ...moment, ...size, place, sha256, error: null }, false);
    });
    await tell("getBackupSettings", { key });
    await tell("startBackup", { key });
    await tell("listBackups", { key });
  } finally {
    Object.assign(app.service, { backups: null });
  }
}

/** The servers of an installation with two, side by side while one is restarted. */
export async function servers({ app, tell }: Teller): Promise<void> {
  const { live } = app.service.stores;
  const row = { version: "0.1.0", schema: "0001_schema", seen_at: start, beats: 60 };
  const running = [
    { id: 1, host: "pack-a", ...row, started_at: start - 86_400_000, draining: true },
    { id: 2, host: "pack-b", ...row, started_at: start - 60_000, draining: false },
  ];
  await live.write((tx) => tx.sql.insert(server_rows).values(running));
  Object.assign(app.service, { registry: { id: 2 } });
  try {
    await tell("listServers", { key: app.keys.live.full });
  } finally {
    Object.assign(app.service, { registry: null });
    await live.write((tx) => tx.sql.delete(server_rows));
  }
}

/** The email settings, with a mail server that exists only for this story. */
export async function mail({ app, tell }: Teller): Promise<void> {
  const key = app.keys.live.full;
  const before = app.service.mail;
  const server = await openMailServer();
  const told = { from: "Packhouse <packhouse@example.com>", to: "ops@example.com" };
  try {
    Object.assign(app.service, { mail: { ...told, url: "smtps://packhouse:secret@mail.example.com" } });
    await tell("getMail", { key });
    Object.assign(app.service, { mail: { ...told, url: server.url } });
    await tell("testMail", { key, body: { to: "ada@example.com" } });
  } finally {
    Object.assign(app.service, { mail: before });
    server.stop();
  }
}

/** Subscriptions, deliveries, and what to do if one failed. In test, which allows local receivers. */
export async function webhooks({ app, mode, tell, act }: Teller): Promise<void> {
  const key = app.keys.test.full;
  let status = 204;
  const receiver = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(null, { status }) });
  try {
    const url = `http://localhost:${receiver.port}/hooks`;
    const made = await tell("createWebhook", {
      key,
      body: { url, events: ["inventory.received"], description: "Stock" },
    });
    const path = { id: made.data.id };
    await tell("getWebhook", { key, path });
    await tell("listWebhooks", { key });
    await tell("testWebhook", { key, path, body: { event: "inventory.received" } });
    await tell("rotateWebhookSecret", { key, path, body: { overlap_seconds: 3600 } });
    if (mode === "live") await act("createProduct", { key, body: { sku: "TEA-100", name: "Black tea, 100 bags" } });
    const stock = { key, body: { sku: "TEA-100", quantity: 5, location: `whs_${firstId.test}` } };
    await act("addInventory", stock);
    await app.runJobs();
    const logs = await tell("listWebhookLogs", { key, path, query: { event_type: "inventory.received" } });
    await tell("getWebhookLog", { key, path: { ...path, log_id: logs.data[0].id } });
    await tell("updateWebhook", { key, path, body: { active: false } });
    await act("addInventory", stock);
    await app.runJobs();
    await act("updateWebhook", { key, path, body: { active: true } });
    const [delivery] = (await tell("listWebhookDeliveries", { key, path, query: { status: "skipped" } })).data;
    await tell("redeliverWebhookDelivery", { key, path: { ...path, delivery_id: delivery.id } });
    await app.runJobs();
    const body = { created_after: "2026-01-01T00:00:00Z", statuses: ["skipped"] };
    const job = await tell("recoverWebhook", { key, path, body });
    await tell("getWebhookRecovery", { key, path: { ...path, recovery_id: job.data.id } });
    status = 410;
    await act("addInventory", stock);
    await app.runJobs();
    const [notice] = (await tell("listNotices", { key })).data;
    await tell("acknowledgeNotice", { key, path: { id: notice.id } });
    await tell("deleteWebhook", { key, path });
  } finally {
    await receiver.stop(true);
  }
}

// Requests are logged at the port, which a story bypasses.
const asked: LoggedRequest = {
  at: start,
  method: "GET",
  route: "/orders/:id",
  path: "/orders/ord_9999",
  query: "",
  status: 404,
  code: "resource_missing",
  actor_id: "key_1001",
  ip: "203.0.113.7",
  took_ms: 1.2,
  request_id: "req_019c1e2f4b7a7c3d9e5f60718293a4b5",
  bytes_in: null,
  bytes_out: 412,
};

const restored = {
  archive: "packhouse-20260131T120000Z.tar.zst",
  as_of: Date.parse("2026-01-31T12:00:00.250Z"),
  advanced_by: 1_000_000,
  ...{ waiting_deliveries: 3, waiting_reports: 0, waiting_purchases: 0, withdrawn_mails: 0 },
  ...{ decision: null, decided_at: null, decided_by: null, settled_at: null },
};

/** Events, event types, and the state of the service. */
export async function events({ app, mode, tell }: Teller): Promise<void> {
  await app.runJobs();
  const { data } = await tell("listEvents", { query: { type: "inventory.received", limit: "1" } });
  await tell("getEvent", { path: { id: data[0].id } });
  await app.service.stores[mode].write((tx) => storeBlock(tx, [asked]));
  const requests = await tell("listRequests", { query: { status: "4xx", limit: "1" } });
  await tell("getRequest", { path: { id: requests.data[0].id } });
  await app.service.stores[mode].write((tx) => insertRestoration(tx, { ...restored, restored_at: tx.now }));
  await tell("listRestorations");
  await tell("decideRestored", { key: app.keys[mode].full, body: { action: "send" } });
  for (const operation of [
    "getMetricsHistory",
    "listEventTypes",
    "listErrors",
    "getHealth",
    "getLiveness",
    "getMetrics",
    "getOpenApi",
  ])
    await tell(operation);
}
