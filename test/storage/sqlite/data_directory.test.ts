// Opening a data directory: exclusive access, refusals, repairs, detection of damage.
import { Database } from "bun:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leases } from "../../../db/schema/service.ts";
import { engine } from "../../../src/core/config.ts";
import { silentLog } from "../../../src/core/log.ts";
import { openStores } from "../../../src/storage/open_stores.ts";
import { readCommitFile } from "../../../src/storage/sqlite/commit_number.ts";
import { forgetRun, reasonToCheck } from "../../../src/storage/sqlite/last_run.ts";
import { walState } from "../../../src/storage/sqlite/log_frames.ts";
import { isStartRefused } from "../../../src/storage/start_refused.ts";
import { insert } from "../../../src/storage/statements.ts";
import { ended } from "../things.ts";
import { kept, missingFrom, openFolder, startWriter } from "../writer_child.ts";

/** The result of opening: "open", or the exit code of the refusal. */
async function opening(folder: string): Promise<number | string> {
  const stores = await ended(openFolder(folder));
  if (!(stores instanceof Error)) {
    await stores.close();
    return "open";
  }
  return isStartRefused(stores) ? stores.exit_code : String(stores);
}

const bits = (path: string) => (statSync(path).mode & 0o777).toString(8);

if (engine === "sqlite")
  describe("a data directory", () => {
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), "packhouse-data-"));
    });
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    test("is created with two databases that only its owner can read", async () => {
      const data = join(folder, "deep", "data");
      const stores = await openFolder(data);
      expect([stores.live.mode, stores.test.mode]).toEqual(["live", "test"]);
      expect(bits(data)).toBe("700");
      for (const name of readdirSync(data)) expect([name, bits(join(data, name))]).toEqual([name, "600"]);
      expect(readdirSync(data)).toContain("live.db-wal");
      await stores.close();
      expect(readdirSync(data).toSorted()).toEqual(
        ["instance.lock", "last_run.json", "live.db", "live.db.commit", "test.db", "test.db.commit"].toSorted(),
      );
    });

    test("permissions that let others read are fixed, with a warning", async () => {
      await opening(folder);
      chmodSync(folder, 0o755);
      chmodSync(join(folder, "live.db"), 0o644);
      const warnings: unknown[] = [];
      const stores = await openFolder(folder, { ...silentLog, warn: (_, fields) => warnings.push(fields?.["path"]) });
      await stores.close();
      expect(warnings).toEqual([folder, join(folder, "live.db")]);
      expect([bits(folder), bits(join(folder, "live.db"))]).toEqual(["700", "600"]);
    });

    test("allows one server; commands work alongside it; a killed server releases its lock", async () => {
      const writer = startWriter(folder);
      expect(await writer.until((line) => line.startsWith("kept"))).toBe(true);
      expect(await opening(folder)).toBe(75);
      const beside = await openStores({
        data: folder,
        database_url: null,
        purpose: "command",
        log: silentLog,
        fatal: () => {},
      });
      expect(await missingFrom(beside, kept(writer.lines))).toEqual([]);
      await beside.close();
      writer.process.kill("SIGKILL");
      await writer.end();
      expect(await opening(folder)).toBe("open");
    });

    test("allows one server and commands alongside even without its lock file; a kill releases it", async () => {
      const writer = startWriter(folder);
      expect(await writer.until((line) => line.startsWith("kept"))).toBe(true);
      unlinkSync(join(folder, "instance.lock"));
      expect(await opening(folder)).toBe(75);
      const settings = { data: folder, database_url: null, log: silentLog, fatal: () => {} };
      const beside = await openStores({ ...settings, purpose: "command" });
      expect(await missingFrom(beside, kept(writer.lines))).toEqual([]);
      await beside.close();
      expect(await opening(folder)).toBe(75);
      writer.process.kill("SIGKILL");
      await writer.end();
      expect(await opening(folder)).toBe("open");
    });

    test("is checked in full only when there is a reason", async () => {
      /** The reason for the check at the next start, which is then run. */
      const reason = async () => {
        const found = reasonToCheck(folder);
        expect(await opening(folder)).toBe("open");
        return found;
      };
      const marker = join(folder, "last_run.json");
      const edit = (change: object) =>
        writeFileSync(marker, JSON.stringify({ ...JSON.parse(readFileSync(marker, "utf8")), ...change }));
      expect(await reason()).toBe("it is unknown how the last server ended");
      expect(await reason()).toBe(null);
      const command = {
        data: folder,
        database_url: null,
        purpose: "command",
        log: silentLog,
        fatal: () => {},
      } as const;
      const stores = await openStores(command);
      await stores.live.write((tx) => insert(tx, leases, [{ name: "by a command", owner: "x", until: 1 }]));
      await stores.close();
      expect(await reason()).toBe(null);
      const writer = startWriter(folder);
      await writer.until((line) => line.startsWith("kept"));
      writer.process.kill("SIGKILL");
      await writer.end();
      expect(await reason()).toBe(null);
      const another = startWriter(folder);
      await another.until((line) => line.startsWith("kept"));
      another.process.kill("SIGKILL");
      await another.end();
      edit({ boot: "another" });
      expect(await reason()).toBe("the machine went down");
      edit({ version: "0.0.0" });
      expect(await reason()).toBe("another version used the data");
      cpSync(join(folder, "live.db"), join(folder, "copy.db"));
      renameSync(join(folder, "copy.db"), join(folder, "live.db"));
      expect(await reason()).toBe("the files have changed");
      expect(await reason()).toBe(null);
    });

    test("closes without delay even if the run cannot be recorded", async () => {
      const stores = await openFolder(folder);
      // A folder in the file's place makes the write fail, as a full or read-only disk does.
      mkdirSync(join(folder, `last_run.json.${process.pid}.part`));
      expect(await ended(stores.close())).toBe(undefined);
      rmSync(join(folder, `last_run.json.${process.pid}.part`), { recursive: true });
      expect(await opening(folder)).toBe("open");
      rmSync(join(folder, "last_run.json"));
      mkdirSync(join(folder, "last_run.json"));
      expect(() => forgetRun(folder)).not.toThrow();
    });

    test("a command does not keep a server from opening the directory", async () => {
      const settings = { data: folder, database_url: null, log: silentLog, fatal: () => {} };
      const command = await openStores({ ...settings, purpose: "command" });
      expect(await opening(folder)).toBe("open");
      await command.close();
    });

    test("opens a database with additive migrations of a newer version", async () => {
      await opening(folder);
      const raw = new Database(join(folder, "test.db"));
      raw.run("insert into migrations (name, kind) values ('9999_from_the_future', 'additive')");
      expect(await opening(folder)).toBe("open");
      raw.close();
    });

    test("refuses a newer version's database, another program's, and no database at all", async () => {
      await opening(folder);
      const raw = new Database(join(folder, "test.db"));
      raw.run("insert into migrations (name) values ('9999_from_the_future')");
      raw.close();
      expect(String(await ended(openFolder(folder)))).toContain(
        "newer Packhouse (it has the migration 9999_from_the_future)",
      );
      expect(await opening(folder)).toBe(78);
      const foreign = new Database(join(folder, "foreign.db"));
      foreign.run("create table recipes (name text)");
      foreign.close();
      for (const name of readdirSync(folder).filter((name) => name.startsWith("test.db")))
        unlinkSync(join(folder, name));
      cpSync(join(folder, "foreign.db"), join(folder, "test.db"));
      expect(await opening(folder)).toBe(78);
      expect(statSync(join(folder, "test.db")).size).toBe(statSync(join(folder, "foreign.db")).size);
      writeFileSync(join(folder, "test.db"), "This is not a database. ".repeat(100));
      expect(await opening(folder)).toBe(78);
    });

    test("a command refuses to migrate under a running server", async () => {
      const server = await openFolder(folder);
      const raw = new Database(join(folder, "live.db"));
      raw.run("delete from migrations");
      raw.close();
      const settings = { data: folder, database_url: null, log: silentLog, fatal: () => {} };
      expect(await ended(openStores({ ...settings, purpose: "command" }))).toMatchObject({ exit_code: 75 });
      await server.close();
    });

    test("the check at startup finds a damaged page", async () => {
      await opening(folder);
      const path = join(folder, "live.db");
      const bytes = readFileSync(path);
      bytes.fill(0xff, 4096 * 2, 4096 * 2 + 600);
      writeFileSync(path, bytes);
      expect(await opening(folder)).toBe(65);
    });
  });

