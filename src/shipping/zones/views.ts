import { iso, isoOrNull } from "../../kit/clock.ts";
import { wireId } from "../../kit/ids.ts";
import type { ChartRange, Continent, ZoneOverride } from "./zone.ts";

/** An override as the API shows it. */
function overrideView({ kind, country, value, to, state, zone }: ZoneOverride) {
  const is = (one: ZoneOverride["kind"]) => (kind === one ? value : null);
  return {
    zone,
    country,
    postal_code: is("postal_code"),
    postal_prefix: is("postal_prefix"),
    postal_from: is("postal_range"),
    postal_to: to,
    city: is("city"),
    state: is("state") ?? state,
    continent: is("continent") as Continent | null,
  };
}

/** The overrides of a zone system as they are stored; null when nothing was ever set for it. */
interface Kept {
  readonly overrides: readonly ZoneOverride[];
  readonly version: number;
  readonly updated_at: number;
}

/** The overrides of a zone system as the API shows them. */
export function overridesView(system: string, kept: Kept | null) {
  const { overrides = [], version = 0, updated_at = null } = kept ?? {};
  // A row of version 0 exists only because it had to be locked: nothing was set yet.
  const set_at = version === 0 ? null : isoOrNull(updated_at);
  return { system, overrides: overrides.map(overrideView), version, updated_at: set_at };
}

interface Chart {
  readonly id: number;
  readonly country: string;
  readonly origin: string;
  readonly range_count: number;
  readonly updated_at: number;
}

/** The charts of a zone system as the API lists them. */
export function chartsView(system: string, version: number, charts: readonly Chart[]) {
  return {
    system,
    charts: charts.map(({ id, country, origin, range_count, updated_at }) => {
      return { id: wireId("zone_chart", id), country, origin, ranges: range_count, updated_at: iso(updated_at) };
    }),
    version,
  };
}

/** A row of a chart as a file of charts has it. */
export function chartRowView(chart: Pick<Chart, "country" | "origin">, { country, from, to, zone }: ChartRange) {
  const destination = from === to ? from : `${from}-${to}`;
  return { origin: chart.origin, destination, zone, origin_country: chart.country, destination_country: country };
}
