import { isDeepStrictEqual } from "node:util";
import { invalid, missing } from "../../core/faults.ts";
import { readId } from "../../core/ids.ts";
import type { Tx } from "../../storage/database.ts";
import type { ZoneChart, ZoneOverride } from "./zone.ts";
import {
  countCharts,
  deleteChart,
  findChart,
  listCharts,
  lockSystem,
  replaceCharts,
  saveOverrides,
  touchSystem,
} from "./zones.sql.ts";

const charts_max = 500;

/** Replaces all overrides; equal ones change nothing. */
export async function setOverrides(tx: Tx, system: string, overrides: readonly ZoneOverride[]): Promise<void> {
  const before = await lockSystem(tx, system);
  if (isDeepStrictEqual(before.overrides, overrides)) return;
  await saveOverrides(tx, before, overrides);
  await touchSystem(tx, before);
}

/** Replaces the charts of the same origins; equal ones change nothing. Refuses: validation_failed. */
export async function importCharts(tx: Tx, system: string, charts: readonly ZoneChart[]): Promise<void> {
  const before = await lockSystem(tx, system);
  const known = new Map((await listCharts(tx, before.id)).map((chart) => [`${chart.country} ${chart.origin}`, chart]));
  const other = charts.filter(({ country, origin, ranges }) => {
    return !isDeepStrictEqual(known.get(`${country} ${origin}`)?.ranges, ranges);
  });
  if (other.length === 0) return;
  await replaceCharts(tx, before.id, other);
  if ((await countCharts(tx, before.id)) > charts_max) {
    throw invalid("origin", `makes more than ${charts_max} charts of ${system}`, "too_many");
  }
  await touchSystem(tx, before);
}

/** Deletes a chart, and answers its way of counting zones. Refuses: resource_missing. */
export async function removeChart(tx: Tx, id: string): Promise<string> {
  const own = readId("zone_chart", id) ?? 0;
  const found = await findChart(tx, own);
  if (found === null) throw missing("zone chart", id);
  const system = await lockSystem(tx, found.system);
  await deleteChart(tx, own);
  await touchSystem(tx, system);
  return found.system;
}
