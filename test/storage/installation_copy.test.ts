// Source and target of a migration: which parts of the schema are copied, and that every difference is detected.
import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getTableColumns, getTableName, isTable } from "drizzle-orm";
import { root } from "../../scripts/install.ts";
import { createDatabase } from "../../scripts/service.ts";
import { databaseUrl } from "../../src/core/config.ts";
import { type CopyProgress, compareTable, copyTable, openEnd, pairsOf } from "../../src/storage/installation_copy.ts";
import { type InstallationEnd, type InstallationStore, own_columns } from "../../src/storage/installation_end.ts";
import { openSqliteEnd } from "../../src/storage/sqlite/sqlite_end.ts";

const folder = mkdtempSync(join(tmpdir(), "packhouse-ends-"));
const open: InstallationEnd[] = [];
afterAll(async () => {
  for (const end of open) await end.close();
  rmSync(folder, { recursive: true });
});

const steps: CopyProgress = { step: () => {}, skip: () => {} };

async function opened(end: InstallationEnd | Promise<InstallationEnd>): Promise<InstallationStore> {
  open.push(await end);
  return (await end).environments.live;
}
const target = async (name: string) =>
  opened(openEnd(databaseUrl === null ? join(folder, name) : await createDatabase(databaseUrl), "--to", "target"));
const directory = (name: string) => opened(openSqliteEnd(join(folder, name), "target"));

/** All tables of the schema with their columns, according to the program. */
async function schema(): Promise<Map<string, string[]>> {
  const files = [...new Bun.Glob("db/schema/*.ts").scanSync({ cwd: root })];
  const modules = await Promise.all(files.map((file) => import(join(root, file)) as Promise<Record<string, unknown>>));
  const tables = modules.flatMap((module) => Object.values(module)).filter((it) => isTable(it));
  return new Map(
    tables.map((table) => [
      getTableName(table),
      Object.values(getTableColumns(table))
        .map(({ name }) => name)
        .sort(),
    ]),
  );
}

describe("works", () => {
  test("every table and column of the schema is copied, to and from the engine of this run", async () => {
    const [there, here] = [await target("all"), await directory("all too")];
    const known = await schema();
    for (const store of [there, here]) {
      const moved = new Map((await store.tables()).map(({ name, columns }) => [name, columns.map((one) => one.name)]));
      const itself = [...(await store.itself()).keys(), ...own_columns].sort();
      expect(Object.fromEntries([...moved, ["installation", itself]])).toEqual(Object.fromEntries(known));
    }
    expect((await pairsOf(here, there)).length).toBe(known.size - 1);
    expect([...(await here.sequences())]).toEqual([...(await there.sequences())].sort());
  });

  test("rows are copied after existing ones, and each kind of difference is found", async () => {
    const [here, there] = [await directory("from"), await target("to")];
    const pairs = await pairsOf(here, there);
    const pair = (name: string) => pairs.find(({ from }) => from.name === name) ?? expect.unreachable();
    const rows = [
      ["a", "x", "1"],
      ["b", "😀\\N", "-9007199254740991"],
      ["é", "", "9007199254740991"],
    ];
    const leases = pair("leases");
    expect(leases.from.columns.map(({ name }) => name)).toEqual(["name", "owner", "until"]);
    await here.put(leases.from, rows);
    await there.put(leases.to, rows.slice(0, 1));
    const compared = () => compareTable(here, there, leases, steps);
    expect(await compared()).toBe("leases: the target lacks name b");
    await copyTable(here, there, leases, steps);
    expect(await compared()).toBeNull();
    await there.put(leases.to, [["c", "y", "2"]]);
    expect(await compared()).toBe("leases: name é differs in name");
    await there.clear([leases.to]);
    await there.put(leases.to, [...rows.slice(0, 2), ["é", "", "9007199254740990"]]);
    expect(await compared()).toBe("leases: name é differs in until");
    await there.clear([leases.to]);
    await there.put(leases.to, [...rows, ["ö", "", "1"]]);
    expect(await compared()).toBe("leases: only the target has name ö");
  });
});

describe("refuses", () => {
  test("a source with text that is not UTF-8, which the target would store differently", async () => {
    const here = await directory("broken");
    const [leases] = (await here.tables()).filter(({ name }) => name === "leases");
    using raw = new Database(join(folder, "broken/live.db"));
    raw.run("insert into leases values ('plain \ufffd', 'x', 1)");
    if (leases === undefined) return expect.unreachable();
    expect(await here.page(leases, null, 10)).toHaveLength(1);
    raw.run("insert into leases values ('odd', cast(x'61ff62' as text), 1)");
    expect(here.page(leases, null, 10)).rejects.toThrow("leases.owner holds text that is not UTF-8");
  });
});
