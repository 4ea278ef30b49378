// Keys of the operator and of merchants: their owner, their access, and who can create them.
import { describe, expect, test } from "bun:test";
import { keyCommands } from "../../../src/cli/keys.ts";
import { runOn } from "../../build/command.ts";
import { openApp } from "../../build/service.ts";

const app = await openApp();
for (const code of ["ACME", "BOLT"]) await app.post("/merchants", { code, name: code });

const [acme, bolt] = ["mer_1001", "mer_1002"];
const by = (key: string, method: string, path: string, body?: unknown) => app.call(method, path, body, { key });

/** A new key, of the operator by default. */
async function made(fields: object = {}, key = app.keys.live.full) {
  const { status, body } = await by(key, "POST", "/keys", { name: "till", permission: "full", ...fields });
  expect([status, body.error]).toEqual([201, undefined]);
  return body.data as { id: string; key: string; merchant_id: string | null };
}

describe("works", () => {
  test("the operator creates its own keys and those of merchants, by code, id or header", async () => {
    expect((await made()).merchant_id).toBeNull();
    expect((await made({ merchant_id: null })).merchant_id).toBeNull();
    expect((await made({ merchant_id: "ACME" })).merchant_id).toBe(acme);
    expect((await made({ merchant_id: bolt })).merchant_id).toBe(bolt);
    const body = { name: "till", permission: "read" };
    const headers = { "packhouse-merchant": "BOLT" };
    const named = await app.call("POST", "/keys", body, { headers });
    expect(named.body.data.merchant_id).toBe(bolt);
    const house = await app.call("POST", "/keys", { ...body, merchant_id: null }, { headers });
    expect(house.body.data.merchant_id).toBeNull();
    const in_query = await app.call("POST", "/keys?merchant=ACME", body);
    expect(in_query.body.data.merchant_id).toBe(acme);
  });

  test("a merchant's key creates and sees its merchant's keys only", async () => {
    const own = await made({ merchant_id: "ACME" });
    const foreign = await made({ merchant_id: "BOLT" });
    const of_house = await made();
    const more = await made({}, own.key);
    expect(more.merchant_id).toBe(acme);
    expect((await made({ merchant_id: "ACME" }, own.key)).merchant_id).toBe(acme);
    const { data } = (await by(own.key, "GET", "/keys?limit=100")).body;
    expect(new Set(data.map(({ merchant_id }: { merchant_id: string }) => merchant_id))).toEqual(new Set([acme]));
    for (const { id } of [foreign, of_house]) {
      const unknown = await by(own.key, "GET", "/keys/key_99999");
      for (const [method, path] of [
        ["GET", `/keys/${id}`],
        ["DELETE", `/keys/${id}`],
        ["POST", `/keys/${id}/rotate`],
      ] as const) {
        const { status, body } = await by(own.key, method, path);
        expect([status, body.error.code]).toEqual([404, "resource_missing"]);
        expect(body.error.message.replace(id, "key_99999")).toBe(unknown.body.error.message);
      }
    }
    expect((await by(foreign.key, "GET", "/products")).status).toBe(200);
  });

  test("a rotated key belongs to the same merchant, whoever rotates it", async () => {
    const { id, key } = await made({ merchant_id: "ACME" });
    const rotated = await by(app.keys.live.full, "POST", `/keys/${id}/rotate`, { overlap_seconds: 60 });
    expect(rotated.body.data.merchant_id).toBe(acme);
    expect((await by(key, "GET", `/keys/${id}`)).body.data.replaced_by).toBe(rotated.body.data.id);
  });

  test("the operator and each merchant have their own key limit and lockout check", async () => {
    await app.post("/merchants", { code: "CORA", name: "Cora" });
    const first = await made({ merchant_id: "CORA" });
    for (let count = 1; count < 20; count += 1) await made({ merchant_id: "CORA", permission: "read" });
    const { status, body } = await app.post("/keys", { name: "one more", permission: "read", merchant_id: "CORA" });
    expect([status, body.error.code]).toEqual([409, "key_limit"]);
    await made();
    // The last key of a merchant: neither the merchant nor the operator, which has others, ends it by mistake.
    for (const key of [first.key, app.keys.live.full]) {
      const last = await by(key, "DELETE", `/keys/${first.id}`);
      expect([last.status, last.body.error.code]).toEqual([409, "would_lock_out"]);
    }
    expect((await app.call("DELETE", `/keys/${first.id}?allow_lockout=true`)).status).toBe(200);
  });

  test("the command line creates and lists them", async () => {
    const run = (name: string, ...words: string[]) => runOn(app.service.stores, keyCommands[`keys ${name}`], words);
    const create = ["--name", "shop", "--permission", "read", "--mode", "test", "--json"];
    const [line = ""] = await run("create", ...create, "--merchant", "ACME");
    const { id, key } = JSON.parse(line);
    const { body } = await by(app.keys.test.full, "GET", `/keys/${id}`);
    expect([body.data.merchant_id, key.slice(0, 8)]).toEqual([acme, "ph_test_"]);
    app.watch.keep("a key of the command line", key);
    expect((await run("list")).find((line) => line.startsWith(`${id} `))).toEndWith("read        shop (ACME)");
    await expect(run("create", ...create, "--merchant", "NOBODY")).rejects.toThrow("No such merchant: NOBODY.");
  });
});

