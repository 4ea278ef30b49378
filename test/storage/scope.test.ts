// Tenant scope: which records each kind of statement sees and who owns new ones, built or prepared, on both engines.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { asc, eq, exists, gte, inArray, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { engine } from "../../src/core/config.ts";
import type { Db, ReadStatements, Store, TenantScope, Tx, WriteStatements } from "../../src/storage/database.ts";
import {
  insert,
  insertIds,
  prepared,
  preparedIds,
  preparedOf,
  type StatementArgs,
} from "../../src/storage/statements.ts";
import { a, allGoods, b, goods, house, notes, openGoods, shelves } from "./goods.ts";
import { ended } from "./things.ts";

let store: Store;
beforeEach(async () => {
  store = await openGoods();
});
afterEach(() => store.close());

const unscoped: TenantScope = { visible: null, owner: null };
const all = ["a1:1:7", "a2:2:7", "b1:1:8", "b2:2:8"];
const told = (rows: readonly object[]) => rows.map((row) => Object.values(row).join(" ")).join(", ");

/** Queries, with the results for the first merchant, the second merchant and the operator. */
const queries = {
  "rows of a table, by a condition with an or": [
    (q: ReadStatements) =>
      q.select({ name: goods.name }).from(goods).where(sql`quantity = 1 or quantity = 2`).orderBy(goods.name),
    ["a1, a2", "b1, b2", "a1, a2, b1, b2"],
  ],
  "rows of a table that nobody owns": [
    (q: ReadStatements) => q.select({ name: shelves.name }).from(shelves),
    ["top", "top", "top"],
  ],
  "different values": [
    (q: ReadStatements) => q.selectDistinct({ words: notes.words }).from(notes).orderBy(notes.words),
    ["A", "B", "A, B, house"],
  ],
  "a join, by a condition with an or": [
    (q: ReadStatements) =>
      q
        .select({ name: goods.name, words: notes.words })
        .from(goods)
        .innerJoin(notes, sql`${notes.good} = ${goods.name} or 1 = 0`)
        .orderBy(goods.name, notes.words),
    ["a1 A", "b1 B", "a1 A, a1 house, a2 B, b1 B"],
  ],
  "a left join": [
    (q: ReadStatements) =>
      q
        .select({ name: goods.name, words: notes.words })
        .from(goods)
        .leftJoin(notes, eq(notes.good, goods.name))
        .orderBy(goods.name, notes.words),
    ["a1 A, a2 ", "b1 B, b2 ", "a1 A, a1 house, a2 B, b1 B, b2 "],
  ],
  "rows that are nested": [
    (q: ReadStatements) =>
      q
        .select({ name: goods.name, note: { words: notes.words } })
        .from(notes)
        .innerJoin(goods, eq(notes.good, goods.name))
        .orderBy(goods.name, notes.words),
    [
      "a1 [object Object]",
      "b1 [object Object]",
      Array(4)
        .fill("")
        .map((_, at) => `${["a1", "a1", "a2", "b1"][at]} [object Object]`)
        .join(", "),
    ],
  ],
  "a table beside a shelf": [
    (q: ReadStatements) => q.select({ name: goods.name }).from(shelves).crossJoin(goods).orderBy(goods.name),
    ["a1, a2", "b1, b2", "a1, a2, b1, b2"],
  ],
  "a table under another name, joined to itself": [
    (q: ReadStatements) => {
      const twin = alias(goods, "twin");
      const other = alias(goods, "other");
      return q
        .select({ one: twin.name, two: other.name })
        .from(twin)
        .innerJoin(other, eq(other.quantity, twin.quantity))
        .orderBy(twin.name, other.name);
    },
    ["a1 a1, a2 a2", "b1 b1, b2 b2", "a1 a1, a1 b1, a2 a2, a2 b2, b1 a1, b1 b1, b2 a2, b2 b2"],
  ],
  "a query of a query": [
    (q: ReadStatements) => {
      const some = q.select({ name: goods.name }).from(goods).where(gte(goods.quantity, 2)).as("some");
      return q.select({ name: some.name }).from(shelves).innerJoin(some, sql`true`).orderBy(some.name);
    },
    ["a2", "b2", "a2, b2"],
  ],
  "what exists": [
    (q: ReadStatements) =>
      q
        .select({ name: shelves.name })
        .from(shelves)
        .where(exists(q.select({ id: goods.id }).from(goods).where(eq(goods.name, "b1")))),
    ["", "top", "top"],
  ],
  "what is among the rows of a query": [
    (q: ReadStatements) =>
      q
        .select({ name: goods.name })
        .from(goods)
        .where(inArray(goods.name, q.select({ good: notes.good }).from(notes)))
        .orderBy(goods.name),
    ["a1", "b1", "a1, a2, b1"],
  ],
  "a query that is named before": [
    (q: ReadStatements) => {
      const some = q.$with("some").as(q.select({ name: goods.name }).from(goods));
      const others = q.$with("others").as((builder) => builder.select({ words: notes.words }).from(notes));
      return q
        .with(some, others)
        .select({ name: some.name, words: others.words })
        .from(some)
        .innerJoin(others, sql`true`)
        .orderBy(some.name, others.words);
    },
    [
      "a1 A, a2 A",
      "b1 B, b1 B, b2 B, b2 B",
      ["a1", "a2", "b1", "b2"]
        .flatMap((name) => ["A", "B", "B", "house"].map((words) => `${name} ${words}`))
        .join(", "),
    ],
  ],
  "the rows of two queries": [
    (q: ReadStatements) =>
      q
        .select({ name: goods.name })
        .from(goods)
        .union(q.select({ name: notes.words }).from(notes))
        .orderBy(asc(sql`name`)),
    ["A, a1, a2", "B, b1, b2", "A, B, a1, a2, b1, b2, house"],
  ],
  "sums of a group": [
    (q: ReadStatements) =>
      q
        .select({ quantity: goods.quantity, count: sql<number>`count(*)`.mapWith(Number) })
        .from(goods)
        .groupBy(goods.quantity)
        .having(sql`count(*) > 0`)
        .orderBy(goods.quantity),
    ["1 1, 2 1", "1 1, 2 1", "1 2, 2 2"],
  ],
  "a count within a query": [
    (q: ReadStatements) => q.select({ count: q.$count(goods, sql`quantity = 1 or quantity = 9`) }).from(shelves),
    ["1", "1", "2"],
  ],
} as const;

