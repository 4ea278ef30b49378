// Ways in which data of one merchant could reach another: checked directly, or planted to prove that they would be
// found.
import { eq } from "drizzle-orm";
import { orders } from "../../db/schema/orders.ts";
import { returns } from "../../db/schema/returns.ts";
import { idempotency_keys } from "../../db/schema/service.ts";
import { subscriptions } from "../../db/schema/webhooks.ts";
import { readId } from "../../src/core/ids.ts";
import { counter } from "../../src/core/metrics.ts";
import { type Checked, check, compareLooks, looksOf } from "./check.ts";
import type { Asked, Code, Fixture } from "./fixture.ts";
import { strangeHints } from "./hints.ts";
import { strangers } from "./response_words.ts";
import type { Leak } from "./rollback_store.ts";

/** A planted leak, and the check that finds it. */
interface Planted {
  readonly leak?: Leak;
  /** Changes the records or metrics, for a leak without a wrapped store. */
  readonly plant?: (fixture: Fixture) => Promise<void>;
  readonly find: (fixture: Fixture, operations: readonly Checked[]) => Promise<readonly string[]>;
}

const over = (...names: string[]): Leak => ({ tables: new Set(names) });

const cases =
  (...names: string[]): Planted["find"] =>
  async (fixture, operations) =>
    (
      await check(
        fixture,
        operations.filter(({ operationId }) => names.includes(operationId)),
      )
    ).leaks;

const looks =
  (...names: string[]): Planted["find"] =>
  (fixture, operations) =>
    compareLooks(
      fixture,
      looksOf(
        operations.filter(({ operationId }) => names.includes(operationId)),
        fixture.merchants.BETA,
      ),
    );

/** Turns the asking merchant's subscription into another one's. */
async function subscribeAs(
  { app, merchants: { BETA } }: Fixture,
  whose: Partial<typeof subscriptions.$inferInsert>,
): Promise<void> {
  const id = readId("subscription", BETA.ready["redeliverWebhookDelivery"]?.path?.["id"] ?? "") ?? 0;
  await app.service.stores.test.write((tx) => tx.sql.update(subscriptions).set(whose).where(eq(subscriptions.id, id)));
}

const skus_seen = counter("planted_units_total", "Units by SKU.", ["sku"]);

export const planted: Readonly<Record<string, Planted>> = {
  "a look-up without its condition": { leak: over("orders"), find: cases("getOrder") },
  "a count over all": { leak: over("order_counts"), find: looks("countOrders") },
  "an id in an error": { leak: over("products"), find: cases("createProduct") },
  "an event to the wrong subscriber": {
    plant: (fixture) => subscribeAs(fixture, { merchant_id: null, merchants: null }),
    find: newWrongDeliveries,
  },
  "a bin in an event, as the house is told it": {
    plant: (fixture) => {
      const own = readId("merchant", fixture.merchants.BETA.id) ?? 0;
      return subscribeAs(fixture, { merchant_id: null, merchants: [own] });
    },
    // It is sent only its own events, so only the bin can be found.
    find: async (fixture) =>
      (await newWrongDeliveries(fixture)).filter((one) => one.startsWith(fixture.merchants.BETA.id)),
  },
  "a metric with what a merchant sells": { plant: async () => skus_seen.add(1, "TEA-100"), find: namedMetrics },
  "a list that is joined without its owner": { leak: over("shipments"), find: looks("listShipments") },
  "a record that is included without its owner": { leak: over("orders"), find: includedOrders },
  "a product that is included without its owner": { leak: over("lots", "products"), find: includedProducts },
  "an export over all": { leak: over("movements"), find: looks("exportMovements") },
  "a search over all": { leak: over("orders", "customers", "customer_words"), find: cases("searchAll") },
  "an answer that was kept for another merchant": { find: (fixture) => repeatedAnswers(fixture, true) },
  "a write to what another merchant has": {
    leak: { tables: new Set(["customers"]), writes: true },
    find: async (fixture, operations) =>
      (await cases("updateCustomer")(fixture, operations)).filter((one) => one.endsWith(" changed")),
  },
  "a hint of what others do": { find: (fixture) => strangeHints(fixture, true) },
  "a cursor of another merchant": { leak: { hides_scope: true }, find: cases("listOrders") },
};

