// A merchant erases its own people: what others asked for stays in the log of requests, and the audit trail keeps it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { unpack } from "../../db/packing/packing.ts";
import { request_blocks } from "../../db/schema/requests.ts";
import { openTestApp, type TestApp } from "../harness.ts";
import { storeBlock } from "../operations/logged_requests.ts";

let app: TestApp;
let key: string;
let key_id: string;
beforeAll(async () => {
  app = await openTestApp();
  await app.post("/merchants", { code: "ROAST", name: "Blue Door" });
  const made = await app.post("/keys", { name: "till", permission: "full", merchant_id: "ROAST" });
  key = made.body.data.key;
  key_id = made.body.data.id;
});
afterAll(() => app.close());

const email = "ann@example.com";
const line = (actor_id: string, path: string, query: string) => ({
  ...{ at: 1000, method: "GET", route: "/orders/:id", path, query, status: 200, code: null },
  ...{ actor_id, ip: "127.0.0.1", request_id: "req_1", took_ms: 1, bytes_in: null, bytes_out: 10 },
});

/** The lines of the log in which nobody asked through this test: actor, path and query. */
async function logged(): Promise<string[]> {
  const rows = await app.service.stores.live.read((db) => db.sql.select().from(request_blocks));
  const lines = rows.flatMap(({ lines: packed }) => unpack(packed).split("\n")).map((text) => JSON.parse(text));
  return lines.filter((one) => one[9] === "req_1").map((one) => `${one[7]} ${one[3]} ${one[4]}`);
}

const lines = (actor: string) => [
  line(actor, "/orders/ord_1", `email=${encodeURIComponent(email)}&limit=5`),
  line(actor, "/orders/ord_1", "q=ann+martinez"),
  line(actor, "/orders/ord_1", "q=ann+martinezson"),
];

async function erase(asker: string): Promise<{ erased: { records: string }[] }> {
  const begun = await app.call("POST", "/erasures", { email }, { key: asker });
  expect([begun.status, begun.body.error]).toEqual([202, undefined]);
  await app.runJobs();
  const done = (await app.call("GET", `/erasures/${begun.body.data.id}`, undefined, { key: asker })).body.data;
  expect(done.status).toBe("done");
  return done;
}

test("a merchant reaches what its own keys asked for, the house all", async () => {
  const home = { name: "Ann Martinez", address_line1: "s/ord_1", city: "Salem", state: "OR", postal_code: "97301" };
  const person = { email, first_name: "Ann", last_name: "Martinez" };
  const sent = { ...person, shipping_addresses: [{ ...home, country: "US" }] };
  expect((await app.call("POST", "/customers", sent, { key })).status).toBe(201);
  await app.service.stores.live.write((tx) => storeBlock(tx, [...lines(key_id), ...lines("key_900")]));
  const before = await logged();
  expect((await app.call("POST", "/disclosures", { email }, { key })).status).toBe(200);

  const { erased } = await erase(key);
  expect(erased.map(({ records }) => records)).not.toContain("request_log");
  expect(await logged()).toEqual([
    `${key_id} /orders/ord_1 email=Erased&limit=5`,
    `${key_id} /orders/ord_1 q=Erased`,
    ...before.slice(2),
  ]);

  const seen = await erase(app.keys.live.full);
  expect(seen.erased.map(({ records }) => records)).toContain("request_log");
  expect((await logged())[3]).toBe("key_900 /orders/ord_1 email=Erased&limit=5");

  const kept = (await app.get(`/audit?actor=${key_id}`)).body.data;
  expect(kept.map(({ action }: { action: string }) => action)).toEqual(["eraseEmail", "discloseEmail"]);
  expect(JSON.stringify(kept)).not.toContain(email);
});
