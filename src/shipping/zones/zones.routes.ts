import { Elysia } from "elysia";
import { findAnchor, listAnchors, zip3Of } from "../../addresses/zip_distance.ts";
import { columnTable, writeCells } from "../../core/csv_columns.ts";
import { invalid } from "../../core/faults.ts";
import { invalidChoice } from "../../core/field_problems.ts";
import { wireId } from "../../core/ids.ts";
import { checkOf, closed } from "../../core/schema.ts";
import type { CsvFile } from "../../http/csv_response.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { fileFields, withFile } from "../../http/file_upload.ts";
import { answerWrite } from "../../http/response.ts";
import { exportCsv, read, respond, routes, write } from "../../http/routes.ts";
import { readWholeFile, type WholeFile } from "../../http/whole_file_import.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { any_zone } from "../rates/rate_card.ts";
import { listReadyCards } from "../rates/rate_cards.sql.ts";
import type { ReadyCard } from "../rates/rate_offers.ts";
import { chooseZone, plainRules, zoneView } from "./choose_zone.ts";
import {
  chartColumns,
  chartsOf,
  overrideColumns,
  readChartRow,
  readOverride,
  readOverrides,
  readSpot,
} from "./read_zones.ts";
import type { ZoneOverride, ZoneSpot } from "./zone.ts";
import { chartRowView, chartsView, overridesView } from "./zone.ts";
import {
  ChartRow,
  ChartsView,
  ExplainZone,
  ExportCharts,
  MapZones,
  OfSystem,
  OverrideField,
  OverridesView,
  SetOverrides,
  ZoneMapView,
  ZonesView,
} from "./zones.schema.ts";
import { type ChartRecord, findSystem, listCharts, lockSystem, readSystem } from "./zones.sql.ts";
import { importCharts, removeChart, setOverrides } from "./zones.ts";

const default_system = plainRules.system;

const explainRoutes = routes("Rate cards", [
  read("/shipping/zones", "shipping.read", {
    id: "explainZone",
    summary: "Explain the zone between two places",
    description:
      "The first rule that applies decides: an imported chart; the most specific override of the destination (postal" +
      " code, prefix or range, city, state, country, continent); the distance of ZIP codes, or the card's zones of" +
      " countries, regions, continents and the rest; the card's default. `explanation` names each rule that was" +
      " tried.",
    query: ExplainZone,
    view: ZonesView,
    data: (db, { query }) => explained(db, query),
  }),
  read("/shipping/zones/map", "shipping.read", {
    id: "mapZones",
    summary: "Map the zones of the United States from one origin",
    description:
      "Returns a point for each three-digit ZIP prefix with the zone of parcels to it, for drawing a map of one" +
      " service. The rate card of the service that is in effect decides.",
    query: MapZones,
    view: ZoneMapView,
    data: (db, { query }) => mapped(db, query),
  }),
]);

async function mapped(db: Db, query: MapZones) {
  const from = readSpot("from", query.from, "US");
  const origin = findAnchor(zip3Of(from) ?? "");
  if (origin === null) throw invalid("from", "must be a known ZIP code or its first three digits");
  const cards = await listReadyCards(db);
  const card = cards.find(({ card }) => card.service === query.service);
  if (card === undefined) {
    const codes = cards.map(({ card }) => card.service);
    throw invalidChoice("service", query.service, codes);
  }
  const [latitude, longitude] = origin.point;
  return {
    from: { postal_code: query.from, latitude, longitude },
    service: card.card.service,
    rate_card_id: wireId("rate_card", card.card.id),
    places: listAnchors().map(({ zip3, point }) => {
      const to = readSpot("to", zip3, "US");
      const { zone, by } = chooseZone(from, { ...to, state: null, city: null }, card.card.terms.zones, card.zones);
      return { prefix: zip3, latitude: point[0], longitude: point[1], zone, by, served: isServed(card, zone) };
    }),
  };
}

const isServed = ({ terms }: ReadyCard, zone: string | null) =>
  zone !== null && (terms.prices.has(zone) || terms.prices.has(any_zone));

async function explained(db: Db, query: ExplainZone) {
  const from = readSpot("from", query.from, query.from_country);
  const { to_state = null, to_city = null, service } = query;
  const to = { ...readSpot("to", query.to, query.to_country), state: to_state, city: to_city };
  const cards = await listReadyCards(db);
  const chosen = service === undefined ? cards : cards.filter(({ card }) => card.service === service);
  if (service !== undefined && chosen.length === 0) {
    const codes = cards.map(({ card }) => card.service);
    throw invalidChoice("service", service, codes);
  }
  return {
    from: { country: from.country, postal_code: from.postal_code },
    to,
    ...zoneView(from, to, plainRules, await readSystem(db, default_system)),
    services: chosen.map((card) => serviceView(card, from, to)),
  };
}

function serviceView(ready: ReadyCard, from: ZoneSpot, to: ZoneSpot) {
  const { card, zones } = ready;
  const view = zoneView(from, to, card.terms.zones, zones);
  const { service, name, id } = card;
  return { service, name, rate_card_id: wireId("rate_card", id), served: isServed(ready, view.zone), ...view };
}

const ImportOfSystem = closed({ ...OfSystem.properties, ...fileFields });
const overrideTable = columnTable(overrideColumns, ["zone"]);
const checkOverride = checkOf(OverrideField);
const overrideFile: WholeFile<OverrideField> = {
  columns: overrideColumns,
  required: ["zone"],
  read: (record) => {
    const row = checkOverride(record);
    readOverride(row);
    return row;
  },
  rows_max: 5000,
};

