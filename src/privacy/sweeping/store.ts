import { and, asc, eq, gte, lt, ne, notExists, or, sql as template } from "drizzle-orm";
import { isOneOf } from "../../../db/kit.ts";
import { orders } from "../../../db/schema/orders.ts";
import { returns } from "../../../db/schema/returns.ts";
import { label_documents, labels } from "../../../db/schema/shipments.ts";
import type { Tx } from "../../database/store.ts";
import type { OrderStatus } from "../../orders/status.ts";
import { isVoided, labelStatuses } from "../../shipping/labels/status.ts";
import { awaitedReturns } from "../erasure/rules.ts";
import { erased_email } from "../redaction.ts";

const voidedLabels = labelStatuses.filter(isVoided);

interface Span {
  readonly from: number;
  readonly to: number;
  readonly limit: number;
}

const awaitedOf = (tx: Tx) =>
  tx.sql
    .select({ one: template`1` })
    .from(returns)
    .where(and(eq(returns.order_id, orders.id), isOneOf(returns.status, awaitedReturns)));

/**
 * The next labels of a time that have documents of their carrier and are not to be used any more, oldest first: they
 * are voided, or their order has ended and nothing of it is to come back.
 */
export async function nextDocuments(tx: Tx, { from, to, limit }: Span, ended: readonly OrderStatus[]) {
  const isOver = and(isOneOf(orders.status, ended), notExists(awaitedOf(tx)));
  return tx.sql
    .selectDistinct({ id: labels.id, created_at: labels.created_at })
    .from(labels)
    .innerJoin(label_documents, eq(label_documents.label_id, labels.id))
    .innerJoin(orders, eq(orders.id, labels.order_id))
    .where(
      and(gte(labels.created_at, from), lt(labels.created_at, to), or(isOneOf(labels.status, voidedLabels), isOver)),
    )
    .orderBy(asc(labels.created_at), asc(labels.id))
    .limit(limit);
}

/** The next orders, by when they last changed, that have left or were cancelled and still tell who they were for. */
export async function nextEnded(tx: Tx, { from, to, limit }: Span, ended: readonly OrderStatus[]) {
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
        notExists(awaitedOf(tx)),
      ),
    )
    .orderBy(asc(orders.updated_at), asc(orders.id))
    .limit(limit);
}
