// A search of orders that no number of orders makes slow. What each word may mean is looked up in indexes. When a word
// means few orders, these are the candidates; else the list is walked in its order, a bounded stretch at a time.
import { and, eq, type SQL, sql as template } from "drizzle-orm";
import { among, bare, begins, folded, lastDigits, list } from "../../../db/kit.ts";
import { customer_words } from "../../../db/schema/customers.ts";
import { order_lines, orders } from "../../../db/schema/orders.ts";
import { products } from "../../../db/schema/products.ts";
import { shipments } from "../../../db/schema/shipments.ts";
import { type Args, prepared } from "../../database/statements.ts";
import type { Db } from "../../database/store.ts";
import type { Search, SearchWord } from "./rules.ts";

/** How many orders a word may mean to be a help; a word that means more is only checked of each order. */
export const candidates_max = 10_000;
const more = candidates_max + 1;

const ofNumber = prepared((sql, a: Args<{ piece: string }>) =>
  sql
    .select({ id: orders.id })
    .from(orders)
    .where(begins(folded(orders.order_number), a.piece))
    .limit(more),
);
const ofDigits = prepared((sql, a: Args<{ piece: string }>) =>
  sql
    .select({ id: orders.id })
    .from(orders)
    .where(begins(lastDigits(orders.order_number), a.piece))
    .limit(more),
);
const tracked = template`${shipments.tracking_number} is not null`;
const ofTracking = prepared((sql, a: Args<{ piece: string }>) =>
  sql
    .select({ id: shipments.order_id })
    .from(shipments)
    .where(and(tracked, begins(bare(shipments.tracking_number), a.piece)))
    .limit(more),
);
const customersCalled = prepared((sql, a: Args<{ piece: string }>) =>
  sql
    .select({ id: customer_words.customer_id })
    .from(customer_words)
    .where(begins(customer_words.word, a.piece))
    .limit(more),
);
const ofCustomers = prepared((sql, a: Args<{ ids: string }>) =>
  sql.select({ id: orders.id }).from(orders).where(among(orders.customer_id, a.ids)).limit(more),
);
const productsCalled = prepared((sql, a: Args<{ piece: string }>) =>
  sql
    .select({ id: products.id })
    .from(products)
    .where(begins(folded(products.sku), a.piece))
    .limit(more),
);
const ofProducts = prepared((sql, a: Args<{ ids: string }>) =>
  sql.select({ id: order_lines.order_id }).from(order_lines).where(among(order_lines.product_id, a.ids)).limit(more),
);

/** The ids of all orders that may match, some of which do not; null when they are too many to be told. */
export async function findCandidates(db: Db, { words, tracking }: Search, max = candidates_max) {
  let common: Set<number> | null = null;
  for (const word of words) {
    const found = await meantBy(db, word, max);
    if (found !== null) common = common === null ? found : common.intersection(found);
  }
  const isOne = words.length === 1 || tracking === "";
  const whole = isOne ? new Set<number>() : idsOf(await ofTracking(db, { piece: tracking }), max);
  return common === null || whole === null ? null : [...common.union(whole)];
}

type Ids = readonly { readonly id: number }[];

function idsOf(rows: Ids, max: number): Set<number> | null {
  return rows.length > max ? null : new Set(rows.map(({ id }) => id));
}

/** The orders that a word may mean; null when they are more than `max`. */
async function meantBy(db: Db, { name, code, bare: tracking, order_id }: SearchWord, max: number) {
  const found = new Set<number>(order_id === null ? [] : [order_id]);
  const lookups: (() => Promise<Ids>)[] = [
    () => ofNumber(db, { piece: code }),
    () => (/^\d+$/.test(code) ? ofDigits(db, { piece: code }) : Promise.resolve([])),
    () => (tracking === "" ? Promise.resolve([]) : ofTracking(db, { piece: tracking })),
    () => through(customersCalled(db, { piece: name }), max, (ids) => ofCustomers(db, { ids })),
    () => through(productsCalled(db, { piece: code }), max, (ids) => ofProducts(db, { ids })),
  ];
  for (const look of lookups) {
    const ids = idsOf(await look(), max);
    if (ids === null) return null;
    for (const id of ids) found.add(id);
  }
  return found.size > max ? null : found;
}

/** What is found by way of others; these themselves when they are too many already, which are too many in turn. */
async function through(others: Promise<Ids>, max: number, find: (ids: string) => Promise<Ids>): Promise<Ids> {
  const rows = await others;
  if (rows.length === 0 || rows.length > max) return rows;
  return find(list([...new Set(rows.map(({ id }) => id))]));
}

/** Whether an order matches: each word stands for something of it, or all of them are the number of its parcel. */
export function matchesSearch({ words, tracking }: Search): SQL {
  const all = template`(${template.join(words.map(meansOrder), template` and `)})`;
  return tracking === "" ? all : template`(${all} or ${hasTracking(tracking)})`;
}

function meansOrder({ name, code, bare: tracking, order_id }: SearchWord): SQL {
  const customer = eq(customer_words.customer_id, orders.customer_id);
  const line = eq(order_lines.order_id, orders.id);
  const checks = [
    begins(folded(orders.order_number), template`${code}`),
    ...(order_id === null ? [] : [template`${orders.id} = ${order_id}`]),
    ...(/^\d+$/.test(code) ? [begins(lastDigits(orders.order_number), template`${code}`)] : []),
    some(template`${customer_words} where ${customer} and ${begins(customer_words.word, template`${name}`)}`),
    some(template`${order_lines} where ${line} and ${begins(folded(order_lines.sku), template`${code}`)}`),
    ...(tracking === "" ? [] : [hasTracking(tracking)]),
  ];
  return template`(${template.join(checks, template` or `)})`;
}

function hasTracking(piece: string): SQL {
  const own = eq(shipments.order_id, orders.id);
  const number = begins(bare(shipments.tracking_number), template`${piece}`);
  return some(template`${shipments} where ${own} and ${tracked} and ${number}`);
}

/** That there is a row. Unlike `exists` it is asked of each order by itself, and never of all rows in advance. */
const some = (rows: SQL) => template`(select 1 from ${rows} limit 1) = 1`;