const overrideRoutes = routes("Rate cards", [
  read("/shipping/zones/overrides", "shipping.read", {
    id: "listZoneOverrides",
    summary: "List zone overrides",
    description:
      "Lists the zones that were set for places. They take precedence over distances and the zones of rate cards," +
      " but not over imported charts.",
    query: OfSystem,
    view: OverridesView,
    data: (db, { query }) => overridesOf(db, query),
  }),
  write("PUT", "/shipping/zones/overrides", "shipping.manage", {
    id: "setZoneOverrides",
    summary: "Set zone overrides",
    description:
      "Replaces all overrides of the zone system; a new name creates one. Later rates use them, while existing" +
      " labels and quotes keep their price. Equal overrides change nothing.",
    body: SetOverrides,
    query: OfSystem,
    view: OverridesView,
    matches: (tx, { query }) => lockSystem(tx, systemOf(query)),
    act: (tx, { query, body }) => setAll(tx, query, readOverrides(body.overrides)),
  }),
  respond("POST", "/shipping/zones/overrides/import", "shipping.manage", {
    id: "importZoneOverrides",
    summary: "Import zone overrides as CSV",
    description:
      "Replaces all overrides of the zone system. If any row has an error, nothing is imported." +
      `\n\n${overrideTable}`,
    sends: "csv",
    query: ImportOfSystem,
    answers: { 200: EnvelopedView(OverridesView) },
    answer: ({ call, query }) =>
      withFile(call, query, async (file) => {
        const rows = await readWholeFile(file, overrideFile);
        const overrides = readOverrides(
          rows.map(({ row }) => row),
          (at) => `line ${rows[at]?.line}`,
        );
        return answerWrite(call, 200, (tx) => setAll(tx, query, overrides));
      }),
  }),
]);

const systemOf = ({ system = default_system }: OfSystem) => system;

async function overridesOf(db: Db, query: OfSystem) {
  const system = systemOf(query);
  return overridesView(system, await findSystem(db, system));
}

async function setAll(tx: Tx, query: OfSystem, overrides: readonly ZoneOverride[]) {
  await setOverrides(tx, systemOf(query), overrides);
  return overridesOf(tx, query);
}

const chartTable = columnTable(chartColumns, ["origin", "destination", "zone"]);
const checkRow = checkOf(ChartRow);
const chartFile: WholeFile<ReturnType<typeof readChartRow>> = {
  columns: chartColumns,
  required: ["origin", "destination", "zone"],
  read: (record) => readChartRow(checkRow(record)),
  rows_max: 50_000,
};

const chartRoutes = routes("Rate cards", [
  read("/shipping/zones/charts", "shipping.read", {
    id: "listZoneCharts",
    summary: "List imported zone charts",
    description:
      "Lists the origins with an imported chart and the number of rows of each. Export the charts to see the rows.",
    query: OfSystem,
    view: ChartsView,
    data: (db, { query }) => listed(db, systemOf(query)),
  }),
  respond("POST", "/shipping/zones/charts/import", "shipping.manage", {
    id: "importZoneCharts",
    summary: "Import zone charts as CSV",
    description:
      "Imports the zones from your own locations, as your carrier publishes them. They take precedence over all other" +
      " rules. Each origin's chart replaces its existing one. If any row has an error, nothing is" +
      ` imported.\n\n${chartTable}`,
    sends: "csv",
    query: ImportOfSystem,
    answers: { 200: EnvelopedView(ChartsView) },
    answer: ({ call, query }) =>
      withFile(call, query, async (file) => {
        const charts = chartsOf(await readWholeFile(file, chartFile));
        return answerWrite(call, 200, async (tx) => {
          await importCharts(tx, systemOf(query), charts);
          return listed(tx, systemOf(query));
        });
      }),
  }),
  exportCsv("/shipping/zones/charts/export.csv", "shipping.read", {
    id: "exportZoneCharts",
    summary: "Export zone charts as CSV",
    description: `Returns the rows of all charts of the zone system. The file can be imported again.\n\n${chartTable}`,
    query: ExportCharts,
    file: ({ query }) => chartsFile(systemOf(query)),
  }),
  write("DELETE", "/shipping/zones/charts/:id", "shipping.manage", {
    id: "deleteZoneChart",
    summary: "Delete a zone chart",
    description:
      "Deletes the chart of one origin and returns those that are left. Overrides and distances then decide the" +
      " zones from there.",
    view: ChartsView,
    act: async (tx, { params }) => listed(tx, await removeChart(tx, params.id)),
  }),
]);

async function listed(db: Db, system: string) {
  const stored = await findSystem(db, system);
  return chartsView(system, stored?.revision ?? 0, stored === null ? [] : await listCharts(db, stored.id));
}

interface NumberedChartLine {
  readonly chart: ChartRecord;
  readonly at: number;
}

/** The export of all charts, one chart per page. */
function chartsFile(system: string): CsvFile<NumberedChartLine, number> {
  return {
    name: `zone-charts-${system}.csv`,
    columns: chartColumns.map(({ name }) => name),
    page: async (db, after) => {
      const stored = await findSystem(db, system);
      const charts = stored === null ? [] : await listCharts(db, stored.id);
      const position = after ?? 0;
      const chart = charts[position];
      if (chart === undefined) return { rows: [], next: null };
      const next = position + 1 < charts.length ? position + 1 : null;
      return { rows: chart.ranges.map((_, at) => ({ chart, at })), next };
    },
    cells: ({ chart, at }) => {
      const range = chart.ranges[at];
      return range === undefined ? [] : writeCells(chartColumns, chartRowView(chart, range));
    },
  };
}

/** Routes of zones: how one is chosen, overrides, and carriers' charts. */
export const zoneRoutes = new Elysia().use(explainRoutes).use(overrideRoutes).use(chartRoutes);
