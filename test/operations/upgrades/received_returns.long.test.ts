// The upgrade of data with a received return, from the command line: check, upgrade, verify, inspect, and roll back.
import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { createDatabase, runCommand, startService } from "../../../scripts/service.ts";
import { databaseUrl } from "../../../src/core/config.ts";
import { client, stockUp } from "../../flows/service.ts";

const folder = mkdtempSync(join(tmpdir(), "packhouse-received-"));
const url = databaseUrl === null ? null : await createDatabase(databaseUrl);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const place = ["--data", folder, ...(url === null ? [] : ["--database-url", url])];
async function run(...words: string[]) {
  const { code, out, err } = await runCommand([...words, ...place]);
  return { code, said: out + err };
}

/** Runs statements in both environments, which nothing else uses. */
async function inBoth(statements: readonly string[]): Promise<void> {
  const connection = url === null ? null : new pg.Client({ connectionString: url });
  await connection?.connect();
  for (const mode of ["live", "test"]) {
    await connection?.query(`set search_path to ${mode}; ${statements.join("; ")}`);
    if (connection !== null) continue;
    using raw = new Database(join(folder, `${mode}.db`), { create: false, readwrite: true });
    for (const statement of statements) raw.run(statement);
  }
  await connection?.end();
}

/** As the version before left it: it knew no stock of received units. */
const older = [
  "update stock_items set on_hand = 0 where id in (select to_item_id from movements where reason = 'return_received')",
  "delete from movements where reason = 'return_received'",
  "delete from migrations where name like '%_received_returns'",
];

async function serving<Done>(work: (api: ReturnType<typeof client>) => Promise<Done>): Promise<Done> {
  const service = await startService({ data: folder, database_url: url });
  try {
    return await work(client(service.url, await service.makeKey("live")));
  } finally {
    await service.stop();
  }
}

const level = async (api: ReturnType<typeof client>) => {
  const { on_hand, total, unavailable } = (await api.must("GET", "/inventory/CUP")).data;
  return { on_hand, total, returns: unavailable.returns };
};

test("an upgrade counts the units of a received return, and can be rolled back while nothing was stored", async () => {
  const id = await serving(async (api) => {
    const { location: _, ...buyer } = await stockUp(api, ["CUP"], 5);
    const line_items = [{ sku: "CUP", quantity: 3, unit_price: "5.00" }];
    const order = (await api.must("POST", "/orders", { order_number: "1", ...buyer, line_items })).data.id;
    await api.must("POST", `/orders/${order}/ship`, {});
    const back = (await api.must("POST", "/returns", { order_id: order, reason: "defective" })).data.id;
    await api.must("POST", `/returns/${back}/receive`, {});
    expect(await level(api)).toEqual({ on_hand: 5, total: 2, returns: 3 });
    return back as string;
  });
  await inBoth(older);
  expect(await run("upgrade", "--check")).toMatchObject({
    said: expect.stringContaining("_received_returns  breaking"),
  });
  expect(await run("upgrade")).toMatchObject({ code: 0 });
  expect(await run("verify")).toMatchObject({ code: 0, said: "live: 0 differences\ntest: 0 differences\n" });
  expect(await run("rollback")).toMatchObject({ code: 0, said: expect.stringContaining("was rolled back") });
  expect(await run("upgrade")).toMatchObject({ code: 0 });
  await serving(async (api) => {
    expect(await level(api)).toEqual({ on_hand: 5, total: 2, returns: 3 });
    const items = [
      { sku: "CUP", quantity: 2, condition: "unopened", bin: "A-01" },
      { sku: "CUP", quantity: 1, condition: "damaged" },
    ];
    await api.must("POST", `/returns/${id}/inspect`, { items });
    expect(await level(api)).toEqual({ on_hand: 4, total: 4, returns: 0 });
  });
  expect(await run("verify")).toMatchObject({ code: 0, said: "live: 0 differences\ntest: 0 differences\n" });
}, 180_000);
