// A service that is killed while it buys labels from a carrier. The carrier's own records show what was bought.
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Random, seededRandom } from "../../../src/core/random.ts";
import { createDatabase, type StartedService, startService } from "../../service.ts";
import { type FaultScript, onBothEngines } from "../fault_script.ts";

const usual_kills = 60;
const patience_ms = 60_000;
/** Longer than a claim is held, and than a stored response may be replaced. */
const claim_ms = 6 * 60_000;
const program = [process.execPath, join(import.meta.dir, "program.ts")];

/** The points of a purchase at which the service is killed. */
const moments = ["claimed", "chosen", "paying", "paid", "answered", "any"] as const;
export type Moment = (typeof moments)[number];

/** The result of some kills: what was bought, and descriptions of what is wrong. */
export interface Kills {
  readonly kills: number;
  readonly labels: number;
  readonly paid: number;
  readonly found: number;
  readonly problems: readonly string[];
}

export const purchases: FaultScript = {
  description:
    "kills a service between claiming, paying for and recording labels from a carrier that records its sales",
  lacks: async () => null,
  run: (count = usual_kills) =>
    onBothEngines(async (engine, server_url) => {
      const database_url = server_url && (await createDatabase(server_url));
      const { kills, labels, paid, found, problems } = await killPurchases(count, Date.now() % 1_000_000, database_url);
      const figures = `${labels} orders with one label each, ${paid} paid for, ${found} looked up`;
      console.log(`  ${engine}, ${kills} kills: ${figures}`);
      for (const problem of problems) console.log(`  FAILED ${problem}`);
      return problems.length;
    }),
};

/** A carrier with its own records, which has the service killed at a chosen point of the current purchase. */
export function openCarrier() {
  const books = new Map<string, { paid: number; number: string }>();
  let counted = 0;
  let looked_up = 0;
  let at: { moment: Moment; kill: () => Promise<void> } | null = null;
  /** Kills the service if this is the chosen point. */
  const reached = async (moment: Moment) => {
    if (at?.moment !== moment) return false;
    const { kill } = at;
    at = null;
    await kill();
    return true;
  };
  const book = (ref: string) => {
    const known = books.get(ref) ?? { paid: 0, number: `CNT${String(books.size + 1).padStart(9, "0")}` };
    known.paid += 1;
    books.set(ref, known);
    return known.number;
  };
  const answers: Record<string, (body: Record<string, string>) => Promise<object>> = {
    "/offers": async ({ reference = "" }) => {
      await reached("claimed");
      const ref = `${reference.split(",")[0]}#${++counted}`;
      // The offer is in flight when the service is killed: it may be chosen or not.
      if (at?.moment === "chosen") setTimeout(() => reached("chosen"), 1);
      return { ref };
    },
    "/buy": async ({ ref = "" }) => {
      if (await reached("paying")) return {};
      const number = book(ref);
      await reached("paid");
      if (at?.moment === "answered") setTimeout(() => reached("answered"), 0);
      return { number };
    },
    "/find": async ({ ref = "" }) => {
      looked_up += 1;
      return { number: books.get(ref)?.number ?? null };
    },
  };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const answer = answers[new URL(request.url).pathname];
      if (answer === undefined) return new Response(null, { status: 404 });
      return Response.json(await answer((await request.json()) as Record<string, string>));
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    books,
    lookedUp: () => looked_up,
    killAt: (moment: Moment, kill: () => Promise<void>) => {
      at = { moment, kill };
    },
    stop: () => server.stop(true),
  };
}

/** The fields of a label, an order, a customer and an account that are checked. */
interface Seen {
  readonly id: string;
  readonly label_id: string;
  readonly status: string;
  readonly tracking_number: string | null;
  readonly error: unknown;
  readonly shipments: readonly { readonly status: string; readonly tracking_number: string | null }[];
  readonly shipping_addresses: readonly { readonly id: string }[];
}

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly seen: Seen;
}

