// The schema itself refuses, on each engine: records without a merchant, references to another merchant's records,
// and duplicate names within a merchant.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import pg from "pg";
import { databaseUrl } from "../../../src/core/config.ts";
import { migrateSqlite } from "../../../src/storage/migrations/migrate.ts";
import { migratePostgres } from "../../../src/storage/migrations/migrate_postgres.ts";

type Row = Readonly<Record<string, string | number | boolean | null>>;

const made = { created_at: 5, updated_at: 5 };
const product = {
  name: "",
  type: "simple",
  currency: "EUR",
  temperature_zone: "ambient",
  lot_tracking: false,
  ...made,
};
const trackings = { expiration_tracking: false, min_shelf_life_days: 0, reorder_point: 0, status: "active" };
const customer = { metadata: "{}", revision: 1, ...made };
const order = {
  ...{ status: "pending", held: false, customer_email: "", customer_name: "", shipping_address_id: 1 },
  ...{ shipping_address: "{}", requires_cold_storage: false, priority: 0, allow_backorder: false, subtotal_cents: 0 },
  ...{ shipping_amount_cents: 0, currency: "EUR", source_platform: "api", metadata: "{}", revision: 1, ...made },
};
const packed = { quantity_packed: 0, quantity_shipped: 0, quantity_delivered: 0, quantity_returned: 0 };
const line = { sku: "A", name: "", quantity: 3, unit_price_cents: 0, quantity_cancelled: 0, ...packed };
const stock = { warehouse_id: 1, on_hand: 5, reserved: 0, received_at: 5, updated_at: 5 };
const wish = { reservation_id: 1, quantity: 3, wanted: 3, reserved: 0, picked: 0 };

/** Rows of the default merchant, and the rows that they reference. */
const there: readonly (readonly [table: string, row: Row])[] = [
  ["warehouses", { id: 1, name: "W", address: "{}", timezone: "Europe/Paris", priority: 1, revision: 1, ...made }],
  ["bins", { id: 1, warehouse_id: 1, code: "B", kind: "storage", pick_order: 0 }],
  ["bins", { id: 2, warehouse_id: 1, code: "C", kind: "storage", pick_order: 0 }],
  ["products", { id: 1, merchant_id: 1, sku: "A", metadata: "{}", revision: 1, ...product, ...trackings }],
  ["product_barcodes", { id: 1, merchant_id: 1, product_id: 1, value: "4006381333931", type: "ean" }],
  ["stock_items", { id: 1, merchant_id: 1, product_id: 1, bin_id: 1, ...stock }],
  ["customers", { id: 1, merchant_id: 1, email: "a@b.example", email_key: "a@b.example", ...customer }],
  ["orders", { id: 1, merchant_id: 1, order_number: "1", customer_id: 1, ...order }],
  ["orders", { id: 2, merchant_id: 1, order_number: "2", customer_id: 1, ...order, held: true }],
  [
    "orders",
    { id: 3, merchant_id: 1, order_number: "3", customer_id: 1, ...order, status: "cancelled", cancel_reason: "other" },
  ],
  ["order_lines", { id: 1, merchant_id: 1, order_id: 1, product_id: 1, ...line }],
  [
    "reservations",
    {
      ...{ id: 1, merchant_id: 1, order_id: 1, order_ref: "1", source: "api", status: "reserved", priority: 0 },
      ...{ paused: false, requires_cold_storage: false, created_at: 5 },
    },
  ],
  ["reservation_lines", { id: 1, merchant_id: 1, product_id: 1, order_line_id: 1, ...wish, reserved: 2 }],
  ["allocations", { id: 1, merchant_id: 1, reservation_line_id: 1, stock_item_id: 1, quantity: 2 }],
];

function inserting(table: string, row: Row): string {
  const literals = Object.values(row).map((value) => (typeof value === "string" ? `'${value}'` : String(value)));
  return `insert into ${table} (${Object.keys(row).join(", ")}) values (${literals.join(", ")})`;
}

/** Another merchant with its own goods, customer and order. */
const another = [
  inserting("merchants", {
    id: 2,
    code: "OTHER",
    name: "",
    status: "active",
    currency: "EUR",
    timezone: "UTC",
    ...made,
  }),
  inserting("products", { id: 8, merchant_id: 2, sku: "A", metadata: "{}", revision: 1, ...product, ...trackings }),
  inserting("product_barcodes", { merchant_id: 2, product_id: 8, value: "4006381333931", type: "ean" }),
  inserting("customers", { id: 8, merchant_id: 2, email: "a@b.example", email_key: "a@b.example", ...customer }),
  inserting("stock_items", { id: 8, merchant_id: 2, product_id: 8, bin_id: 1, ...stock }),
  inserting("orders", { id: 8, merchant_id: 2, order_number: "1", customer_id: 8, ...order }),
  inserting("order_lines", { merchant_id: 2, order_id: 8, product_id: 8, ...line }),
  inserting("reservation_lines", { id: 8, merchant_id: 2, product_id: 8, ...wish }),
  inserting("allocations", { merchant_id: 2, reservation_line_id: 8, stock_item_id: 8, quantity: 1 }),
];