describe("visible rows", () => {
  for (const [kind, [build, [of_a, of_b, of_all]]] of Object.entries(queries)) {
    test(kind, async () => {
      const ready = prepared(build as never) as unknown as (db: Db, values: object) => Promise<object[]>;
      const anew = build as unknown as (q: ReadStatements) => Promise<object[]>;
      const turns = [
        [house, of_all],
        [a, of_a],
        [b, of_b],
        [unscoped, of_all],
        [a, of_a],
        [house, of_all],
      ] as const;
      // All on one connection: a statement prepared for one scope is not run for another.
      await store.write(async (tx) => {
        for (const [scope, expected] of turns) {
          expect(told(await anew(tx.scoped(scope).sql))).toBe(expected);
          expect(told(await ready(tx.scoped(scope), {}))).toBe(expected);
        }
      });
      for (const [scope, expected] of turns) {
        expect(told(await store.scoped(scope).read((db) => ready(db, {})))).toBe(expected);
        expect(told(await store.scoped(scope).readLatest((db) => anew(db.sql)))).toBe(expected);
      }
    });
  }

  test("counts, rows by id, and lists of ids", async () => {
    const named = preparedOf((q, isOf) => q.select({ name: goods.name }).from(goods).where(isOf(goods.id)));
    const found = preparedIds((q, given: StatementArgs<{ least: number }>) =>
      q.select({ id: goods.id }).from(goods).where(gte(goods.quantity, given.least)).orderBy(goods.id),
    );
    const [a1 = 0, b1 = 0, a2 = 0, b2 = 0] = (await store.read((db) => found(db, { least: 0, max: 9 }))) ?? [];
    for (const [scope, count, name, ids] of [
      [house, 4, "a1", [a2, b2]],
      [a, 2, "a1", [a2]],
      [b, 2, "", [b2]],
    ] as const) {
      await store.scoped(scope).read(async (db) => {
        expect(await db.sql.$count(goods)).toBe(count);
        expect(await db.sql.$count(shelves)).toBe(1);
        expect(told(await named(db, { ids: [a1] }))).toBe(name);
        expect((await named(db, { ids: [a1, b1, a2, b2] })).length).toBe(count);
        expect(await found(db, { least: 2, max: 9 })).toEqual([...ids]);
      });
    }
  });

  test("a query that cannot be scoped is refused", async () => {
    const turned = (q: ReadStatements) =>
      q.select({ name: goods.name }).from(notes).rightJoin(goods, eq(notes.good, goods.name));
    expect((await store.read((db) => turned(db.sql))).length).toBe(5);
    expect(String(await ended(store.scoped(a).read(async (db) => turned(db.sql))))).toContain("right join");
  });

  test("stay correct with scoped handles of many merchants", async () => {
    const names = prepared((q) => q.select({ name: goods.name }).from(goods).orderBy(goods.name));
    await store.write(async (tx) => {
      for (let n = 100; n < 700; n += 1) expect(await names(tx.scoped({ visible: n, owner: n }), {})).toEqual([]);
      expect(told(await names(tx.scoped(a), {}))).toBe("a1, a2");
      expect(told(await names(tx.scoped(b), {}))).toBe("b1, b2");
    });
  });
});

