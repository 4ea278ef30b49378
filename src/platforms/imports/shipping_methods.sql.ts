// The shipping methods of a shop's orders.
import { and, count, desc, eq, inArray, max, ne, or, sql as template } from "drizzle-orm";
import { isOneOf, opaque } from "../../../db/kit.ts";
import { orders } from "../../../db/schema/orders.ts";
import { platform_import_parts, platform_imports } from "../../../db/schema/platforms.ts";
import type { Db } from "../../storage/database.ts";
import { prepared, type StatementArgs } from "../../storage/statements.ts";
import { importTransitions } from "../platforms.transitions.ts";

/** A shipping method, as the buyers of a shop see it and as the shop calls it. */
interface ShippingMethod {
  readonly shipping_method: string | null;
  readonly shipping_method_code: string | null;
  /** How many of the newest orders have it. */
  readonly orders: number;
  /** When the last of them was created here (ms). */
  readonly last_order_at: number;
}

/** The orders of a shop whose methods are listed: a shop's methods change, and old ones need no rule. */
export const newest_orders = 2000;

const methods = prepared((sql, a: StatementArgs<{ connection_id: number; limit: number }>) => {
  const newest = sql
    .select({ id: platform_imports.id, order_id: platform_imports.order_id })
    .from(platform_imports)
    .where(
      and(
        eq(platform_imports.connection_id, a.connection_id),
        isOneOf(platform_imports.status, [importTransitions.import.to]),
      ),
    )
    .orderBy(desc(platform_imports.created_at), desc(platform_imports.id))
    .limit(opaque(a.limit))
    .as("newest");
  const part_ids = sql
    .select({ id: platform_import_parts.order_id })
    .from(platform_import_parts)
    .where(eq(platform_import_parts.import_id, newest.id));
  return sql
    .select({
      shipping_method: orders.shipping_method,
      shipping_method_code: orders.shipping_method_code,
      orders: count(),
      last_order_at: template<number>`${max(orders.created_at)}`.mapWith(Number),
    })
    .from(newest)
    .innerJoin(orders, or(eq(orders.id, newest.order_id), inArray(orders.id, part_ids)))
    .where(ne(orders.fulfillment_type, "pickup"))
    .groupBy(orders.shipping_method, orders.shipping_method_code)
    .orderBy(desc(count()), orders.shipping_method, orders.shipping_method_code);
});

/** Lists the shipping methods of a shop's newest orders, the most frequent first. Collected orders have none. */
export async function listShippingMethods(db: Db, connection_id: number): Promise<ShippingMethod[]> {
  return methods(db, { connection_id, limit: newest_orders });
}
