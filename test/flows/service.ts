// A complete service for a flow: the real command in its own process, on the engine of this process.
import { createDatabase, type ServiceSettings, type StartedService } from "../../scripts/service.ts";
import { databaseUrl, engine } from "../../src/core/config.ts";
import { checkAnswer } from "./openapi_validator.ts";
import { startWatchedService, watchAt } from "./watched_service.ts";

/** An empty database of the PostgreSQL under test, or null on SQLite, where the data directory is the database. */
export async function freshDatabase(): Promise<string | null> {
  if (engine === "sqlite" || databaseUrl === null) return null;
  return createDatabase(databaseUrl);
}

/** Starts a service on an empty database of the engine under test. */
export async function startFreshService(settings: ServiceSettings = {}): Promise<StartedService> {
  return startWatchedService({ database_url: await freshDatabase(), ...settings });
}

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: flows read responses of any shape.
  readonly body: any;
}

/** A client of a service, with one key. */
export function client(url: string, key: string) {
  const watch = watchAt(url);
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const sent = body === undefined ? "" : JSON.stringify(body);
    const response = await fetch(`${url}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: sent }),
    });
    const text = await response.text();
    watch?.exchange({ method, path, sent, status: response.status, answer: text, headers: response.headers });
    const answer: Answer = { status: response.status, body: text === "" ? null : JSON.parse(text) };
    checkAnswer(method, path, answer.status, answer.body);
    return answer;
  };
  /** Sends a request and expects a 2xx response. */
  const must = async (method: string, path: string, body?: unknown) => {
    const answer = await send(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  return { send, must };
}
export type Client = ReturnType<typeof client>;

/** Creates a customer, and products with this much stock each. Returns what an order needs. */
export async function stockUp(api: Client, skus: readonly string[], quantity: number) {
  // The simulated carrier leaves the scans of parcels to the test.
  const lines = { address_line1: "100 Commercial St", address_line2: "SIM-NO-SCANS" };
  const customer = await api.must("POST", "/customers", {
    email: "orders@harbour-kitchen.example",
    company: "Harbour Kitchen",
    shipping_addresses: [{ ...lines, city: "Portland", state: "ME", postal_code: "04101", country: "US" }],
  });
  const locations = await api.must("GET", "/inventory/locations");
  const location = locations.data[0].warehouse_id;
  for (const sku of skus) {
    await api.must("POST", "/products", { sku, name: `Product ${sku}`, weight: 1, weight_unit: "lb", price: "5.00" });
    await api.must("POST", "/inventory", { sku, quantity, location });
  }
  return { customer_id: customer.id, shipping_address_id: customer.shipping_addresses[0].id, location };
}
