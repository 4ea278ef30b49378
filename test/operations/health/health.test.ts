// /health checks that each database can be written to, and that its file is still the same.
import { describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, renameSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { startService } from "../../../scripts/service.ts";
import { engine } from "../../../src/core/config.ts";
import { freshDatabase, startFreshService } from "../../flows/service.ts";

/** Polls until the response matches. Returns the status of the environments at that time. */
async function until(url: string, status: number): Promise<{ live: string; test: string }> {
  for (;;) {
    const answer = await fetch(`${url}/health`);
    const { storage } = (await answer.json()) as { storage: { live: string; test: string } };
    if (answer.status === status) return { live: storage.live, test: storage.test };
    await Bun.sleep(100);
  }
}

describe.skipIf(engine !== "sqlite")("health on SQLite", () => {
  test.each(["removed", "replaced"])(
    "fails once a database's file was %s",
    async (how) => {
      const data = mkdtempSync(join(tmpdir(), "packhouse-health-"));
      const service = await startService({ data });
      expect(await until(service.url, 200)).toEqual({ live: "ok", test: "ok" });
      const path = join(data, "test.db");
      if (how === "removed") unlinkSync(path);
      else {
        await Bun.write(`${path}.new`, Bun.file(path));
        renameSync(`${path}.new`, path);
      }
      expect(existsSync(path)).toBe(how === "replaced");
      expect(await until(service.url, 503)).toEqual({ live: "ok", test: "failing" });
      await service.kill();
      await service.remove();
    },
    60_000,
  );
});

describe.skipIf(engine !== "postgres")("health on PostgreSQL", () => {
  test("fails while the database is read-only, and recovers", async () => {
    const database_url = (await freshDatabase()) ?? "";
    const service = await startFreshService({ database_url });
    expect(await until(service.url, 200)).toEqual({ live: "ok", test: "ok" });
    const admin = new pg.Client({ connectionString: database_url });
    await admin.connect();
    const name = new URL(database_url).pathname.slice(1);
    const all = "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()";
    await admin.query(`alter database ${name} set default_transaction_read_only = on`);
    await admin.query(all, [name]);
    expect(await until(service.url, 503)).toEqual({ live: "failing", test: "failing" });
    await admin.query("set default_transaction_read_only = off");
    await admin.query(`alter database ${name} set default_transaction_read_only = off`);
    await admin.query(all, [name]);
    expect(await until(service.url, 200)).toEqual({ live: "ok", test: "ok" });
    await admin.end();
    await service.remove();
  }, 60_000);
});
