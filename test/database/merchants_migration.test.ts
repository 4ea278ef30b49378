// The migration that gives every record its merchant: what is there belongs to MAIN, nothing is lost on the way, and
// from then on each engine refuses what crosses from one merchant to another.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import pg from "pg";
import { databaseUrl } from "../../src/config.ts";
import { migrateSqlite } from "../../src/database/migrate.ts";
import { migratePostgres } from "../../src/database/migrate_postgres.ts";
import { migrations } from "../../src/database/migration_sql.ts";

const before = <Each extends { readonly name: string }>(all: readonly Each[]) =>
  all.slice(
    0,
    all.findIndex(({ name }) => name === "0004_merchants"),
  );

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
const customer = { metadata: "{}", version: 1, ...made };
const order = {
  ...{ status: "pending", held: false, customer_email: "", customer_name: "", shipping_address_id: 1 },
  ...{ shipping_address: "{}", requires_cold_storage: false, priority: 0, allow_backorder: false, subtotal_cents: 0 },
  ...{ shipping_amount_cents: 0, currency: "EUR", source_platform: "api", metadata: "{}", version: 1, ...made },
};
const packed = { quantity_packed: 0, quantity_shipped: 0, quantity_delivered: 0, quantity_returned: 0 };
const line = { sku: "A", name: "", quantity: 3, unit_price_cents: 0, quantity_cancelled: 0, ...packed };
const stock = { warehouse_id: 1, on_hand: 5, reserved: 0, received_at: 5, updated_at: 5 };
const wish = { reservation_id: 1, quantity: 3, wanted: 3, reserved: 0, picked: 0 };
const actor = { actor_type: "system", actor_id: "" };