describe("scoped changes", () => {
  const add = (q: WriteStatements) =>
    q
      .update(goods)
      .set({ quantity: sql`${goods.quantity} + 10` })
      .returning();
  const addNoted = (q: WriteStatements) =>
    q.update(goods).set({ quantity: 0 }).from(notes).where(sql`${notes.good} = ${goods.name} or 1 = 0`).returning();
  const remove = (q: WriteStatements) => q.delete(goods).where(sql`quantity = 1 or quantity = 2`).returning();
  const upsert = (q: WriteStatements, given: StatementArgs<{ name: string }>) =>
    q
      .insert(goods)
      .values({ name: given.name, quantity: 5 })
      .onConflictDoUpdate({ target: goods.name, set: { quantity: 9 }, setWhere: sql`goods.quantity = 1 or 1 = 1` })
      .returning({ name: goods.name });

  for (const [kind, act, left] of [
    ["an update", add, ["a1:11:7", "a2:12:7", "b1:1:8", "b2:2:8"]],
    ["an update from another table", addNoted, ["a1:0:7", "a2:2:7", "b1:1:8", "b2:2:8"]],
    ["a delete", remove, ["b1:1:8", "b2:2:8"]],
  ] as const) {
    test(`${kind} does not touch other merchants' rows`, async () => {
      const ready = prepared(act as typeof remove);
      await store.scoped(a).write((tx) => act(tx.sql));
      expect(await allGoods(store)).toEqual([...left]);
      const before = left.filter((row) => row.endsWith(":8"));
      const rows = await store.scoped(b).write((tx) => ready(tx, {}));
      expect(rows.every(({ merchant_id }) => merchant_id === 8)).toBe(true);
      expect(rows.length).toBeGreaterThan(0);
      const after = await allGoods(store);
      expect(after.filter((row) => row.endsWith(":7"))).toEqual(left.filter((row) => row.endsWith(":7")));
      expect(after).not.toContainEqual(before[0]);
    });
  }

  test("an upsert changes a conflicting row only if it is in scope", async () => {
    const ready = prepared(upsert);
    const inB = (name: string) => store.scoped(b).write((tx) => ready(tx, { name }));
    expect([await inB("a1"), await inB("b1"), await inB("b3")].map(told)).toEqual(["", "b1", "b3"]);
    expect(await allGoods(store)).toEqual(["a1:1:7", "a2:2:7", "b1:9:8", "b2:2:8", "b3:5:8"]);
    expect(told(await store.scoped(house).write((tx) => ready(tx, { name: "b2" })))).toBe("b2");
    expect((await allGoods(store))[3]).toBe("b2:9:8");
  });

  test("an insert from a select changes a conflicting row only if it is in scope", async () => {
    const id = engine === "postgres" ? "nextval(pg_get_serial_sequence('goods', 'id'))" : "null";
    const row = sql`select ${sql.raw(id)}, 8, 'a1', 5 where true`;
    const act = (q: WriteStatements) =>
      q
        .insert(goods)
        .select(row)
        .onConflictDoUpdate({ target: goods.name, set: { quantity: 9 } });
    await store.scoped(b).write((tx) => act(tx.sql));
    expect(await allGoods(store)).toEqual(all);
    await store.scoped(a).write((tx) => act(tx.sql));
    expect((await allGoods(store))[0]).toBe("a1:9:7");
    const built = (q: WriteStatements) => q.insert(goods).select(q.select().from(goods) as never);
    expect(String(await ended(store.scoped(a).write(async (tx) => built(tx.sql))))).toContain("by plain SQL");
  });

  test("a row cannot be moved to another merchant", async () => {
    const give = store.scoped(a).write(async (tx) => tx.sql.update(goods).set({ merchant_id: 8 }));
    expect(String(await ended(give))).toContain("cannot change in the scope");
    expect(await allGoods(store)).toEqual(all);
  });
});

