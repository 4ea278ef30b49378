import { and, asc, eq, sql } from "drizzle-orm";
import { forUpdate } from "../../../db/kit.ts";
import { zone_charts, zone_systems } from "../../../db/schema/rates.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { insert, prepared, type StatementArgs } from "../../storage/statements.ts";
import type { ZoneChart, ZoneOverride } from "./zone.ts";
import { type ReadySystem, readySystem } from "./zone_system.ts";

const byName = prepared((select, a: StatementArgs<{ name: string }>) =>
  select.select().from(zone_systems).where(eq(zone_systems.name, a.name)),
);
const byNameLocked = prepared((select, a: StatementArgs<{ name: string }>) =>
  forUpdate(select.select().from(zone_systems).where(eq(zone_systems.name, a.name))),
);
const chartsOf = prepared((select, a: StatementArgs<{ system_id: number }>) =>
  select
    .select()
    .from(zone_charts)
    .where(eq(zone_charts.system_id, a.system_id))
    .orderBy(asc(zone_charts.country), asc(zone_charts.origin)),
);

type SystemRow = typeof zone_systems.$inferSelect;
export type ChartRecord = typeof zone_charts.$inferSelect;

/** Finds a zone system by name; null if nothing was ever set for it. */
export async function findSystem(db: Db, name: string): Promise<SystemRow | null> {
  const [row] = await byName(db, { name });
  return row ?? null;
}

/** Locks a zone system until the transaction ends. Creates it if needed. */
export async function lockSystem(tx: Tx, name: string): Promise<SystemRow> {
  const [row] = await byNameLocked(tx, { name });
  if (row !== undefined) return row;
  await tx.sql
    .insert(zone_systems)
    .values({ name, overrides: [], revision: 0, updated_at: tx.now })
    .onConflictDoNothing({ target: zone_systems.name });
  const [inserted] = await byNameLocked(tx, { name });
  return inserted as SystemRow;
}

/** Lists the charts of a zone system, sorted by origin. */
export async function listCharts(db: Db, system_id: number): Promise<ChartRecord[]> {
  return chartsOf(db, { system_id });
}

/** Loads a zone system, prepared for many lookups. */
export async function readSystem(db: Db, name: string): Promise<ReadySystem> {
  const system = await findSystem(db, name);
  if (system === null) return readySystem({ charts: [], overrides: [] });
  return readySystem({ charts: await listCharts(db, system.id), overrides: system.overrides });
}

/** Increases the revision of a zone system, which invalidates prepared copies. */
export async function touchSystem(tx: Tx, { id, revision }: SystemRow): Promise<void> {
  await tx.sql
    .update(zone_systems)
    .set({ revision: revision + 1, updated_at: tx.now })
    .where(eq(zone_systems.id, id));
}

/** Replaces the overrides of a zone system. */
export async function saveOverrides(tx: Tx, { id }: SystemRow, overrides: readonly ZoneOverride[]): Promise<void> {
  await tx.sql.update(zone_systems).set({ overrides }).where(eq(zone_systems.id, id));
}

/** Inserts charts and deletes earlier ones of the same origins. */
export async function replaceCharts(tx: Tx, system_id: number, charts: readonly ZoneChart[]): Promise<void> {
  for (const { country, origin } of charts) {
    await tx.sql
      .delete(zone_charts)
      .where(
        and(eq(zone_charts.system_id, system_id), eq(zone_charts.country, country), eq(zone_charts.origin, origin)),
      );
  }
  const rows = charts.map(({ country, origin, ranges }) => {
    return { system_id, country, origin, ranges, range_count: ranges.length, updated_at: tx.now };
  });
  await insert(tx, zone_charts, rows);
}

/** Finds a chart by its id, with the name of its zone system; null if there is none. */
export async function findChart(db: Db, id: number): Promise<{ readonly id: number; readonly system: string } | null> {
  const [row] = await db.sql
    .select({ id: zone_charts.id, system: zone_systems.name })
    .from(zone_charts)
    .innerJoin(zone_systems, eq(zone_systems.id, zone_charts.system_id))
    .where(eq(zone_charts.id, id));
  return row ?? null;
}

/** Deletes a chart by its id. */
export async function deleteChart(tx: Tx, id: number): Promise<void> {
  await tx.sql.delete(zone_charts).where(eq(zone_charts.id, id));
}

/** Counts the charts of a zone system. */
export async function countCharts(db: Db, system_id: number): Promise<number> {
  return db.sql.$count(zone_charts, sql`${zone_charts.system_id} = ${system_id}`);
}