describe("refuses", () => {
  test("a key for an unknown, another or a closed merchant", async () => {
    const own = await made({ merchant_id: "ACME" });
    const body = { name: "till", permission: "read" };
    for (const [key, merchant_id] of [
      [app.keys.live.full, "NOBODY"],
      [app.keys.live.full, "mer_77"],
      [own.key, "BOLT"],
      [own.key, bolt],
    ] as const) {
      const { status, body: answer } = await by(key, "POST", "/keys", { ...body, merchant_id });
      expect([merchant_id, status, answer.error.details?.[0].field]).toEqual([merchant_id, 422, "merchant_id"]);
    }
    await app.post("/merchants", { code: "DUNE", name: "Dune" });
    const dune = await made({ merchant_id: "DUNE" });
    expect((await by(dune.key, "GET", "/orders")).status).toBe(200);
    expect((await app.post("/merchants/DUNE/close")).status).toBe(200);
    const late = await app.post("/keys", { ...body, merchant_id: "DUNE" });
    expect([late.status, late.body.error.code]).toEqual([409, "merchant_closed"]);
    // Its keys are refused from then on, but stay visible.
    for (const path of ["/orders", "/keys"]) {
      const { status, body: answer } = await by(dune.key, "GET", path);
      expect([status, answer.error.code]).toEqual([403, "not_for_merchants"]);
      expect(answer.error.message).toContain("The merchant DUNE is closed");
    }
    expect((await app.get(`/keys/${dune.id}`)).body.data.status).toBe("active");
  });

  test("a merchant's key for managing merchants, which is up to the operator", async () => {
    const own = await made({ merchant_id: "ACME" });
    const input = { name: "till", permission: "full", merchant_id: "ACME" };
    const test = await app.call("POST", "/keys", input, { key: app.keys.test.full });
    for (const key of [own.key, test.body.data.key]) {
      for (const [method, path] of [
        ["GET", "/merchants"],
        ["GET", "/merchants/ACME"],
        ["PATCH", "/merchants/ACME"],
        ["POST", "/merchants/ACME/close"],
      ] as const) {
        const { status, body } = await by(key, method, path, method === "GET" ? undefined : {});
        expect([status, body.error.code]).toEqual([403, "not_for_merchants"]);
      }
    }
    // A merchant's users are its own business, in the live environment.
    const users = await by(test.body.data.key, "GET", "/users");
    expect([users.status, users.body.error.code]).toEqual([403, "live_only"]);
  });
});