/** The check that finds unscoped reads of a table's rows. */
export const forgotten: Readonly<Record<string, Planted["find"]>> = {
  api_keys: looks("listKeys"),
  billable_events: looks("exportBillableEvents"),
  customers: looks("listCustomers"),
  erasures: looks("listErasures"),
  events: looks("listEvents"),
  files: looks("listFiles"),
  file_imports: looks("listImports"),
  import_mappings: usedMappings,
  invitations: looks("listInvitations"),
  labels: looks("exportLabels"),
  lots: looks("listLots"),
  memberships: looks("listUsers"),
  movements: looks("listMovements"),
  notices: looks("listNotices"),
  order_counts: looks("countOrders"),
  order_tags: looks("listOrderTags"),
  orders: looks("listOrders"),
  platform_connections: looks("listPlatforms"),
  product_barcodes: cases("createProduct"),
  products: looks("exportProducts"),
  rate_quotes: cases("createLabel"),
  receipts: looks("listReceipts"),
  reservations: looks("listReservations"),
  returns: looks("listReturns"),
  shipments: looks("exportShipments"),
  stock_items: looks("exportInventory"),
  storage_days: looks("exportStorageDays"),
  subscriptions: looks("listWebhooks"),
  tracking_records: looks("exportTracked"),
  transfers: looks("listTransfers"),
};

/**
 * Tables whose rows are read only for a record that was looked up before, whose owner was checked; and the audit log,
 * which no merchant reads.
 */
export const through_others = [
  ...["addresses", "allocations", "audit_entries", "deliveries", "merchant_branding", "order_lines"],
  ...["platform_import_parts", "platform_imports", "product_packs", "reservation_lines", "staff_notes"],
  // Merchants cannot list documents; a link is for one of them. Print jobs are the operator's.
  ...["documents", "print_jobs"],
  // No merchant uses the floor's routes.
  ...["carton_choices", "packing_sessions", "wave_orders"],
  // Views are of users, who may be of several merchants. Their queries name the merchant without the store's scope.
  "saved_views",
];

/**
 * What the asking merchant's receivers were sent about others, after the first `since` deliveries, once each merchant
 * has new events.
 */
export async function wrongDeliveries(fixture: Fixture, since = 0): Promise<string[]> {
  const { app, sent, merchants } = fixture;
  const scan = strangers(fixture);
  const before = sent.BETA.length;
  for (const code of ["MAIN", "ALFA", "BETA"] as const) {
    const headers = { "packhouse-merchant": code };
    const body = { sku: "TEA", quantity: 1 };
    await app.call("POST", "/inventory", body, { headers, key: app.keys.test.full });
  }
  await app.runJobs();
  const found = sent.BETA.slice(since).flatMap((body) => {
    const owner = JSON.parse(body).merchant_id;
    const others = scan(body, { path: "" });
    return owner === merchants.BETA.id && others.length === 0
      ? []
      : [`${owner}: ${others.join()}: ${body.slice(0, 200)}`];
  });
  return sent.BETA.length === before ? [...found, "nothing was sent at all"] : found;
}

function newWrongDeliveries(fixture: Fixture): Promise<string[]> {
  return wrongDeliveries(fixture, fixture.sent.BETA.length);
}

/** Another merchant's mapping of columns that is applied to a file of the asking merchant. */
async function usedMappings({ app, merchants: { ALFA, BETA } }: Fixture): Promise<string[]> {
  const headers = { "content-type": "text/csv" };
  const send = ({ keys }: typeof BETA, query = "") =>
    app.call("POST", `/imports?kind=products${query}`, "item,title\nTEA-100,Tea\n", { key: keys.live.full, headers });
  await send(ALFA, "&map=item:sku,title:name");
  const { data } = (await send(BETA)).body;
  return data.remembered ? ["createImport uses the mapping of another merchant"] : [];
}

