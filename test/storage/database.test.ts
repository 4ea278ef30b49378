// The contract of a store, the same on both engines.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { tryLock } from "../../db/kit.ts";
import { manualClock } from "../../src/core/clock.ts";
import { Fault } from "../../src/core/faults.ts";
import type { Db, Store, Tx, WriteStatements } from "../../src/storage/database.ts";
import { lead } from "../../src/storage/leases.ts";
import { insert, prepared, type StatementArgs } from "../../src/storage/statements.ts";
import { conflict, isDuplicate } from "../../src/storage/storage_errors.ts";
import { openTemporaryStore } from "./temporary_database.ts";
import { boxes, ended, openThings, thingNames, things } from "./things.ts";

let store: Store;
beforeEach(async () => {
  store = await openThings();
});
afterEach(() => store.close());

const add = (tx: Tx, name: string, quantity = 1) => insert(tx, things, [{ name, quantity }]);

describe("write", () => {
  test("returns the result of the work, and reads see the change", async () => {
    const result = await store.write(async (tx) => {
      await add(tx, "cup");
      return "done";
    });
    expect(result).toBe("done");
    expect(await thingNames(store)).toEqual(["cup"]);
  });

  test("a failed write does not affect other writes", async () => {
    const names = ["a", "b", "c", "d", "e"];
    const results = await Promise.all(
      names.map((name) =>
        ended(
          store.write(async (tx) => {
            await add(tx, name);
            if (name === "c") throw new Error("no c");
            return name;
          }),
        ),
      ),
    );
    expect(results).toEqual(["a", "b", new Error("no c"), "d", "e"]);
    expect(await thingNames(store)).toEqual(["a", "b", "d", "e"]);
  });

  test("a failed write has released its locks by the time it rejects", async () => {
    const alone = (tx: Tx) =>
      tx.sql
        .select({ alone: sql<boolean | 1>`${tryLock(sql`${"cup"}`)}` })
        .from(sql`(select 1) as one`)
        .then(([row]) => Boolean(row?.alone));
    for (let time = 0; time < 100; time += 1) {
      const failed = store.write(async (tx) => {
        expect(await alone(tx)).toBe(true);
        throw new Error("no cup");
      });
      await failed.catch(() => {});
      expect(await store.write(alone)).toBe(true);
    }
  });

  test("work that throws synchronously fails like any other", async () => {
    const result = await ended(
      store.write(() => {
        throw new Error("at once");
      }),
    );
    expect(result).toEqual(new Error("at once"));
  });

  test("a transaction cannot be used after it has ended", async () => {
    let kept: Tx | undefined;
    await store.write(async (tx) => {
      kept = tx;
    });
    const tx = kept as Tx;
    expect(await ended(add(tx, "late"))).toBeInstanceOf(Error);
    expect(await ended(tx.nested(async () => {}))).toBeInstanceOf(Error);
    expect(() => tx.wake("webhooks.mail", 1)).toThrow("ended");
    expect(() => tx.changed("keys")).toThrow("ended");
    expect(() => tx.atEnd("key", async () => {})).toThrow("ended");
    expect(await thingNames(store)).toEqual([]);
  });

  test("a query left over from a failed write does not run in another write", async () => {
    const late: Promise<unknown>[] = [];
    const leave = async (tx: Tx, steps: number) => {
      for (let step = 0; step < steps; step++) await null;
      await add(tx, `left behind ${steps}`);
    };
    const failing = store.write(async (tx) => {
      for (let steps = 0; steps < 60; steps++) late.push(ended(leave(tx, steps)));
      throw new Error("failed");
    });
    await Promise.all([ended(failing), ...["a", "b", "c"].map((name) => store.write((tx) => add(tx, name)))]);
    const refused = (await Promise.all(late)).filter((result) => result instanceof Error);
    expect(refused.length).toBeGreaterThan(20);
    expect(await thingNames(store)).toEqual(["a", "b", "c"]);
  });

  test("a write that swallows the error of a statement fails", async () => {
    const result = await ended(
      store.write(async (tx) => {
        await add(tx, "kept");
        await ended(add(tx, "bad", -1));
      }),
    );
    expect(conflict(result)).toMatchObject({ kind: "check", rule: "things_quantity" });
    const second = await ended(
      store.write(async (tx) => {
        await ended(add(tx, "bad", -1));
        await add(tx, "after");
      }),
    );
    expect(second).toBeInstanceOf(Error);
    expect(await thingNames(store)).toEqual([]);
  });

  test("a closed store refuses reads and writes", async () => {
    const other = await openThings();
    await other.close();
    const result = await ended(other.write((tx) => add(tx, "x")));
    expect(result).toMatchObject({ code: "storage_unavailable" });
    expect(await ended(thingNames(other))).toBeInstanceOf(Fault);
  });
});