/** Sends a request. Returns null if the service ends before it responds. */
async function send(
  { url }: StartedService,
  key: string,
  method: string,
  path: string,
  body?: object,
  idempotency_key?: string,
): Promise<Answered | null> {
  try {
    const answer = await fetch(`${url}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        ...(idempotency_key !== undefined && { "idempotency-key": idempotency_key }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const parsed = JSON.parse(text) as Seen & { readonly data?: Seen };
    return { status: answer.status, text, seen: parsed.data ?? parsed };
  } catch {
    return null;
  }
}

/** What purchases from a service need. */
interface Shop {
  readonly carrier: ReturnType<typeof openCarrier>;
  readonly data: string;
  readonly database_url: string | null;
  readonly random: Random;
  ahead_ms: number;
  key: string;
}

/** Starts a service that buys from a carrier, and whose clock is ahead. */
export const startBuyer = ({ carrier, data, database_url, ahead_ms }: Omit<Shop, "random" | "key">) =>
  startService({
    data,
    database_url,
    program,
    env: {
      PURCHASES_CARRIER: carrier.url,
      PURCHASES_AHEAD_MS: String(ahead_ms),
      PACKHOUSE_LOG_LEVEL: "error",
      PACKHOUSE_BASE_URL: "http://packhouse.example",
    },
  });

/**
 * Kills a service repeatedly while it buys labels one after another, each for another order. `database_url` is an empty
 * PostgreSQL database, or null for SQLite.
 */
export async function killPurchases(kills: number, seed: number, database_url: string | null): Promise<Kills> {
  const carrier = openCarrier();
  const data = mkdtempSync(join(tmpdir(), "packhouse-purchases-"));
  const shop: Shop = { carrier, data, database_url, random: seededRandom(seed), ahead_ms: 0, key: "" };
  const problems: string[] = [];
  let service = await startBuyer(shop);
  try {
    shop.key = await service.makeKey("test");
    const buyer = await stock(service, shop.key);
    for (let n = 1; n <= kills; n += 1) {
      const moment = moments[n % moments.length] ?? "any";
      const order = await must(service, shop.key, "/orders", {
        ...buyer,
        order_number: `K-${n}`,
        line_items: [{ sku: "CUP", quantity: 1, unit_price: 2 }],
      });
      service = await killedOnce(shop, service, order.id, `K-${n}`, moment);
      problems.push(...(await problemsOf(shop, service, order.id, `K-${n}`, moment)));
    }
    const verified = await service.verify();
    if (verified.code !== 0) problems.push(`verify: ${verified.output}`);
  } finally {
    await service.stop();
    await carrier.stop();
    await rm(data, { recursive: true, force: true });
  }
  const paid = [...carrier.books.values()].reduce((sum, one) => sum + one.paid, 0);
  const labels = kills - new Set(problems.map((problem) => problem.split(" ")[0])).size;
  return {
    kills,
    labels,
    paid,
    found: carrier.lookedUp(),
    problems: problems.map((problem) => `seed ${seed}: ${problem}`),
  };
}

/** Requests a label, has the service killed meanwhile, and starts it again when its claims have expired. */
async function killedOnce(shop: Shop, service: StartedService, order_id: string, name: string, moment: Moment) {
  const { promise: dead, resolve } = Promise.withResolvers<void>();
  const kill = async () => {
    await service.kill();
    resolve();
  };
  if (moment === "any") setTimeout(kill, shop.random.integer(0, 60));
  else shop.carrier.killAt(moment, kill);
  await ask(shop, service, order_id, name);
  await dead;
  await letClaimsExpire(shop);
  return startBuyer(shop);
}

/** Moves the clock of a stopped service ahead, so that its claims have expired. */
export async function letClaimsExpire(shop: Pick<Shop, "database_url"> & { ahead_ms: number }): Promise<void> {
  if (shop.database_url === null) shop.ahead_ms += claim_ms;
  else await expireClaims(shop.database_url);
}

/** Moves the ends of claims and of pending responses back, since PostgreSQL's own clock cannot be moved ahead. */
async function expireClaims(database_url: string): Promise<void> {
  await using sql = new Bun.SQL({ url: database_url, max: 1 });
  // The last transaction of a killed process runs to its end.
  const others = () =>
    sql`select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
  while ((await others()).length > 0) await Bun.sleep(20);
  await sql`update test.packing_sessions set label_due_at = label_due_at - ${claim_ms}`;
  await sql`update test.labels set claimed_until = claimed_until - ${claim_ms}`;
  await sql`update test.idempotency_keys set open_until = open_until - ${claim_ms}`;
}

const ask = ({ key }: Shop, service: StartedService, order_id: string, name: string) => {
  const body = { order_id, carrier: "counted", service: "ground", package: { weight: 1 } };
  return send(service, key, "POST", "/shipping/labels", body, name);
};

/** Repeats the request as its client would, waits for its label, and compares it with the carrier's records. */
async function problemsOf(shop: Shop, service: StartedService, order_id: string, name: string, moment: Moment) {
  const problem = (words: string) => [`${name} (killed when ${moment}) ${words}`];
  const repeated = await ask(shop, service, order_id, name);
  if (repeated === null || repeated.status >= 300) {
    return problem(`returned ${repeated?.status}: ${repeated?.text}`);
  }
  const { label_id } = repeated.seen;
  const late_at = performance.now() + patience_ms;
  let label = repeated.seen;
  while (label.status === "processing" && performance.now() < late_at) {
    await Bun.sleep(50);
    label = (await send(service, shop.key, "GET", `/shipping/labels/${label_id}`))?.seen ?? label;
  }
  const again = await ask(shop, service, order_id, name);
  const bought = [...shop.carrier.books].filter(([ref]) => ref.startsWith(`${name}#`));
  const paid = bought.reduce((sum, [, one]) => sum + one.paid, 0);
  const order = (await send(service, shop.key, "GET", `/orders/${order_id}`))?.seen;
  const parcels = (order?.shipments ?? []).filter((one) => one.status !== "voided");
  const found: string[] = [];
  if (label.status !== "completed") found.push(...problem(`ended as ${label.status}: ${JSON.stringify(label.error)}`));
  if (paid !== 1) found.push(...problem(`was paid for ${paid} times`));
  if (label.tracking_number !== bought[0]?.[1].number)
    found.push(...problem(`has the number ${label.tracking_number}`));
  if (parcels.length !== 1 || parcels[0]?.tracking_number !== label.tracking_number) {
    found.push(...problem(`has ${parcels.length} parcels`));
  }
  if (again?.status !== repeated.status || again.text !== repeated.text) {
    found.push(...problem("returns something else when it is repeated"));
  }
  return found;
}

async function must(service: StartedService, key: string, path: string, body: object) {
  const answer = await send(service, key, "POST", path, body);
  if (answer === null || answer.status >= 300) throw new Error(`POST ${path}: ${answer?.text}`);
  return answer.seen;
}

/** Creates a product, a customer, and an account at the carrier. Returns what an order needs. */
export async function stock(service: StartedService, key: string) {
  const act = (path: string, body: object) => must(service, key, path, body);
  await act("/products", { sku: "CUP", name: "Cup", price: 2 });
  await act("/inventory", { sku: "CUP", quantity: 1000 });
  const account = await act("/shipping/carrier_accounts", {
    connector: "counted",
    credentials: { api_key: "counted" },
  });
  await act(`/shipping/carrier_accounts/${account.id}/test`, {});
  const address = { address_line1: "12 Elm St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };
  const person = { email: "jane@example.com", first_name: "Jane", last_name: "Doe", shipping_addresses: [address] };
  const made = await act("/customers", person);
  return { customer_id: made.id, shipping_address_id: made.shipping_addresses[0]?.id };
}
