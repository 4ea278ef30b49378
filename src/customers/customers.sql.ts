import { and, asc, eq, gt, isNotNull, isNull, type SQL, sql as template } from "drizzle-orm";
import { among, amongTexts, columnsOf, contains, forKeyShare, list, opaque, phoneDigits } from "../../db/kit.ts";
import { addresses, customer_words, customers } from "../../db/schema/customers.ts";
import { merchants } from "../../db/schema/merchants.ts";
import type { StoredCheck } from "../addresses/address.ts";
import { Fault } from "../core/faults.ts";
import { wireId } from "../core/ids.ts";
import { type CompleteAddress, contactFields } from "../core/postal_address.ts";
import { textField } from "../core/schema.ts";
import { minute_ms } from "../core/time.ts";
import type { Db, ReadStatements, Tx, WriteStatements } from "../storage/database.ts";
import { longRecords } from "../storage/long_records.ts";
import { queueOf } from "../storage/queue.ts";
import { filter, recordList, search } from "../storage/record_list.ts";
import { recordLookup } from "../storage/record_lookup.ts";
import { insert, insertIds, prepared, type StatementArgs } from "../storage/statements.ts";
import { hasOneMerchant, refuseAmbiguousOwner, requireOwner } from "../storage/tenant.ts";
import type { Customer, CustomerAddress, OrderCustomer } from "./customer.ts";
import { type AddressDraft, type CustomerFields, emailKey, wordsOf } from "./customer.ts";

type CustomerRow = typeof customers.$inferSelect;

const byEmail = prepared((sql, a: StatementArgs<{ email_key: string }>) =>
  sql
    .select({ id: customers.id, merchant_id: customers.merchant_id })
    .from(customers)
    .where(eq(customers.email_key, a.email_key)),
);
const addressesOf = prepared((sql, a: StatementArgs<{ customer_ids: string }>) =>
  sql.select().from(addresses).where(among(addresses.customer_id, a.customer_ids)).orderBy(asc(addresses.id)),
);

const customerOf = recordLookup(customers, "customer", { records: withAddresses });

/** The customer that an identifier names: `cus_1001` or `1001`. Refuses: resource_missing. */
export const getCustomer = customerOf.get;

/**
 * As `getCustomer`, and locks the customer for a change until the transaction ends.
 * Refuses: resource_missing, customer_erased.
 */
export async function lockCustomer(tx: Tx, id: string | number): Promise<Customer> {
  const customer = await customerOf.lock(tx, id);
  if (customer.erased_at === null) return customer;
  throw new Fault("customer_erased", `${wireId("customer", customer.id)} was erased. Create a new customer.`);
}

/** Customers with their addresses. */
export async function withAddresses(db: Db, rows: readonly CustomerRow[]): Promise<Customer[]> {
  if (rows.length === 0) return [];
  const all = await addressesOf(db, { customer_ids: list(rows.map((row) => row.id)) });
  const of = Map.groupBy(all, (address) => address.customer_id);
  return rows.map(({ email_key: _key, ...row }) => ({ ...row, shipping_addresses: of.get(row.id) ?? [] }));
}

const buyer = {
  ...columnsOf(customers, "id", "merchant_id", "email", "first_name", "last_name", "company", "erased_at"),
  merchant: { code: merchants.code, status: merchants.status },
};

const recipientIn = (sql: ReadStatements, a: StatementArgs<{ customer_id: number; address_id: number }>) =>
  sql
    .select({ ...buyer, address: addresses })
    .from(customers)
    .innerJoin(merchants, eq(merchants.id, customers.merchant_id))
    .leftJoin(addresses, and(eq(addresses.customer_id, customers.id), eq(addresses.id, opaque(a.address_id))))
    .where(eq(customers.id, opaque(a.customer_id)));
