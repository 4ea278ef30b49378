import { sql } from "drizzle-orm";
import { movements } from "../../db/schema/inventory.ts";
import { quarter_ms } from "../shipping/labels/label_costs.ts";
import type { Db } from "../storage/database.ts";
import { prepared, type StatementArgs } from "../storage/statements.ts";
import type { IdPart } from "./reports.sql.ts";

/** The picks of a quarter of an hour. */
export interface QuarterPicks {
  /** Quarters of an hour since 1970. */
  readonly quarter: number;
  readonly units: number;
  readonly picks: number;
  /** Of these, units not confirmed by a scan. */
  readonly assumed_units: number;
}

const quarter = sql<number>`${movements.created_at} / ${sql.raw(String(quarter_ms))}`.mapWith(Number);

const picked = prepared((select, a: StatementArgs<IdPart & { since: number; until: number }>) =>
  select
    .select({
      quarter,
      units: sql<number>`sum(${movements.quantity})`.mapWith(Number),
      picks: sql<number>`count(*)`.mapWith(Number),
      assumed_units: sql<number>`sum(case when ${movements.confirmed} then 0 else ${movements.quantity} end)`.mapWith(
        Number,
      ),
    })
    .from(movements)
    .where(
      sql`${movements.id} >= ${a.first} and ${movements.id} < ${a.end} and ${movements.reason} = 'picked'
        and ${movements.created_at} >= ${a.since} and ${movements.created_at} < ${a.until}`,
    )
    .groupBy(sql`1`),
);

/** The picks of a period (ms) in one part of the ledger, by quarter of an hour. */
export async function sumPicks(db: Db, part: IdPart, since: number, until: number): Promise<QuarterPicks[]> {
  return picked(db, { ...part, since, until });
}
