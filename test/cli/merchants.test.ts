// `packhouse merchants …` alongside a running service.
import { expect, test } from "bun:test";
import { merchantCommands } from "../../src/cli/merchants.ts";
import { runOn } from "../build/command.ts";
import { openShop } from "../build/shop.ts";

const shop = await openShop();

const run = (name: string, ...words: string[]) =>
  runOn(shop.app.service.stores, merchantCommands[`merchants ${name}`], words);

test("creates, lists, suspends, reactivates and closes merchants, and records it in the audit log", async () => {
  const made = await shop.order([[await shop.product({ units: 3 }), 1]]);
  expect(await run("create", "--code", "ACME", "--name", "Acme", "--currency", "EUR")).toEqual([
    "mer_1001   ACME         Acme  EUR  America/New_York",
  ]);
  expect(await run("suspend", "--merchant", "MAIN")).toEqual([
    "mer_1      MAIN         Main  USD  America/New_York  suspended",
  ]);
  // Without a server's job: the command itself holds the orders.
  expect(await shop.get(made.id)).toMatchObject({ status: "on_hold", holds: [{ reason: "merchant_suspended" }] });
  const [listed = ""] = await run("list", "--json");
  expect(JSON.parse(listed)).toEqual((await shop.app.get("/merchants/MAIN")).body.data);
  await run("reactivate", "--merchant", "mer_1");
  expect(await shop.get(made.id)).toMatchObject({ status: "pending", holds: [] });
  const [closed = ""] = await run("close", "--merchant", "ACME", "--json");
  expect(JSON.parse(closed)).toMatchObject({ code: "ACME", status: "closed" });
  const in_test = await shop.app.call("GET", "/merchants/ACME", undefined, { key: shop.app.keys.test.full });
  expect(in_test.body.data.status).toBe("closed");
  const kept = (await shop.app.get("/audit?actor=command_line")).body.data;
  expect(kept.map(({ action, targets }: Record<string, unknown>) => [action, targets]).toReversed()).toEqual([
    ["createMerchant", ["mer_1001"]],
    ["suspendMerchant", ["mer_1"]],
    ["reactivateMerchant", ["mer_1"]],
    ["closeMerchant", ["mer_1001"]],
  ]);
});

test("reports missing flags and refusals", async () => {
  await expect(run("create", "--name", "Acme")).rejects.toThrow("--code is required");
  await expect(run("create", "--code", "acme", "--name", "Acme")).rejects.toThrow("code must be 2 to 12 of A to Z");
  await expect(run("suspend")).rejects.toThrow("--merchant is required");
  await expect(run("suspend", "--merchant", "NOBODY")).rejects.toThrow("No such merchant: NOBODY.");
  await expect(run("close", "--merchant", "MAIN")).rejects.toThrow("The only merchant cannot be closed");
});
