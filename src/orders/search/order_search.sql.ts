import { and, asc, count, desc, eq, or, type SQL, sql as template } from "drizzle-orm";
import { among, begins, folded, lastDigits, list, opaque } from "../../../db/kit.ts";
import { customer_words, customers } from "../../../db/schema/customers.ts";
import { order_lines, order_words, orders } from "../../../db/schema/orders.ts";
import { products } from "../../../db/schema/products.ts";
import { shipments } from "../../../db/schema/shipments.ts";
import { readId } from "../../core/ids.ts";
import type { PageWindow } from "../../core/schema.ts";
import { searchWords } from "../../customers/customer.ts";
import type { Db } from "../../storage/database.ts";
import { isParentVisible } from "../../storage/scope.ts";
import { prepared, preparedIds, type StatementArgs } from "../../storage/statements.ts";
import { plainTrackingNumber } from "../fulfillment/tracking_url.ts";

/** A word of a search, in each form that is compared with something. */
interface SearchWord {
  /** As the words of customers are stored: in lower case. */
  readonly name: string;
  /** As order numbers and SKUs are compared: A to Z in lower case. */
  readonly code: string;
  /** As tracking numbers are stored. */
  readonly tracking: string;
  /** The order id in a word such as `ord_1042`, or null. */
  readonly order_id: number | null;
  /** Whether internal notes are searched, too. */
  readonly internal: boolean;
}

/** A search: its words, and all of it as one tracking number that was typed in groups. */
export interface Search {
  readonly words: readonly SearchWord[];
  readonly tracking: string;
}

/** Reads the text of a search box; null if it contains only spaces. Internal notes are searched for the operator. */
export function readSearch(q: string, internal = false): Search | null {
  const words = searchWords(q).map((name, at) => {
    const code = codeOf(q.trim().split(/\s+/)[at] ?? name);
    const order_id = code.startsWith("ord_") ? readId("order", code) : null;
    return { name, code, tracking: plainTrackingNumber(code), order_id, internal };
  });
  return words.length === 0 ? null : { words, tracking: words.map(({ tracking }) => tracking).join("") };
}

/** Only A to Z, as the databases do it. Other letters stay as they are. */
const codeOf = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

// Searches any number of orders. Indexes find the possible matches of each word. If a word matches few orders, these
// are the candidates; otherwise the list is read in its order, in limited batches.

/** The most orders that a word may match to narrow a search. A word with more is only checked for each order. */
export const candidates_max = 10_000;

const ofNumber = preparedIds((sql, a: StatementArgs<{ piece: string }>) =>
  sql
    .select({ id: orders.id })
    .from(orders)
    .where(begins(folded(orders.order_number), a.piece)),
);
const ofDigits = preparedIds((sql, a: StatementArgs<{ piece: string }>) =>
  sql
    .select({ id: orders.id })
    .from(orders)
    .where(begins(lastDigits(orders.order_number), a.piece)),
);
const tracked = template`${shipments.tracking_number} is not null`;
const ofTracking = preparedIds((sql, a: StatementArgs<{ piece: string }>) =>
  sql
    .select({ id: shipments.order_id })
    .from(shipments)
    .where(and(tracked, begins(shipments.tracking_number, a.piece))),
);
const customersCalled = preparedIds((sql, a: StatementArgs<{ piece: string }>) =>
  sql
    .select({ id: customer_words.customer_id })
    .from(customer_words)
    .where(and(begins(customer_words.word, a.piece), isParentVisible(sql, customers, customer_words.customer_id))),
);
const ofCustomers = preparedIds((sql, a: StatementArgs<{ ids: string }>) =>
  sql.select({ id: orders.id }).from(orders).where(among(orders.customer_id, a.ids)),
);
const productsCalled = preparedIds((sql, a: StatementArgs<{ piece: string }>) =>
  sql
    .select({ id: products.id })
    .from(products)
    .where(begins(folded(products.sku), a.piece)),
);
const ofProducts = preparedIds((sql, a: StatementArgs<{ ids: string }>) =>
  sql.select({ id: order_lines.order_id }).from(order_lines).where(among(order_lines.product_id, a.ids)),
);

const worded = preparedIds((sql, a: StatementArgs<{ piece: string; internal: boolean }>) =>
  sql
    .selectDistinct({ id: order_words.order_id })
    .from(order_words)
    .where(
      and(
        begins(order_words.word, a.piece),
        or(eq(order_words.internal, false), eq(order_words.internal, a.internal)),
        isParentVisible(sql, orders, order_words.order_id),
      ),
    ),
);

