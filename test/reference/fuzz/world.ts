// What the fuzzer knows of the house: the names of records, from every answer that it got.
import type { Example } from "../../../src/reference/example.ts";
import type { TestApp } from "../../harness.ts";
import type { Case } from "./cases.ts";
import type { judgeBy, ShownOperation } from "./judge.ts";
import { Known } from "./values.ts";

const kept_max = 200;
const address = { address_line1: "12 Elm St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };

/** The prefix of an identifier. */
const prefixOf = (text: unknown) => /^([a-z]{3})_[0-9a-f]+$/.exec(String(text))?.[1];

/** The house as it is known after a story was told: its examples are where it begins. */
export class World {
  readonly #app: TestApp;
  readonly #known = new Map<string, string[]>();
  // What the examples name, by what is as good now: the fuzzer breaks whatever it can reach.
  readonly #instead = new Map<string, string>();
  #supplies = 0;

  constructor(app: TestApp, examples: Readonly<Record<string, Example>>) {
    this.#app = app;
    for (const { path, query, body, answer } of Object.values(examples)) this.learn([path, query, body, answer]);
  }

  /** Notes every text of an answer by the name of its field, and every identifier by what it names. */
  learn(value: unknown, name = ""): void {
    if (typeof value === "string") {
      if (value.length <= 200) this.#note(name, value);
      const prefix = prefixOf(value);
      if (prefix !== undefined) this.#note(prefix, value);
    } else if (Array.isArray(value)) {
      for (const item of value.slice(0, 5)) this.learn(item, name);
    } else if (typeof value === "object" && value !== null) {
      for (const [field, inner] of Object.entries(value)) this.learn(inner, field);
    }
  }

  #note(word: string, value: string): void {
    const values = this.#known.get(word) ?? [];
    if (values.includes(value)) return;
    // Of many the newest are kept, and some of the oldest.
    if (values.length >= kept_max) values.splice(kept_max / 2, 1);
    values.push(value);
    this.#known.set(word, values);
  }

  /** Brings a customer, a product with stock, and orders on their way, so that there is always something to act on. */
  async supply(): Promise<void> {
    const { post, get } = this.#app;
    this.#supplies += 1;
    const sku = `SUPPLY-${this.#supplies}`;
    const customer = await post("/customers", { email: `${sku}@example.com`, shipping_addresses: [address] });
    await post("/products", { sku, name: sku, weight: 1, weight_unit: "lb" });
    const [{ warehouse_id }] = (await get("/inventory/locations")).body.data;
    await post("/inventory", { sku, quantity: 1000, location: warehouse_id, bin: "B-02-01" });
    const buyer = { customer_id: customer.body.id, shipping_address_id: customer.body.shipping_addresses[0]?.id };
    for (const step of ["", "process", "pick", "pack", "deliver"]) {
      const line_items = [{ sku, quantity: 2, unit_price: 5 }];
      const { body } = await post("/orders", { order_number: `${sku} ${step}`, ...buyer, line_items });
      this.learn(body);
      if (step === "pack") this.#instead.set("ord_1001", body.data.id);
      if (step === "deliver") await post(`/orders/${body.data.id}/ship`);
      if (step !== "") this.learn((await post(`/orders/${body.data.id}/${step}`)).body);
    }
    for (const name of ["MILK-1L", "TEA-100"]) this.#instead.set(name, sku);
    this.#instead.set("SO-1001", `${sku} deliver`);
    this.#instead.set("cus_1001", buyer.customer_id).set("adr_1001", buyer.shipping_address_id);
  }

  /** Makes the request of a case, and says whether it is as the document wants it. */
  requestOf({ operation, path, query, body: planned, spoil }: Case, { fits }: ReturnType<typeof judgeBy>) {
    const schema = operation.requestBody?.content["application/json"]?.schema;
    const good = this.#settle(planned);
    const body = spoil === null || schema === undefined ? good : spoil(good);
    const place = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(this.#inPath(operation, name, path[name])),
    );
    const asked = Object.entries(this.#settle(query) as object).map(
      ([name, value]) => [name, String(value)] as [string, string],
    );
    const search = asked.length === 0 ? "" : `?${new URLSearchParams(asked)}`;
    const root = /^\/(?:health|metrics)/.test(place) ? "" : "/v1";
    const request = new Request(`http://packhouse.test${root}${place}${search}`, {
      method: operation.method.toUpperCase(),
      ...this.#sending(place, body, schema === undefined),
    });
    // The service sees what JSON carries.
    const sent = body === undefined ? undefined : JSON.parse(JSON.stringify(body));
    return { operation, request, body: sent, valid: schema === undefined || sent === undefined || fits(schema, sent) };
  }

  #sending(place: string, body: unknown, isText: boolean) {
    // Receivers of test mode may be near, so webhooks are made there.
    const { test, live } = this.#app.keys;
    const key = /^\/(?:webhooks|notices)/.test(place) ? test.full : live.full;
    const headers = { authorization: `Bearer ${key}` };
    if (body === undefined) return { headers };
    if (isText) return { headers: { ...headers, "content-type": "text/csv" }, body: String(body) };
    return { headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(body) };
  }

  #pick({ word, at }: Known): string {
    const values = this.#known.get(word) ?? [];
    return values[at % Math.max(values.length, 1)] ?? "none";
  }

  #settle(value: unknown): unknown {
    if (value instanceof Known) return this.#pick(value);
    if (typeof value === "string") return this.#instead.get(value) ?? value;
    if (Array.isArray(value)) return value.map((item) => this.#settle(item));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, this.#settle(inner)]));
  }

  /** The identifier in a path is one of the kind that its example names. */
  #inPath(operation: ShownOperation, name: string, value: unknown): string {
    const [shown] = operation.parameters.filter((it) => it.in === "path" && it.name === name);
    const prefix = prefixOf(shown?.example);
    if (value instanceof Known && prefix !== undefined) return this.#pick(new Known(prefix, value.at));
    const text = String(this.#settle(value));
    return /^(?:\.{0,2}|[\s/\\]+)$/.test(text) ? "none" : text;
  }
}
