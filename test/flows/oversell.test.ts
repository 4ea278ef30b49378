import { afterAll, expect, test } from "bun:test";
import type { StartedService } from "../../scripts/service.ts";
import { engine } from "../../src/core/config.ts";
import { client, freshDatabase, stockUp } from "./service.ts";
import { startWatchedService } from "./watched_service.ts";

const services: StartedService[] = [];
afterAll(async () => {
  for (const service of services) await service.remove();
});

// On PostgreSQL the buyers are spread over two servers.
const servers = engine === "postgres" ? 2 : 1;

test(`200 buyers at once on 50 units sell exactly 50 (${engine}, ${servers} server processes)`, async () => {
  const database_url = await freshDatabase();
  for (let n = 0; n < servers; n += 1) services.push(await startWatchedService({ database_url }));
  const key = (await services[0]?.makeKey("test")) ?? "";
  const apis = services.map(({ url }) => client(url, key));
  const api = apis[0] as (typeof apis)[number];
  const { location: _location, ...to } = await stockUp(api, ["LAST"], 50);
  const buy = (n: number) =>
    (apis[n % apis.length] ?? api).send("POST", "/orders", {
      ...to,
      order_number: `B-${n}`,
      line_items: [{ sku: "LAST", quantity: 1, unit_price: "5.00" }],
      allow_backorder: false,
    });
  const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => buy(n)));
  const statuses = Map.groupBy(answers, (answer) => answer.status);
  expect([...statuses].map(([status, of]) => [status, of.length]).sort()).toEqual([
    [201, 50],
    [409, 150],
  ]);
  for (const refused of statuses.get(409) ?? []) expect(refused.body.error.code).toBe("insufficient_inventory");
  const item = (await api.must("GET", "/inventory/LAST")).data;
  expect(item).toMatchObject({ available: 0, reserved: 50, total: 50 });
  expect((await services[0]?.verify())?.code).toBe(0);
}, 60_000);
