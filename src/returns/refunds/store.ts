import { asc, eq, sql } from "drizzle-orm";
import { among, list } from "../../../db/kit.ts";
import { refunds } from "../../../db/schema/returns.ts";
import { type Args, insertIds, prepared } from "../../database/statements.ts";
import type { Db, Tx, Writing } from "../../database/store.ts";
import type { Refund } from "./refund.ts";
import type { RefundStatus } from "./status.ts";

const ofReturns = prepared((sql, a: Args<{ return_ids: string }>) =>
  sql.select().from(refunds).where(among(refunds.return_id, a.return_ids)).orderBy(asc(refunds.id)),
);

/** The refunds of these returns, oldest first. */
export async function listRefunds(db: Db, return_ids: readonly number[]): Promise<Refund[]> {
  return return_ids.length === 0 ? [] : ofReturns(db, { return_ids: list(return_ids) });
}

/** Stores a new refund and answers it. */
export async function insertRefund(tx: Tx, fields: Omit<Refund, "id" | "created_at" | "updated_at">): Promise<Refund> {
  const row = { ...fields, created_at: tx.now, updated_at: tx.now };
  const [id = 0] = await insertIds(tx, refunds, [row]);
  return { id, ...row };
}

const setStatus = prepared((tx: Writing, a: Args<{ id: number; status: RefundStatus; now: number }>) =>
  tx
    .update(refunds)
    .set({ status: sql`${a.status}`, updated_at: sql`${a.now}` })
    .where(eq(refunds.id, a.id)),
);

/** Stores how far a refund has come. */
export async function saveRefundStatus(tx: Tx, refund: Refund, status: RefundStatus): Promise<Refund> {
  await setStatus(tx, { id: refund.id, status, now: tx.now });
  return { ...refund, status, updated_at: tx.now };
}
