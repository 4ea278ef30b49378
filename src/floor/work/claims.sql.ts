import { and, eq, lt, sql } from "drizzle-orm";
import { forUpdate } from "../../../db/kit.ts";
import { work_claims } from "../../../db/schema/floor.ts";
import type { Db, Tx, WriteStatements } from "../../storage/database.ts";
import { prepared, type StatementArgs } from "../../storage/statements.ts";
import type { TaskKind } from "../floor.transitions.ts";
import type { TaskName, WorkClaim, Worker } from "./claim.ts";

const ofTask = prepared((query, a: StatementArgs<{ kind: string; subject_id: number }>) =>
  forUpdate(
    query
      .select()
      .from(work_claims)
      .where(and(sql`${work_claims.kind} = ${a.kind}`, eq(work_claims.subject_id, a.subject_id))),
  ),
);

/** The claim of a task, locked until the transaction ends; null if nobody has ever claimed it. */
export async function lockClaim(tx: Tx, task: TaskName): Promise<WorkClaim | null> {
  const [claim] = await ofTask(tx, task);
  return claim ?? null;
}

/** All claims, also expired ones. */
export async function listClaims(db: Db): Promise<WorkClaim[]> {
  return db.sql.select().from(work_claims);
}

type ClaimFields = Omit<WorkClaim, "id">;
type ClaimHolder = Omit<ClaimFields, "kind" | "subject_id" | "warehouse_id">;

const holderOf = (a: StatementArgs<ClaimHolder>) => ({
  device: sql`${a.device}`,
  actor_type: sql`${a.actor_type}`,
  actor_id: sql`${a.actor_id}`,
  actor_name: sql`${a.actor_name}`,
  claimed_at: sql`${a.claimed_at}`,
  expires_at: sql`${a.expires_at}`,
});

const insertFree = prepared((query: WriteStatements, a: StatementArgs<ClaimFields & { now: number }>) =>
  query
    .insert(work_claims)
    .values({
      kind: sql`${a.kind}`,
      subject_id: sql`${a.subject_id}`,
      warehouse_id: sql`${a.warehouse_id}`,
      ...holderOf(a),
    })
    .onConflictDoUpdate({
      target: [work_claims.kind, work_claims.subject_id],
      set: {
        warehouse_id: sql`excluded.warehouse_id`,
        device: sql`excluded.device`,
        actor_type: sql`excluded.actor_type`,
        actor_id: sql`excluded.actor_id`,
        actor_name: sql`excluded.actor_name`,
        claimed_at: sql`excluded.claimed_at`,
        expires_at: sql`excluded.expires_at`,
      },
      setWhere: lt(work_claims.expires_at, a.now),
    })
    .returning(),
);

/** Claims a task that nobody else has. Returns null if somebody does: of two at once, one gets it. */
export async function insertClaim(tx: Tx, claim: ClaimFields): Promise<WorkClaim | null> {
  const [claimed] = await insertFree(tx, { ...claim, now: tx.now });
  return claimed ?? null;
}

const update = prepared((query: WriteStatements, a: StatementArgs<ClaimHolder & { id: number }>) =>
  query.update(work_claims).set(holderOf(a)).where(eq(work_claims.id, a.id)),
);

/** Stores the device, the person and the times of a claim. */
export async function saveClaim(tx: Tx, claim: WorkClaim): Promise<void> {
  const { id, device, actor_type, actor_id, actor_name, claimed_at, expires_at } = claim;
  await update(tx, { id, device, actor_type, actor_id, actor_name, claimed_at, expires_at });
}

const ofWorker = prepared((query, a: StatementArgs<{ actor_type: string; actor_id: string }>) =>
  query
    .select()
    .from(work_claims)
    .where(and(sql`${work_claims.actor_type} = ${a.actor_type}`, eq(work_claims.actor_id, a.actor_id)))
    .orderBy(work_claims.claimed_at, work_claims.id),
);

/** The claims of a person or key, oldest first, also expired ones. */
export async function listClaimsOf(db: Db, { actor }: Worker): Promise<WorkClaim[]> {
  return ofWorker(db, { actor_type: actor.type, actor_id: actor.id });
}

const remove = prepared((query: WriteStatements, a: StatementArgs<{ kind: string; subject_id: number }>) =>
  query.delete(work_claims).where(and(sql`${work_claims.kind} = ${a.kind}`, eq(work_claims.subject_id, a.subject_id))),
);

/** Ends the claim of a task. */
export async function deleteClaim(
  tx: Tx,
  task: { readonly kind: TaskKind; readonly subject_id: number },
): Promise<void> {
  await remove(tx, task);
}
