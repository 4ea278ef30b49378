import { notices } from "../../../db/schema/webhooks.ts";
import { insert } from "../../database/statements.ts";
import type { Tx } from "../../database/store.ts";
import type { Notice } from "./notice.ts";

/** Stores notices. */
export async function insertNotices(tx: Tx, rows: readonly Omit<Notice, "id">[]): Promise<void> {
  await insert(tx, notices, rows);
}
