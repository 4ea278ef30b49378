// Finds the merchant that owns the record in the path, so that other ids in the request resolve within that merchant.
import { eq, or } from "drizzle-orm";
import { customers } from "../../db/schema/customers.ts";
import { file_imports } from "../../db/schema/imports.ts";
import { lots } from "../../db/schema/inventory.ts";
import { orders } from "../../db/schema/orders.ts";
import { platform_connections } from "../../db/schema/platforms.ts";
import { products } from "../../db/schema/products.ts";
import { receipts } from "../../db/schema/receipts.ts";
import { reservations } from "../../db/schema/reservations.ts";
import { returns } from "../../db/schema/returns.ts";
import { labels } from "../../db/schema/shipments.ts";
import { transfers } from "../../db/schema/transfers.ts";
import { type IdNoun, readId } from "../core/ids.ts";
import type { Db } from "../storage/database.ts";
import { prepared, type StatementArgs } from "../storage/statements.ts";
import type { OwnedPath } from "../storage/tenant.ts";

type OwnedTable =
  | typeof customers
  | typeof file_imports
  | typeof lots
  | typeof platform_connections
  | typeof products
  | typeof receipts
  | typeof reservations
  | typeof returns
  | typeof labels
  | typeof transfers;

const ownerIn = (table: OwnedTable) =>
  prepared((sql, a: StatementArgs<{ id: number }>) =>
    sql.select({ merchant_id: table.merchant_id }).from(table).where(eq(table.id, a.id)),
  );

/** The records by their paths below the version. */
const owners: Readonly<
  Record<Exclude<OwnedPath, "orders">, { readonly noun: IdNoun; readonly find: ReturnType<typeof ownerIn> }>
> = {
  products: { noun: "product", find: ownerIn(products) },
  customers: { noun: "customer", find: ownerIn(customers) },
  returns: { noun: "return", find: ownerIn(returns) },
  imports: { noun: "file_import", find: ownerIn(file_imports) },
  platforms: { noun: "connection", find: ownerIn(platform_connections) },
  "inventory/receipts": { noun: "receipt", find: ownerIn(receipts) },
  "inventory/transfers": { noun: "transfer", find: ownerIn(transfers) },
  "inventory/reservations": { noun: "reservation", find: ownerIn(reservations) },
  "inventory/lots": { noun: "lot", find: ownerIn(lots) },
  "shipping/labels": { noun: "label", find: ownerIn(labels) },
};

const ownerOfOrder = prepared((sql, a: StatementArgs<{ id: number; order_number: string }>) =>
  sql
    .select({ merchant_id: orders.merchant_id })
    .from(orders)
    .where(or(eq(orders.id, a.id), eq(orders.order_number, a.order_number))),
);

/** The owner of the record in a path, such as `orders` and `ord_7`; null if it names none or several. */
export async function findOwner(db: Db, path: OwnedPath, name: string): Promise<number | null> {
  const found = path === "orders" ? await ofOrder(db, name) : await ofOther(db, path, name);
  const [row] = found;
  return row === undefined || found.length > 1 ? null : row.merchant_id;
}

const ofOrder = (db: Db, name: string) =>
  ownerOfOrder(db, { id: readId("order", name) ?? 0, order_number: name.startsWith("ord_") ? "" : name });

async function ofOther(db: Db, path: Exclude<OwnedPath, "orders">, name: string) {
  const { noun, find } = owners[path];
  return find(db, { id: readId(noun, name) ?? 0 });
}
