import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isIn, isLater, isPure, reachedFrom, runs, testFiles } from "../../scripts/test_files.ts";

const root = join(import.meta.dir, "../..");
const pure = testFiles().filter(isPure);

test("a test that opens a store, knows the engine or starts the program is not pure, even indirectly", () => {
  const met = [
    "test/orders/orders.routes.test.ts",
    "test/storage/sqlite/sqlite_store.test.ts",
    "test/flows/tls.test.ts",
    "test/main.test.ts",
  ];
  expect(met.filter(isPure)).toEqual([]);
  expect(testFiles()).toEqual(expect.arrayContaining(met));
});

test("a test of calculations is pure, even if it imports the program and the types of a store", () => {
  const reckoning = ["test/core/csv.test.ts", "test/shipping/rates/price_parcel.test.ts", "test/orders/order.test.ts"];
  expect(reckoning.filter((file) => !isPure(file))).toEqual([]);
});

test("no pure test can reach PostgreSQL", () => {
  // The driver and the variable with the address are the only two ways.
  const way = /from "pg"|import\("pg"\)|PACKHOUSE_DATABASE_URL|config\.ts"\)/;
  // These name the variable, and ask nothing by it.
  const harmless = ["scripts/migrations.ts", "test/tidy.test.ts", "test/scripts/test_files.test.ts"];
  const leads = (one: string) => !harmless.includes(one) && way.test(readFileSync(join(root, one), "utf8"));
  const leading = pure.flatMap((file) => [...reachedFrom(file)].filter(leads).map((one) => [file, one]));
  expect(leading).toEqual([]);
  expect(pure.length).toBeGreaterThan(40);
});

test("every test file runs, and what PostgreSQL makes a difference to runs there too", () => {
  const inRuns = (file: string) => runs.filter((run) => isIn(run, file));
  expect(testFiles().filter((file) => inRuns(file).length === 0)).toEqual([]);
  expect(testFiles().filter((file) => isLater(file) && inRuns(file).some((run) => !run.startsWith("long_")))).toEqual(
    [],
  );
  const ofPostgres = /\.if\(engine === "postgres"|\.skipIf\(engine === "sqlite"/;
  const alone = testFiles().filter((file) => ofPostgres.test(readFileSync(join(root, file), "utf8")));
  expect(alone.filter((file) => !inRuns(file).some((run) => run.endsWith("postgres")))).toEqual([]);
  expect(inRuns("test/orders/orders.routes.test.ts")).toEqual(["sqlite", "postgres"]);
  expect(inRuns("test/flows/secret_canaries.test.ts")).toEqual(["sqlite", "long_postgres"]);
  expect(inRuns("test/simulation/simulation.test.ts")).toEqual([...runs]);
  expect(inRuns("test/dashboard/screens/stock.test.ts")).toEqual(["sqlite", "long_sqlite"]);
  expect(inRuns("test/dashboard/screens/mail.test.ts")).toEqual(["long_sqlite"]);
  expect(inRuns("test/storage/postgres/postgres_store.test.ts")).toEqual(["postgres"]);
  expect(inRuns("test/storage/postgres/outage.long.test.ts")).toEqual(["long_postgres"]);
  expect(inRuns("test/core/hmac.test.ts")).toEqual(["sqlite"]);
});