const recipient = prepared(recipientIn);
const storedRecipient = prepared((sql, a: StatementArgs<{ customer_id: number; address_id: number }>) =>
  forKeyShare(recipientIn(sql, a), customers),
);
const recipientOfOpen = prepared((sql, a: StatementArgs<{ customer_id: number; address_id: number }>) =>
  forKeyShare(recipientIn(sql, a), [customers, merchants]),
);

/**
 * The customer and address of an order, in one query. Null if there is no such customer; `address` is null if the
 * customer has no such address.
 */
export async function findRecipient(db: Db, customer_id: number, address_id: number): Promise<StoredRecipient | null> {
  return recipientOf(await recipient(db, { customer_id, address_id }));
}

interface StoredRecipient {
  readonly buyer: OrderCustomer;
  readonly address: CustomerAddress | null;
}

function recipientOf([row]: Awaited<ReturnType<typeof recipient>>): StoredRecipient | null {
  if (row === undefined) return null;
  const { address, erased_at, ...buyer } = row;
  // A statement that waited for an erasure still reads the deleted address.
  return { buyer, address: erased_at === null ? address : null };
}

const buyersIn = (sql: ReadStatements, a: StatementArgs<{ ids: string }>) =>
  sql
    .select(buyer)
    .from(customers)
    .innerJoin(merchants, eq(merchants.id, customers.merchant_id))
    .where(among(customers.id, a.ids));
const buyersOf = prepared((sql, a: StatementArgs<{ ids: string }>) => forKeyShare(buyersIn(sql, a), customers));
const buyersOfOpen = prepared((sql, a: StatementArgs<{ ids: string }>) =>
  forKeyShare(buyersIn(sql, a), [customers, merchants]),
);
const addressesCalled = prepared((sql, a: StatementArgs<{ ids: string }>) =>
  sql.select().from(addresses).where(among(addresses.id, a.ids)),
);

/**
 * As `findRecipient` for many new orders, in their order. Until the transaction ends, none of the customers can be
 * erased, and none of their merchants can be closed if there are several.
 */
export async function findRecipients(
  tx: Tx,
  pairs: readonly { readonly customer_id: number; readonly address_id: number }[],
): Promise<(StoredRecipient | null)[]> {
  const one = hasOneMerchant(tx);
  const [first] = pairs;
  if (first !== undefined && pairs.length === 1) {
    return [recipientOf(await (one ? storedRecipient : recipientOfOpen)(tx, first))];
  }
  const idsOf = (name: "customer_id" | "address_id") => list([...new Set(pairs.map((pair) => pair[name]))]);
  const found = await (one ? buyersOf : buyersOfOpen)(tx, { ids: idsOf("customer_id") });
  const buyers = new Map(found.map((row) => [row.id, row]));
  const places = new Map((await addressesCalled(tx, { ids: idsOf("address_id") })).map((row) => [row.id, row]));
  return pairs.map(({ customer_id, address_id }) => {
    const row = buyers.get(customer_id);
    if (row === undefined) return null;
    const { erased_at: _, ...buyer } = row;
    const address = places.get(address_id);
    return { buyer, address: address?.customer_id === customer_id ? address : null };
  });
}

/** The id of the customer with this email address, ignoring case, or null. Refuses: merchant_required. */
export async function findCustomerByEmail(db: Db, email: string): Promise<number | null> {
  const rows = await byEmail(db, { email_key: emailKey(email) });
  refuseAmbiguousOwner(rows, () => email);
  return rows[0]?.id ?? null;
}

const byEmails = prepared((sql, a: StatementArgs<{ keys: string }>) =>
  sql.select().from(customers).where(amongTexts(customers.email_key, a.keys)),
);

/**
 * The customers with these email addresses, by `emailKey`. Unknown addresses are left out.
 * Refuses: merchant_required.
 */
export async function findCustomersByEmail(db: Db, emails: readonly string[]): Promise<Map<string, Customer>> {
  const rows = await byEmails(db, { keys: list([...new Set(emails.map(emailKey))]) });
  refuseAmbiguousOwner(rows, ({ email }) => email);
  const found = await withAddresses(db, rows);
  return new Map(found.map((customer) => [emailKey(customer.email), customer]));
}

