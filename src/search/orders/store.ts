import { and, desc, eq, isNotNull } from "drizzle-orm";
import { amongTexts, begins, folded, given, list } from "../../../db/kit.ts";
import { orders } from "../../../db/schema/orders.ts";
import { type Args, prepared } from "../../database/statements.ts";
import type { Db } from "../../database/store.ts";
import { wireId } from "../../kit/ids.ts";
import { searchOrders } from "../../orders/list/store.ts";
import { publicStatus } from "../../orders/order.ts";
import { readSearch } from "../../orders/search/rules.ts";
import { bestOf, fitOf, type Hit, type Typed } from "../rules.ts";

// A word may match this many orders; beyond that only the newest orders are looked through.
const bounds = { candidates: 500, walk: 500 };

const shown = {
  id: orders.id,
  merchant_id: orders.merchant_id,
  order_number: orders.order_number,
  external_id: orders.source_external_id,
  status: orders.status,
  held: orders.held,
  customer_name: orders.customer_name,
  created_at: orders.created_at,
};
const byId = prepared((sql, a: Args<{ id: number }>) => sql.select(shown).from(orders).where(eq(orders.id, a.id)));
const called = prepared((sql, a: Args<{ codes: string; limit: number }>) =>
  sql
    .select(shown)
    .from(orders)
    .where(amongTexts(folded(orders.order_number), a.codes))
    .limit(given(a.limit)),
);
const calledElsewhere = prepared((sql, a: Args<{ codes: string; limit: number }>) =>
  sql
    .select(shown)
    .from(orders)
    .where(and(isNotNull(orders.source_external_id), amongTexts(folded(orders.source_external_id), a.codes)))
    .limit(given(a.limit)),
);
const beginning = prepared((sql, a: Args<{ code: string; limit: number }>) =>
  sql
    .select(shown)
    .from(orders)
    .where(begins(folded(orders.order_number), a.code))
    .orderBy(desc(folded(orders.order_number)))
    .limit(given(a.limit)),
);
const beginningElsewhere = prepared((sql, a: Args<{ code: string; limit: number }>) =>
  sql
    .select(shown)
    .from(orders)
    .where(and(isNotNull(orders.source_external_id), begins(folded(orders.source_external_id), a.code)))
    .orderBy(desc(folded(orders.source_external_id)))
    .limit(given(a.limit)),
);

type Row = Awaited<ReturnType<typeof byId>>[number];

/**
 * The orders with this number, here or elsewhere; then those whose number begins with it, newest first; then the
 * results of the order list's own search, newest first.
 */
export async function findOrderHits(db: Db, typed: Typed, q: string, limit: number): Promise<Hit[]> {
  const codes = list(typed.codes);
  const rows = [
    ...(await byId(db, { id: typed.idOf("order") })),
    ...(await called(db, { codes, limit })),
    ...(await calledElsewhere(db, { codes, limit })),
  ];
  for (const code of typed.codes) {
    rows.push(...(await beginning(db, { code, limit })), ...(await beginningElsewhere(db, { code, limit })));
  }
  const hits = rows.map((row) => hitOf(row, typed));
  const search = readSearch(q);
  if (search === null || new Set(rows.map(({ id }) => id)).size >= limit) return bestOf(hits);
  const window = { limit, offset: 0, after: null };
  const { rows: found } = await searchOrders(db, { search }, window, "-created_at", bounds);
  return bestOf([...hits, ...found.map((order) => hitOf({ ...order, external_id: order.source_external_id }, typed))]);
}

function hitOf(row: Row, typed: Typed): Hit {
  const { id, order_number, external_id, customer_name, created_at } = row;
  const fit = typed.idOf("order") === id ? "exact" : (fitOf(typed, [order_number, external_id]) ?? "part");
  const elsewhere = external_id === null || external_id === order_number ? [] : [external_id];
  return {
    type: "order",
    fit,
    id: wireId("order", id),
    title: order_number,
    subtitle: [customer_name, ...elsewhere].join(" · "),
    state: publicStatus(row),
    at: created_at,
    of: null,
    merchant_id: row.merchant_id,
  };
}
