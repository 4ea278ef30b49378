import { beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { postcodeValidator, postcodeValidatorExistsForCountry } from "postcode-validator";
import { costOf, emailOf, type NorthwindPlan, planNorthwind, unitsBySku } from "../../scripts/northwind/mapping.ts";
import { readTables } from "../../scripts/northwind/tables.ts";
import { runNorthwind, summary } from "../../scripts/northwind.ts";
import { databaseUrl, engine } from "../../src/core/config.ts";
import { startWatchedService } from "./watched_service.ts";

const folder = join(import.meta.dir, "../../../shared/data/northwind");
const isThere = existsSync(folder);
if (!isThere) console.log(`SKIPPED northwind: the tables are not in ${folder}`);

describe("prices and names", () => {
  test("a discount applies to all units together, in cents and rounded half up", () => {
    const costs = (unit_price: string, quantity: string, discount: string) => {
      return Object.values(costOf({ unit_price, quantity, discount }));
    };
    expect(costs("14.00", "12", "0")).toEqual([0, 16_800]);
    expect(costs("14.00", "2", "0.15")).toEqual([420, 2_380]);
    expect(costs("7.70", "3", "0.05")).toEqual([116, 2_194]);
    expect(costs("2.50", "1", "0.05")).toEqual([13, 237]);
  });

  test("mailboxes are in a domain that nobody owns", () => {
    expect(emailOf("ALFKI")).toBe("alfki@northwind.example");
  });
});

describe.skipIf(!isThere)("the plan from the tables", () => {
  let plan: NorthwindPlan;
  beforeAll(async () => {
    plan = planNorthwind(await readTables(folder));
  });
  const sent = () => plan.months.flatMap(({ orders }) => orders);

  test("has all customers, products and orders, 21 of them left open", () => {
    expect(plan.customers.length).toBe(91);
    expect(plan.products.length).toBe(77);
    expect(sent().length).toBe(809);
    expect(plan.open_orders.length).toBe(21);
    expect([...sent(), ...plan.open_orders].flatMap(({ lines }) => lines).length).toBe(2_155);
    expect(plan.months.length).toBe(23);
  });

  test("gives every address a country, and a state and a postal code where the country has them", () => {
    const addresses = plan.customers.flatMap(({ body }) => body.shipping_addresses);
    expect(new Set(addresses.map(({ country }) => country)).size).toBe(21);
    for (const { country, postal_code = "", state, city, name, address_line1 } of addresses) {
      expect(`${city} ${name} ${address_line1}`).not.toMatch(/\s\s|\s$/);
      if (["US", "CA", "AU"].includes(country)) expect(state).toMatch(/^[A-Z]{2}$/);
      expect(postcodeValidatorExistsForCountry(country)).toBe(true);
      expect(postcodeValidator(postal_code, country)).toBe(true);
    }
  });

  test("resolves every order's address and customer, with one default address each", () => {
    const customers = new Map(
      plan.customers.map((customer) => [customer.customer_id, customer.body.shipping_addresses]),
    );
    for (const { customer_id, address_index } of [...sent(), ...plan.open_orders]) {
      expect(customers.get(customer_id)?.[address_index]).toBeDefined();
    }
    for (const addresses of customers.values()) {
      expect(addresses.filter(({ is_default }) => is_default).length).toBe(1);
      expect(new Set(addresses.map(({ address_line1 }) => address_line1)).size).toBe(addresses.length);
    }
  });

  test("receives what is sold, so that the final stock matches the table", () => {
    const received = new Map<string, number>();
    for (const { sku, quantity } of [...plan.opening, ...plan.months.flatMap(({ receipts }) => receipts)]) {
      received.set(sku, (received.get(sku) ?? 0) + quantity);
    }
    const sold = unitsBySku(sent());
    for (const { sku, units_in_stock } of plan.products) {
      expect((received.get(sku) ?? 0) - (sold.get(sku) ?? 0)).toBe(units_in_stock);
    }
  });

  test("keeps dairy, meat, produce and seafood cold, and fits every order in one parcel", () => {
    expect(plan.products.filter(({ temperature_zone }) => temperature_zone === "refrigerated").length).toBe(33);
    for (const { weight_grams } of [...sent(), ...plan.open_orders]) expect(weight_grams).toBeWithin(201, 31_752);
  });
});

describe.skipIf(!isThere)("the whole business over HTTP", () => {
  test("ends with the orders, units and events of the tables", async () => {
    await using database = await freshDatabase();
    const service = await startWatchedService({ database_url: database.url });
    try {
      const outcome = await runNorthwind(folder, service.url, await service.makeKey("test"));
      console.log(summary(outcome));
      expect(outcome.differences).toEqual([]);
      expect(outcome.stock_differences).toBe(0);
      expect(Object.fromEntries(outcome.orders_by_status)).toEqual({ delivered: 809, pending: 21 });
      expect(outcome.units).toEqual({
        received: 53_238,
        sold: 50_119,
        on_hand: 3_119,
        reserved: 727,
        backordered: 471,
      });
      expect(outcome.events.delivered).toBe(outcome.events.written);
      expect(await service.verify()).toMatchObject({ code: 0 });
    } finally {
      await service.remove();
    }
  }, 300_000);
});

/** On PostgreSQL a separate database, dropped afterwards; the embedded engine needs none. */
async function freshDatabase(): Promise<{ url: string | null } & AsyncDisposable> {
  if (engine === "sqlite") return { url: null, [Symbol.asyncDispose]: async () => {} };
  const name = `northwind_${process.pid}`;
  const url = new URL(databaseUrl ?? "");
  const asAdmin = async (statement: string) => {
    const client = new pg.Client({ connectionString: databaseUrl ?? "" });
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  await asAdmin(`create database ${name}`);
  url.pathname = `/${name}`;
  return { url: url.href, [Symbol.asyncDispose]: () => asAdmin(`drop database ${name} with (force)`) };
}
