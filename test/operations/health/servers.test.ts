// The servers of an installation: the single process on SQLite, or those that share a PostgreSQL database.
import { expect, test } from "bun:test";
import { hostname } from "node:os";
import { servers } from "../../../db/schema/service.ts";
import { iso } from "../../../src/core/clock.ts";
import { engine, version } from "../../../src/core/config.ts";
import { known_migrations } from "../../../src/storage/migrations/migrate.ts";
import { openApp, start } from "../../build/service.ts";

const app = await openApp();

const migration = known_migrations[engine].at(-1)?.name ?? "";

test("a process with its own data is the only server", async () => {
  const before = Date.now();
  const { status, body } = await app.get("/servers");
  expect(status).toBe(200);
  const [{ started_at, seen_at, ...told }, ...others] = body.data;
  expect(others).toEqual([]);
  expect(told).toEqual({
    ...{ number: null, host: hostname(), version, migration },
    ...{ status: "serving", is_current: true },
  });
  expect(Date.parse(started_at)).toBeLessThanOrEqual(before);
  expect(Date.parse(seen_at)).toBeGreaterThanOrEqual(before);
});

test("on a shared database all are listed, including the responding one and those that shut down", async () => {
  const row = { version, schema: migration, started_at: start, seen_at: start + 1000, beats: 1 };
  await app.service.stores.live.write((tx) =>
    tx.sql.insert(servers).values([
      { id: 7, host: "pack-b", ...row, draining: false },
      { id: 3, host: "pack-a", ...row, draining: true },
    ]),
  );
  Object.assign(app.service, { registry: { id: 7 } });
  const { body } = await app.get("/servers");
  const moments = { started_at: iso(start), seen_at: iso(start + 1000) };
  expect(body.data).toEqual([
    { number: 3, host: "pack-a", version, migration, status: "stopping", ...moments, is_current: false },
    { number: 7, host: "pack-b", version, migration, status: "serving", ...moments, is_current: true },
  ]);
  Object.assign(app.service, { registry: null });
});
