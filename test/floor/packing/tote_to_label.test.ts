// An order from its tote to its label, between the picker and two packers.
import { expect, test } from "bun:test";
import { minute_ms } from "../../../src/core/time.ts";
import { codeOf, openShop, outcomeOf } from "../../build/shop.ts";
import { packerOf } from "./packing_floor.ts";

test("an order of three lines is picked into its tote, packed by its task, and leaves the tote free", async () => {
  const shop = await openShop();
  const { app } = shop;
  const packer = await packerOf(shop);
  for (const sku of ["CUP", "TEA", "POT"]) await shop.product({ sku, units: 5, weight: 300, weight_unit: "g" });
  const order = await shop.order([
    ["CUP", 2],
    ["TEA", 1],
    ["POT", 1],
  ]);
  await app.create("/totes", { code: "T-1" });
  const wave = await app.create("/waves", { mode: "cluster" });
  await app.create(`/waves/${wave.id}/release`);
  expect(codeOf(await packer.open({ code: "T-1" }))).toBe("tote_empty");
  await app.create(`/waves/${wave.id}/totes`, { tote: "T-1" });
  const refused = await packer.open({ code: "t-1" });
  expect(outcomeOf(refused)).toEqual([409, "order_not_picked"]);
  expect(refused.body.error.missing).toEqual([
    { sku: "CUP", quantity: 2 },
    { sku: "TEA", quantity: 1 },
    { sku: "POT", quantity: 1 },
  ]);
  const { stops } = (await app.get(`/waves/${wave.id}/walk`)).body.data;
  for (const { bin, sku, quantity } of stops) {
    await app.create(`/waves/${wave.id}/picks`, { bin, sku, quantity, tote: "T-1" });
  }
  const { task } = await app.create("/work/next", { device: packer.device, kinds: ["pack"] });
  expect(task.id).toBe(`pack_${order.id}`);
  await shop.told();
  const { id } = (await packer.open({ code: "T-1" })).body.data;
  await packer.scan(id, "CUP", { quantity: 2 });
  const other = { device: "table-2", order_id: order.id };
  expect(outcomeOf(await packer.post("", other))).toEqual([409, "task_taken"]);
  await app.create(`/work/${task.id}/take_over`, { device: "table-2" });
  expect(outcomeOf(await packer.scan(id, "TEA"))).toEqual([409, "task_taken"]);
  expect((await packer.post("", other)).body.data).toMatchObject({ id, device: "table-2", units_scanned: 2 });
  await packer.scan(id, "TEA");
  app.clocks.live.advance(minute_ms);
  const last = (await packer.scan(id, "POT")).body.data;
  expect([last.status, last.label_status, last.weight]).toEqual(["closed", "completed", 1200]);
  expect(await shop.told()).toEqual(["order.fulfilled", "shipment.created"]);
  expect((await app.get("/totes?code=T-1")).body.data[0].order_id).toBeNull();
  await app.runJobs();
  expect((await app.get(`/waves/${wave.id}`)).body.data.status).toBe("closed");
  expect((await app.create("/work/next", { device: packer.device, kinds: ["pack"] })).task).toBeNull();
  await shop.expectVerified();
}, 30_000);
