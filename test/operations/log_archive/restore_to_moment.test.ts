// A service that archives its commits loses its disk, and is restored to any point in time.
import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, watch } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand, startService } from "../../../scripts/service.ts";
import { engine } from "../../../src/core/config.ts";
import { archiveName } from "../../../src/operations/backups/archive.ts";

const run = (...words: string[]) => runCommand(words);

const archivesIn = (folder: string) => readdirSync(folder).filter((name) => name.endsWith(".tar.zst"));

/** Resolves once a folder has a backup. */
async function backedUp(folder: string): Promise<void> {
  const isThere = () => archivesIn(folder).length > 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const watching = watch(folder, () => {
    if (isThere()) resolve();
  });
  if (isThere()) resolve();
  await promise.finally(() => watching.close());
}

/** A backup that started before a time may contain later commits. Then the previous backup is used. */
async function passOver({ root, to, into, moment }: Record<"root" | "to" | "into" | "moment", string>) {
  const archives = archivesIn(to).sort();
  const name = archiveName(Date.parse(moment));
  const latest = join(root, "latest");
  expect(await run("restore", to, "--to", "latest", "--into", latest)).toMatchObject({ code: 0 });
  await run("backup", join(root, name), "--data", latest);
  renameSync(join(root, name), join(to, name));
  const again = await run("restore", to, "--to", moment, "--into", into);
  expect([again.err, again.code]).toEqual(["", 0]);
  expect(again.out).toContain(archives.at(-1) ?? "none");
  expect(again.out).toContain("is newer than that time");
  expect((await run("keys", "list", "--data", into)).out).not.toContain("after");
  rmSync(join(to, name));
  rmSync(into, { recursive: true });
}

if (engine === "sqlite")
  test("a service that lost its disk is restored from its backup destination, to any time", async () => {
    const root = mkdtempSync(join(tmpdir(), "packhouse-continuous-"));
    const [data, to, into] = [join(root, "data"), join(root, "to"), join(root, "into")];
    try {
      await mkdir(to);
      const env = { PACKHOUSE_BACKUP_TO: to, PACKHOUSE_CONTINUOUS: "1" };
      const service = await startService({ data, env });
      await backedUp(to);
      // The start makes two backups: the base of the chain, and the scheduled one, of which one per hour is kept.
      const key = service.first_keys.live;
      const made = async () => {
        const answer = await fetch(`${service.url}/v1/backups`, { headers: { authorization: `Bearer ${key}` } });
        const { data: runs } = (await answer.json()) as { data: { kind: string; status: string }[] };
        return runs.some(({ kind, status }) => kind === "backup" && status === "done");
      };
      while (!(existsSync(join(data, "continuous", "backups.json")) && (await made()))) await Bun.sleep(50);
      const shippedUntil = async () => {
        const sent = { headers: { authorization: `Bearer ${key}` } };
        const answer = await (await fetch(`${service.url}/v1/backups/settings`, sent)).json();
        const { continuous } = (answer as { data: { continuous: { shipped_until: string | null } } }).data;
        expect(continuous).toMatchObject({ late: false, problem: null });
        return continuous.shipped_until;
      };
      while ((await shippedUntil()) === null) await Bun.sleep(100);
      await run("keys", "create", "--name", "before", "--mode", "live", "--data", data);
      while (archivesIn(to).includes(archiveName(Date.now()))) await Bun.sleep(50);
      const moment = new Date().toISOString();
      await run("keys", "create", "--name", "after", "--mode", "live", "--data", data);
      const post = async (path: string, body: object) => {
        const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
        const sent = { method: "POST", headers, body: JSON.stringify(body) };
        return (await (await fetch(`${service.url}/v1${path}`, sent)).json()) as { id: string };
      };
      const { id } = await post("/customers", { email: "buyer@shop.example" });
      await post(`/customers/${id}/erasure`, {});
      while (!existsSync(join(data, "erasures.jsonl"))) await Bun.sleep(20);
      expect(await service.stop()).toBe(0);
      rmSync(data, { recursive: true });
      // A restore to a time before the erasure repeats it.
      expect(readFileSync(join(to, "erasures.jsonl"), "utf8")).toContain(`"${id}"`);

      const told = await run("backup", "moments", to, "--json");
      const modes = told.out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).mode);
      // The other environment may have no commits since the backup.
      expect(modes).toContain("live");

      expect(await run("restore", to, "--to", moment, "--into", into)).toMatchObject({ err: "", code: 0 });
      const listed = await run("keys", "list", "--data", into);
      expect(listed.out).toContain("before");
      expect(listed.out).not.toContain("after");
      expect(await run("verify", "--data", into)).toMatchObject({ code: 0 });
      rmSync(into, { recursive: true });

      await passOver({ root, to, into, moment });

      expect(await run("restore", to, "--to", "latest", "--into", into)).toMatchObject({ err: "", code: 0 });
      expect((await run("keys", "list", "--data", into)).out).toContain("after");
      const early = await run("restore", to, "--to", "2020-01-01T00:00Z", "--into", join(root, "early"));
      expect(early).toMatchObject({
        code: expect.any(Number),
        err: expect.stringContaining("There is no backup from 2020"),
      });
      expect(existsSync(join(root, "early", "live.db"))).toBe(false);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }, 60_000);
