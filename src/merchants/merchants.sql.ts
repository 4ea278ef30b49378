import { asc, eq, type SQL, sql as template } from "drizzle-orm";
import { forKeyShare, forSoleUse, forUpdate, isOneOf } from "../../db/kit.ts";
import { merchants } from "../../db/schema/merchants.ts";
import { assert, missing } from "../core/faults.ts";
import { readId } from "../core/ids.ts";
import { choice } from "../core/schema.ts";
import type { Db, Tx } from "../storage/database.ts";
import { anyOf, recordList, search } from "../storage/record_list.ts";
import { prepared, type StatementArgs } from "../storage/statements.ts";
import { merchantStatuses, suspendedStatuses } from "./merchant.transitions.ts";
import type { Merchant } from "./merchant.ts";

const all = prepared((sql, _: StatementArgs<object>) => sql.select().from(merchants).orderBy(asc(merchants.id)));

/** Every merchant, oldest first. */
export async function listMerchants(db: Db): Promise<Merchant[]> {
  return all(db, {});
}

const byId = prepared((sql, a: StatementArgs<{ id: number }>) =>
  sql.select().from(merchants).where(eq(merchants.id, a.id)),
);

const suspended = prepared((sql, _: StatementArgs<object>) =>
  sql.select({ id: merchants.id }).from(merchants).where(isOneOf(merchants.status, suspendedStatuses)),
);

/** The merchants whose orders are on hold. */
export async function listSuspended(db: Db): Promise<{ id: number }[]> {
  return suspended(db, {});
}

const lastChange = prepared((sql, _: StatementArgs<object>) =>
  sql.select({ at: template<number | null>`max(${merchants.updated_at})` }).from(merchants),
);

/** When a merchant was last created or changed (ms); 0 before the first start. */
export async function lastChangeAt(db: Db): Promise<number> {
  const [row] = await lastChange(db, {});
  return Number(row?.at ?? 0);
}

/** The merchant with this id, which must exist. */
export async function findMerchant(db: Db, id: number): Promise<Merchant> {
  const [row] = await byId(db, { id });
  assert(row, "the merchant of a record exists");
  return row;
}

/** The merchant that an identifier names: `mer_1`, `1`, or its code; or null. */
export async function findMerchantNamed(db: Db, name: string): Promise<Merchant | null> {
  const [row] = await db.sql.select().from(merchants).where(isNamed(name));
  return row ?? null;
}

/** As `findMerchantNamed`. Refuses: resource_missing. */
export async function getMerchant(db: Db, name: string): Promise<Merchant> {
  const merchant = await findMerchantNamed(db, name);
  if (merchant === null) throw missing("merchant", name);
  return merchant;
}

/** As `getMerchant`, and locks the merchant until this transaction ends. */
export async function lockMerchant(tx: Tx, name: string): Promise<Merchant> {
  const [row] = await forUpdate(tx.sql.select().from(merchants).where(isNamed(name)));
  if (row === undefined) throw missing("merchant", name);
  return row;
}

/** As `lockMerchant`, after waiting for all transactions that create records for the merchant. */
export async function lockMerchantAlone(tx: Tx, name: string): Promise<Merchant> {
  const [row] = await forSoleUse(tx.sql.select().from(merchants).where(isNamed(name)));
  if (row === undefined) throw missing("merchant", name);
  return row;
}

const staying = prepared((sql, a: StatementArgs<{ id: number }>) =>
  forKeyShare(
    sql.select({ code: merchants.code, status: merchants.status }).from(merchants).where(eq(merchants.id, a.id)),
    merchants,
  ),
);

/** As `findMerchant`, and prevents closing it until this transaction ends. Queries once for each merchant. */
export async function keepMerchant(tx: Tx, id: number): Promise<Pick<Merchant, "code" | "status">> {
  const [merchant] = await tx.memo(`merchants.kept ${id}`, () => staying(tx, { id }));
  assert(merchant, "the merchant of a record exists");
  return merchant;
}

/** A code contains a letter, so it cannot be mistaken for an id. */
function isNamed(name: string): SQL {
  const id = readId("merchant", name);
  return id === null ? eq(merchants.code, name) : eq(merchants.id, id);
}

/** Merchants, newest first. */
export const merchantList = recordList(merchants, {
  filters: {
    status: anyOf(choice(merchantStatuses), (status) => isOneOf(merchants.status, [status])),
    q: search("Part of the code, the name or the legal name.", [merchants.code, merchants.name, merchants.legal_name]),
  },
});

/** Stores a new merchant and returns it; null if another one has its code. */
export async function insertMerchant(tx: Tx, merchant: Omit<Merchant, "id">): Promise<Merchant | null> {
  const [row] = await tx.sql
    .insert(merchants)
    .values(merchant)
    .onConflictDoNothing({ target: merchants.code })
    .returning();
  tx.changed("merchants");
  return row ?? null;
}

/** Whether each merchant has its timestamps: the one that a migration created has none at first. */
export async function areDated(db: Db): Promise<boolean> {
  return (await listMerchants(db)).every(({ created_at }) => created_at > 0);
}

/** Sets the timestamps of a merchant that a migration created without them. */
export async function dateMerchants(tx: Tx): Promise<void> {
  const moments = { created_at: tx.now, updated_at: tx.now };
  await tx.sql.update(merchants).set(moments).where(eq(merchants.created_at, 0));
  tx.changed("merchants");
}

/** Stores a changed merchant and returns it with its revision incremented. */
export async function saveMerchant(tx: Tx, merchant: Merchant): Promise<Merchant> {
  const after = { ...merchant, revision: merchant.revision + 1, updated_at: tx.now };
  const { id, code: _code, created_at: _created_at, ...fields } = after;
  await tx.sql.update(merchants).set(fields).where(eq(merchants.id, id));
  tx.changed("merchants");
  return after;
}

/** Stores a merchant as it is in the other environment, unless this one has a later revision. */
export async function putMerchant(tx: Tx, merchant: Merchant): Promise<void> {
  const { id: _id, ...fields } = merchant;
  await tx.sql
    .insert(merchants)
    .values(merchant)
    .onConflictDoUpdate({
      target: merchants.id,
      set: fields,
      setWhere: template`${merchants.revision} <= ${merchant.revision}`,
    });
  tx.changed("merchants");
}
