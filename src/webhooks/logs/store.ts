import { and, desc, eq, type SQL, sql as template } from "drizzle-orm";
import { delivery_attempts } from "../../../db/schema/webhooks.ts";
import { insert } from "../../database/statements.ts";
import type { Db, Tx } from "../../database/store.ts";
import type { Window } from "../../kit/page.ts";
import type { EventFilter } from "../schemas.ts";
import type { AttemptStatus } from "../status.ts";
import { aboutEvents } from "../store.ts";
import type { Attempt } from "./log.ts";

/** Writes lines of the log. */
export async function insertAttempts(tx: Tx, rows: readonly Omit<Attempt, "id">[]): Promise<void> {
  await insert(tx, delivery_attempts, rows);
}

/** What a subscription's log may be narrowed to. */
export interface AttemptFilter extends EventFilter {
  readonly subscription_id: number;
  readonly status?: AttemptStatus | undefined;
}

function matching(filter: AttemptFilter): SQL | undefined {
  return and(
    aboutEvents(delivery_attempts, delivery_attempts.started_at, filter),
    filter.status === undefined ? undefined : eq(delivery_attempts.status, filter.status),
  );
}

/** A page of a subscription's log, newest first. */
export async function listAttempts(
  db: Db,
  filter: AttemptFilter,
  { limit, offset, after }: Window,
): Promise<Attempt[]> {
  const { started_at, id } = delivery_attempts;
  const rows = await db.sql
    .select()
    .from(delivery_attempts)
    .where(and(matching(filter), after ? template`(${started_at}, ${id}) < (${after[0]}, ${after[1]})` : undefined))
    .orderBy(desc(started_at), desc(id))
    .limit(limit)
    .offset(offset);
  return rows as Attempt[];
}

/** How many lines of a subscription's log match. */
export async function countAttempts(db: Db, filter: AttemptFilter): Promise<number> {
  return db.sql.$count(delivery_attempts, matching(filter));
}