const fullName = template`coalesce(${customers.first_name}, '') || ' ' || coalesce(${customers.last_name}, '')`;

/** Condition: the phone number contains these digits, however both are written. */
function hasDigits(piece: string): SQL | undefined {
  const digits = piece.replace(/[ \-().+/]/g, "");
  return /^\d{3,}$/.test(digits) ? contains(phoneDigits(customers.phone), digits) : undefined;
}

/** Customers without their addresses, newest first. */
export const customerList = recordList(customers, {
  filters: {
    q: search("Part of the email address, the name, the company or the phone number.", [
      ...[customers.email, fullName, customers.company, customers.phone],
      hasDigits,
    ]),
    email: filter(textField(254, { description: "The complete email address, in any case." }), (email) =>
      eq(customers.email_key, emailKey(email)),
    ),
  },
  // One may have a hundred addresses.
  long: longRecords(customers, addresses.customer_id, { record: 700, part: 500 }),
});

/** The customers after one (null: from the first) that are not erased, by id. */
export async function listCustomersAfter(
  db: Db,
  last: Pick<Customer, "id"> | null,
  limit: number,
): Promise<Customer[]> {
  const rows = await db.sql
    .select()
    .from(customers)
    .where(and(gt(customers.id, last?.id ?? 0), isNull(customers.erased_at)))
    .orderBy(asc(customers.id))
    .limit(limit);
  return withAddresses(db, rows);
}

/** Stores a new customer without addresses; null if another one has its email address. */
export async function insertCustomer(tx: Tx, fields: CustomerFields): Promise<Customer | null> {
  const times = { created_at: tx.now, updated_at: tx.now, erased_at: null };
  const row = { ...fields, merchant_id: requireOwner(tx), revision: 1, ...times };
  const [inserted] = await tx.sql
    .insert(customers)
    .values({ ...row, email_key: emailKey(fields.email) })
    .onConflictDoNothing({ target: [customers.email_key, customers.merchant_id] })
    .returning({ id: customers.id });
  if (inserted === undefined) return null;
  await saveSearchWords(tx, inserted.id, wordsOf(fields));
  return { id: inserted.id, ...row, shipping_addresses: [] };
}

const storedSearchWords = prepared((sql, a: StatementArgs<{ customer_id: number }>) =>
  sql.select({ word: customer_words.word }).from(customer_words).where(eq(customer_words.customer_id, a.customer_id)),
);

/** Stores additional search words of a customer. None of them may be stored already. */
async function saveSearchWords(tx: Tx, customer_id: number, words: Iterable<string>): Promise<void> {
  const rows = [...words].map((word) => ({ customer_id, word }));
  await insert(tx, customer_words, rows);
}

/** Stores a changed customer without its addresses, and increments its revision. */
export async function saveCustomer(tx: Tx, before: Customer, fields: CustomerFields): Promise<Customer> {
  const row = { ...fields, revision: before.revision + 1, updated_at: tx.now };
  await tx.sql
    .update(customers)
    .set({ ...row, email_key: emailKey(fields.email) })
    .where(eq(customers.id, before.id));
  const fresh = wordsOf(fields).difference(wordsOf(before));
  if (fresh.size > 0) {
    // The words of former names stay. An earlier version may have stored fewer words than today's.
    const known = new Set((await storedSearchWords(tx, { customer_id: before.id })).map(({ word }) => word));
    await saveSearchWords(tx, before.id, fresh.union(wordsOf(before)).difference(known));
  }
  return { ...before, ...row };
}

/** An address to store. */
interface CheckedAddressDraft extends AddressDraft {
  /** Its verification; null for an unchanged address. */
  readonly check: StoredCheck | null;
}

const unchecked: StoredCheck = { verification: null, is_verified: false, ask_at: null };