describe("nested", () => {
  test("rolls back on its own", async () => {
    await store.write(async (tx) => {
      await add(tx, "before");
      const result = await ended(
        tx.nested(async (inner) => {
          await add(inner, "inside");
          await inner.nested((innermost) => add(innermost, "deep"));
          await add(inner, "before");
        }),
      );
      expect(isDuplicate(result, "things", "things_name", ["name"])).toBe(true);
      await tx.nested((inner) => add(inner, "second"));
      await add(tx, "after");
    });
    expect(await thingNames(store)).toEqual(["after", "before", "second"]);
  });

  test("an inner part is rolled back and the outer part stays", async () => {
    await store.write((tx) =>
      tx.nested(async (outer) => {
        await add(outer, "outer");
        await ended(
          outer.nested(async (inner) => {
            await add(inner, "inner");
            throw new Error("undo");
          }),
        );
      }),
    );
    expect(await thingNames(store)).toEqual(["outer"]);
  });

  test("a part that swallows the error of a statement is rolled back", async () => {
    await store.write(async (tx) => {
      const result = await ended(
        tx.nested(async (inner) => {
          await add(inner, "good");
          await ended(add(inner, "bad", -1));
        }),
      );
      expect(conflict(result)?.kind).toBe("check");
      await add(tx, "after");
    });
    expect(await thingNames(store)).toEqual(["after"]);
  });

  test("has its own memos, finishers and wakes", async () => {
    const told: string[] = [];
    const woken: string[] = [];
    store.onWake((job, at) => woken.push(`${job} ${at}`));
    store.onChange((followed) => woken.push(followed));
    await store.write(async (tx) => {
      tx.memo("state", () => told).push("outer memo");
      tx.atEnd("end", async () => void told.push("outer end"));
      await tx.nested(async (inner) => {
        expect(inner.memo("state", () => "fresh")).toBe("fresh");
        inner.atEnd("end", async () => void told.push("inner end"));
        inner.wake("webhooks.mail", 5);
        inner.changed("keys");
      });
      told.push("after inner");
      await ended(
        tx.nested(async (inner) => {
          inner.atEnd("end", async () => void told.push("never"));
          inner.wake("webhooks.recover", 1);
          inner.changed("users");
          throw new Error("undo");
        }),
      );
    });
    expect(told).toEqual(["outer memo", "inner end", "after inner", "outer end"]);
    expect(woken).toEqual(["webhooks.mail 5", "keys"]);
  });
});

describe("atEnd", () => {
  test("runs each key once, in order, inside the transaction; finishers can add more", async () => {
    const order: string[] = [];
    await store.write(async (tx) => {
      const note = (name: string) => async (end: Tx) => {
        order.push(name);
        await add(end, name);
      };
      tx.atEnd("one", note("one"));
      tx.atEnd("two", async (end) => {
        order.push("two");
        end.atEnd("one", note("one again"));
        end.atEnd("three", note("three"));
      });
      tx.atEnd("one", note("never"));
      order.push("work");
    });
    expect(order).toEqual(["work", "one", "two", "one again", "three"]);
    expect(await thingNames(store)).toEqual(["one", "one again", "three"]);
  });

  test("a failing finisher rolls back the write", async () => {
    const result = await ended(
      store.write(async (tx) => {
        await add(tx, "a");
        tx.atEnd("end", async () => {
          throw new Error("finisher");
        });
      }),
    );
    expect(result).toEqual(new Error("finisher"));
    expect(await thingNames(store)).toEqual([]);
  });
});