/** A field in which a word may occur: how to find matching orders, and how to check one order. */
interface OrderSearchSource {
  readonly find: (db: Db, word: SearchWord, max: number) => Promise<OrderIds>;
  readonly check: (word: SearchWord) => SQL;
}

/** Ids of orders; null when they are too many to list. */
type OrderIds = readonly number[] | null;

const numbers: OrderSearchSource = {
  find: (db, { code }, max) => ofNumber(db, { piece: code, max }),
  check: ({ code }) => begins(folded(orders.order_number), template`${code}`),
};
const digits: OrderSearchSource = {
  find: async (db, { code }, max) => (isDigits(code) ? ofDigits(db, { piece: code, max }) : []),
  check: ({ code }) => begins(lastDigits(orders.order_number), template`${code}`),
};
const ids: OrderSearchSource = {
  find: async (_, { order_id }) => (order_id === null ? [] : [order_id]),
  check: ({ order_id }) => template`${orders.id} = ${order_id}`,
};
const names: OrderSearchSource = {
  find: (db, { name }, max) =>
    through(customersCalled(db, { piece: name, max }), (ids) => ofCustomers(db, { ids, max })),
  check: ({ name }) => {
    const word = begins(customer_words.word, template`${name}`);
    return some(template`${customer_words} where ${eq(customer_words.customer_id, orders.customer_id)} and ${word}`);
  },
};
const skus: OrderSearchSource = {
  find: (db, { code }, max) => through(productsCalled(db, { piece: code, max }), (ids) => ofProducts(db, { ids, max })),
  check: ({ code }) => {
    const sku = begins(folded(order_lines.sku), template`${code}`);
    return some(template`${order_lines} where ${eq(order_lines.order_id, orders.id)} and ${sku}`);
  },
};
const parcels: OrderSearchSource = {
  find: async (db, { tracking: piece }, max) => (piece === "" ? [] : ofTracking(db, { piece, max })),
  check: ({ tracking: piece }) => {
    if (piece === "") return template`1 = 0`;
    const number = begins(shipments.tracking_number, template`${piece}`);
    return some(template`${shipments} where ${eq(shipments.order_id, orders.id)} and ${tracked} and ${number}`);
  },
};
const tagsAndNotes: OrderSearchSource = {
  find: (db, { name, internal }, max) => worded(db, { piece: name, internal, max }),
  check: ({ name, internal }) => {
    const word = begins(order_words.word, template`${name}`);
    const open = internal ? undefined : eq(order_words.internal, false);
    return some(template`${order_words} where ${and(eq(order_words.order_id, orders.id), word, open)}`);
  },
};
const others: readonly OrderSearchSource[] = [ids, digits, parcels, numbers, names, tagsAndNotes];
const sources: readonly OrderSearchSource[] = [...others, skus];

/** The product, if a search finds nothing but orders with lines of it; null otherwise. */
export async function soleProduct(db: Db, { words }: Search): Promise<number | null> {
  const [word, ...more] = words;
  if (word === undefined || more.length > 0) return null;
  const [product = null, another] = (await productsCalled(db, { piece: word.code, max: 1 })) ?? [];
  if (product === null || another !== undefined) return null;
  // None of the other sources may find anything. To know that, they need not list it.
  for (const { find } of others) if ((await find(db, word, 0))?.length !== 0) return null;
  return product;
}

const countOf = prepared((sql, a: StatementArgs<{ product_id: number; limit: number }>) => {
  const found = sql
    .selectDistinct({ at: order_lines.ordered_at, id: order_lines.order_id })
    .from(order_lines)
    .where(eq(order_lines.product_id, a.product_id))
    .limit(opaque(a.limit));
  return sql.select({ count: count() }).from(found.as("found"));
});

async function countWith(db: Db, product_id: number, max: number): Promise<number | null> {
  const [{ count } = { count: 0 }] = await countOf(db, { product_id, limit: max + 1 });
  return count > max ? null : count;
}

/**
 * A page of the orders with a product, newest or oldest first, and their number: null if there are more than `max`, and
 * behind a cursor. The index of the product has both, for any number of orders.
 */
