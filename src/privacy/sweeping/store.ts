import { and, asc, eq, gte, lt, ne, notExists, sql as template } from "drizzle-orm";
import { isOneOf } from "../../../db/kit.ts";
import { orders } from "../../../db/schema/orders.ts";
import { returns } from "../../../db/schema/returns.ts";
import { label_documents, labels } from "../../../db/schema/shipments.ts";
import type { Tx } from "../../database/store.ts";
import type { OrderStatus } from "../../orders/status.ts";
import { awaitedReturns } from "../erasure/rules.ts";
import { erased_email } from "../redaction.ts";

/** The next labels of a time that have documents of their carrier, oldest first. */
export async function nextDocuments(tx: Tx, from: number, to: number, limit: number) {
  return tx.sql
    .selectDistinct({ id: labels.id, created_at: labels.created_at })
    .from(labels)
    .innerJoin(label_documents, eq(label_documents.label_id, labels.id))
    .where(and(gte(labels.created_at, from), lt(labels.created_at, to)))
    .orderBy(asc(labels.created_at), asc(labels.id))
    .limit(limit);
}

/** The next orders, by when they last changed, that have left or were cancelled and still tell who they were for. */
export async function nextEnded(
  tx: Tx,
  { from, to, limit }: { readonly from: number; readonly to: number; readonly limit: number },
  ended: readonly OrderStatus[],
) {
  const awaited = tx.sql
    .select({ one: template`1` })
    .from(returns)
    .where(and(eq(returns.order_id, orders.id), isOneOf(returns.status, awaitedReturns)));
  return tx.sql
    .select({
      ...{ id: orders.id, status: orders.status, customer_email: orders.customer_email },
      ...{ customer_name: orders.customer_name, shipping_address: orders.shipping_address },
      updated_at: orders.updated_at,
    })
    .from(orders)
    .where(
      and(
        ...[gte(orders.updated_at, from), lt(orders.updated_at, to), ne(orders.customer_email, erased_email)],
        isOneOf(orders.status, ended),
        notExists(awaited),
      ),
    )
    .orderBy(asc(orders.updated_at), asc(orders.id))
    .limit(limit);
}
