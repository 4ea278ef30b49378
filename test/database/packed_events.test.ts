// The migration that packs events and shortens the log, on a database that has some of both, on each engine.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { databaseUrl, engine } from "../../src/config.ts";
import { type Migration, migrateSqlite, migrations } from "../../src/database/migrate.ts";
import { migratePostgres } from "../../src/database/migrate_postgres.ts";
import { openPostgres } from "../../src/database/postgres.ts";
import { openSqlite } from "../../src/database/sqlite.ts";
import type { Store } from "../../src/database/store.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { silentLog } from "../../src/kit/log.ts";
import { findEvent } from "../../src/outbox/store.ts";
import { deliveryHeaders, sign } from "../../src/webhooks/dispatch/signing.ts";
import { attemptView } from "../../src/webhooks/logs/log.ts";
import { listAttempts } from "../../src/webhooks/logs/store.ts";

const all = migrations[engine];
const before = all.slice(
  0,
  all.findIndex(({ name }) => name.endsWith("_packed_events")),
);
const schema = `test_packed_${process.pid}`;
const body = JSON.stringify({ id: "evt_1", type: "order.created", data: { object: "order", name: "Zoë" } });

/** The headers that an attempt was sent with; the second one during a rotation of the secret. */
const headers = [null, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"].map((previous_secret, n) =>
  deliveryHeaders({
    ...{ event_id: "evt_1", event_type: "order.created", subscription_id: "whk_1001", attempt: n + 1, test: false },
    ...sign({
      event_id: "evt_1",
      body,
      sent_at: 1_767_225_600_999 + n,
      secret: `whsec_${"A".repeat(44)}`,
      previous_secret,
    }),
  }),
);

const quoted = (value: unknown) => (typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value));
const insert = (table: string, row: object) =>
  `insert into ${table} (${Object.keys(row).join(", ")}) values (${Object.values(row).map(quoted).join(", ")})`;

/** What a database held before. */
const rows = [
  insert("subscriptions", {
    ...{ id: 1001, url: "https://a.example/", events: '["order.created"]', version: "v1", payload: "full" },
    ...{ retry_limit: 3, status: "active", secret: "sealed", sequence: 1, consecutive_failures: 0 },
    ...{ created_at: 1, updated_at: 1 },
  }),
  insert("events", {
    seq: 1001,
    id: "evt_1",
    type: "order.created",
    body,
    created_at: 1,
    position: 1,
    fanned_out_at: 1,
  }),
  insert("deliveries", {
    ...{ id: 1001, subscription_id: 1001, event_id: "evt_1", event_type: "order.created", sequence: 1 },
    ...{ status: "delivered", attempts: 2, max_attempts: 4, spent_attempts: 0, created_at: 1, finished_at: 2 },
  }),
  ...headers.map((request_headers, n) =>
    insert("delivery_attempts", {
      ...{ id: 1001 + n, delivery_id: 1001, subscription_id: 1001, event_id: "evt_1", event_type: "order.created" },
      ...{ attempt: n + 1, max_attempts: 4, trigger: "scheduled", status: "success", url: "https://a.example/" },
      ...{ request_headers: JSON.stringify(request_headers), started_at: 10 - n },
    })
      .replace(") values (", ", truncated) values (")
      .replace(/\)$/, engine === "sqlite" ? ", 0)" : ", false)"),
  ),
];

let store: Store;
let clean: () => Promise<unknown>;

beforeAll(async () => {
  const common = { mode: "live", clock: systemClock(), log: silentLog } as const;
  if (engine === "sqlite") {
    const folder = await mkdtemp(join(tmpdir(), "packhouse-packed-"));
    const path = join(folder, "live.db");
    const migrate = (some: readonly Migration[], more: readonly string[]) => {
      using raw = new Database(path, { create: true, readwrite: true, strict: true });
      migrateSqlite(raw, "live", path, some);
      for (const row of more) raw.run(row);
    };
    migrate(before, rows);
    migrate(all, []);
    store = openSqlite({ ...common, path, fatal: () => {} });
    clean = () => rm(folder, { recursive: true });
    return;
  }
  const url = databaseUrl ?? "";
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await migratePostgres(url, schema, "live", before);
  await admin.query(`set search_path to ${schema}`);
  for (const row of rows) await admin.query(row);
  await migratePostgres(url, schema, "live", all);
  store = openPostgres({ ...common, url, schema });
  clean = async () => {
    await admin.query(`drop schema ${schema} cascade`);
    await admin.end();
  };
});

afterAll(async () => {
  await store.close();
  await clean();
});

test("an event says what it said", async () => {
  expect(await store.read((db) => findEvent(db, "evt_1"))).toMatchObject({ seq: 1001, body, position: 1 });
});

test("the log shows the headers that were sent, during a rotation as well", async () => {
  const window = { limit: 10, offset: 0, after: null };
  const lines = await store.read((db) => listAttempts(db, { subscription_id: 1001, event_id: "evt_1" }, window));
  expect(lines.map((line) => attemptView(line).request.headers)).toEqual(headers);
});
