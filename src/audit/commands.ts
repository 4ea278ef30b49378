import type { Tx } from "../database/store.ts";
import type { Actor } from "../kit/actor.ts";
import { assert } from "../kit/assert.ts";
import type { Act } from "./entry.ts";
import { deleteEntries, insertEntry } from "./store.ts";

/** Adds an act to the audit trail, in the transaction that performs it. The only trail is in the live store. */
export async function recordAct(tx: Tx, act: Act): Promise<void> {
  assert(tx.mode === "live", "the audit trail lies in the live store");
  await insertEntry(tx, act);
}

const command_line: Actor = { type: "system", id: "command_line", name: "Command line", request_id: null };

/** Adds an act of the command line to the audit trail. */
export async function recordCommand(
  tx: Tx,
  { world, action, targets, facts = {} }: Pick<Act, "world" | "action" | "targets"> & { readonly facts?: Act["facts"] },
): Promise<void> {
  await recordAct(tx, { actor: command_line, world, action, targets, ip: null, status: null, facts });
}

const day_ms = 24 * 3_600_000;

/** Deletes up to `limit` entries older than so many days. Answers whether more may be left. */
export async function forgetOldEntries(tx: Tx, kept_days: number, limit: number): Promise<boolean> {
  return (await deleteEntries(tx, tx.now - kept_days * day_ms, limit)) === limit;
}
