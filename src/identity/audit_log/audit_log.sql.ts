import { asc, eq, inArray, lt, type SQL } from "drizzle-orm";
import { contains } from "../../../db/kit.ts";
import { audit_entries, audit_targets } from "../../../db/schema/audit.ts";
import type { Actor } from "../../core/actor.ts";
import { environments } from "../../core/environment.ts";
import { assert } from "../../core/faults.ts";
import { choice, textField } from "../../core/schema.ts";
import { day_ms } from "../../core/time.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { equals, filter, recordList, search } from "../../storage/record_list.ts";
import { insert } from "../../storage/statements.ts";
import type { AuditedAct, AuditLogEntry } from "./audit_entry.ts";

/** Stores an act with its transaction's time and its targets. */
async function insertEntry(tx: Tx, { actor, mode, action, targets, ip, status, facts }: AuditedAct): Promise<void> {
  const { type: actor_type, id: actor_id, name: actor_name, request_id } = actor;
  const who = { actor_type, actor_id, actor_name, request_id };
  const [row] = await tx.sql
    .insert(audit_entries)
    .values({ created_at: tx.now, ...who, mode, action, targets: [...targets], ip, status, facts })
    .returning({ id: audit_entries.id });
  assert(row, "a stored entry is returned");
  const { id: entry_id } = row;
  await insert(
    tx,
    audit_targets,
    [...new Set(targets)].map((target) => ({ target, entry_id })),
  );
}

const { id, actor_id, actor_name, action, request_id, ip } = audit_entries;
const doneTo = (db: Db, which: SQL) =>
  inArray(id, db.sql.select({ id: audit_targets.entry_id }).from(audit_targets).where(which));

/** The audit log, newest first. */
export const auditList = recordList(audit_entries, {
  filters: {
    actor: equals(actor_id, textField(100, { description: "The actor: `usr_7`, `key_3`." })),
    action: equals(action, textField(100, { description: "The operation, such as `createOrder`, or `signIn`." })),
    target: filter(textField(200, { description: "The record that was changed: `ord_7`, or a SKU." }), (target, db) =>
      doneTo(db, eq(audit_targets.target, target)),
    ),
    mode: equals(audit_entries.mode, choice(environments, { description: "Only changes of live or of test data." })),
    q: search(
      "Part of the actor's name or id, the action, a target, a request id or an IP address.",
      [actor_id, actor_name, action, request_id, ip, (q, db) => doneTo(db, contains(audit_targets.target, q))],
      200,
    ),
  },
  records: (rows): readonly AuditLogEntry[] =>
    rows.map(({ actor_type, actor_id, actor_name, request_id, facts, ...row }) => ({
      ...row,
      facts: facts as AuditLogEntry["facts"],
      actor: { type: actor_type, id: actor_id, name: actor_name, request_id },
    })),
});

/** Deletes up to `limit` entries from before a time (ms), oldest first, and returns how many. */
async function deleteEntries(tx: Tx, before: number, limit: number): Promise<number> {
  const old = await tx.sql
    .select({ id: audit_entries.id })
    .from(audit_entries)
    .where(lt(audit_entries.created_at, before))
    .orderBy(asc(audit_entries.created_at))
    .limit(limit);
  if (old.length === 0) return 0;
  const ids = old.map(({ id }) => id);
  await tx.sql.delete(audit_targets).where(inArray(audit_targets.entry_id, ids));
  await tx.sql.delete(audit_entries).where(inArray(audit_entries.id, ids));
  return ids.length;
}

/** Adds an act to the audit log, which is in the live store. */
export async function recordAct(tx: Tx, act: AuditedAct): Promise<void> {
  assert(tx.mode === "live", "the audit log is in the live store");
  await insertEntry(tx, act);
}

const command_line: Actor = { type: "system", id: "command_line", name: "Command line", request_id: null };

/** Adds an act of the command line to the audit log. */
export async function recordCommand(
  tx: Tx,
  {
    mode,
    action,
    targets,
    facts = {},
  }: Pick<AuditedAct, "mode" | "action" | "targets"> & { readonly facts?: AuditedAct["facts"] },
): Promise<void> {
  await recordAct(tx, { actor: command_line, mode, action, targets, ip: null, status: null, facts });
}

/** Deletes up to `limit` entries older than `kept_days`. Returns whether more may be left. */
export async function forgetOldEntries(tx: Tx, kept_days: number, limit: number): Promise<boolean> {
  return (await deleteEntries(tx, tx.now - kept_days * day_ms, limit)) === limit;
}
