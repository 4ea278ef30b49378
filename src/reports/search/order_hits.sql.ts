import { and, asc, desc, eq, isNotNull } from "drizzle-orm";
import { amongTexts, begins, columnsOf, folded, list, opaque } from "../../../db/kit.ts";
import { orders } from "../../../db/schema/orders.ts";
import { returns } from "../../../db/schema/returns.ts";
import { labels, shipments } from "../../../db/schema/shipments.ts";
import { wireId } from "../../core/ids.ts";
import { publicStatus } from "../../orders/order.ts";
import { listOrdersNumbered } from "../../orders/orders.sql.ts";
import { searchOrders } from "../../orders/search/order_list.sql.ts";
import { readSearch } from "../../orders/search/order_search.sql.ts";
import type { Db, ReadStatements } from "../../storage/database.ts";
import { prepared, type StatementArgs } from "../../storage/statements.ts";
import { bestOf, fitOf, type Hit, type SearchText } from "./search_hit.ts";

// The most orders that a word may match. Beyond that, only the newest orders are searched.
const bounds = { candidates: 500, walk: 500 };

const shown = {
  ...columnsOf(orders, "id", "merchant_id", "order_number", "status", "held", "customer_name", "created_at"),
  external_id: orders.source_external_id,
};
const byId = prepared((sql, a: StatementArgs<{ id: number }>) =>
  sql.select(shown).from(orders).where(eq(orders.id, a.id)),
);
const called = prepared((sql, a: StatementArgs<{ codes: string; limit: number }>) =>
  sql
    .select(shown)
    .from(orders)
    .where(amongTexts(folded(orders.order_number), a.codes))
    .limit(opaque(a.limit)),
);
const calledElsewhere = prepared((sql, a: StatementArgs<{ codes: string; limit: number }>) =>
  sql
    .select(shown)
    .from(orders)
    .where(and(isNotNull(orders.source_external_id), amongTexts(folded(orders.source_external_id), a.codes)))
    .limit(opaque(a.limit)),
);
const beginning = prepared((sql, a: StatementArgs<{ code: string; limit: number }>) =>
  sql
    .select(shown)
    .from(orders)
    .where(begins(folded(orders.order_number), a.code))
    .orderBy(desc(folded(orders.order_number)))
    .limit(opaque(a.limit)),
);
const beginningElsewhere = prepared((sql, a: StatementArgs<{ code: string; limit: number }>) =>
  sql
    .select(shown)
    .from(orders)
    .where(and(isNotNull(orders.source_external_id), begins(folded(orders.source_external_id), a.code)))
    .orderBy(desc(folded(orders.source_external_id)))
    .limit(opaque(a.limit)),
);

type OrderHitRow = Awaited<ReturnType<typeof byId>>[number];

/**
 * Orders with this number or external number, then those whose number begins with it, then the results of the order
 * list's own search; each newest first.
 */
export async function findOrderHits(db: Db, typed: SearchText, q: string, limit: number): Promise<Hit[]> {
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

function hitOf(row: OrderHitRow, typed: SearchText): Hit {
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
    parent: null,
    merchant_id: row.merchant_id,
  };
}

const parcel = {
  ...columnsOf(shipments, "id", "merchant_id", "carrier", "service", "order_id"),
  number: shipments.tracking_number,
  state: shipments.status,
  at: shipments.created_at,
  order_number: orders.order_number,
  customer_name: orders.customer_name,
};
const foundParcels = (sql: ReadStatements) =>
  sql.select(parcel).from(shipments).innerJoin(orders, eq(orders.id, shipments.order_id));
const parcelById = prepared((sql, a: StatementArgs<{ id: number }>) => foundParcels(sql).where(eq(shipments.id, a.id)));
const parcelsByNumber = prepared((sql, a: StatementArgs<{ number: string; limit: number }>) =>
  foundParcels(sql)
    .where(and(isNotNull(shipments.tracking_number), begins(shipments.tracking_number, a.number)))
    .orderBy(asc(shipments.tracking_number), desc(shipments.id))
    .limit(opaque(a.limit)),
);

/** The parcels with this tracking number or SSCC, and those whose number begins with it. */
export async function findParcelHits(db: Db, typed: SearchText, limit: number): Promise<Hit[]> {
  const own = await parcelById(db, { id: typed.idOf("shipment") });
  const rows = [...own];
  for (const number of typed.tracking) rows.push(...(await parcelsByNumber(db, { number, limit })));
  return bestOf(
    rows.map((row): Hit => {
      const { id, number, order_number, customer_name, state, at } = row;
      const sent = [row.carrier, row.service].filter((part) => part !== null).join(" ");
      return {
        type: "parcel",
        fit: fitOfNumber(typed, number, own.includes(row)),
        id: wireId("shipment", id),
        title: number ?? wireId("shipment", id),
        state,
        at,
        subtitle: [order_number, customer_name, sent].filter((part) => part !== "").join(" · "),
        parent: { type: "order", id: wireId("order", row.order_id) },
        merchant_id: row.merchant_id,
      };
    }),
  );
}

