// Filters for the list of orders that depend on other tables.
import {
  and,
  count,
  eq,
  inArray,
  isNotNull,
  isNull,
  ne,
  type SQL,
  type SQLWrapper,
  sql as template,
} from "drizzle-orm";
import { amongTexts, amongThose, list } from "../../../db/kit.ts";
import { order_holds, order_lines, order_tags, orders } from "../../../db/schema/orders.ts";
import { products } from "../../../db/schema/products.ts";
import { reservation_lines, reservations } from "../../../db/schema/reservations.ts";
import { label_documents, labels, shipments } from "../../../db/schema/shipments.ts";
import type { Db, ReadStatements } from "../../storage/database.ts";
import { isParentVisible } from "../../storage/scope.ts";
import { prepared, preparedIds, type StatementArgs } from "../../storage/statements.ts";
import { tagKey } from "../changes/order_tags.ts";
import type { HoldReason } from "../order.transitions.ts";
import { givenUp } from "../order.transitions.ts";
import { type SearchCondition, some } from "./order_search.sql.ts";

/** Filters on records that belong to orders. */
export interface OrderContentFilter {
  /** The possible reasons of an open hold. */
  readonly hold_reason?: readonly HoldReason[] | undefined;
  /** Whether units are backordered. */
  readonly short?: boolean | undefined;
  /** The SKU of one of its lines. */
  readonly sku?: string | undefined;
  /** The possible carriers and services of one of its parcels, or of its shipping choice while it has none. */
  readonly carrier?: readonly string[] | undefined;
  readonly service?: readonly string[] | undefined;
  /** Whether it has exactly one unit that is not cancelled; or any other number. */
  readonly one_unit?: boolean | undefined;
  /** Its possible tags. */
  readonly tag?: readonly string[] | undefined;
  /** Whether it has a label, and whether all of its labels have been printed. */
  readonly labeled?: boolean | undefined;
  readonly printed?: boolean | undefined;
}

/** The conditions of a filter; none if it has none of these. */
export function contentFiltersOf(filter: OrderContentFilter): SearchCondition[] {
  const { hold_reason, short, sku, carrier, service, one_unit, tag } = filter;
  return [
    ...(tag === undefined ? [] : [isTagged(tag)]),
    ...(hold_reason === undefined ? [] : [isHeldFor(hold_reason)]),
    ...(short === undefined ? [] : [short ? isShort : isNotShort]),
    ...(sku === undefined ? [] : [holdsSku(sku)]),
    ...(one_unit === undefined ? [] : [one_unit ? isOfOneUnit : isOfOthers]),
    ...(carrier === undefined && service === undefined ? [] : [travelsBy(carrier, service)]),
    ...labelConditions(filter),
  ];
}

const heldFor = preparedIds((sql, a: StatementArgs<{ reasons: string }>) =>
  sql
    .select({ id: order_holds.order_id })
    .from(order_holds)
    .where(
      and(
        isNull(order_holds.released_at),
        amongTexts(order_holds.reason, a.reasons),
        isParentVisible(sql, orders, order_holds.order_id),
      ),
    ),
);

const isHeldFor = (reasons: readonly HoldReason[]): SearchCondition => ({
  find: (db, max) => heldFor(db, { reasons: list(reasons), max }),
  check: some(
    template`${order_holds} where ${and(
      eq(order_holds.order_id, orders.id),
      isNull(order_holds.released_at),
      inArray(order_holds.reason, reasons),
    )}`,
  ),
});

const tagged = preparedIds((sql, a: StatementArgs<{ keys: string }>) =>
  sql.selectDistinct({ id: order_tags.order_id }).from(order_tags).where(amongTexts(order_tags.key, a.keys)),
);

function isTagged(tags: readonly string[]): SearchCondition {
  const keys = tags.map(tagKey);
  return {
    find: (db, max) => tagged(db, { keys: list(keys), max }),
    check: some(
      template`${order_tags} where ${and(eq(order_tags.order_id, orders.id), inArray(order_tags.key, keys))}`,
    ),
  };
}

// Written out, as in the index of waiting lines.
const isWaiting = template`${reservation_lines.reserved} < ${reservation_lines.wanted}`;
// Waiting lines are looked up first: they are few, and a join might begin with all reservations. An order has only one.
const waits = (sql: ReadStatements) => {
  const lines = sql.select({ id: reservation_lines.reservation_id }).from(reservation_lines).where(isWaiting);
  return and(isNotNull(reservations.order_id), amongThose(reservations.id, lines));
};
const waiting = preparedIds((sql, _: StatementArgs<object>) =>
  sql
    .select({ id: template<number>`${reservations.order_id}`.as("id") })
    .from(reservations)
    .where(waits(sql)),
);
const waitingCount = prepared((sql, _: StatementArgs<object>) =>
  sql.select({ count: count() }).from(reservations).where(waits(sql)),
);

