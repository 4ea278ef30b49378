// A merchant erases its own customers: the request log stays until its retention ends, and the audit log records the
// caller.
import { expect, test } from "bun:test";
import { unpack } from "../../db/packing/packing.ts";
import { request_blocks } from "../../db/schema/requests.ts";
import { day_ms } from "../../src/core/time.ts";
import { openApp } from "../build/service.ts";
import { storeBlock } from "../http/request_log/logged_requests.ts";

const app = await openApp();
await app.post("/merchants", { code: "ROAST", name: "Blue Door" });
const made = await app.post("/keys", { name: "till", permission: "full", merchant_id: "ROAST" });
const key = made.body.data.key;
const key_id = made.body.data.id;

const email = "ann@example.com";
const line = (actor_id: string, path: string, query: string) => ({
  ...{ at: 1000, method: "GET", route: "/orders/:id", path, query, status: 200, code: null },
  ...{ actor_id, ip: "127.0.0.1", request_id: "req_1", took_ms: 1, bytes_in: null, bytes_out: 10 },
});

/** The log lines that this test inserted: actor, path and query. */
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

interface Done {
  readonly id: string;
  readonly erased: { records: string }[];
  readonly finished_at: string;
  readonly fully_erased_by: string;
}

async function erase(asker: string): Promise<Done> {
  const begun = await app.call("POST", "/erasures", { email }, { key: asker });
  expect([begun.status, begun.body.error]).toEqual([202, undefined]);
  await app.runJobs();
  const done = (await app.call("GET", `/erasures/${begun.body.data.id}`, undefined, { key: asker })).body.data;
  expect(done.status).toBe("done");
  return done;
}

test("the request log stays until the date that the erasure states, whoever requests it", async () => {
  const home = { name: "Ann Martinez", address_line1: "s/ord_1", city: "Salem", state: "OR", postal_code: "97301" };
  const person = { email, first_name: "Ann", last_name: "Martinez" };
  const sent = { ...person, shipping_addresses: [{ ...home, country: "US" }] };
  expect((await app.call("POST", "/customers", sent, { key })).status).toBe(201);
  await app.service.stores.live.write((tx) => storeBlock(tx, [...lines(key_id), ...lines("key_900")]));
  const before = await logged();
  expect((await app.call("POST", "/disclosures", { email }, { key })).status).toBe(200);
  // Only the operator's export includes the log: requests that named the person, and no others.
  const { records } = (await app.post("/disclosures", { email })).body.data;
  const asked = records.find((one: { records: string }) => one.records === "request_log").rows;
  const queries = asked.map(({ query }: { query: string }) => query);
  expect(queries).toContain("email=ann%40example.com&limit=5");
  expect(queries).toContain("q=ann+martinez");
  expect(queries).not.toContain("q=ann+martinezson");

  const done = await erase(key);
  expect(done.erased.map(({ records }) => records)).not.toContain("request_log");
  expect(await logged()).toEqual(before);
  expect(Date.parse(done.fully_erased_by) - Date.parse(done.finished_at)).toBe(31 * day_ms);
  await app.patch("/settings/retention", { event_payloads: 5, delivery_log: 5 });
  const sooner = (await app.get(`/erasures/${done.id}`)).body.data;
  expect(Date.parse(sooner.fully_erased_by) - Date.parse(done.finished_at)).toBe(8 * day_ms);

  const kept = (await app.get(`/audit?actor=${key_id}`)).body.data;
  expect(kept.map(({ action }: { action: string }) => action)).toEqual(["eraseEmail", "discloseEmail"]);
  expect(JSON.stringify(kept)).not.toContain(email);
});
