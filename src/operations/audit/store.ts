// Checks by the ranges of ids that every record lies in the database of its own mode.
import { sql } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import { customers } from "../../../db/schema/customers.ts";
import { lots, movements, stock_items } from "../../../db/schema/inventory.ts";
import { api_keys } from "../../../db/schema/keys.ts";
import { orders } from "../../../db/schema/orders.ts";
import { products } from "../../../db/schema/products.ts";
import { reservations } from "../../../db/schema/reservations.ts";
import { returns } from "../../../db/schema/returns.ts";
import { labels, shipments } from "../../../db/schema/shipments.ts";
import { deliveries, subscriptions } from "../../../db/schema/webhooks.ts";
import { firstId } from "../../database/migrate.ts";
import type { Db } from "../../database/store.ts";
import type { Difference } from "../../database/verifier.ts";

const tables: Readonly<Record<string, PgTable & { readonly id: AnyPgColumn }>> = {
  products,
  customers,
  orders,
  shipments,
  labels,
  returns,
  reservations,
  stock_items,
  lots,
  movements,
  subscriptions,
  deliveries,
  api_keys,
};

/** Finds rows with ids of the other mode. */
export async function verifyModes(db: Db): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (const [name, table] of Object.entries(tables)) {
    const strange = db.mode === "test" ? sql`${table.id} < ${firstId.test}` : sql`${table.id} >= ${firstId.test}`;
    const count = await db.sql.$count(table, strange);
    if (count === 0) continue;
    const rule = "I12 no row is of the other mode";
    differences.push({ rule, subject: name, expected: 0, actual: count, rows: [] });
  }
  return differences;
}
