// A process killed in the middle of an erasure resumes it after a restart.
import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StartedService } from "../../scripts/service.ts";
import { administered } from "../../src/storage/postgres/postgres_programs.ts";
import { freshDatabase, startFreshService } from "../flows/service.ts";

const data = mkdtempSync(join(tmpdir(), "packhouse-killed-erasure-"));
let service: StartedService | null = null;
afterAll(async () => {
  await service?.remove();
  rmSync(data, { recursive: true, force: true });
});

/** The fields of a response that the test reads. */
interface Told {
  readonly id: string;
  readonly status: string;
  readonly shipping_addresses: readonly { readonly id: string }[];
}

const orders = 120;
const kills = 3;
const kills_max = 8;
const word = `Zq${Bun.randomUUIDv7("hex").slice(-16)}`;

/** The status of the erasure in the test environment, read from the database of a stopped service. */
async function statusIn(folder: string, database_url: string | null): Promise<string> {
  if (database_url !== null) {
    const [row] = await administered(database_url, (server) => server.ask("select status from test.erasures"));
    return String(row?.["status"]);
  }
  using raw = new Database(join(folder, "test.db"), { create: false, readwrite: true });
  return String(raw.query("select status from erasures").values()[0]?.[0]);
}

test("a killed erasure finishes after the next start and leaves nothing", async () => {
  const database_url = await freshDatabase();
  const begin = () => startFreshService({ data, database_url });
  service = await begin();
  const key = service.first_keys.test;
  const ask = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${service?.url}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Told & { readonly data?: Told };
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer.data ?? answer;
  };
  const place = { name: word, address_line1: `1 ${word} Rd`, city: "Portland", state: "OR", postal_code: "97201" };
  const shipping_addresses = [{ ...place, country: "US" }];
  const customer = await ask("POST", "/customers", { email: `${word}@example.com`, shipping_addresses });
  const product = await ask("POST", "/products", { sku: "TEA", name: "Tea" });
  for (let number = 0; number < orders; number += 1) {
    const line_items = [{ product_id: product.id, quantity: 1, unit_price: "1.00" }];
    const to = { customer_id: customer.id, shipping_address_id: customer.shipping_addresses[0]?.id };
    const order = await ask("POST", "/orders", { order_number: `K-${number}`, ...to, line_items, order_notes: word });
    await ask("DELETE", `/orders/${order.id}`);
  }
  const erasure = await ask("POST", `/customers/${customer.id}/erasure`, {});
  // The status after each kill.
  const left: string[] = [];
  const hasHit = () => left.includes("running");
  while (left.length < kills || (left.length < kills_max && !hasHit())) {
    // The first kill is right after the start, the others at random points that no event marks.
    if (left.length === 0) while ((await ask("GET", `/erasures/${erasure.id}`)).status === "waiting");
    else await Bun.sleep(Math.floor(Math.random() * 40));
    await service.kill();
    left.push(await statusIn(data, database_url));
    service = await begin();
  }
  console.log(`killed, and left ${left.join(", ")}`);
  expect(hasHit()).toBe(true);
  let state = "";
  for (let tries = 0; tries < 300 && state !== "done"; tries += 1) {
    state = (await ask("GET", `/erasures/${erasure.id}`)).status;
    await Bun.sleep(50);
  }
  expect(state).toBe("done");
  expect(JSON.stringify(await ask("GET", "/orders?limit=100"))).not.toContain(word);
  expect(JSON.stringify(await ask("GET", "/events?limit=100"))).not.toContain(word);
  expect(readFileSync(join(data, "erasures.jsonl"), "utf8").trim().split("\n")).toHaveLength(1);
  expect(await service.verify()).toMatchObject({ code: 0 });
  await service.stop();
  const files = ["test.db", "test.db-wal"].map((name) => join(data, name)).filter((file) => existsSync(file));
  expect(files.filter((file) => readFileSync(file).includes(word))).toEqual([]);
}, 120_000);
