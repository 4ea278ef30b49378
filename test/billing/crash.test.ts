// A server that is killed during picks and packs bills every act exactly once.
import { expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, client, freshDatabase, stockUp } from "../flows/service.ts";
import { startWatchedService } from "../flows/watched_service.ts";
import { volume } from "../volume.ts";

const cycles = volume(1, 3);
const orders_each = 40;
const workers = 8;

/** Calls an act on an order, with the same key each time. */
const ask = (api: Client, id: string, act: string) =>
  api.send("POST", `/orders/${id}/${act}`, {}, { "idempotency-key": `${act}-${id}` });

test(`every act is billed once after ${cycles} kills`, async () => {
  const settings = { data: mkdtempSync(join(tmpdir(), "packhouse-billed-")), database_url: await freshDatabase() };
  let service = await startWatchedService(settings);
  const key = await service.makeKey("test");
  let api = client(service.url, key);
  const { location: _location, ...to } = await stockUp(api, ["A", "B"], 1_000_000);
  let acknowledged = 0;
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    const ids: string[] = [];
    for (let n = 0; n < orders_each; n += 1) {
      const line_items = ["A", "B"].map((sku) => ({ sku, quantity: 2, unit_price: "5.00" }));
      ids.push((await api.must("POST", "/orders", { ...to, order_number: `C${cycle}-${n}`, line_items })).data.id);
    }
    let alive = true;
    const work = async (left: string[]) => {
      for (let id = left.shift(); id !== undefined && alive; id = left.shift()) {
        for (const act of ["pick", "pack"]) {
          // A request interrupted by the kill is resolved below.
          const answer = await ask(api, id, act).catch(() => null);
          if (answer?.status === 200) acknowledged += 1;
        }
        if (acknowledged > orders_each * (2 * cycle + 1)) alive = false;
      }
    };
    const queue = [...ids];
    const working = Array.from({ length: workers }, () => work(queue));
    while (alive && queue.length > 0) await Bun.sleep(1);
    await service.kill();
    alive = false;
    await Promise.all(working);
    service = await startWatchedService(settings);
    api = client(service.url, key);
    for (const id of ids) {
      for (const act of ["pick", "pack"]) {
        const { status, body } = await ask(api, id, act);
        expect([act, status, body.error]).toEqual([act, 200, undefined]);
      }
    }
    acknowledged = 2 * orders_each * (cycle + 1);
  }
  const told = new Map<string, number>();
  for (let path = "/billing/events?limit=100"; ; ) {
    const { data, meta } = await api.must("GET", path);
    for (const { act, quantity } of data) told.set(act, (told.get(act) ?? 0) + quantity);
    if (!meta.pagination.has_more) break;
    path = `/billing/events?limit=100&cursor=${meta.pagination.next_cursor}`;
  }
  const units = cycles * orders_each * 4;
  expect(Object.fromEntries(told)).toEqual({ "stock.add": 2_000_000, "order.pick": units, "order.pack": units });
  const verified = await service.verify();
  expect([verified.code, verified.output]).toEqual([0, "live: 0 differences\ntest: 0 differences\n"]);
  await service.remove();
}, 120_000);
