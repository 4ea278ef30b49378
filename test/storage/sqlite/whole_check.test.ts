// The integrity check of a whole database in use: what it finds, and the consequences.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { closeSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leases } from "../../../db/schema/service.ts";
import { engine } from "../../../src/core/config.ts";
import { checkIndexes, checkPages } from "../../../src/operations/health/health.jobs.ts";
import type { Stores } from "../../../src/storage/open_stores.ts";
import { reasonToCheck } from "../../../src/storage/sqlite/last_run.ts";
import { openWholeCheck } from "../../../src/storage/sqlite/whole_check.ts";
import { insert } from "../../../src/storage/statements.ts";
import { openTestApp } from "../../build/service.ts";
import { ended } from "../things.ts";
import { openFolder } from "../writer_child.ts";

const page_bytes = 4096;
const going_on = new AbortController().signal;

describe.skipIf(engine !== "sqlite")("an integrity check of a whole database", () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "packhouse-whole-"));
    path = join(folder, "test.db");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Opens the folder with some pages of rows in the test database, none of them in its log. */
  async function openFilled(): Promise<Stores> {
    const rows = Array.from({ length: 3000 }, (_, at) => ({ name: `lease ${at}`, owner: "o".repeat(40), until: at }));
    const first = await openFolder(folder);
    await first.test.write((tx) => insert(tx, leases, rows));
    await first.close();
    return openFolder(folder);
  }

  /** Corrupts some bytes of a page. */
  function spoil(page: number): void {
    const file = openSync(path, "r+");
    const bytes = Buffer.alloc(64);
    readSync(file, bytes, 0, bytes.length, page * page_bytes);
    writeSync(
      file,
      bytes.map((byte) => byte ^ 0xff),
      0,
      bytes.length,
      page * page_bytes,
    );
    closeSync(file);
  }

  const last = () => statSync(path).size / page_bytes - 1;

  test("finds nothing in any table of an intact database while rows are written", async () => {
    const stores = await openFilled();
    const check = openWholeCheck(path);
    expect(check.tables.length).toBeGreaterThan(50);
    expect(check.tables).toContain("orders");
    check.close();
    const writes = Array.from({ length: 20 }, (_, at) =>
      stores.test.write((tx) => insert(tx, leases, [{ name: `more ${at}`, owner: "o", until: at }])),
    );
    expect(await stores.test.findDamage("indexes", going_on)).toBeNull();
    await Promise.all(writes);
    expect((await stores.test.facts()).damage).toBeNull();
    await stores.close();
    // The check left nothing open: the log is empty, and the clean shutdown was recorded.
    expect(reasonToCheck(folder)).toBeNull();
  });

  test.each([
    ["a page of the schema", () => 2],
    ["a page of rows", last],
    ["a page among them", () => last() - 7],
  ])("finds damage in %s; the service reports it and checks everything at the next start", async (_, page) => {
    const stores = await openFilled();
    spoil(page());
    const app = await openTestApp();
    const failure = await ended(checkPages(stores.test, app.service));
    expect(String(failure)).toMatch(/^Error: The test database is damaged \(.+\)\. Stop the service, keep a copy/);
    expect((await stores.test.facts()).damage).not.toBeNull();
    expect((await stores.live.facts()).damage).toBeNull();
    // Health and metrics use the facts of the store.
    const { live, test } = app.service.stores;
    Object.assign(app.service.stores, { live: { ...live, facts: () => stores.live.facts() } });
    Object.assign(app.service.stores, { test: { ...test, facts: () => stores.test.facts() } });
    const { status, body } = await app.call("GET", "/health", undefined, { key: null });
    expect([status, body.storage.live, body.storage.test]).toEqual([503, "ok", "failing"]);
    const metrics = await app.call("GET", "/metrics", undefined, { key: app.keys.live.read });
    expect(metrics.body).toContain('packhouse_database_damaged{mode="live"} 0');
    expect(metrics.body).toContain('packhouse_database_damaged{mode="test"} 1');
    await app.close();
    await ended(stores.close());
    expect(reasonToCheck(folder)).toBe("it is unknown how the last server ended");
  });

  test("finds rows that are missing from an index, in the weekly check", async () => {
    const stores = await openFilled();
    // The name occurs in its row and in the index of names.
    const at = readFileSync(path).lastIndexOf("lease 1500");
    const file = openSync(path, "r+");
    writeSync(file, "lease 150x", at);
    closeSync(file);
    const { service, close } = await openTestApp();
    await checkPages(stores.test, service);
    expect(String(await ended(checkIndexes(stores.test, service)))).toMatch(/missing from index/);
    await close();
    await stores.close();
  });

  test("stops between two tables when the service stops", async () => {
    const stores = await openFilled();
    spoil(last());
    const ending = new AbortController();
    const looking = stores.test.findDamage("pages", ending.signal);
    ending.abort();
    expect(await looking).toBeNull();
    await stores.close();
  });
});