export async function ordersWith(
  db: Db,
  product_id: number,
  { limit, offset, after }: PageWindow,
  first: "newest" | "oldest",
  max: number,
): Promise<{ ids: number[]; total: number | null }> {
  const { ordered_at, order_id } = order_lines;
  const [sign, sort] = first === "newest" ? [template`<`, desc] : [template`>`, asc];
  const onwards =
    after === null ? undefined : template`(${ordered_at}, ${order_id}) ${sign} (${after[0]}, ${after[1]})`;
  const page = await db.sql
    .selectDistinct({ at: ordered_at, id: order_id })
    .from(order_lines)
    .where(and(eq(order_lines.product_id, product_id), onwards))
    .orderBy(sort(ordered_at), sort(order_id))
    .limit(limit)
    .offset(offset);
  const total = after === null ? await countWith(db, product_id, max) : null;
  return { ids: page.map(({ id }) => id), total };
}

const isDigits = (code: string) => /^\d+$/.test(code);

/** Condition: there is a row. Unlike `exists`, it is evaluated for each order, and never for all rows in advance. */
export const some = (rows: SQL): SQL => template`(select 1 from ${rows} limit 1) = 1`;

/** A condition on other tables: `check` tests it for one order, `find` looks its orders up if an index can. */
export interface SearchCondition {
  readonly check: SQL;
  readonly find?: (db: Db, max: number) => Promise<OrderIds>;
}

/** Rows that `find` reaches through others, such as orders through their customers; null if either are too many. */
async function through(others: Promise<OrderIds>, find: (ids: string) => Promise<OrderIds>): Promise<OrderIds> {
  const found = await others;
  return found === null || found.length === 0 ? found : find(list([...new Set(found)]));
}

/**
 * The orders that a search finds: those with these ids that pass the check. `ids` is null if there are too many
 * candidates to list: then it is all orders that pass the check.
 */
interface SearchMeaning {
  readonly ids: readonly number[] | null;
  readonly check: SQL | undefined;
}

/**
 * The orders that one word finds. `check` is for the sources that find too many: it is tested for each order instead.
 */
interface WordMeaning {
  readonly ids: ReadonlySet<number>;
  readonly check: SQL | null;
}

/** Finds the orders of a search and some conditions with a few indexes, never by reading all orders. */
export async function meaningOf(
  db: Db,
  search: Search | null,
  conditions: readonly SearchCondition[] = [],
  max = candidates_max,
): Promise<SearchMeaning> {
  const searched = search === null ? { ids: null, check: undefined } : await searchMeaning(db, search, max);
  let { ids } = searched;
  const checks = [searched.check];
  for (const { find, check } of conditions) {
    const found = (await find?.(db, max)) ?? null;
    if (found === null) checks.push(check);
    else {
      const own = new Set(found);
      ids = ids === null ? [...own] : ids.filter((id) => own.has(id));
    }
  }
  return { ids, check: and(...checks) };
}

async function searchMeaning(db: Db, { words, tracking }: Search, max: number): Promise<SearchMeaning> {
  let common = null as ReadonlySet<number> | null;
  const checks: SQL[] = [];
  for (const word of words) {
    const { ids, check } = await wordMeaning(db, word, sources, max);
    if (check === null) common = common?.intersection(ids) ?? ids;
    else checks.push(either(ids, check));
  }
  const all = checks.length === 0 ? undefined : template`(${template.join(checks, template` and `)})`;
  if (words.length === 1 || tracking === "") return { ids: common && [...common], check: all };
  // All of it may be one tracking number typed in groups.
  const [first] = words;
  const whole = await wordMeaning(db, { ...(first as SearchWord), tracking }, [parcels], max);
  if (common === null || whole.check !== null) {
    const mine = and(common === null ? undefined : among(orders.id, template`${list([...common])}`), all);
    return { ids: null, check: template`(${mine} or ${either(whole.ids, whole.check)})` };
  }
  const either_way = all === undefined ? undefined : template`(${all} or ${either(whole.ids, null)})`;
  return { ids: [...common.union(whole.ids)], check: either_way };
}

async function wordMeaning(
  db: Db,
  word: SearchWord,
  from: readonly OrderSearchSource[],
  max: number,
): Promise<WordMeaning> {
  const ids = new Set<number>();
  const broad: SQL[] = [];
  for (const { find, check } of from) {
    const found = await find(db, word, max);
    if (found === null) broad.push(check(word));
    else for (const id of found) ids.add(id);
  }
  return { ids, check: broad.length === 0 ? null : template`(${template.join(broad, template` or `)})` };
}

/** Condition: an order has one of these ids, or a check holds. */
function either(ids: ReadonlySet<number>, check: SQL | null): SQL {
  const isOne = among(orders.id, template`${list([...ids])}`);
  if (check === null) return isOne;
  return ids.size === 0 ? check : template`(${check} or ${isOne})`;
}