/** What the migration finds: a row or two in every table that it changes, and what they refer to. */
const there: readonly (readonly [table: string, row: Row])[] = [
  ["warehouses", { id: 1, name: "W", address: "{}", timezone: "Europe/Paris", priority: 1, version: 1, ...made }],
  ["bins", { id: 1, warehouse_id: 1, code: "B", kind: "storage", pick_order: 0 }],
  ["bins", { id: 2, warehouse_id: 1, code: "C", kind: "storage", pick_order: 0 }],
  ["products", { id: 1, sku: "A", metadata: "{}", version: 1, ...product, ...trackings }],
  ["products", { id: 2, sku: "B", metadata: "{}", version: 1, ...product, ...trackings }],
  ["product_barcodes", { id: 1, product_id: 1, value: "4006381333931", type: "ean" }],
  ["lots", { id: 1, product_id: 1, lot_number: "L", received_date: 5, status: "available", created_at: 5 }],
  ["stock_items", { id: 1, product_id: 1, bin_id: 1, lot_id: 1, ...stock }],
  ["stock_items", { id: 2, product_id: 2, bin_id: 1, ...stock }],
  [
    "movements",
    {
      id: 1,
      product_id: 1,
      type: "receipt",
      quantity: 5,
      to_item_id: 1,
      reason: "received",
      confirmed: true,
      ...actor,
    },
  ],
  ["customers", { id: 1, email: "a@b.example", email_key: "a@b.example", ...customer }],
  [
    "addresses",
    { id: 1, customer_id: 1, name: "", address_line1: "", city: "", country: "FR", is_default: true, ...made },
  ],
  ["orders", { id: 1, order_number: "1", customer_id: 1, ...order }],
  ["orders", { id: 2, order_number: "2", customer_id: 1, ...order, held: true }],
  ["orders", { id: 3, order_number: "3", customer_id: 1, ...order, status: "cancelled", cancel_reason: "customer" }],
  ["order_lines", { id: 1, order_id: 1, product_id: 1, ...line }],
  [
    "reservations",
    { id: 1, order_id: 1, order_ref: "1", source: "api", status: "reserved", priority: 0, paused: false },
  ],
  ["reservation_lines", { id: 1, product_id: 1, order_line_id: 1, ...wish, reserved: 2 }],
  ["allocations", { id: 1, reservation_line_id: 1, stock_item_id: 1, quantity: 2 }],
  ["shipments", { id: 1, order_id: 1, status: "pending", created_at: 5 }],
  [
    "labels",
    {
      ...{
        id: 1,
        order_id: 1,
        shipment_id: 1,
        status: "completed",
        carrier: "own",
        service: "s",
        tracking_number: "1",
      },
      ...{ cost_cents: 0, currency: "EUR", package: "{}", from_address: "{}", to_address: "{}", warnings: "[]" },
      ...{ fingerprint: "", created_at: 5 },
    },
  ],
  ["tracking_records", { id: 1, tracking_number: "1", carrier: "own", status: "pending", version: 1, ...made }],
  [
    "returns",
    {
      ...{ id: 1, order_id: 1, status: "initiated", reason: "other", refund_status: "pending", return_shipping: "{}" },
      ...{ refund_shipping: false, currency: "EUR", version: 1, ...made },
    },
  ],
  ["receipts", { id: 1, status: "expected", warehouse_id: 1, version: 1, ...made }],
  ["warehouses", { id: 2, name: "X", address: "{}", timezone: "UTC", priority: 2, version: 1, ...made }],
  ["transfers", { id: 1, status: "pending", from_warehouse_id: 1, to_warehouse_id: 2, version: 1, ...made }],
  [
    "platform_connections",
    {
      ...{ id: 1, key: "k", platform: "shopify", name: "", store_id: "s", api_url: "", order_prefix: "" },
      ...{ status: "active", version: 1, ...made },
    },
  ],
  [
    "platform_imports",
    {
      ...{ id: 1, connection_id: 1, external_id: "e", order_id: 1, status: "imported", revision: 1, lines: "[]" },
      ...{ attempts: 1, give_up_at: 5, ...made },
    },
  ],
  [
    "api_keys",
    {
      ...{ id: 1, name: "", hash: "h", last_four: "1234", permission: "full", ip_mode: "off", ip_list: "[]" },
      created_at: 5,
    },
  ],
  [
    "subscriptions",
    {
      ...{ id: 1, url: "", events: "[]", version: "v1", payload: "full", retry_limit: 3, status: "active", secret: "" },
      ...{ sequence: 1, consecutive_failures: 0, ...made },
    },
  ],
  [
    "deliveries",
    {
      ...{ id: 1, subscription_id: 1, event_id: "e", event_type: "order.created", sequence: 1, status: "delivered" },
      ...{ attempts: 1, max_attempts: 3, spent_attempts: 0, created_at: 5 },
    },
  ],
  [
    "notices",
    { id: 1, kind: "webhook_failing", subscription_id: 1, message: "", mail_status: "none", mail_attempts: 0 },
  ],
  ["events", { id: "e", type: "order.created", created_at: 5 }],
  [
    "audit_entries",
    { id: 1, ...actor, actor_name: "", world: "live", action: "signIn", targets: "[]", facts: "{}", created_at: 5 },
  ],
  ["roles", { name: "owner", permissions: "[]" }],
  ["users", { id: 1, email: "A@b.example", email_key: "a@b.example", name: "", status: "active", version: 1, ...made }],
  ["memberships", { user_id: 1, covers: "house", role: "owner" }],
  [
    "invitations",
    {
      ...{ id: 1, email: "c@b.example", email_key: "c@b.example", role: "owner", hash: "h", invited_by_id: "usr_1" },
      ...{ invited_by_name: "", created_at: 5, expires_at: 9, mail_status: "none", mail_attempts: 0 },
    },
  ],
  [
    "idempotency_keys",
    { key: "once", fingerprint: "", status: 201, headers: "", body: "", created_at: 5, expires_at: 9 },
  ],
];

const bytes = databaseUrl === null ? "x''" : "''";
/** What some tables want besides. */
const besides: Readonly<Record<string, Row>> = {
  addresses: { is_verified: false },
  movements: { created_at: 5 },
  notices: { created_at: 5 },
  reservations: { requires_cold_storage: false, created_at: 5 },
};

