// Data that cannot be backed up, since it was moved, or is not completely restored.
import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { default_secret_key, runCommand, startService } from "../../../scripts/service.ts";
import { engine } from "../../../src/core/config.ts";
import { freshDatabase } from "../../flows/service.ts";

const root = mkdtempSync(join(tmpdir(), "packhouse-refused-test-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const run = (key: string, ...words: string[]) => runCommand(words, { env: { PACKHOUSE_SECRET_KEY: key } });
const usual = (...words: string[]) => runCommand(words);

test.if(engine === "sqlite")(
  "moved data, and data of an interrupted restore or rollback, are not backed up",
  async () => {
    const [from, to, kept] = [join(root, "from"), join(root, "to"), join(root, "kept")];
    await (await startService({ data: from })).stop();
    const moved = await usual("move", "--from", from, "--to", to);
    expect([moved.code, moved.err]).toEqual([0, expect.any(String)]);
    const refused = await usual("backup", kept, "--data", from);
    expect([refused.code, refused.err]).toEqual([78, expect.stringContaining("was moved to")]);
    expect(await usual("backup", kept, "--data", to)).toMatchObject({ code: 0 });
    mkdirSync(join(to, ".restored"));
    const midway = await usual("backup", kept, "--data", to);
    expect([midway.code, midway.err]).toEqual([75, expect.stringContaining("is not complete")]);
    expect(readdirSync(kept).filter((name) => name.endsWith(".tar.zst")).length).toBe(1);
  },
  60_000,
);

const canDump = engine === "postgres" && Bun.which("pg_dump") !== null && Bun.which("pg_restore") !== null;

test.if(canDump)(
  "a PostgreSQL database with an unfinished restore is not backed up; a restore writes the secret key",
  async () => {
    const [database_url, other] = [await freshDatabase(), await freshDatabase()];
    await (await startService({ data: join(root, "data"), database_url })).stop();
    const where = (url: string | null, data: string) => ["--data", join(root, data), "--database-url", url ?? ""];
    const made = await usual("backup", join(root, "kept"), "--with-key", ...where(database_url, "data"));
    expect(made.code).toBe(0);
    const [name = ""] = readdirSync(join(root, "kept")).filter((one) => one.endsWith(".tar.zst"));
    const restored = await run("", "restore", join(root, "kept", name), ...where(other, "restored"));
    expect([restored.code, restored.out]).toEqual([0, expect.stringContaining("to the backup's key, which is in ")]);
    expect(readFileSync(join(root, "restored", "secret.key"), "utf8").trim()).toBe(default_secret_key);
    await using admin = new Bun.SQL(other ?? "");
    await admin`create schema packhouse_restoring`;
    const refused = await usual("backup", join(root, "kept"), ...where(other, "restored"));
    expect([refused.code, refused.err]).toEqual([78, expect.stringContaining("is not finished")]);
  },
  60_000,
);