describe("wake", () => {
  test("fires after the commit, once per job, with the earliest time", async () => {
    const woken: string[] = [];
    let seen: Promise<string[]> | undefined;
    store.onWake((job, at) => {
      woken.push(`${job} ${at}`);
    });
    store.onChange((followed) => {
      woken.push(followed);
    });
    store.onWake(() => {
      seen ??= thingNames(store);
    });
    await store.write(async (tx) => {
      tx.wake("webhooks.mail", 30);
      tx.wake("webhooks.mail", 10);
      tx.wake("webhooks.mail", 20);
      tx.wake("webhooks.recover", 7);
      tx.changed("keys");
      tx.changed("keys");
      await add(tx, "a");
      expect(woken).toEqual([]);
    });
    expect(woken.toSorted()).toEqual(["keys", "webhooks.mail 10", "webhooks.recover 7"]);
    expect(await seen).toEqual(["a"]);
  });

  test("is dropped when the write fails", async () => {
    const woken: string[] = [];
    store.onWake((job) => woken.push(job));
    store.onChange((followed) => woken.push(followed));
    await ended(
      store.write(async (tx) => {
        tx.wake("webhooks.mail", 1);
        tx.changed("keys");
        throw new Error("no");
      }),
    );
    expect(woken).toEqual([]);
  });
});

describe("read", () => {
  test("is a consistent snapshot while others commit", async () => {
    await store.write((tx) => add(tx, "cup", 0));
    const views: Promise<(number | undefined)[]>[] = [];
    const quantity = prepared((sql, a: StatementArgs<{ name: string }>) =>
      sql.select({ quantity: things.quantity }).from(things).where(eq(things.name, a.name)),
    );
    const view = () =>
      store.read(async (db) => {
        const seen: (number | undefined)[] = [];
        for (let i = 0; i < 50; i++) seen.push((await quantity(db, { name: "cup" }))[0]?.quantity);
        return seen;
      });
    const fresh: Promise<number | undefined>[] = [];
    const more = { quantity: sql`${things.quantity} + 1` };
    for (let i = 0; i < 20; i++) {
      await store.write(async (tx) => {
        // The snapshot started during a write stays open while that write and later ones commit.
        views.push(view());
        await tx.sql.update(things).set(more);
      });
      // A read that starts now, while that snapshot is still open, sees the write that just completed.
      fresh.push(store.read(async (db) => (await quantity(db, { name: "cup" }))[0]?.quantity));
    }
    // A read that had to wait for a connection may see later writes too, never fewer.
    const missed = (await Promise.all(fresh)).filter((value, i) => value === undefined || value < i + 1);
    expect(missed).toEqual([]);
    const seen = (await Promise.all(views)).map((values) => new Set(values));
    expect(seen.filter((values) => values.size !== 1)).toEqual([]);
    expect(await thingNames(store)).toEqual(["cup"]);
  });

  test("sees every write that completed before it began", async () => {
    for (let i = 0; i < 30; i++) {
      await store.write((tx) => add(tx, `thing ${i}`));
      expect((await thingNames(store)).length).toBe(i + 1);
    }
  });

  test("cannot write", async () => {
    const result = await ended(
      store.read(async (db) => {
        await (db.sql as WriteStatements).insert(things).values({ name: "no", quantity: 1 });
      }),
    );
    expect(result).toBeInstanceOf(Error);
    expect(await thingNames(store)).toEqual([]);
  });

  test("an error does not affect the next read", async () => {
    const bad = store.read(async (db) => await db.sql.select({ no: sql`no_such_column` }).from(things));
    const [result, names] = await Promise.all([ended(bad), thingNames(store)]);
    expect(result).toBeInstanceOf(Error);
    expect(names).toEqual([]);
  });
});