/** The number of orders with backordered units. */
export async function countShortOrders(db: Db): Promise<number> {
  const [row] = await waitingCount(db, {});
  return row?.count ?? 0;
}

const shortNow: SQL = some(
  template`${reservation_lines} inner join ${reservations} on ${eq(reservations.id, reservation_lines.reservation_id)}
    where ${and(eq(reservations.order_id, orders.id), isWaiting)}`,
);
const isShort: SearchCondition = { find: (db, max) => waiting(db, { max }), check: shortNow };
const isNotShort: SearchCondition = { check: template`(${shortNow}) is not true` };

const called = prepared((sql, a: StatementArgs<{ sku: string }>) =>
  sql.select({ id: products.id }).from(products).where(eq(products.sku, a.sku)),
);

/** The product with exactly this SKU, or null; also null if several merchants have one. */
export async function productOf(db: Db, sku: string): Promise<number | null> {
  const [product, another] = await called(db, { sku });
  return another === undefined ? (product?.id ?? null) : null;
}

const holding = preparedIds((sql, a: StatementArgs<{ sku: string }>) =>
  sql
    .select({ id: order_lines.order_id })
    .from(order_lines)
    .innerJoin(products, eq(products.id, order_lines.product_id))
    .where(eq(products.sku, a.sku)),
);

const holdsSku = (sku: string): SearchCondition => ({
  find: (db, max) => holding(db, { sku, max }),
  check: some(
    template`${order_lines} inner join ${products} on ${eq(products.id, order_lines.product_id)}
      where ${and(eq(order_lines.order_id, orders.id), eq(products.sku, sku))}`,
  ),
});

// A label that was bought and not voided has a number. Written out, as in the index of unprinted labels.
const isUsable = template`${labels.return_id} is null and ${labels.voided_at} is null
  and ${labels.tracking_number} is not null`;
// A label that was bought elsewhere may have no file, so that there is nothing to print.
const hasFile = template`(not ${labels.external} or exists (select 1 from ${label_documents}
  where ${label_documents.label_id} = ${labels.id}))`;
const isUnprinted = template`${labels.printed_at} is null and ${isUsable} and ${hasFile}`;
const isLabeled = some(template`${labels} where ${eq(labels.order_id, orders.id)} and ${isUsable}`);
const hasUnprinted = some(template`${labels} where ${eq(labels.order_id, orders.id)} and ${isUnprinted}`);
const isPrinted = template`(${isLabeled} and (${hasUnprinted}) is not true)`;

const unprinted = preparedIds((sql, _: StatementArgs<object>) =>
  sql.selectDistinct({ id: labels.order_id }).from(labels).where(isUnprinted),
);

function labelConditions({ labeled, printed }: OrderContentFilter): SearchCondition[] {
  if (labeled === true && printed === false)
    return [{ find: (db, max) => unprinted(db, { max }), check: hasUnprinted }];
  const not = (condition: SQL) => template`(${condition}) is not true`;
  return [
    ...(labeled === undefined ? [] : [{ check: labeled ? isLabeled : not(isLabeled) }]),
    ...(printed === undefined ? [] : [{ check: printed ? isPrinted : not(isPrinted) }]),
  ];
}

type Words = readonly string[] | undefined;

const chosen = (name: string) => template`(${orders.shipping_choice} ->> ${template.raw(`'${name}'`)})`;
const hasText = (column: SQLWrapper, values: Words) =>
  values === undefined ? undefined : amongTexts(column, template`${list(values)}`);

// By its parcels, or by what is chosen for it as long as no parcel has a carrier.
function travelsBy(carriers: Words, services: Words): SearchCondition {
  const own = and(eq(shipments.order_id, orders.id), ne(shipments.status, givenUp));
  const matches = and(own, hasText(shipments.carrier, carriers), hasText(shipments.service, services));
  const travels = some(template`${shipments} where ${matches}`);
  const decided = some(template`${shipments} where ${and(own, isNotNull(shipments.carrier))}`);
  const planned = and(hasText(chosen("carrier"), carriers), hasText(chosen("service"), services));
  return { check: template`(${travels} or (${planned} and (${decided}) is not true))` };
}

// Cancelled units do not count.
const units = template`(
  select sum(${order_lines.quantity} - ${order_lines.quantity_cancelled}) from ${order_lines}
  where ${eq(order_lines.order_id, orders.id)}
)`;
const isOfOneUnit: SearchCondition = { check: template`${units} = 1` };
const isOfOthers: SearchCondition = { check: template`${units} <> 1` };
