// `fields` and `expand` on every list and every single record: what they show is compared with the whole records.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expandable } from "../../src/http/expansion.ts";
import { operationsOf } from "../../src/server/openapi/description.ts";
import { signedInAs } from "../identity/people.ts";
import { type Found, makeRecords, type Records } from "./records.ts";

let records: Records;
beforeAll(async () => {
  records = await makeRecords(11);
}, 60_000);
afterAll(() => records.app.close());

const ask = async (path: string): Promise<Found> => {
  const { status, body, headers } = await records.app.get(path);
  expect([path, status, body.error]).toEqual([path, 200, undefined]);
  return { data: body.data ?? body, headers };
};

/** The lists, by the kind of record that they include in others. */
const listPaths: Readonly<Record<(typeof expandable)[number], string>> = {
  customer: "/customers",
  label: "/shipping/labels",
  merchant: "/merchants",
  order: "/orders",
  product: "/products",
  return: "/returns",
  shipment: "/shipments",
  warehouse: "/inventory/locations",
};

/** All records of a kind. Warehouses have no pages. */
const allOf = (name: keyof typeof listPaths) =>
  name === "warehouse" ? ask(listPaths[name]).then(({ data }) => data as Found[]) : page(listPaths[name]);

/** A list with the most records that a page can have. */
const page = (path: string, query = "") => ask(`${path}?limit=100${query}`).then(({ data }) => data as Found[]);

/** Every list of records and every single record that takes the two parameters, from the routes themselves. */
const described = () =>
  operationsOf(records.app.app.routes)
    .filter(({ method, alias }) => method === "get" && !alias)
    .map(({ path, query, answers, need, documents }) => {
      const view = answers[200]?.["properties"];
      const shown = view?.["data"] ?? answers[200];
      return { path, need, documents, parameters: Object.keys(query?.properties ?? {}), shown, query };
    });

/** The records that a query can add. */
function offeredBy(query: Found): string[] {
  const item = query?.properties["expand"]?.["items"];
  return (item?.anyOf ?? [item]).flatMap((one: Found) => one?.const ?? []);
}

test("every list and every record has fields, and expand for what its ids name", () => {
  let count = 0;
  for (const { path, need, documents, parameters, shown, query } of described()) {
    const isRecord = path.includes("{") && need !== "none" && documents.length === 0 && shown != null;
    if (!parameters.includes("cursor") && !isRecord) continue;
    count += 1;
    const record = shown?.["items"] ?? shown;
    const names = expandable.filter((name) => `${name}_id` in (record?.["properties"] ?? {}));
    expect([path, parameters.includes("fields"), offeredBy(query)]).toEqual([path, true, names]);
  }
  expect(count).toBeGreaterThan(60);
});

/** Lists whose records have no time of creation: sums of a day, and what is as it is now. */
const timeless = [
  ...["/billing/storage", "/exceptions", "/imports/{id}/rows", "/inventory", "/inventory/bins", "/inventory/items"],
];

test("every list can be narrowed by the times that its records show, and by several words or identifiers", () => {
  const without: string[] = [];
  for (const { path, parameters, shown, query } of described().filter((one) => one.parameters.includes("cursor"))) {
    const record = shown?.["items"]?.["properties"] ?? {};
    const times = ["created", "updated"].filter((time) => `${time}_at` in record);
    const filters = times.flatMap((time) => [`${time}_after`, `${time}_before`]);
    expect([path, filters.filter((name) => !parameters.includes(name))]).toEqual([path, []]);
    if (!parameters.includes("created_after") || !parameters.includes("created_before")) without.push(path);
    const single = Object.entries<Found>(query?.properties ?? {}).filter(([, schema]) => schema.anyOf !== undefined);
    expect([path, single.map(([name]) => name).filter((name) => name !== "sort")]).toEqual([path, []]);
  }
  expect(without.sort()).toEqual(timeless);
});

const lists = [
  ...["/orders", "/customers", "/products", "/returns", "/shipping/labels", "/shipments", "/tracking", "/inventory"],
  ...["/inventory/movements", "/inventory/reservations", "/inventory/receipts", "/inventory/transfers"],
  ...["/inventory/lots", "/inventory/counts", "/inventory/items", "/inventory/bins", "/shipping/manifests", "/audit"],
  ...["/keys", "/merchants", "/billing/events"],
];

