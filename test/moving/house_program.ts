// Builds the house of the isolation test, whose three merchants have some of everything, as a data directory of the
// embedded database. It is a process of its own, since a process knows one engine.
import { Database } from "bun:sqlite";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import type { Db } from "../../src/database/store.ts";
import { type Mode, modes } from "../../src/kit/mode.ts";
import { secretKeyOf } from "../../src/secret_key.ts";
import { openFixture } from "../isolation/fixture.ts";

const [folder = ""] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const { app, merchants, close } = await openFixture(async () => new Map());
const { stores, secret_key } = app.service;
for (const mode of modes) await settle(mode);
await secretKeyOf({ ...stores, registry: null, close: async () => {} }, folder, secret_key);
const keys = Object.fromEntries(
  Object.entries(merchants).map(([code, { keys: own }]) => [code, { live: own.live.full, test: own.test.full }]),
);
for (const mode of modes) {
  const path = await stores[mode].read(fileOf);
  using raw = new Database(path, { readonly: true });
  const copy = join(folder, `${mode}.db`);
  raw.run("vacuum into ?", [copy]);
  using kept = new Database(copy);
  kept.run("pragma journal_mode = wal");
  // The fixture's day is long past.
  kept.run("update idempotency_keys set expires_at = 4102444800000");
}
writeFileSync(join(folder, "secret.key"), Buffer.from(secret_key).toString("hex"));
console.log(JSON.stringify(keys));
await close().catch(() => {});
process.exit(0);

/** Ends what may not be under way, and lets answers be kept: a plain one, and one that shows a secret. */
async function settle(mode: Mode): Promise<void> {
  const ofHouse = { key: app.keys[mode].full };
  const { body } = await app.call("GET", "/inventory/counts?limit=100", undefined, ofHouse);
  for (const { id, status } of body.data as { id: string; status: string }[]) {
    if (status !== "open" && status !== "review") continue;
    const { status: code } = await app.call("POST", `/inventory/counts/${id}/cancel`, {}, ofHouse);
    if (code !== 200) throw new Error(`count ${id} is not cancelled: ${code}`);
  }
  for (const { keys: own } of Object.values(merchants)) {
    const once = { key: own[mode].full, headers: { "idempotency-key": "once" } };
    await app.call("POST", "/keys", { name: "kept", permission: "read" }, once);
    await app.call(
      "POST",
      "/products",
      { sku: "KEPT-1", name: "Kept" },
      { ...once, headers: { "idempotency-key": "two" } },
    );
  }
}

async function fileOf(db: Db): Promise<string> {
  const asked = db.sql as unknown as { all(query: unknown): { file: string }[] };
  return asked.all(sql`select file from pragma_database_list where name = 'main'`)[0]?.file ?? "";
}
