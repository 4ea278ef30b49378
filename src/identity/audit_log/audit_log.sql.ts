import { and, asc, desc, eq, gte, inArray, lt, or, type SQL, sql as template } from "drizzle-orm";
import { contains } from "../../../db/kit.ts";
import { audit_entries, audit_targets } from "../../../db/schema/audit.ts";
import type { Actor } from "../../core/actor.ts";
import type { Environment } from "../../core/environment.ts";
import { assert } from "../../core/faults.ts";
import type { PageWindow } from "../../core/schema.ts";
import { day_ms } from "../../core/time.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { insert } from "../../storage/statements.ts";
import type { AuditedAct, AuditLogEntry } from "./audit_entry.ts";

/** Stores an act with its transaction's time and its targets. */
async function insertEntry(tx: Tx, { actor, world, action, targets, ip, status, facts }: AuditedAct): Promise<void> {
  const { type: actor_type, id: actor_id, name: actor_name, request_id } = actor;
  const who = { actor_type, actor_id, actor_name, request_id };
  const [row] = await tx.sql
    .insert(audit_entries)
    .values({ created_at: tx.now, ...who, world, action, targets: [...targets], ip, status, facts })
    .returning({ id: audit_entries.id });
  assert(row, "a stored entry is returned");
  const { id: entry_id } = row;
  await insert(
    tx,
    audit_targets,
    [...new Set(targets)].map((target) => ({ target, entry_id })),
  );
}

/** The filters of the audit trail. */
export interface AuditEntryFilter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly world?: Environment | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly q?: string | undefined;
}

function matching(db: Db, { actor, action, target, world, from, to, q }: AuditEntryFilter): SQL | undefined {
  const { id, actor_id, actor_name, created_at } = audit_entries;
  const doneTo = (which: SQL) =>
    inArray(id, db.sql.select({ id: audit_targets.entry_id }).from(audit_targets).where(which));
  const searched = [actor_id, actor_name, audit_entries.action, audit_entries.request_id, audit_entries.ip];
  return and(
    actor === undefined ? undefined : eq(actor_id, actor),
    action === undefined ? undefined : eq(audit_entries.action, action),
    target === undefined ? undefined : doneTo(eq(audit_targets.target, target)),
    world === undefined ? undefined : eq(audit_entries.world, world),
    from === undefined ? undefined : gte(created_at, from),
    to === undefined ? undefined : lt(created_at, to),
    q === undefined
      ? undefined
      : or(...searched.map((column) => contains(column, q)), doneTo(contains(audit_targets.target, q))),
  );
}

/** A page of the audit log, newest first. */
export async function listEntries(
  db: Db,
  filter: AuditEntryFilter,
  { limit, offset, after }: PageWindow,
): Promise<AuditLogEntry[]> {
  const { created_at, id } = audit_entries;
  const further = after ? template`(${created_at}, ${id}) < (${after[0]}, ${after[1]})` : undefined;
  const rows = await db.sql
    .select()
    .from(audit_entries)
    .where(and(matching(db, filter), further))
    .orderBy(desc(created_at), desc(id))
    .limit(limit)
    .offset(offset);
  return rows.map(({ actor_type, actor_id, actor_name, request_id, facts, ...row }) => ({
    ...row,
    facts: facts as AuditLogEntry["facts"],
    actor: { type: actor_type, id: actor_id, name: actor_name, request_id },
  }));
}

/** The number of matching entries. */
export async function countEntries(db: Db, filter: AuditEntryFilter): Promise<number> {
  return db.sql.$count(audit_entries, matching(db, filter));
}

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
    world,
    action,
    targets,
    facts = {},
  }: Pick<AuditedAct, "world" | "action" | "targets"> & { readonly facts?: AuditedAct["facts"] },
): Promise<void> {
  await recordAct(tx, { actor: command_line, world, action, targets, ip: null, status: null, facts });
}

/** Deletes up to `limit` entries older than `kept_days`. Returns whether more may be left. */
export async function forgetOldEntries(tx: Tx, kept_days: number, limit: number): Promise<boolean> {
  return (await deleteEntries(tx, tx.now - kept_days * day_ms, limit)) === limit;
}
