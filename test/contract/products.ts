import { describe, expect } from "bun:test";
import { expectPages, replay } from "./service.ts";
import {
  anyListOf,
  decimal,
  envelope,
  envelopedList,
  expectShape,
  flag,
  integer,
  moment,
  object,
  oneOf,
  orNull,
  prefixed,
  record,
  text,
} from "./shape.ts";
import { fresh, makeStock, numberOf } from "./supplies.ts";

// The specification shows no field of a product: these are the contract's.
const product = record({
  id: prefixed("prd_"),
  sku: text,
  name: text,
  description: orNull(text),
  type: oneOf("simple", "bundle"),
  components: anyListOf(record({ sku: text, quantity: integer })),
  barcodes: anyListOf(record({ value: text, type: text })),
  weight: orNull(decimal),
  weight_unit: orNull(text),
  dimensions: orNull(record({ length: decimal, width: decimal, height: decimal, unit: text })),
  price: orNull(decimal),
  currency: text,
  temperature_zone: oneOf("ambient", "refrigerated", "frozen"),
  lot_tracking: flag,
  expiration_tracking: flag,
  min_shelf_life_days: orNull(integer),
  reorder_point: integer,
  customs: orNull(object),
  status: oneOf("active", "inactive"),
  metadata: object,
  revision: integer,
  created_at: moment,
  updated_at: moment,
});

const everyField = () => ({
  sku: fresh("WIDGET"),
  name: "Premium Widget",
  description: "A widget of the better sort",
  type: "simple",
  barcodes: [{ value: fresh("BC"), type: "code128" }],
  weight: 1.5,
  weight_unit: "lb",
  dimensions: { length: 12, width: 10, height: 8, unit: "in" },
  price: 29.99,
  currency: "USD",
  temperature_zone: "refrigerated",
  lot_tracking: true,
  expiration_tracking: true,
  min_shelf_life_days: 14,
  reorder_point: 50,
  customs: { hs_code: "040610", country_of_origin: "US", description: "Fresh cheese" },
  status: "active",
  metadata: { season: "spring" },
});

describe("products", () => {
  replay("POST /products", "creates a product of which every field is given", async (api) => {
    const body = everyField();
    const answer = await api.ask("POST", "/products", body);
    expect(answer.status).toBe(201);
    expectShape(answer.body, envelope(product));
    const { barcodes: _barcodes, customs: _customs, ...rest } = body;
    expect(answer.at("data")).toMatchObject(rest);
  });

  replay("POST /products", "creates a product from a SKU and a name", async (api) => {
    const answer = await api.post("/products", { sku: fresh("PLAIN"), name: "Plain" });
    expectShape(answer.body, envelope(product));
    expect(answer.at("data")).toMatchObject({ type: "simple", status: "active", temperature_zone: "ambient" });
  });

  replay("POST /products", "refuses a SKU that is taken", async (api) => {
    const { sku, product_id } = await makeStock(api, 0);
    const answer = await api.refused(409, "duplicate_sku", "POST", "/products", { sku, name: "Again" });
    expect(answer.at("error.existing_id")).toBe(product_id);
  });

  replay("GET /products", "lists in pages", async (api) => {
    const { sku } = await makeStock(api, 0);
    await makeStock(api, 0);
    expectShape((await api.get("/products")).body, envelopedList(product));
    await expectPages(api, "/products");
    expect((await api.get(`/products?sku=${sku}`)).at("data")).toMatchObject([{ sku }]);
  });

  replay("GET /products/:id", "answers by either form of the identifier", async (api) => {
    const { product_id } = await makeStock(api, 0);
    const answer = await api.get(`/products/${product_id}`);
    expectShape(answer.body, envelope(product));
    expect((await api.get(`/products/${numberOf(product_id)}`)).at("data")).toEqual(answer.at("data"));
    await api.refused(404, "resource_missing", "GET", "/products/prd_999");
  });

  replay("PATCH /products/:id", "changes what is given and nothing else", async (api) => {
    const made = await api.post("/products", everyField());
    const path = `/products/${made.textAt("data.id")}`;
    const answer = await api.patch(path, { name: "Premium Widget II", reorder_point: 60 });
    expectShape(answer.body, envelope(product));
    const { updated_at: _at, revision: _revision, ...before } = made.at("data") as Record<string, unknown>;
    expect(answer.at("data")).toMatchObject({ ...before, name: "Premium Widget II", reorder_point: 60 });
    expect((await api.get(path)).at("data")).toEqual(answer.at("data"));
  });
});
