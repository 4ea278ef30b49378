// The upgrade renames the words in the data that the API shows as they are stored.
import { expect, test } from "bun:test";
import { eq, inArray, type SQL, sql } from "drizzle-orm";
import { audit_entries } from "../../../db/schema/audit.ts";
import { erasures, retention_settings } from "../../../db/schema/privacy.ts";
import { engine } from "../../../src/core/config.ts";
import type { Tx } from "../../../src/storage/database.ts";
import { migrations } from "../../../src/storage/migrations/migration_sql.ts";
import { openApp } from "../../build/service.ts";

const migration = migrations[engine].find(({ name }) => name.endsWith("_record_revision"));
const updates = migration?.statements.filter((statement) => statement.startsWith("UPDATE")) ?? [];

/** Drizzle functions that features may not use. */
interface Running {
  run(query: SQL): unknown;
  execute(query: SQL): Promise<unknown>;
}

async function migrate(tx: Tx): Promise<void> {
  const raw = tx.sql as unknown as Running;
  for (const statement of updates) {
    await (engine === "postgres" ? raw.execute(sql.raw(statement)) : raw.run(sql.raw(statement)));
  }
}

test("retention settings, erasures and the audit log have the new words after the upgrade", async () => {
  const app = await openApp();
  await app.service.stores.live.write(async (tx) => {
    const days = { swept_until: null, round_at: null, round_id: null };
    const kinds = ["receiver_answers", "kept_answers", "request_log"] as never[];
    await tx.sql.insert(retention_settings).values(kinds.map((kind) => ({ ...days, kind, days: 1 })));
    const done = { status: "done", place: "", finished_at: tx.now, created_at: tx.now, began_at: tx.now } as const;
    const none = { customers: [], receivers: [], asked_by: {} as never };
    await tx.sql.insert(erasures).values({ ...done, ...none, erased: { orders: 2, kept_answers: 3 } });
    const entry = { actor_type: "system", actor_name: "Somebody", mode: "live", action: "signIn" } as const;
    const about = { targets: [], facts: {}, created_at: tx.now };
    const actors = ["stranger", "command_line"];
    await tx.sql.insert(audit_entries).values(actors.map((actor_id) => ({ ...entry, ...about, actor_id })));
    await migrate(tx);
    await checkWords(tx);
  });
});

async function checkWords(db: Tx): Promise<void> {
  const kinds = ["webhook_responses", "stored_responses", "request_log", "receiver_answers", "kept_answers"] as never[];
  const kept = await db.sql.select().from(retention_settings).where(inArray(retention_settings.kind, kinds));
  expect(kept.map(({ kind }) => kind).toSorted()).toEqual(["request_log", "stored_responses", "webhook_responses"]);
  expect((await db.sql.select().from(erasures)).map(({ erased }) => erased)).toEqual([
    { orders: 2, stored_responses: 3 },
  ]);
  const entries = await db.sql.select().from(audit_entries).where(eq(audit_entries.action, "signIn"));
  expect(entries.map(({ actor_id }) => actor_id).toSorted()).toEqual(["anonymous", "command_line"]);
}
