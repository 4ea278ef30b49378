// Prepared statements and inserts: values survive the round trip on both engines.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { and, eq, gte } from "drizzle-orm";
import { amongTexts, list } from "../../db/kit.ts";
import type { Store, WriteStatements } from "../../src/storage/database.ts";
import { insert, prepared, preparedOf, type StatementArgs } from "../../src/storage/statements.ts";
import { openThings, things } from "./things.ts";

let store: Store;
beforeEach(async () => {
  store = await openThings();
});
afterEach(() => store.close());

test("prepared and inserted values come back unchanged, nulls too", async () => {
  await store.write(async (tx) => {
    await insert(tx, things, [
      { name: "a", quantity: 1, fragile: true, facts: { color: "red" } },
      { name: "b", quantity: 2, fragile: null, facts: null },
      { name: "c", quantity: 3, fragile: false },
    ]);
    await insert(tx, things, []);
  });
  const set = prepared(
    (
      sql: WriteStatements,
      a: StatementArgs<{ id: number; fragile: boolean | null; facts: { color: string } | null }>,
    ) => sql.update(things).set({ fragile: a.fragile, facts: a.facts }).where(eq(things.id, a.id)).returning(),
  );
  const rows = await store.read((db) => db.sql.select().from(things).orderBy(things.id));
  expect(rows.map(({ fragile, facts }) => [fragile, facts])).toEqual([
    [true, { color: "red" }],
    [null, null],
    [false, null],
  ]);
  const id = rows[0]?.id ?? 0;
  const changed = await store.write((tx) => set(tx, { id, fragile: null, facts: null }));
  expect(changed).toMatchObject([{ id, fragile: null, facts: null }]);
  const again = await store.write((tx) => set(tx, { id, fragile: false, facts: { color: "blue" } }));
  expect(again).toMatchObject([{ fragile: false, facts: { color: "blue" } }]);
});

test("rows are found by no id, by one and by several", async () => {
  await store.write(async (tx) => {
    for (const name of ["a", "b", "c"]) await insert(tx, things, [{ name, quantity: 1 }]);
  });
  const named = preparedOf((sql, isOf, a: StatementArgs<{ least: number }>) =>
    sql
      .select()
      .from(things)
      .where(and(isOf(things.id), gte(things.quantity, a.least)))
      .orderBy(things.id),
  );
  const all = await store.read((db) => db.sql.select().from(things).orderBy(things.id));
  for (const ids of [[], [1], [3], [1, 3], [3, 2, 1]].map((places) => places.map((at) => all[at - 1]?.id ?? 0))) {
    const found = (least: number) => store.read((db) => named(db, { ids, least }));
    expect(await found(1)).toEqual(all.filter(({ id }) => ids.includes(id)));
    expect(await found(2)).toEqual([]);
  }
});

test("rows are found by texts of any kind", async () => {
  const names = ["", " ", "null", "NULL", "a,b", `"`, "\\", `\\"`, "{}", "{a}", "'", "ü\n\t", "[1]", "$1"];
  await store.write((tx) =>
    insert(
      tx,
      things,
      [...names, "other"].map((name) => ({ name, quantity: 1 })),
    ),
  );
  const named = prepared((sql, a: StatementArgs<{ names: string }>) =>
    sql.select({ name: things.name }).from(things).where(amongTexts(things.name, a.names)),
  );
  const found = async (some: readonly string[]) => {
    const rows = await store.read((db) => named(db, { names: list(some) }));
    return rows.map(({ name }) => name).sort();
  };
  expect(await found(names)).toEqual(names.toSorted());
  for (const name of names) expect(await found([name, "nobody"])).toEqual([name]);
  expect(await found([])).toEqual([]);
});

test("more rows can be inserted than the parameter limit allows in one statement", async () => {
  const rows = Array.from({ length: 12_000 }, (_, i) => ({ name: `n${i}`, quantity: i }));
  await store.write((tx) => insert(tx, things, rows));
  expect(await store.read((db) => db.sql.$count(things))).toBe(12_000);
});
