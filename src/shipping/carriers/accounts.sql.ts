import { and, asc, eq, isNull, sql as template } from "drizzle-orm";
import { forUpdate, isOneOf } from "../../../db/kit.ts";
import { carrier_accounts } from "../../../db/schema/carrier_accounts.ts";
import { labels } from "../../../db/schema/shipments.ts";
import { Fault, missing } from "../../core/faults.ts";
import { isCallbackKey, readId, wireId } from "../../core/ids.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { recordList, search } from "../../storage/record_list.ts";
import { prepared, type StatementArgs } from "../../storage/statements.ts";
import { isDuplicate } from "../../storage/storage_errors.ts";
import { sellingStatuses } from "./account.transitions.ts";
import type { CarrierAccount } from "./account.ts";

const isNotDeleted = isNull(carrier_accounts.deleted_at);

const byId = prepared((sql, a: StatementArgs<{ id: number }>) =>
  sql
    .select()
    .from(carrier_accounts)
    .where(and(eq(carrier_accounts.id, a.id), isNotDeleted)),
);
const byKey = prepared((sql, a: StatementArgs<{ key: string }>) =>
  sql
    .select()
    .from(carrier_accounts)
    .where(and(eq(carrier_accounts.key, a.key), isNotDeleted)),
);
const active = prepared((sql, _: StatementArgs<object>) =>
  sql
    .select()
    .from(carrier_accounts)
    .where(and(isOneOf(carrier_accounts.status, sellingStatuses), isNotDeleted))
    .orderBy(asc(carrier_accounts.id)),
);

/** Finds an account by its identifier, `cac_1001` or `1001`. Refuses: resource_missing. */
export async function getAccount(db: Db, id: string | number): Promise<CarrierAccount> {
  const account = await findAccount(db, readId("carrier_account", id) ?? 0);
  if (account === null) throw missing("carrier account", id);
  return account;
}

/** Like `getAccount`, but locks the account until the transaction ends. Refuses: resource_missing. */
export async function lockAccount(tx: Tx, id: string | number): Promise<CarrierAccount> {
  const query = tx.sql
    .select()
    .from(carrier_accounts)
    .where(and(eq(carrier_accounts.id, readId("carrier_account", id) ?? 0), isNotDeleted));
  const [row] = await forUpdate(query);
  if (row === undefined) throw missing("carrier account", id);
  return row;
}

/** Finds an account by its id, paused or not; null if it does not exist or was deleted. */
export async function findAccount(db: Db, id: number): Promise<CarrierAccount | null> {
  const [row] = await byId(db, { id });
  return row ?? null;
}

/** Finds the account that a callback URL names, or null. */
export async function findAccountByKey(db: Db, key: string): Promise<CarrierAccount | null> {
  if (!isCallbackKey(key)) return null;
  const [row] = await byKey(db, { key });
  return row ?? null;
}

/** Lists all active accounts, ordered by id. */
export async function listActiveAccounts(db: Db): Promise<CarrierAccount[]> {
  return active(db, {});
}

const notDeleted = prepared((sql, _: StatementArgs<object>) =>
  sql.select().from(carrier_accounts).where(isNotDeleted).orderBy(asc(carrier_accounts.id)),
);

/**
 * Lists all accounts that are not deleted, ordered by id. Paused ones are included: their parcels are still tracked.
 */
export async function listUndeletedAccounts(db: Db): Promise<CarrierAccount[]> {
  return notDeleted(db, {});
}

const labelsInProgress = prepared((sql, a: StatementArgs<{ id: number }>) =>
  sql
    .select({ id: labels.id })
    .from(labels)
    .where(and(eq(labels.account_id, a.id), template`${labels.claimed_until} is not null`))
    .limit(1),
);

/** Whether a label is being bought or voided with this account. */
export async function hasLabelInProgress(db: Db, id: number): Promise<boolean> {
  return (await labelsInProgress(db, { id })).length > 0;
}

/** Accounts that are not deleted, newest first. */
export const accountList = recordList(carrier_accounts, {
  filters: { q: search("Part of the name or the connector.", [carrier_accounts.name, carrier_accounts.connector]) },
  within: isNotDeleted,
});

/** Inserts an account and returns its id. Refuses: duplicate_connection. */
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

/** Saves a changed account. Refuses: duplicate_connection. */
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
  return new Fault("duplicate_connection", "An account with these credentials already exists.", { existing_id });
}