if (engine === "sqlite")
  describe("the log of a killed server", () => {
    let origin: string;
    let folder: string;
    let names: string[];
    let wal: string;
    let frames: number;
    const frame_bytes = 4096 + 24;

    beforeAll(async () => {
      origin = mkdtempSync(join(tmpdir(), "packhouse-killed-"));
      const writer = startWriter(origin);
      await writer.until((_, count) => count >= 600);
      writer.process.kill("SIGKILL");
      await writer.end();
      names = kept(writer.lines);
    });
    afterAll(() => rmSync(origin, { recursive: true, force: true }));
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), "packhouse-log-"));
      cpSync(origin, folder, { recursive: true });
      wal = join(folder, "live.db-wal");
      frames = Math.floor((statSync(wal).size - 32) / frame_bytes);
    });
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    /** Flips the bits of one byte of the log. */
    const flip = (at: number) => {
      const bytes = readFileSync(wal);
      bytes[at] = (bytes[at] ?? 0) ^ 0xff;
      writeFileSync(wal, bytes);
    };

    const loses = async () => {
      const stores = await openFolder(folder);
      const lost = await missingFrom(stores, names);
      await stores.close();
      return lost;
    };

    test("is replayed: no acknowledged write is missing", async () => {
      expect(names.length).toBeGreaterThan(500);
      expect(await loses()).toEqual([]);
    });

    test("is refused with a damaged frame anywhere before its end", async () => {
      const whole = readFileSync(wal);
      for (const part of [0.05, 0.3, 0.6]) {
        writeFileSync(wal, whole);
        flip(32 + Math.floor(frames * part) * frame_bytes + Math.floor(frame_bytes * part));
        expect(walState(wal)).toBe("damaged");
        expect(await opening(folder)).toBe(65);
      }
      expect(existsSync(wal)).toBe(true);
    });

    test("is refused with a damaged header", async () => {
      flip(17);
      expect(walState(wal)).toBe("bad_header");
      expect(await opening(folder)).toBe(65);
    });

    test("is recovered when its last, unfinished frames are torn", async () => {
      const bytes = readFileSync(wal);
      const last = bytes.subarray(32 + (frames - 1) * frame_bytes);
      writeFileSync(wal, Buffer.concat([bytes, last.subarray(0, 1500)]));
      expect(walState(wal)).toBe("torn");
      expect(await loses()).toEqual([]);
      // The log is restarted, so that the torn frames are not read again.
      expect(await opening(folder)).toBe("open");
    });

    test("is refused when truncated between two commits, deleted, or rolled back to an older state", async () => {
      const bytes = readFileSync(wal);
      const ends = Array.from({ length: frames }, (_, i) => 32 + i * frame_bytes)
        .filter((at) => bytes.readUInt32BE(at + 4) !== 0)
        .map((at) => at + frame_bytes);
      // The process may have been killed before the last commit was acknowledged.
      for (const size of [ends.at(-3) ?? 0, ends[0] ?? 0]) {
        writeFileSync(wal, bytes);
        truncateSync(wal, size);
        expect(walState(wal)).toBe("whole");
        expect(await opening(folder)).toBe(65);
      }
      cpSync(origin, folder, { recursive: true, force: true });
      unlinkSync(wal);
      expect(await opening(folder)).toBe(65);
    });

    test("is refused when its database is missing", async () => {
      unlinkSync(join(folder, "live.db"));
      expect(await opening(folder)).toBe(65);
      unlinkSync(wal);
      expect(await opening(folder)).toBe(65);
      expect(existsSync(join(folder, "live.db"))).toBe(false);
      unlinkSync(join(folder, "live.db.commit"));
      expect(await opening(folder)).toBe("open");
    });

    test("is opened when the number of the last commit did not reach the disk", async () => {
      const number = readCommitFile(join(folder, "live.db.commit"));
      expect(number).toBeGreaterThan(0);
      for (const text of ["", "0000000000000", "\0".repeat(17), "garbage garbage g"]) {
        cpSync(origin, folder, { recursive: true, force: true });
        writeFileSync(join(folder, "live.db.commit"), text);
        expect(await loses()).toEqual([]);
      }
    });
  });