/** Another merchant's order, as it is included in a return of the asking merchant that is made to name it. */
async function includedOrders({ app, ask, merchants: { ALFA, BETA } }: Fixture): Promise<string[]> {
  const { live } = app.service.stores;
  const [mine, others] = [BETA, ALFA].map(({ id }) => readId("merchant", id) ?? 0) as [number, number];
  const [own] = await live.read((db) => db.sql.select().from(returns).where(eq(returns.merchant_id, mine)).limit(1));
  const [order] = await live.read((db) => db.sql.select().from(orders).where(eq(orders.merchant_id, others)).limit(1));
  if (own === undefined || order === undefined) throw new Error("each merchant has a return and an order");
  const name = (order_id: number) =>
    live.write((tx) => tx.sql.update(returns).set({ order_id }).where(eq(returns.id, own.id)));
  await name(order.id);
  try {
    const path = "/returns?limit=100&expand=order&fields=id,order.order_number";
    const { text } = await ask({ method: "GET", path, key: BETA.keys.live.full });
    const shown = JSON.parse(text).data.find(({ id }: { id: string }) => readId("return", id) === own.id);
    return shown.order === null ? [] : [`${path} tells ${shown.order.order_number}`];
  } finally {
    await name(own.order_id);
  }
}

/** Other merchants' products, as they are included in lots. Lots of others alone would include none. */
async function includedProducts({ ask, merchants: { BETA } }: Fixture): Promise<string[]> {
  const path = "/inventory/lots?limit=100&expand=product&fields=product.sku,product.merchant_id";
  const { text } = await ask({ method: "GET", path, key: BETA.keys.live.full });
  const shown = JSON.parse(text).data.flatMap(
    ({ product }: { product: { merchant_id: string } | null }) => product ?? [],
  );
  const foreign = shown.filter(({ merchant_id }: { merchant_id: string }) => merchant_id !== BETA.id);
  return foreign.map((product: object) => `${path} tells ${JSON.stringify(product)}`);
}

/** What the metrics reveal about any merchant. */
export async function namedMetrics(fixture: Fixture): Promise<string[]> {
  const { text } = await fixture.ask({ method: "GET", path: "/metrics", key: fixture.app.keys.live.full });
  return strangers(fixture, new Set())(text, { path: "" });
}

let turn = 0;

/** The responses to a merchant that sends another one's request with the same Idempotency-Key. */
export async function repeatedAnswers(fixture: Fixture, confuses = false): Promise<string[]> {
  const { merchants, ask, app } = fixture;
  const found: string[] = [];
  turn += 1;
  for (const path of ["/products", "/orders", "/keys"]) {
    const key = `again-${turn}-${path.slice(1)}`;
    const send = (code: Code, body: unknown): Promise<{ status: number; text: string; headers: Headers }> => {
      const headers = { "idempotency-key": key };
      return ask({ method: "POST", path, body, headers, key: merchants[code].keys.live.full } satisfies Asked);
    };
    const body = bodyFor(path, merchants.ALFA.ready["createOrder"]?.body);
    const first = await send("ALFA", body);
    if (first.status !== 201) throw new Error(`${path}: ${first.status} ${first.text}`);
    if (confuses) {
      const [as, by] = [merchants.BETA.id, merchants.ALFA.id].map((id) => `${id} ${key}`) as [string, string];
      await app.service.stores.live.write((tx) =>
        tx.sql.update(idempotency_keys).set({ key: as }).where(eq(idempotency_keys.key, by)),
      );
    }
    const { headers, text, status } = await send("BETA", body);
    if (headers.has("idempotency-replayed") || text.includes("idempotency_key_reused")) {
      found.push(`${path}: ${status} ${text.slice(0, 200)}`);
    }
  }
  return found;
}

function bodyFor(path: string, order: unknown): unknown {
  if (path === "/products") return { sku: `KEPT-${turn}`, name: "Kept" };
  if (path === "/keys") return { name: `kept ${turn}`, permission: "read" };
  return { ...(order as object), order_number: `KEPT-${turn}` };
}