function inserting(table: string, row: Row): string {
  const whole: Row = { ...row, ...besides[table] };
  const literals = Object.values(whole).map((value) => (typeof value === "string" ? `'${value}'` : String(value)));
  const [names, values] = [Object.keys(whole), literals];
  if (table === "events") {
    names.push("body");
    values.push(bytes);
  }
  return `insert into ${table} (${names.join(", ")}) values (${values.join(", ")})`;
}

/** To whom the rows of a table belong that were there. */
const owned = (table: string): string => {
  const house = ["api_keys", "subscriptions", "deliveries", "notices", "audit_entries"];
  house.push("memberships", "invitations");
  return house.includes(table) ? "null" : "1";
};

/** Another merchant with goods, a customer and an order of its own. */
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
  inserting("products", { id: 8, merchant_id: 2, sku: "A", metadata: "{}", version: 1, ...product, ...trackings }),
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
    ...{ merchant_id: 7, sku: "Z", metadata: "{}", version: 1, ...product, ...trackings },
  }),
};

const twice: Readonly<Record<string, string>> = {
  SKU: inserting("products", { merchant_id: 2, sku: "A", metadata: "{}", version: 1, ...product, ...trackings }),
  barcode: inserting("product_barcodes", { merchant_id: 2, product_id: 8, value: "4006381333931", type: "ean" }),
  "e-mail address": inserting("customers", { merchant_id: 2, email: "", email_key: "a@b.example", ...customer }),
  "order number": inserting("orders", { merchant_id: 2, order_number: "1", customer_id: 8, ...order }),
};

const unowned = inserting("products", { sku: "N", metadata: "{}", version: 1, ...product, ...trackings });
const counts = `select merchant_id, status, cast(held as int), cast(sum(number) as int) from order_counts
  group by 1, 2, 3 having sum(number) <> 0 order by 1, 2, 3`;
const main = "select id, code, status, currency, timezone, created_at from merchants";

/** A database of one of the engines. */
interface Base {
  run(sql: string): Promise<void>;
  rows(sql: string): Promise<unknown[][]>;
  /** Its indexes and triggers, by name. */
  kept(): Promise<Map<string, string>>;
  migrate(whole: boolean): Promise<void>;
  close(): Promise<void>;
}

function sqlite(): Base {
  const raw = new Database(":memory:", { strict: true });
  const rows = (sql: string) => raw.query(sql).values();
  return {
    run: async (sql) => {
      raw.run(sql);
    },
    rows: async (sql) => rows(sql),
    kept: async () =>
      new Map(
        rows(
          "select name, sql from sqlite_schema where type in ('index', 'trigger') and name not like 'sqlite_%'",
        ) as unknown as [string, string][],
      ),
    migrate: async (whole) => {
      migrateSqlite(raw, "live", "memory", whole ? migrations.sqlite : before(migrations.sqlite));
      raw.run("pragma foreign_keys=on");
    },
    close: async () => raw.close(),
  };
}

async function postgres(url: string): Promise<Base> {
  const schema = `temporary_${process.pid}_merchants`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`set search_path to ${schema}`);
  const rows = async (text: string) => (await client.query<unknown[]>({ text, rowMode: "array" })).rows;
  return {
    run: async (sql) => {
      await client.query(sql);
    },
    rows,
    kept: async () =>
      new Map(
        (await rows(`select indexname, indexdef from pg_indexes where schemaname = '${schema}' union all
          select tgname, pg_get_triggerdef(pg_trigger.oid) from pg_trigger join pg_class on pg_class.oid = tgrelid
          where relnamespace = '${schema}'::regnamespace and not tgisinternal`)) as [string, string][],
      ),
    migrate: (whole) => migratePostgres(url, schema, "live", whole ? migrations.postgres : before(migrations.postgres)),
    close: async () => {
      await client.query(`drop schema if exists ${schema} cascade`);
      await client.end();
    },
  };
}

const tables = [...new Set(there.map(([table]) => table))];
const house = new Set(["warehouses", "bins", "roles", "users"]);
const sorted = (rows: unknown[][]) => rows.map((row) => JSON.stringify(row)).sort();

