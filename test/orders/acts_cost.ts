// Counts the SQLite statements of each act on an order. `bun test/orders/acts_cost.ts`
// prints them; `--several` for an operator with several merchants, `--show` with each statement.
import { Database, type Statement } from "bun:sqlite";
import { openTestApp } from "../build/service.ts";

/** The cost of one act. */
export interface Cost {
  readonly reads: number;
  readonly writes: number;
}

const asked: string[] = [];
let counting = false;

let watched = false;

/** Records every statement on connections opened from now on. */
function watchStatements(): void {
  if (watched) return;
  watched = true;
  const prepare = Database.prototype.prepare;
  Database.prototype.prepare = function (this: Database, query: string, ...rest: never[]) {
    const statement = prepare.call(this, query, ...rest) as Statement;
    for (const method of ["run", "all", "values", "get"] as const) {
      const call = statement[method].bind(statement) as (...values: never[]) => never;
      statement[method] = (...values: never[]) => {
        if (counting) asked.push(query);
        return call(...values);
      };
    }
    return statement;
  } as typeof prepare;
}

/** A request, as the app under test serves it. */
type Call = (
  method: string,
  path: string,
  body?: object,
) => Promise<{ status: number; body: { data: Record<string, string> } }>;

/** Performs an act with its statements recorded. Returns its result and its cost. */
async function counted(call: Call, [method, path, body = {}]: readonly [string, string, object?]) {
  asked.length = 0;
  counting = true;
  const { status, body: answer } = await call(method, path, body);
  counting = false;
  if (status >= 300) throw new Error(`${path} answered ${status}: ${JSON.stringify(answer)}`);
  // Whether a key and the merchants are read again depends on time.
  const known = /api_keys|from "merchants" order by/;
  const own = asked.filter((query) => /^(select|insert|update|delete|with)/i.test(query) && !known.test(query));
  const reads = own.filter((query) => /^(select|with)/i.test(query)).length;
  return { data: answer.data, own, cost: { reads, writes: own.length - reads } };
}

/** The results of an operator's or the only merchant's key, and the cost of each act. */
export async function costsOfMaking(merchant_id: string | null): Promise<Record<string, Cost>> {
  watchStatements();
  const { call: by, post, close } = await openTestApp();
  const { body } = await post("/keys", { name: "maker", permission: "full", merchant_id });
  const call: Call = (method, path, sent = {}) => by(method, path, sent, { key: body.data.key });
  const costs: Record<string, Cost> = {};
  // The first call fills caches, so only the second counts.
  for (const round of [1, 2]) {
    const sku = `MUG-${round}`;
    const acts: Record<string, readonly [string, string, object]> = {
      product: ["POST", "/products", { sku, name: "Mug" }],
      customer: ["POST", "/customers", { email: `ada${round}@example.com` }],
      receipt: ["POST", "/inventory/receipts", { items: [{ sku, quantity: 5 }] }],
    };
    for (const [name, act] of Object.entries(acts)) costs[name] = (await counted(call, act)).cost;
  }
  await close();
  return costs;
}

/**
 * The acts on an order of three lines, in turn, with the cost of each from request to response, for one merchant, or
 * for `several`.
 */
export async function costsOfActs({ show = false, several = false } = {}): Promise<Record<string, Cost>> {
  watchStatements();
  const { call: asked_by, post, close } = await openTestApp();
  if (several) for (const code of ["ACME", "BOLT"]) await post("/merchants", { code, name: code });
  const headers: Record<string, string> = several ? { "packhouse-merchant": "ACME" } : {};
  const call = (method: string, path: string, body: object = {}) => asked_by(method, path, body, { headers });
  const skus = ["A-1", "B-1", "C-1"];
  const line_items = skus.map((sku) => ({ sku, quantity: 1, unit_price: "5.00" }));
  for (const sku of skus) {
    await call("POST", "/products", { sku, name: sku, price: "5.00" });
    await call("POST", "/inventory", { sku, quantity: 100 });
  }
  const address = {
    address_line1: "100 Commercial St",
    city: "Portland",
    state: "ME",
    postal_code: "04101",
    country: "US",
  };
  const customer = (
    await call("POST", "/customers", { email: "ada@example.com", last_name: "Marsh", shipping_addresses: [address] })
  ).body;
  const to = { customer_id: customer.id, shipping_address_id: customer.shipping_addresses[0].id };
  let placed = 0;
  const costs: Record<string, Cost> = {};
  const count = async (name: string, path: string, body: object = {}, method = "POST") => {
    const { data, own, cost } = await counted(call, [method, path, body]);
    if (show) for (const query of own) console.log(`  ${name}: ${query.replaceAll('"', "").slice(0, 150)}`);
    costs[name] = cost;
    return data;
  };
  const create = (name: string) => count(name, "/orders", { ...to, order_number: `N-${++placed}`, line_items });
  // The first call fills caches, so only the second counts.
  for (const _round of [1, 2]) {
    const { id } = await create("create");
    await count("pick (pending)", `/orders/${id}/pick`);
    await count("pack", `/orders/${id}/pack`);
    await count("ship", `/orders/${id}/ship`);
    const { id: other } = await create("create");
    await count("ship (pending)", `/orders/${other}/ship`);
    const { id: third } = await create("create");
    await call("POST", `/orders/${third}/pack`);
    const labelled = {
      order_id: third,
      carrier: "local",
      service: "standard",
      package: { weight: 2, weight_unit: "lbs" },
    };
    const { tracking_number } = await count("label", "/shipping/labels", labelled);
    await count("first scan", `/tracking/${tracking_number}/events`, { status: "in_transit" });
    await count("delivered scan", `/tracking/${tracking_number}/events`, { status: "delivered" });
    await count("reserve", "/inventory/reserve", { order_id: `later-${_round}`, items: [{ sku: "A-1", quantity: 1 }] });
    await count("adjust", "/inventory/A-1", { adjustment: 1, reason: "found" }, "PATCH");
  }
  await close();
  return costs;
}

if (import.meta.main)
  console.table(
    await costsOfActs({ show: process.argv.includes("--show"), several: process.argv.includes("--several") }),
  );