describe("owner of new rows", () => {
  const one = (name: string) => ({ name, quantity: 0 });
  const made = prepared((q: WriteStatements, given: StatementArgs<{ name: string }>) =>
    q.insert(goods).values({ name: given.name, quantity: 0 }).returning({ name: goods.name }),
  );
  const ways: Readonly<Record<string, (tx: Tx, name: string) => Promise<unknown>>> = {
    insert: (tx, name) => insert(tx, goods, [one(name), { ...one(`${name}+`), merchant_id: 9 }]),
    insertIds: (tx, name) => insertIds(tx, goods, [one(name), { ...one(`${name}+`), merchant_id: 9 }]),
    values: (tx, name) =>
      tx.sql
        .insert(goods)
        .values([one(name), { ...one(`${name}+`), merchant_id: 9 }, { ...one(`${name}-`), merchant_id: undefined }])
        .then(),
    prepared: async (tx, name) => made(tx, { name }),
  };

  for (const [way, act] of Object.entries(ways))
    test(`${way}: a row without an owner gets the owner of the scope`, async () => {
      for (const [scope, merchant] of [
        [a, 7],
        [b, 8],
        [house, 7],
        [{ visible: null, owner: 8 }, 8],
        [a, 7],
      ] as const) {
        const name = `z${Bun.randomUUIDv7()}`;
        await store.scoped(scope).write((tx) => act(tx, name));
        const rows = (await allGoods(store)).filter((row) => row.startsWith(name));
        expect(rows[0]).toBe(`${name}:0:${merchant}`);
        if (rows.length > 1) expect(rows).toContain(`${name}+:0:9`);
        if (rows.length > 2) expect(rows).toContain(`${name}-:0:${merchant}`);
      }
      const refusal = async (scope: TenantScope) =>
        String(await ended(store.scoped(scope).write((tx) => act(tx, "nobody's"))));
      expect(await refusal({ visible: 7, owner: null })).toContain("a row of goods needs an owner");
      expect(await refusal(unscoped)).toMatch(/goods needs an owner|goods.merchant_id|"merchant_id" of relation/);
      expect((await allGoods(store)).filter((row) => row.startsWith("nobody"))).toEqual([]);
    });

  test("a nullable owner is the explicit one, else the scope's, else the operator", async () => {
    const note = (merchant_id?: number | null) => ({ good: "new", words: "w", merchant_id });
    const write = (scope: TenantScope) =>
      store.scoped(scope).write(async (tx) => {
        await insert(tx, notes, [note(), note(null), note(9)]);
        await tx.sql.insert(notes).values([note(), note(null), note(9)]);
      });
    for (const [scope, owners] of [
      [a, [7, null, 9]],
      [unscoped, [null, null, 9]],
      [{ visible: 7, owner: null }, [null, null, 9]],
    ] as const) {
      await write(scope);
      const rows = await store.write((tx) => tx.sql.delete(notes).where(eq(notes.good, "new")).returning());
      expect(rows.sort((x, y) => x.id - y.id).map(({ merchant_id }) => merchant_id)).toEqual([...owners, ...owners]);
    }
  });
});

