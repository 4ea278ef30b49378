import { and, asc, desc, eq, isNull, sql as template } from "drizzle-orm";
import { forUpdate, isOneOf } from "../../../db/kit.ts";
import { carrier_accounts } from "../../../db/schema/carrier_accounts.ts";
import { labels } from "../../../db/schema/shipments.ts";
import { Fault, missing } from "../../core/faults.ts";
import { isCallbackKey, readId, wireId } from "../../core/ids.ts";
import type { PageWindow } from "../../core/schema.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { prepared, type StatementArgs } from "../../storage/statements.ts";
import { isDuplicate } from "../../storage/storage_errors.ts";
import { sellingStatuses } from "./account.transitions.ts";
import type { CarrierAccount } from "./account.ts";

const isKept = isNull(carrier_accounts.deleted_at);

const byId = prepared((sql, a: StatementArgs<{ id: number }>) =>
  sql
    .select()
    .from(carrier_accounts)
    .where(and(eq(carrier_accounts.id, a.id), isKept)),
);
const byKey = prepared((sql, a: StatementArgs<{ key: string }>) =>
  sql
    .select()
    .from(carrier_accounts)
    .where(and(eq(carrier_accounts.key, a.key), isKept)),
);
const active = prepared((sql, _: StatementArgs<object>) =>
  sql
    .select()
    .from(carrier_accounts)
    .where(and(isOneOf(carrier_accounts.status, sellingStatuses), isKept))
    .orderBy(asc(carrier_accounts.id)),
);

/** The account that an identifier names: `cac_1001` or `1001`. Refuses: resource_missing. */
export async function getAccount(db: Db, id: string | number): Promise<CarrierAccount> {
  const account = await findAccount(db, readId("carrier_account", id) ?? 0);
  if (account === null) throw missing("carrier account", id);
  return account;
}

/** As `getAccount`, and locks the account until this transaction ends. */
export async function lockAccount(tx: Tx, id: string | number): Promise<CarrierAccount> {
  const query = tx.sql
    .select()
    .from(carrier_accounts)
    .where(and(eq(carrier_accounts.id, readId("carrier_account", id) ?? 0), isKept));
  const [row] = await forUpdate(query);
  if (row === undefined) throw missing("carrier account", id);
  return row;
}

/** The account with this id, paused or not; null when it was deleted. */
export async function findAccount(db: Db, id: number): Promise<CarrierAccount | null> {
  const [row] = await byId(db, { id });
  return row ?? null;
}

/** The account that a callback address names, or null. */
export async function findAccountByKey(db: Db, key: string): Promise<CarrierAccount | null> {
  if (!isCallbackKey(key)) return null;
  const [row] = await byKey(db, { key });
  return row ?? null;
}

/** Every account that is not paused, in the order of their ids. */
export async function listActiveAccounts(db: Db): Promise<CarrierAccount[]> {
  return active(db, {});
}

const kept = prepared((sql, _: StatementArgs<object>) =>
  sql.select().from(carrier_accounts).where(isKept).orderBy(asc(carrier_accounts.id)),
);

/** Every account, paused or not: parcels that a paused one sold labels for are still tracked. */
export async function listKeptAccounts(db: Db): Promise<CarrierAccount[]> {
  return kept(db, {});
}

const asking = prepared((sql, a: StatementArgs<{ id: number }>) =>
  sql
    .select({ id: labels.id })
    .from(labels)
    .where(and(eq(labels.account_id, a.id), template`${labels.claimed_until} is not null`))
    .limit(1),
);

/** Whether a label is being bought or voided with an account. */
export async function isAsking(db: Db, id: number): Promise<boolean> {
  return (await asking(db, { id })).length > 0;
}

/** A page of accounts, newest first. */
export async function listAccounts(db: Db, { limit, offset, after }: PageWindow): Promise<CarrierAccount[]> {
  const { created_at, id } = carrier_accounts;
  return db.sql
    .select()
    .from(carrier_accounts)
    .where(and(isKept, after ? template`(${created_at}, ${id}) < (${after[0]}, ${after[1]})` : undefined))
    .orderBy(desc(created_at), desc(id))
    .limit(limit)
    .offset(offset);
}

/** How many accounts there are. */
export async function countAccounts(db: Db): Promise<number> {
  return db.sql.$count(carrier_accounts, isKept);
}

/** Stores a new account and answers its id. Refuses: duplicate_connection. */
export async function insertAccount(tx: Tx, fields: Omit<CarrierAccount, "id">): Promise<number> {
  const [row] = await tx.sql
    .insert(carrier_accounts)
    .values({ ...fields, carriers: [...fields.carriers], deleted_at: null })
    .onConflictDoNothing({ target: carrier_accounts.credentials_digest })
    .returning({ id: carrier_accounts.id });
  if (row === undefined) throw await alreadyThere(tx, fields.credentials_digest);
  tx.wake("addresses.ask", tx.now);
  return row.id;
}

/** Stores a changed account. Refuses: duplicate_connection. */
export async function saveAccount(
  tx: Tx,
  { id, ...fields }: CarrierAccount,
  deleted_at: number | null = null,
): Promise<void> {
  tx.wake("addresses.ask", tx.now);
  const save = async (inner: Tx) => {
    await inner.sql
      .update(carrier_accounts)
      .set({ ...fields, carriers: [...fields.carriers], deleted_at })
      .where(eq(carrier_accounts.id, id));
  };
  try {
    await tx.nested(save);
  } catch (error) {
    const rule = "carrier_accounts_credentials";
    if (!isDuplicate(error, "carrier_accounts", rule, ["credentials_digest"])) throw error;
    throw await alreadyThere(tx, fields.credentials_digest);
  }
}

async function alreadyThere(tx: Tx, digest: string | null): Promise<Fault> {
  const [row] = await tx.sql
    .select({ id: carrier_accounts.id })
    .from(carrier_accounts)
    .where(eq(carrier_accounts.credentials_digest, digest ?? ""));
  const existing_id = row === undefined ? null : wireId("carrier_account", row.id);
  return new Fault("duplicate_connection", "There is an account with these credentials already.", { existing_id });
}
