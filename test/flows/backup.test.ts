// A service that makes scheduled backups: each one is verified. If a backup fails, the service continues and reports
// it.
import { afterEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { backups } from "../../scripts/faults/backups.ts";
import { runCommand, type StartedService } from "../../scripts/service.ts";
import { engine } from "../../src/core/config.ts";
import { mayMount } from "../storage/writer_child.ts";
import { isLong } from "../volume.ts";
import { client, startFreshService } from "./service.ts";

const open: { service: StartedService; folder: string }[] = [];

afterEach(async () => {
  for (const { service, folder } of open.splice(0)) {
    await service.remove();
    rmSync(folder, { recursive: true, force: true });
  }
});

async function started(to: (folder: string) => string, more: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "packhouse-backups-"));
  // Intervals begin at fixed times: none of a week begins while a test counts the runs.
  const env = {
    PACKHOUSE_BACKUP_TO: to(folder),
    PACKHOUSE_BACKUP_EVERY: "10080",
    PACKHOUSE_LOG_LEVEL: "error",
    ...more,
  };
  const service = await startFreshService({ env });
  open.push({ service, folder });
  const api = client(service.url, service.first_keys.live);
  return { service, folder, api };
}

/** Polls until the newest runs match. */
async function runs(api: ReturnType<typeof client>, wanted: (found: Record<string, string>[]) => boolean) {
  for (;;) {
    const { data } = await api.must("GET", "/backups");
    if (wanted(data)) return data;
    await Bun.sleep(50);
  }
}

/** A destination with hourly backups from four years ago, which cannot store the list of erased customers. */
function longKept(at: string): string {
  const kept = join(at, "kept");
  mkdirSync(join(kept, "erasures.jsonl"), { recursive: true });
  for (let hour = 0; hour < 50; hour += 1) {
    const [day, left] = [1 + Math.floor(hour / 24), hour % 24].map((part) => String(part).padStart(2, "0"));
    writeFileSync(join(kept, `packhouse-202211${day}T${left}0000Z.tar.zst`), "");
  }
  return kept;
}

async function doctorOf({ data }: StartedService): Promise<string[]> {
  const { out } = await runCommand(["doctor", "--json", "--data", data]);
  const { findings } = JSON.parse(out) as { findings: { subject: string; said: string }[] };
  return findings.flatMap(({ subject, said }) => (subject === "backups" ? [said] : []));
}

test("makes and verifies a scheduled backup, and another one on request", async () => {
  const { folder, api, service } = await started(longKept, { PACKHOUSE_BACKUP_KEEP: "1,1,1" });
  await runs(api, (found) => found.some(({ kind, status }) => kind === "restore_test" && status !== "running"));
  const asked = await api.send("POST", "/backups");
  expect([asked.status, asked.body.data.cause]).toEqual([202, "request"]);
  const found = await runs(api, (all) => all[0]?.["status"] === "done" && all.length === 3);
  expect(found.map(({ kind, status, error }: Record<string, string>) => [kind, status, error])).toEqual([
    ["backup", "done", null],
    ["restore_test", "done", null],
    ["backup", "done", null],
  ]);
  const names = readdirSync(join(folder, "kept"));
  expect(names).toContain(found[0].destination.split("/").at(-1));
  expect(names.filter((name) => name.includes("-2022")).length).toBe(0);
  const { data } = await api.must("GET", "/backups/settings");
  expect(data).toMatchObject({ configured: true, late: false, every_minutes: 10080, last: { id: found[0].id } });
  const key = service.first_keys.live;
  const metrics = await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${key}` } });
  expect(await metrics.text()).toContain(`packhouse_backup_size_bytes ${found[0].size_bytes}`);
  if (engine !== "sqlite") return;
  expect(await doctorOf(service)).toContain("they are on the same disk as the data");
  rmSync(join(folder, "kept"), { recursive: true });
  expect(await doctorOf(service)).toContain(`${found[0].destination} does not exist`);
  // As if the backup disk were no longer mounted.
  await api.must("POST", "/backups");
  await runs(api, (all) => all[0]?.["status"] === "done" && all.length === 4);
  const told = (await api.must("GET", "/notices?kind=backup_failed")).data[0];
  expect(told.message).toContain(`${found[0].destination}, is gone`);
}, 60_000);

test.each([
  ["a folder in which nothing can be made", (at: string) => join(at, "file", "kept"), {}],
  ["a storage that nobody answers for", () => "s3://bucket/kept", { PACKHOUSE_S3_ENDPOINT: "http://127.0.0.1:1" }],
])(
  "%s: the service continues, and the operator is notified",
  async (_, to, more) => {
    const keys = { PACKHOUSE_S3_ACCESS_KEY_ID: "someone", PACKHOUSE_S3_SECRET_ACCESS_KEY: "sesame" };
    const place = (at: string) => {
      writeFileSync(join(at, "file"), "");
      return to(at);
    };
    const { folder, api } = await started(place, { ...keys, ...more });
    const [run] = await runs(api, (all) => all[0]?.["status"] === "failed");
    expect(run.error).toBeString();
    expect(run.error).not.toContain("sesame");
    await api.must("POST", "/products", { sku: "CUP", name: "Cup" });
    const notices = await api.must("GET", "/notices?kind=backup_failed");
    expect(notices.data.map(({ subscription_id }: { subscription_id: null }) => subscription_id)).toEqual([null]);
    expect(notices.data[0].message).toContain(run.error);
    expect(existsSync(join(folder, "kept"))).toBe(false);
  },
  60_000,
);

test.if(mayMount())(
  "a full disk: the service continues, the operator is notified, and no partial backup is left",
  async () => {
    let small = "";
    try {
      const { api } = await started((at) => {
        small = join(at, "small");
        mkdirSync(small);
        Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", small]);
        return small;
      });
      const [run] = await runs(api, (all) => all[0]?.["status"] === "failed");
      expect(run.error).toContain("Not enough space");
      await api.must("POST", "/products", { sku: "CUP", name: "Cup" });
      const { data } = await api.must("GET", "/notices?kind=backup_failed");
      expect(data[0].message).toContain("Not enough space");
      expect(readdirSync(small)).toEqual([]);
    } finally {
      Bun.spawnSync(["umount", "-l", small]);
    }
  },
  60_000,
);

test.if(isLong)(
  "each backup under load is complete, even after one was killed",
  async () => {
    expect(await backups.run(6)).toBe(0);
  },
  120_000,
);