describe("fields", () => {
  test.each(lists)("of %s keeps only these, in every record", async (path) => {
    const whole = await page(path);
    const [first] = whole;
    const names = Object.keys(first).filter((_, at) => at % 3 === 0);
    const chosen = await page(path, `&fields=${names}`);
    const kept = whole.map((one) =>
      Object.fromEntries(names.flatMap((name) => (name in one ? [[name, one[name]]] : []))),
    );
    expect(chosen).toEqual(kept);
    expect(whole.length).toBeGreaterThan(0);
  });

  test("reach into objects and rows", async () => {
    const [order] = records.orders;
    const { data } = await ask(`/orders/${order.id}?fields=line_items.sku,id,customer.email,line_items.quantity`);
    const { id, customer, line_items } = order;
    expect(data).toEqual({
      id,
      customer: { email: customer.email },
      line_items: line_items.map(({ sku, quantity }: Found) => ({ sku, quantity })),
    });
    // A field within one that is kept whole changes nothing.
    const both = await ask(`/orders/${order.id}?fields=customer.email,customer`);
    expect(both.data).toEqual({ customer });
    expect((await ask(`/customers/${customer.id ?? order.customer_id}?fields=metadata.mine`)).data).toEqual({
      metadata: {},
    });
  });

  test.each([
    ["/orders?fields=id,statuss", "statuss", "status"],
    ["/orders?fields=line_items.skuu", "line_items.skuu", "line_items.sku"],
    ["/orders/ord_1?fields=id.x", "id.x", "has no fields inside"],
    ["/inventory?fields=locations.bin", "locations.bin", "locations.quantity"],
  ])("%s is refused, and names what can be asked for", async (path, unknown, known) => {
    const { status, body } = await records.app.get(path);
    expect([status, body.error.code]).toEqual([422, "validation_failed"]);
    const [{ field, code, message }] = body.error.details;
    expect([field, code]).toEqual(["fields", "unknown_field"]);
    expect(message).toContain(`"${unknown}"`);
    expect(message).toContain(known);
  });

  test("continue with a cursor, whatever the fields are", async () => {
    const { body } = await records.app.get("/orders?limit=5&fields=id");
    const next = await page("/orders", `&fields=status,id&cursor=${body.meta.pagination.next_cursor}`);
    expect(next.map(({ id }) => id)).toEqual((await page("/orders")).slice(5).map(({ id }) => id));
  });
});

describe("expand", () => {
  test.each(lists)("of %s adds the records that its ids name, as their lists show them", async (path) => {
    const [one] = described().filter((it) => it.path === path && it.parameters.includes("expand"));
    const offered = offeredBy(one?.query);
    if (offered.length === 0) return;
    const whole = await page(path);
    const expanded = await page(path, `&expand=${offered}`);
    const known = new Map<string, Found>();
    for (const name of offered) {
      const all = await allOf(name as keyof typeof listPaths);
      for (const record of all) known.set(record.id ?? record[`${name}_id`], record);
    }
    const expected = whole.map((record) => {
      const added = offered.map((name) => {
        const found = known.get(record[`${name}_id`]) ?? null;
        return [name, record[name] === undefined ? found : { ...record[name], ...found }];
      });
      return { ...record, ...Object.fromEntries(added) };
    });
    expect(expanded).toEqual(expected);
  });

  test("of a single record, and fields of what it adds", async () => {
    const order = records.orders.find(({ shipments }) => shipments.length > 0);
    const query = "expand=customer,merchant&fields=id,customer.first_name,merchant.code";
    const customer = records.customers.find(({ id }) => id === order.customer_id);
    expect((await ask(`/orders/${order.id}?${query}`)).data).toEqual({
      id: order.id,
      customer: { first_name: customer.first_name },
      merchant: { code: "MAIN" },
    });
  });

  test.each([
    ["/orders?expand=shipment", "customer, merchant"],
    ["/orders?expand=customers", "customer, merchant"],
  ])("%s is refused, and names what can be added", async (path, known) => {
    const { status, body } = await records.app.get(path);
    expect([status, body.error.details[0].field]).toEqual([422, "expand"]);
    expect(body.error.details[0].message).toContain(known);
  });

  test("needs the permission to read what it adds", async () => {
    const { headers } = await signedInAs(records.app.service, "floor");
    const as = (path: string) => records.app.call("GET", path, undefined, { headers, key: null });
    const { status, body } = await as("/orders?expand=customer");
    expect([status, body.error.code]).toEqual([422, "validation_failed"]);
    expect(body.error.details).toMatchObject([{ field: "expand", code: "not_permitted" }]);
    expect((await as("/orders?expand=merchant")).status).toBe(200);
  });
});

test("a response with chosen fields or added records has no ETag, and is never 304", async () => {
  const [{ id }] = records.orders as [Found];
  const { headers } = await ask(`/orders/${id}`);
  const etag = headers.get("etag") ?? "";
  expect(etag).not.toBe("");
  for (const query of ["fields=id,revision", "expand=customer"]) {
    const again = await records.app.call("GET", `/orders/${id}?${query}`, undefined, {
      headers: { "if-none-match": etag },
    });
    expect([again.status, again.headers.get("etag")]).toEqual([200, null]);
  }
  const same = await records.app.call("GET", `/orders/${id}`, undefined, { headers: { "if-none-match": etag } });
  expect(same.status).toBe(304);
});
