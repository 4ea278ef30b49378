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

/** Replaces all overrides of a zone system. Equal overrides change nothing. */
export async function setOverrides(tx: Tx, system: string, overrides: readonly ZoneOverride[]): Promise<void> {
  const before = await lockSystem(tx, system);
  if (isDeepStrictEqual(before.overrides, overrides)) return;
  await saveOverrides(tx, before, overrides);
  await touchSystem(tx, before);
}

/** Imports charts and replaces those of the same origins. Equal charts change nothing. Refuses: validation_failed. */
export async function importCharts(tx: Tx, system: string, charts: readonly ZoneChart[]): Promise<void> {
  const before = await lockSystem(tx, system);
  const existing = new Map(
    (await listCharts(tx, before.id)).map((chart) => [`${chart.country} ${chart.origin}`, chart]),
  );
  const changed = charts.filter(({ country, origin, ranges }) => {
    return !isDeepStrictEqual(existing.get(`${country} ${origin}`)?.ranges, ranges);
  });
  if (changed.length === 0) return;
  await replaceCharts(tx, before.id, changed);
  if ((await countCharts(tx, before.id)) > charts_max) {
    throw invalid("origin", `exceeds the limit of ${charts_max} charts in ${system}`, "too_many");
  }
  await touchSystem(tx, before);
}

/** Deletes a chart and returns the name of its zone system. Refuses: resource_missing. */
export async function removeChart(tx: Tx, id: string): Promise<string> {
  const chart_id = readId("zone_chart", id) ?? 0;
  const chart = await findChart(tx, chart_id);
  if (chart === null) throw missing("zone chart", id);
  const system = await lockSystem(tx, chart.system);
  await deleteChart(tx, chart_id);
  await touchSystem(tx, system);
  return chart.system;
}