const crossing: Readonly<Record<string, string>> = {
  "an order of another's customer": inserting("orders", {
    merchant_id: 1,
    order_number: "9",
    customer_id: 8,
    ...order,
  }),
  "an order line of another's product": inserting("order_lines", {
    merchant_id: 1,
    order_id: 1,
    product_id: 8,
    ...line,
  }),
  "a stock item of another's product": inserting("stock_items", { merchant_id: 1, product_id: 8, bin_id: 2, ...stock }),
  "a wish for another's product": inserting("reservation_lines", { merchant_id: 1, product_id: 8, ...wish }),
  "a promise of another's units": inserting("allocations", {
    ...{ merchant_id: 1, reservation_line_id: 1, stock_item_id: 8, quantity: 1 },
  }),
  "a product that changes hands with stock": "update products set merchant_id = 1, sku = 'C' where id = 8",
  "a product of nobody there is": inserting("products", {
    ...{ merchant_id: 7, sku: "Z", metadata: "{}", revision: 1, ...product, ...trackings },
  }),
};

const twice: Readonly<Record<string, string>> = {
  SKU: inserting("products", { merchant_id: 2, sku: "A", metadata: "{}", revision: 1, ...product, ...trackings }),
  barcode: inserting("product_barcodes", { merchant_id: 2, product_id: 8, value: "4006381333931", type: "ean" }),
  "e-mail address": inserting("customers", { merchant_id: 2, email: "", email_key: "a@b.example", ...customer }),
  "order number": inserting("orders", { merchant_id: 2, order_number: "1", customer_id: 8, ...order }),
};

const unowned = inserting("products", { sku: "N", metadata: "{}", revision: 1, ...product, ...trackings });
const counts = `select merchant_id, status, cast(held as int), cast(sum(number) as int) from order_counts
  group by 1, 2, 3 having sum(number) <> 0 order by 1, 2, 3`;

/** A database on either engine. */
interface Base {
  run(sql: string): Promise<void>;
  rows(sql: string): Promise<unknown[][]>;
  close(): Promise<void>;
}

function sqlite(): Base {
  const raw = new Database(":memory:", { strict: true });
  migrateSqlite(raw, "live", "memory");
  return {
    run: async (sql) => {
      raw.run(sql);
    },
    rows: async (sql) => raw.query(sql).values(),
    close: async () => raw.close(),
  };
}

async function postgres(url: string): Promise<Base> {
  const schema = `temporary_${process.pid}_merchants`;
  await migratePostgres(url, schema, "live");
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`set search_path to ${schema}`);
  return {
    run: async (sql) => {
      await client.query(sql);
    },
    rows: async (text) => (await client.query<unknown[]>({ text, rowMode: "array" })).rows,
    close: async () => {
      await client.query(`drop schema if exists ${schema} cascade`);
      await client.end();
    },
  };
}

describe("the schema", () => {
  let base: Base;
  beforeAll(async () => {
    base = databaseUrl === null ? sqlite() : await postgres(databaseUrl);
    for (const [table, row] of there) await base.run(inserting(table, row));
  });
  afterAll(() => base.close());

  test("counts orders by merchant, and every order has one", async () => {
    const told = async () => (await base.rows(counts)).map(([merchant, ...rest]) => [Number(merchant), ...rest]);
    const mine = [
      [1, "cancelled", 0, 1],
      [1, "pending", 0, 1],
      [1, "pending", 1, 1],
    ];
    expect(await told()).toEqual(mine);
    for (const statement of another) await base.run(statement);
    expect(await told()).toEqual([...mine, [2, "pending", 0, 1]]);
    await base.run("update orders set held = true where id = 8");
    expect(await told()).toEqual([...mine, [2, "pending", 1, 1]]);
    await expect(base.run(unowned)).rejects.toThrow(/merchant_id/);
  });

  test("refuses references from one merchant to another", async () => {
    for (const [what, statement] of Object.entries(crossing)) {
      const said = await base.run(statement).then(
        () => "taken",
        (error: Error) => error.message,
      );
      expect({ what, said }).toEqual({ what, said: expect.stringMatching(/foreign key/i) });
    }
  });

  test("refuses a duplicate name within a merchant, but allows it across merchants", async () => {
    for (const [what, statement] of Object.entries(twice)) {
      const said = await base.run(statement).then(
        () => "taken",
        (error: Error) => error.message,
      );
      expect({ what, said }).toEqual({ what, said: expect.stringMatching(/unique/i) });
    }
  });
});