/** A placeholder as an expression: `set` would store a bare one as a value. */
const bound = (value: SQL) => template`${value}`;

const changeAddress = prepared(
  (sql: WriteStatements, a: StatementArgs<CompleteAddress & StoredCheck & { id: number; now: number }>) =>
    sql
      .update(addresses)
      .set({
        ...Object.fromEntries(contactFields.map((name) => [name, bound(a[name])])),
        verification: a.verification,
        is_verified: a.is_verified,
        ask_at: bound(a.ask_at),
        updated_at: bound(a.now),
      })
      .where(eq(addresses.id, a.id)),
);
/** The addresses that a carrier is to verify. A claim is longer than any batch can take. */
export const carrierChecks = queueOf<CustomerAddress>(addresses, {
  kind: "addresses",
  job: "addresses.ask",
  due: addresses.ask_at,
  waiting: isNotNull(addresses.ask_at),
  lease_ms: minute_ms,
});

/** Postpones the verification of an address by a carrier; null cancels it. */
export async function postponeCarrierCheck(tx: Tx, id: number, ask_at: number | null): Promise<void> {
  await tx.sql.update(addresses).set({ ask_at }).where(eq(addresses.id, id));
}

const keepCheck = prepared((sql: WriteStatements, a: StatementArgs<StoredCheck & { id: number }>) =>
  sql
    .update(addresses)
    .set({ verification: a.verification, is_verified: a.is_verified, ask_at: bound(a.ask_at) })
    .where(eq(addresses.id, a.id)),
);

/** Stores the verification of an address. */
export async function saveCheck(tx: Tx, id: number, check: StoredCheck): Promise<void> {
  await keepCheck(tx, { ...check, id });
}

const clearDefault = prepared((sql: WriteStatements, a: StatementArgs<{ customer_id: number }>) =>
  sql
    .update(addresses)
    .set({ is_default: false })
    .where(and(eq(addresses.customer_id, a.customer_id), addresses.is_default)),
);
const setDefault = prepared((sql: WriteStatements, a: StatementArgs<{ id: number }>) =>
  sql.update(addresses).set({ is_default: true }).where(eq(addresses.id, a.id)),
);
const deleteAddresses = prepared((sql: WriteStatements, a: StatementArgs<{ ids: string }>) =>
  sql.delete(addresses).where(among(addresses.id, a.ids)),
);

/**
 * Replaces the addresses of a customer. Drafts with an `id` change in place, the others are new, and stored addresses
 * without a draft are removed. The one at `default_index` is the default. Returns the changed customer.
 */
export async function saveAddresses(
  tx: Tx,
  customer: Customer,
  drafts: readonly CheckedAddressDraft[],
  default_index: number | null,
): Promise<Customer> {
  const kept = new Set(drafts.map((draft) => draft.id));
  const gone = customer.shipping_addresses.filter(({ id }) => !kept.has(id)).map(({ id }) => id);
  if (gone.length > 0) await deleteAddresses(tx, { ids: list(gone) });
  for (const { id, fields, check } of drafts) {
    if (id !== null && check !== null) await changeAddress(tx, { ...fields, ...check, id, now: tx.now });
  }
  const fresh = drafts.filter(({ id }) => id === null);
  const { id: customer_id, merchant_id } = customer;
  const unset = { customer_id, merchant_id, is_default: false, created_at: tx.now, updated_at: tx.now };
  const ids = await insertIds(
    tx,
    addresses,
    fresh.map(({ fields, check }) => ({ ...fields, ...unchecked, ...check, ...unset })),
  );
  const default_draft = default_index === null ? null : drafts[default_index];
  if (default_draft) {
    const nth = fresh.indexOf(default_draft);
    await clearDefault(tx, { customer_id: customer.id });
    await setDefault(tx, { id: default_draft.id ?? (ids[nth] as number) });
  }
  return getCustomer(tx, customer.id);
}
