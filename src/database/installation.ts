// What a database says of itself, beyond the records: whether it belongs to this secret key.

import { forUpdate } from "../../db/kit.ts";
import { installation } from "../../db/schema/service.ts";
import type { Db, Tx } from "./store.ts";

/** What was sealed under the secret key at the first start; null before it. */
export async function findSeal(db: Db): Promise<string | null> {
  const [row] = await db.sql.select({ seal: installation.seal }).from(installation);
  return row?.seal ?? null;
}

/** As `findSeal`, and nobody else sets it until this transaction ends. */
export async function lockSeal(tx: Tx): Promise<string | null> {
  const [row] = await forUpdate(tx.sql.select({ seal: installation.seal }).from(installation));
  return row?.seal ?? null;
}

/** Keeps what was sealed under the secret key from now on. */
export async function saveSeal(tx: Tx, seal: string): Promise<void> {
  await tx.sql.update(installation).set({ seal });
}
