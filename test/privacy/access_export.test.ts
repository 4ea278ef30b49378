// An access export is complete, with former addresses and records without a customer, and covers no one else.
import { expect, setDefaultTimeout, test } from "bun:test";
import { eq } from "drizzle-orm";
import { customer_words } from "../../db/schema/customers.ts";
import { openShop } from "../build/shop.ts";

setDefaultTimeout(60_000);

let number = 0;
const shop = await openShop();
const goods: { id: string; sku: string } = await shop.product({ units: 100 });

interface Asking {
  readonly key?: string;
  readonly headers?: Record<string, string>;
}

const post = (path: string, body: unknown = {}, asking: Asking = {}) => shop.app.must("POST", path, body, asking);

const address = { address_line1: "9 Elm St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };
const person = (email: string, asking?: Asking) =>
  post("/customers", { email, first_name: "Ann", last_name: "Lee", shipping_addresses: [address] }, asking);

type Person = { readonly id: string; readonly shipping_addresses: readonly { readonly id: string }[] };

const draftFor = ({ id, shipping_addresses }: Person, fields: object = {}) =>
  shop.draft([[goods, 1]], { customer_id: id, shipping_address_id: shipping_addresses[0]?.id, ...fields });

interface Told {
  readonly about: { readonly customers: readonly string[] };
  readonly records: readonly { readonly records: string; readonly rows: readonly Record<string, unknown>[] }[];
}
const rowsOf = ({ records }: Told, kind: string) => records.find((one) => one.records === kind)?.rows ?? [];

async function erased(email: string): Promise<void> {
  await post("/erasures", { email });
  await shop.app.runJobs();
}

test("an export of an erased customer contains nothing about other erased customers", async () => {
  const people: Person[] = [await person("first@example.com"), await person("second@example.com")];
  const orders: { id: string; order_number: string }[] = [];
  for (const one of people) {
    orders.push(await post("/orders", draftFor(one)));
    await shop.cancel(orders.at(-1)?.id ?? "");
  }
  await erased("first@example.com");
  await erased("second@example.com");
  const told: Told = await post(`/customers/${people[0]?.id}/disclosure`);
  const shown = JSON.stringify(told.records);
  expect(shown).toContain(orders[0]?.order_number ?? "none");
  expect(shown).not.toContain(orders[1]?.order_number ?? "none");
  // Whole payloads are dropped.
  expect(rowsOf(told, "events")).toEqual([]);
});

test("an export of an address contains nothing about longer addresses that contain it", async () => {
  const ann: Person = await person("ann@gmail.example");
  const joann: Person = await person("joann@gmail.example");
  const order = await post("/orders", draftFor(joann, { order_notes: "for joann@gmail.example at the door" }));
  const told: Told = await post("/disclosures", { email: "ann@gmail.example" });
  expect(told.about.customers).toEqual([ann.id]);
  expect(JSON.stringify(told)).not.toContain("joann@gmail.example");
  await shop.cancel(order.id);
  await shop.app.runJobs();
  const seen = (await shop.app.get("/events?limit=100")).body;
  await erased("ann@gmail.example");
  const left = (await shop.app.get("/events?limit=100")).body;
  const about = (list: { data: unknown[] }) =>
    list.data.filter((event) => JSON.stringify(event).includes(`"${joann.id}"`));
  expect(about(left).length).toBeGreaterThan(0);
  expect(about(left)).toEqual(about(seen));
});

test("a company name that looks like an address does not match it", async () => {
  const company = "orders@acme.example";
  const buyer = await post("/customers", { email: "ann@acme.example", company, shipping_addresses: [address] });
  const told: Told = await post("/disclosures", { email: company });
  expect(told.about.customers).toEqual([]);
  expect((await post("/erasures", { email: company })).customers).toEqual([]);
  await shop.app.runJobs();
  expect((await shop.app.get(`/customers/${buyer.id}`)).body).toMatchObject({ company, erased_at: null });
});

test("a staff address in returns of several buyers belongs to none of them", async () => {
  const [one, other]: Person[] = [await person("first@example.com"), await person("second@example.com")];
  const made: Record<string, { id: string }> = {};
  for (const customer of [one, other] as Person[]) {
    const order = await post("/orders", draftFor(customer));
    for (const act of ["process", "ship", "deliver"]) await shop.act(order.id, act);
    const items = [{ sku: goods.sku, quantity: 1, notes: "too bitter" }];
    const asked = { order_id: order.id, reason: "other", customer_email: "desk@house.example", items };
    made[customer.id] = await post("/returns", asked);
  }
  const others = made[other?.id ?? ""]?.id ?? "";
  const told: Told = await post(`/customers/${one?.id}/disclosure`);
  expect(JSON.stringify(told.records)).toContain(made[one?.id ?? ""]?.id ?? "none");
  expect(JSON.stringify(told.records)).not.toContain(`"${others}"`);
  const before = (await shop.app.get(`/returns/${others}`)).body.data;
  await post(`/returns/${made[one?.id ?? ""]?.id}/cancel`);
  await post(`/customers/${one?.id}/erasure`);
  await shop.app.runJobs();
  expect((await shop.app.get(`/customers/${one?.id}`)).body.erased_at).not.toBeNull();
  expect((await shop.app.get(`/returns/${others}`)).body.data).toEqual(before);
  const events = (await shop.app.get("/events?type=return.created&limit=100")).body.data;
  const theirs = events.filter((event: unknown) => JSON.stringify(event).includes(`"${others}"`));
  expect(JSON.stringify(theirs)).toContain("desk@house.example");
});

test("from a stored response about several people the export contains only the person's part", async () => {
  const [one, other]: Person[] = [await person("one@example.com"), await person("other@example.com")];
  const orders = [one, other].map((customer) => draftFor(customer as Person));
  const made = await post("/orders/bulk", { orders }, { headers: { "idempotency-key": "many" } });
  const told: Told = await post(`/customers/${one?.id}/disclosure`);
  const answers = JSON.stringify(rowsOf(told, "stored_responses"));
  expect(answers).toContain("one@example.com");
  expect(answers).toContain(orders[0]?.order_number as string);
  expect(answers).not.toContain("other@example.com");
  expect(answers).not.toContain(orders[1]?.order_number as string);
  expect(made.results).toHaveLength(2);
});

test("a return of another's order is exported to the person it names, and erasure removes the address", async () => {
  const order = await shop.order([[goods, 1]]);
  for (const act of ["process", "ship", "deliver"]) await shop.act(order.id, act);
  const asked = { order_id: order.id, reason: "other", items: [{ sku: goods.sku, quantity: 1, notes: "too bitter" }] };
  const made = await post("/returns", { ...asked, customer_email: "Aunt@example.com" });
  const told: Told = await post("/disclosures", { email: "aunt@example.com" });
  expect(rowsOf(told, "returns")).toMatchObject([{ customer_email: "Aunt@example.com" }]);
  expect(rowsOf(told, "orders")).toEqual([]);
  await erased("aunt@example.com");
  expect((await shop.app.get(`/returns/${made.id}`)).body.data.customer_email).toBeNull();
});

const nothing = () => Promise.resolve();
test.each([
  ["though it is a part of one before", nothing],
  ["also by a version that kept none whole", forgetWhole],
])("a person is found by a former address without an order, %s", async (_, before) => {
  const old = `old.${++number}@example.com`;
  const customer: Person = await person(`x-${old}`);
  await shop.app.patch(`/customers/${customer.id}`, { email: old });
  await before();
  await shop.app.patch(`/customers/${customer.id}`, { email: `new-${number}@example.com` });
  const other: Person = await person(`mary-${old}`);
  const told: Told = await post("/disclosures", { email: old });
  expect(told.about.customers).toEqual([customer.id]);
  const begun = await post("/erasures", { email: old });
  expect(begun.customers).toEqual([customer.id]);
  await shop.app.runJobs();
  expect((await shop.app.get(`/customers/${customer.id}`)).body.erased_at).not.toBeNull();
  expect((await shop.app.get(`/customers/${other.id}`)).body.email).toBe(`mary-${old}`);
});

/** Reduces the search words of customers to those of a version that did not index whole addresses. */
async function forgetWhole(): Promise<void> {
  const { live } = shop.app.service.stores;
  const rows = await live.read((db) => db.sql.select().from(customer_words));
  for (const { word } of rows.filter((row) => row.word.startsWith("<"))) {
    await live.write((tx) => tx.sql.delete(customer_words).where(eq(customer_words.word, word)));
  }
}

test("a merchant's customer is exported only from that merchant's data, also for the operator", async () => {
  const keys: Record<string, string> = {};
  for (const code of ["ROAST", "BREW"]) {
    await post("/merchants", { code, name: code });
    keys[code] = (await post("/keys", { name: code, permission: "full", merchant_id: code })).key;
  }
  const asked = (code: string) => ({ key: keys[code] as string, headers: { "idempotency-key": `made-at-${code}` } });
  const [roasted, brewed]: Person[] = [
    await person("both@example.com", asked("ROAST")),
    await person("both@example.com", asked("BREW")),
  ];
  const told: Told = await post(`/customers/${roasted?.id}/disclosure`);
  expect(rowsOf(told, "stored_responses")).toHaveLength(1);
  expect(JSON.stringify(told)).toContain(`"${roasted?.id}"`);
  expect(JSON.stringify(told)).not.toContain(`"${brewed?.id}"`);
  const all: Told = await post("/disclosures", { email: "both@example.com" });
  expect(all.about.customers.toSorted()).toEqual([roasted?.id as string, brewed?.id as string].toSorted());
});