const label = {
  ...columnsOf(labels, "id", "merchant_id", "carrier", "service", "order_id", "return_id"),
  number: labels.tracking_number,
  state: labels.status,
  at: labels.created_at,
  order_number: orders.order_number,
  of_parcel: shipments.tracking_number,
  of_return: returns.tracking_number,
};
const foundLabels = (sql: ReadStatements) =>
  sql
    .select(label)
    .from(labels)
    .innerJoin(orders, eq(orders.id, labels.order_id))
    .leftJoin(shipments, eq(shipments.id, labels.shipment_id))
    .leftJoin(returns, eq(returns.id, labels.return_id));
const labelById = prepared((sql, a: StatementArgs<{ id: number }>) => foundLabels(sql).where(eq(labels.id, a.id)));
// The most labels to examine for one that belongs to no found parcel or return.
const labels_max = 100;
const labelsByNumber = prepared((sql, a: StatementArgs<{ number: string; limit: number }>) =>
  foundLabels(sql)
    .where(and(isNotNull(labels.tracking_number), begins(labels.tracking_number, a.number)))
    .orderBy(asc(labels.tracking_number), desc(labels.id))
    .limit(opaque(a.limit)),
);

/** The labels with this id, and those with this number that belong to no parcel and no return with that number. */
export async function findLabelHits(db: Db, typed: SearchText): Promise<Hit[]> {
  const own = await labelById(db, { id: typed.idOf("label") });
  const rows = [...own];
  for (const number of typed.tracking) {
    const found = await labelsByNumber(db, { number, limit: labels_max });
    // If its parcel or return has the same number, that record is the result.
    rows.push(...found.filter(({ number, of_parcel, of_return }) => number !== of_parcel && number !== of_return));
  }
  return bestOf(
    rows.map((row): Hit => {
      const { id, number, carrier, service, order_number, state, at, return_id } = row;
      return {
        type: "label",
        fit: fitOfNumber(typed, number, own.includes(row)),
        id: wireId("label", id),
        title: number ?? wireId("label", id),
        subtitle: `${order_number} · ${carrier} ${service}`,
        state,
        at,
        parent:
          return_id === null
            ? { type: "order", id: wireId("order", row.order_id) }
            : { type: "return", id: wireId("return", return_id) },
        merchant_id: row.merchant_id,
      };
    }),
  );
}

const comingBack = {
  ...columnsOf(returns, "id", "merchant_id", "reason", "order_id"),
  number: returns.tracking_number,
  state: returns.status,
  at: returns.created_at,
  order_number: orders.order_number,
  customer_name: orders.customer_name,
};
const foundReturns = (sql: ReadStatements) =>
  sql.select(comingBack).from(returns).innerJoin(orders, eq(orders.id, returns.order_id));
const returnById = prepared((sql, a: StatementArgs<{ id: number }>) => foundReturns(sql).where(eq(returns.id, a.id)));
const returnsByNumber = prepared((sql, a: StatementArgs<{ number: string; limit: number }>) =>
  foundReturns(sql)
    .where(and(isNotNull(returns.tracking_number), begins(returns.tracking_number, a.number)))
    .orderBy(asc(returns.tracking_number), desc(returns.id))
    .limit(opaque(a.limit)),
);
const returnsOf = prepared((sql, a: StatementArgs<{ order_id: number; limit: number }>) =>
  foundReturns(sql)
    .where(eq(returns.order_id, opaque(a.order_id)))
    .orderBy(desc(returns.id))
    .limit(opaque(a.limit)),
);

/**
 * The returns with this id or tracking number, those whose number begins with it, and those of the order with this
 * number.
 */
export async function findReturnHits(db: Db, typed: SearchText, q: string, limit: number): Promise<Hit[]> {
  const own = await returnById(db, { id: typed.idOf("return") });
  const rows = [...own];
  for (const number of typed.tracking) rows.push(...(await returnsByNumber(db, { number, limit })));
  const named = typed.idOf("order");
  const orders = named === 0 ? await listOrdersNumbered(db, [q.trim()]) : [{ id: named }];
  const ofOrder: typeof own = [];
  for (const { id } of orders) ofOrder.push(...(await returnsOf(db, { order_id: id, limit })));
  return bestOf([
    ...rows.map((row) => returnHit(row, fitOfNumber(typed, row.number, own.includes(row)))),
    ...ofOrder.map((row) => returnHit(row, "part")),
  ]);
}

function returnHit(row: Awaited<ReturnType<typeof returnById>>[number], fit: Hit["fit"]): Hit {
  const { id, number, reason, order_number, customer_name, state, at } = row;
  const parts = [order_number, customer_name, reason.replaceAll("_", " "), ...(number === null ? [] : [number])];
  return {
    type: "return",
    fit,
    id: wireId("return", id),
    title: wireId("return", id),
    subtitle: parts.join(" · "),
    state,
    at,
    parent: { type: "order", id: wireId("order", row.order_id) },
    merchant_id: row.merchant_id,
  };
}

function fitOfNumber({ tracking }: SearchText, number: string | null, byId: boolean): Hit["fit"] {
  return byId || (number !== null && tracking.includes(number)) ? "exact" : "prefix";
}
