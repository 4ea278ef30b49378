import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { codesIn, directoryOf, merchantsIn, ownerIn } from "../../src/merchants/directory.sql.ts";
import { createMerchant, ensureMerchant, suspendMerchant } from "../../src/merchants/merchants.ts";
import type { Store } from "../../src/storage/database.ts";
import { openTemporaryStore } from "../storage/temporary_database.ts";

let store: Store;
beforeAll(async () => {
  store = await openTemporaryStore({ mode: "live" });
  await store.write(ensureMerchant);
});
afterAll(() => store.close());

const make = (code: string) => store.write((tx) => createMerchant(tx, { code, name: code }, "UTC"));

test("a merchant is found by id and code, without a query after the first time", async () => {
  const directory = directoryOf(store);
  expect(directoryOf(store.scoped({ visible: 1, owner: 1 }))).toBe(directory);
  expect(directory.fresh()).toBeNull();
  const reads = spyOn(store, "read");
  const [known, same] = await Promise.all([directory.now(), directory.now()]);
  expect(same).toBe(known);
  expect(directory.fresh()).toBe(known);
  expect(await directory.now()).toBe(known);
  expect(reads).toHaveBeenCalledTimes(1);
  reads.mockRestore();
  const [main] = known.all;
  for (const name of ["MAIN", "mer_1", "1", 1]) expect(known.named(name)).toBe(main ?? null);
  for (const name of ["main", "mer_2", "cus_1", "", 0]) expect(known.named(name)).toBeNull();
  expect([known.byId(1), known.byId(2), known.only]).toEqual([main ?? null, null, main ?? null]);
});

test("a change by this process is visible at once, even to earlier readers", async () => {
  const directory = directoryOf(store);
  await directory.now();
  const { id } = await make("ACME");
  expect(directory.fresh()).toBeNull();
  expect((await directory.now()).named("ACME")?.id).toBe(id);
  const asked = directory.now();
  await store.write((tx) => suspendMerchant(tx, "ACME"));
  await asked;
  expect((await directory.now()).byId(id)?.status).toBe("suspended");
});

test("a result that a change has overtaken is not cached", async () => {
  const directory = directoryOf(store);
  await make("BOLT");
  const stale = Promise.withResolvers<void>();
  const read = store.read.bind(store);
  const reads = spyOn(store, "read").mockImplementationOnce((async (work: never) => {
    const found = await read(work);
    await stale.promise;
    return found;
  }) as Store["read"]);
  const before = directory.now();
  await make("CORA");
  expect((await directory.now()).named("CORA")).not.toBeNull();
  stale.resolve();
  expect((await before).named("CORA")).toBeNull();
  expect((await directory.now()).named("CORA")).not.toBeNull();
  reads.mockRestore();
});

test("a change by another process is visible half a second later", async () => {
  const directory = directoryOf(store);
  const known = await directory.now();
  const at = performance.now();
  const clock = spyOn(performance, "now");
  clock.mockReturnValue(at + 400);
  expect(await directory.now()).toBe(known);
  clock.mockReturnValue(at + 501);
  expect(directory.fresh()).toBeNull();
  expect(await directory.now()).not.toBe(known);
  clock.mockRestore();
});

test("reads and transactions use the cache, and query if it may be stale", async () => {
  const directory = directoryOf(store);
  const known = await directory.now();
  const seen = () => store.read((db) => merchantsIn(db, [1]));
  const written = () =>
    store.scoped({ visible: 1, owner: 1 }).write((tx) => tx.nested((part) => merchantsIn(part, [1])));
  expect(await seen()).toBe(known);
  expect(await written()).toBe(known);
  expect((await store.read((db) => ownerIn(db, { merchant_id: 1 }))).code).toBe("MAIN");
  // Just created by another process: stored, but not cached.
  const { id } = await make("DORA");
  const later = await directory.now();
  const forgetful = spyOn(later, "byId").mockImplementation((asked) => (asked === id ? null : (known.all[0] ?? null)));
  expect((await store.read((db) => ownerIn(db, { merchant_id: id }))).code).toBe("DORA");
  forgetful.mockRestore();
  const clock = spyOn(performance, "now");
  clock.mockReturnValue(performance.now() + 60_000);
  const [fresh, again] = [await seen(), await written()];
  clock.mockRestore();
  for (const found of [fresh, again]) {
    expect(found).not.toBe(later);
    expect(found.all.map(({ code }) => code)).toEqual(later.all.map(({ code }) => code));
  }
});

test("codes distinguish merchants if the operator has several", async () => {
  const codes = await store.read((db) => codesIn(db, [{ merchant_id: 1 }, { merchant_id: 1 }]));
  expect([...codes]).toEqual([[1, "MAIN"]]);
  const lone = await openTemporaryStore({ mode: "live" });
  await lone.write(ensureMerchant);
  expect([...(await lone.read((db) => codesIn(db, [{ merchant_id: 1 }])))]).toEqual([]);
  await lone.close();
});
