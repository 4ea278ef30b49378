// Killed processes, full disks, failing disks: acknowledged writes survive, all others are refused.
import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leases } from "../../db/schema/service.ts";
import { engine } from "../../src/core/config.ts";
import { insert } from "../../src/storage/statements.ts";
import { ended } from "./things.ts";
import { kept, mayMount, mayTrace, missingFrom, openFolder, skipped, startWriter } from "./writer_child.ts";

const onSqlite = engine === "sqlite";
const noMount = skipped("A5 disk full", onSqlite && !mayMount() ? "this process may not mount a file system" : null);
const noStrace = skipped("A4 fsync failure", onSqlite && !mayTrace() ? "strace is not there or may not trace" : null);

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "packhouse-crash-"));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (engine === "sqlite")
  describe("a crash", () => {
    test("kill -9 with 64 writers, five times on one directory, loses no acknowledged write", async () => {
      await inFolder(async (folder) => {
        const names: string[] = [];
        for (let round = 0; round < 5; round++) {
          const writer = startWriter(folder);
          await writer.until((_, count) => count >= 150 * (round + 1));
          writer.process.kill("SIGKILL");
          await writer.end();
          names.push(...kept(writer.lines));
          const stores = await openFolder(folder);
          expect(await missingFrom(stores, names)).toEqual([]);
          await stores.close();
        }
        expect(names.length).toBeGreaterThan(2000);
      });
    }, 60_000);
  });

if (engine === "sqlite")
  describe("a disk", () => {
    test.skipIf(noMount)("that is full refuses writes but not reads, and recovers when space is freed", async () => {
      await inFolder(async (folder) => {
        const disk = join(folder, "disk");
        mkdirSync(disk);
        run("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", disk);
        try {
          await fill(join(disk, "data"), () => run("mount", "-o", "remount,size=30m", disk));
        } finally {
          run("umount", "-l", disk);
        }
      });
    });

    test.skipIf(noStrace)(
      "whose fsync fails ends the process at once, and no acknowledged write is lost",
      async () => {
        await inFolder(async (folder) => {
          const data = join(folder, "data");
          const log = join(folder, "strace");
          // strace needs the file to exist to match it by path.
          await (await openFolder(data)).close();
          const wal = join(data, "live.db-wal");
          const inject = ["-e", "trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:error=EIO:when=12+"];
          const writer = startWriter(data, 0, ["strace", "-f", "-o", log, "-P", wal, ...inject]);
          const code = await writer.end();
          expect(readFileSync(log, "latin1")).toContain("INJECTED");
          expect(code).toBe(74);
          const names = kept(writer.lines);
          expect(names.length).toBeGreaterThan(0);
          const refusal = writer.lines.findIndex((line) => line.startsWith("refused"));
          if (refusal >= 0) expect(kept(writer.lines.slice(refusal))).toEqual([]);
          const stores = await openFolder(data);
          expect(await missingFrom(stores, names)).toEqual([]);
          await stores.close();
        });
      },
      30_000,
    );
  });

/** Writes until the disk is full, frees space and writes again; no acknowledged write may be missing. */
async function fill(data: string, makeRoom: () => void): Promise<void> {
  const stores = await openFolder(data);
  const names: string[] = [];
  let last: unknown;
  const write = async (name: string) => {
    const rows = ["a", "b"].map((half) => ({ name: `${name}_${half}`, owner: "x".repeat(5000), until: 1 }));
    last = await ended(stores.live.write((tx) => insert(tx, leases, rows)));
    if (!(last instanceof Error)) names.push(name);
  };
  for (let i = 0; i < 2000 && !(last instanceof Error); i++) await write(`t${i}`);
  expect(last).toMatchObject({ code: "storage_full" });
  expect(names.length).toBeGreaterThan(10);
  await Promise.all(Array.from({ length: 100 }, (_, i) => write(`while full ${i}`)));
  expect(last).toMatchObject({ code: "storage_full" });
  expect(await missingFrom(stores, names)).toEqual([]);
  makeRoom();
  await write("after");
  expect(last).toBeUndefined();
  await stores.close();
  const again = await openFolder(data);
  expect(await missingFrom(again, names)).toEqual([]);
  await again.close();
}

function run(...command: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(command);
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr.toString()}`);
}