describe("memo of a snapshot", () => {
  const names = (db: Db) => db.memo("names", async () => (await db.sql.select().from(things)).map(({ name }) => name));

  test("is computed once per snapshot, and again after a write", async () => {
    let made = 0;
    const count = (db: Db) => [1, 2].map(() => db.memo("count", () => ++made));
    expect(await store.read(async (db) => count(db))).toEqual([1, 1]);
    for (const name of ["cup", "jug"]) {
      expect(await store.read(names)).not.toContain(name);
      await store.write((tx) => add(tx, name));
      expect(await store.read(names)).toContain(name);
    }
  });

  test("a failed memo is not cached", async () => {
    const fail = (db: Db) => db.memo("names", () => Promise.reject(new Error("no names")));
    await expect(store.read(fail)).rejects.toThrow("no names");
    expect(await store.read(names)).toEqual([]);
  });
});

describe("time and ids", () => {
  test("a transaction has a single time, taken from the store's clock", async () => {
    const clock = manualClock(1_700_000_000_000);
    const other = await openThings({ clock });
    await other.write(async (tx) => {
      expect(tx.now).toBe(1_700_000_000_000);
      clock.advance(5000);
      expect(tx.now).toBe(1_700_000_000_000);
      expect(tx.mode).toBe("test");
    });
    expect(await other.read(async (db) => db.now)).toBe(1_700_000_005_000);
    clock.step(-60_000);
    expect(await other.read(async (db) => db.now)).toBe(1_700_000_005_000);
    clock.step(-400_000);
    expect(await other.write(async (tx) => tx.now)).toBe(1_699_999_545_000);
    await other.close();
  });

  test("new ids sort by time and do not repeat", async () => {
    const ids = await store.write(async (tx) => Array.from({ length: 100 }, () => tx.newId("evt")));
    expect(new Set(ids).size).toBe(100);
    expect(ids.toSorted()).toEqual(ids);
    expect(ids[0]).toMatch(/^evt_[0-9a-f]{32}$/);
  });

  test("integer ids start in the range of the environment", async () => {
    const live = await openThings({ mode: "live" });
    const first = (at: Store) =>
      at.write((tx) => tx.sql.insert(boxes).values({ name: "box" }).returning({ id: boxes.id }));
    expect(await first(live)).toEqual([{ id: 1001 }]);
    expect(await first(store)).toEqual([{ id: 1_000_000_001 }]);
    await live.close();
  });
});

describe("conflict", () => {
  const attempt = (row: { name: string; quantity: number; box_id?: number }) =>
    ended(store.write((tx) => insert(tx, things, [row])));

  test("names the violated rule", async () => {
    await attempt({ name: "a", quantity: 1 });
    const duplicate = await attempt({ name: "a", quantity: 1 });
    expect(conflict(duplicate)).toMatchObject({ kind: "unique", columns: ["name"] });
    expect(isDuplicate(duplicate, "things", "things_name", ["name"])).toBe(true);
    expect(isDuplicate(duplicate, "things", "things_other", ["other"])).toBe(false);
    expect(conflict(await attempt({ name: "b", quantity: -1 }))).toMatchObject({
      kind: "check",
      rule: "things_quantity",
    });
    expect(conflict(await attempt({ name: "c", quantity: 1, box_id: 5 }))?.kind).toBe("foreign_key");
    expect(conflict(await attempt({ name: null as never, quantity: 1 }))).toMatchObject({
      kind: "not_null",
      columns: ["name"],
    });
    expect(conflict(new Error("other"))).toBeNull();
  });

  test("the error message contains no values from the query", async () => {
    const error = await attempt({ name: "secret-name", quantity: -1 });
    expect(String(error)).not.toContain("secret-name");
  });
});

test("a lease has one holder at a time", async () => {
  const clock = manualClock(1_700_000_000_000);
  const other = await openTemporaryStore({ clock });
  const take = (owner: string) => other.write((tx) => lead(tx, "sweep", owner, 1000));
  expect(await take("a")).toBe(true);
  expect(await take("b")).toBe(false);
  clock.advance(900);
  expect(await take("a")).toBe(true);
  clock.advance(900);
  expect(await take("b")).toBe(false);
  clock.advance(100);
  expect(await take("b")).toBe(true);
  expect(await take("a")).toBe(false);
  await other.close();
});