describe("a database of before there were merchants", () => {
  let base: Base;
  let kept: Map<string, string>;
  const old = new Map<string, { columns: string; rows: string[] }>();
  const rowsOf = async (table: string, columns: string) => sorted(await base.rows(`select ${columns} from ${table}`));

  beforeAll(async () => {
    base = databaseUrl === null ? sqlite() : await postgres(databaseUrl);
    await base.migrate(false);
    for (const [table, row] of there) await base.run(inserting(table, row));
    for (const table of [...tables, "order_counts"]) {
      const columns =
        databaseUrl === null
          ? await base.rows(`select name from pragma_table_info('${table}')`)
          : await base.rows(`select column_name from information_schema.columns
              where table_schema = current_schema() and table_name = '${table}'`);
      const names = columns.map(([name]) => `"${name}"`).join(", ");
      if (table !== "order_counts") old.set(table, { columns: names, rows: await rowsOf(table, names) });
    }
    kept = await base.kept();
    await base.migrate(true);
  });
  afterAll(() => base.close());

  test("keeps every row as it was, and each is MAIN's or the house's", async () => {
    for (const [table, { columns, rows }] of old) {
      // What has another form by now has tests of its own.
      const names = columns.replace('"expiration_date"', '"expires_on" as "expiration_date"');
      expect({ table, rows: await rowsOf(table, names) }).toEqual({ table, rows });
      if (house.has(table) || table === "idempotency_keys") continue;
      const others = await base.rows(`select 1 from ${table} where merchant_id is distinct from ${owned(table)}`);
      expect({ table, others }).toEqual({ table, others: [] });
    }
    expect(sorted(await base.rows(main))).toEqual(['[1,"MAIN","active","EUR","Europe/Paris",0]']);
  });

  test("the rows above are in every table that has an owner now", async () => {
    const now =
      databaseUrl === null
        ? await base.rows(
            `select m.name from sqlite_schema m, pragma_table_info(m.name) p
             where p.name = 'merchant_id' and m.type = 'table'`,
          )
        : await base.rows(`select table_name from information_schema.columns
            where table_schema = current_schema() and column_name = 'merchant_id'`);
    const found = tables.filter((table) => !house.has(table) && table !== "idempotency_keys");
    // Tables that are younger than merchants.
    const later = ["billable_events", "erasures", "storage_days"];
    expect(
      now
        .flat()
        .filter((table) => !later.includes(table as string))
        .sort(),
    ).toEqual([...found, "order_counts"].sort());
  });

  test("keeps every index and trigger; only those are others that say whose", async () => {
    const now = await base.kept();
    expect([...kept.keys()].filter((name) => !now.has(name) && !/_pk(ey)?$/.test(name))).toEqual([]);
    const whose = /merchant|expires_on/;
    // Words that came later stand in the triggers of their lists: but for these, a trigger is as it was.
    const later = / AND NEW\.`kind` <> '(?:backup_failed|backup_late|amounts_rounded)'/g;
    const changed = [...kept].filter(([name, sql]) => now.has(name) && now.get(name)?.replace(later, "") !== sql);
    expect(changed.filter(([name]) => !whose.test(now.get(name) ?? ""))).toEqual([]);
  });

  if (databaseUrl === null) {
    test("is whole", async () => {
      expect(await base.rows("pragma foreign_key_check")).toEqual([]);
      expect(await base.rows("pragma integrity_check")).toEqual([["ok"]]);
    });
  }

  test("counts orders by merchant, and none is of nobody", async () => {
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

  test("refuses what crosses from one merchant to another", async () => {
    for (const [what, statement] of Object.entries(crossing)) {
      const said = await base.run(statement).then(
        () => "taken",
        (error: Error) => error.message,
      );
      expect({ what, said }).toEqual({ what, said: expect.stringMatching(/foreign key/i) });
    }
  });

  test("refuses a name twice at one merchant, which another may have too", async () => {
    for (const [what, statement] of Object.entries(twice)) {
      const said = await base.run(statement).then(
        () => "taken",
        (error: Error) => error.message,
      );
      expect({ what, said }).toEqual({ what, said: expect.stringMatching(/unique/i) });
    }
  });
});