describe("a transaction in a scope", () => {
  const namesIn = async (tx: Db) => told(await tx.sql.select({ name: goods.name }).from(goods).orderBy(goods.name));

  test("is the whole transaction: its parts, effects and finishers", async () => {
    const woken: string[] = [];
    store.onWake((job) => woken.push(job));
    const heard: string[] = [];
    await store.scoped(a).write(async (tx) => {
      expect([tx.scope, tx.outer, tx.scoped(a)]).toEqual([a, null, tx]);
      await tx.nested(async (inner) => {
        expect(inner.scope).toBe(a);
        expect(inner.outer).toBe(tx);
        await insert(inner, goods, [{ name: "a3", quantity: 0 }]);
        inner.wake("webhooks.fan_out", inner.now);
      });
      await ended(
        tx.nested(async (inner) => {
          await inner.sql.delete(goods);
          throw new Error("undone");
        }),
      );
      tx.atEnd("count", async (last) => void heard.push(`a ${await namesIn(last)}`));
      tx.atEnd("count", async () => void heard.push("twice"));
      tx.scoped(b).atEnd("count", async (last) => void heard.push(`b ${await namesIn(last)}`));
      tx.scoped(unscoped).atEnd("count", async (last) => void heard.push(`all ${await namesIn(last)}`));
    });
    expect(heard).toEqual(["a a1, a2, a3", "b b1, b2", "all a1, a2, a3, b1, b2"]);
    expect(woken).toEqual(["webhooks.fan_out"]);
  });

  test("has separate memos per scope", async () => {
    const names = (db: Db) => db.memo("names", () => namesIn(db));
    await store.write(async (tx) => {
      expect(await Promise.all([a, b, unscoped, a].map((scope) => names(tx.scoped(scope))))).toEqual([
        "a1, a2",
        "b1, b2",
        "a1, a2, b1, b2",
        "a1, a2",
      ]);
    });
    // On SQLite these share a snapshot.
    const read = [a, b, unscoped, house].map((scope) => store.scoped(scope).read(names));
    expect(await Promise.all(read)).toEqual(["a1, a2", "b1, b2", "a1, a2, b1, b2", "a1, a2, b1, b2"]);
    let count = 0;
    const counted = (scope: TenantScope) =>
      store.scoped(scope).read(async (db) => [1, 2].map(() => db.memo("n", () => ++count)));
    expect(await counted(a)).toEqual([1, 1]);
  });
});

test("a scoped store is the same object each time and exposes its base store", () => {
  const scoped = store.scoped(a);
  expect(scoped.scope).toEqual(a);
  expect(store.scoped({ ...a })).toBe(scoped);
  expect(scoped.base).toBe(store);
  expect(scoped.scoped(b)).toBe(store.scoped(b));
  expect(scoped.scoped(unscoped)).toBe(store);
  expect([store.base, store.scope]).toEqual([store, unscoped]);
});
