// Servers that start at the same time on an empty database, or while another one upgrades it.
import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultProgram, startService } from "../../scripts/service.ts";
import { engine } from "../../src/core/config.ts";
import { migration_lock, migration_lock_key } from "../../src/storage/migrations/migrate_postgres.ts";
import { administered } from "../../src/storage/postgres/postgres_programs.ts";
import { freshDatabase } from "./service.ts";

setDefaultTimeout(60_000);

test.if(engine === "postgres")(
  "only one of several servers that start together creates the first keys and prints them",
  async () => {
    const database_url = await freshDatabase();
    const servers = await Promise.all([1, 2, 3].map(() => startService({ database_url })));
    try {
      const all = servers.map(({ output }) => output).join("\n");
      const count = (words: RegExp) => [...all.matchAll(words)].length;
      expect(count(/First API keys/g)).toBe(1);
      expect([count(/^ {2}live {2}\S+/gm), count(/^ {2}test {2}\S+/gm)]).toEqual([1, 1]);
    } finally {
      for (const server of servers) await server.remove();
    }
  },
);

test.if(engine === "postgres")("a server that waits for another's upgrade logs it, and then starts", async () => {
  const database_url = await freshDatabase();
  const log = join(tmpdir(), `packhouse-waits-${process.pid}.log`);
  try {
    const service = await administered(database_url ?? "", async (other) => {
      await other.ask("begin");
      await other.ask(migration_lock, [migration_lock_key, "live"]);
      const starting = startService({ database_url, log });
      while (!existsSync(log) || !readFileSync(log, "utf8").includes("waiting for another server")) await Bun.sleep(50);
      await other.ask("commit");
      return starting;
    });
    await service.remove();
  } finally {
    rmSync(log, { force: true });
  }
});

test.if(engine === "postgres")("a command creates no schemas in a database without Packhouse data", async () => {
  const database_url = (await freshDatabase()) ?? "";
  const words = ["keys", "create", "--name", "till", "--mode", "live", "--database-url", database_url];
  const child = Bun.spawn([...defaultProgram, ...words], { env: {}, stdout: "pipe", stderr: "pipe" });
  const [err, code] = await Promise.all([child.stderr.text(), child.exited]);
  expect([code, err]).toEqual([66, expect.stringContaining("There is no Packhouse data in the database.")]);
  const schemas = await administered(database_url, (admin) =>
    admin.ask("select nspname from pg_namespace where nspname in ('live', 'test')"),
  );
  expect(schemas).toEqual([]);
});
