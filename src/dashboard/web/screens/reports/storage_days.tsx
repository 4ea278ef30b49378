import { getDocument, type Params, saveFile } from "../../api/client.ts";
import { merchantAsked, merchantOf, showsSeveral } from "../../api/merchants.ts";
import { isOperatorUser } from "../../api/session.ts";
import type { StorageDay } from "../../api/types.ts";
import { query, setQuery } from "../../browser/router.ts";
import { merchantColor } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Select } from "../../components/fields.tsx";
import { List } from "../../components/list_page.tsx";
import { EmptyState, Notice, Skeleton } from "../../components/notice.tsx";
import { today } from "../../components/now.ts";
import { Card, Page } from "../../components/page.tsx";
import { Plot } from "../../components/plot.tsx";
import type { Series } from "../../components/plot_drawing.ts";
import { useLatest } from "../../components/reading.ts";
import { DataTable, type TableColumn } from "../../components/table.tsx";
import { showRefused } from "../../components/toasts.tsx";
import { billingTexts as texts } from "../../text/billing.ts";
import { words } from "../../text/common.ts";
import { count, date, shortDate } from "../../text/format.ts";
import { stockHref, useWarehouses } from "../stock/stock_links.ts";
import { daysOf, PeriodFields } from "./period_fields.tsx";
import { type StoredDay, storedDays } from "./stored_days.ts";

const cm3_per_m3 = 1_000_000;
const series_max = 6;

type StoredDays = ReturnType<typeof storedDays>;

/** Storage of each day: a plot, a table and all rows. */
export function StorageScreen() {
  const usual = daysOf("30", today());
  const [from, until] = [query.value.get("from") ?? usual.from, query.value.get("to") ?? usual.to];
  const asked: Params = { from, to: until, warehouse: query.value.get("warehouse") };
  const question = JSON.stringify([asked, merchantAsked.value?.code]);
  const { data, problem } = useLatest<StoredDays>(question, async (signal) => {
    const file = await getDocument("/billing/storage/export.csv", "text/csv", { params: asked, signal });
    return storedDays(await file.text());
  });
  const save = () => {
    saveFile("/billing/storage/export.csv", "storage_days.csv", "text/csv", asked).catch(showRefused);
  };
  return (
    <Page
      title={texts.storage}
      below={texts.storageIntro}
      acts={<Button kind="plain" icon="download" title={texts.export} onClick={save} />}
    >
      <div class="list-bar report-bar">
        <PeriodFields from={from} until={until} />
        <WarehouseField />
      </div>
      {problem && <Notice problem={problem} />}
      {data === null && problem === null && <Skeleton lines={12} />}
      {data?.days.length === 0 && <EmptyState icon="chart" title={texts.noStorageTitle} text={texts.noStorageText} />}
      {data && data.days.length > 0 && <StoredDays stored={data} asked={asked} />}
    </Page>
  );
}

function WarehouseField() {
  const { several, options } = useWarehouses();
  if (!several) return null;
  return (
    <Select
      class="filter"
      aria-label={words.warehouse}
      value={query.value.get("warehouse") ?? ""}
      options={options}
      empty={words.warehouse}
      onChoose={(warehouse) => setQuery({ warehouse })}
    />
  );
}

function StoredDays({ stored, asked }: { readonly stored: StoredDays; readonly asked: Params }) {
  const { days } = stored;
  return (
    <div class="stack">
      <Card title={texts.storagePlot}>
        <Plot
          name={texts.storagePlot}
          across={words.day}
          without_table
          kind="bars"
          labels={days.map(({ day }) => shortDate(day))}
          series={seriesOf(stored)}
          format={count}
          rest={({ values }) => count(values.at(-1))}
        />
      </Card>
      <Card title={texts.perDay} flush>
        <DataTable name={texts.perDay} rows={days.toReversed()} columns={dayColumns} id={({ day }) => day} />
      </Card>
      <section>
        <h2 class="section-title">{isOperatorUser.value ? texts.rows : texts.rowsWithoutBins}</h2>
        <Rows asked={asked} />
      </section>
    </div>
  );
}

/** A series per merchant, the largest first. */
function seriesOf({ days, of }: StoredDays): readonly Series[] {
  const all = days.map(({ units }) => units);
  if (!showsSeveral.value || of.size < 2) return [{ name: words.units, color: "--plot-1", values: all }];
  const sum = (one: ReadonlyMap<string, number>) => [...one.values()].reduce((total, units) => total + units, 0);
  const owners = [...of].sort(([, one], [, other]) => sum(other) - sum(one));
  const shown = owners.length > series_max ? owners.slice(0, series_max - 1) : owners;
  const series = shown.map(([id, units], at) => ({
    name: merchantOf(id)?.code ?? id,
    color: merchantColor(merchantOf(id)) ?? `--plot-${at + 1}`,
    values: days.map(({ day }) => units.get(day) ?? 0),
  }));
  if (shown.length === owners.length) return series;
  const rest = days.map((_, at) => (all[at] ?? 0) - series.reduce((total, { values }) => total + (values[at] ?? 0), 0));
  return [...series, { name: texts.others, color: "--faint", values: rest }];
}

const cubicMetres = (cm3: number) =>
  texts.cubicMetres(
    new Intl.NumberFormat([...navigator.languages], { maximumFractionDigits: 2 }).format(cm3 / cm3_per_m3),
  );

const dayColumns: readonly TableColumn<StoredDay>[] = [
  { id: "day", title: words.day, cell: ({ day }) => date(day), wide: true },
  { id: "units", title: texts.unitsAtClose, number: "units" },
  { id: "peak", title: texts.unitsPeak, number: "peak" },
  { id: "places", title: words.locations, number: "places" },
  { id: "volume", title: texts.volume, align: "right", cell: ({ cm3 }) => (cm3 === 0 ? "–" : cubicMetres(cm3)) },
];

const places = new WeakMap<StorageDay, number>();
let places_count = 0;

/** A number that makes a row without a bin unique, since rows of two bins may otherwise be equal. */
function placeOf(row: StorageDay): number {
  const known = places.get(row) ?? ++places_count;
  places.set(row, known);
  return known;
}

function Rows({ asked }: { readonly asked: Params }) {
  const { several, nameOf } = useWarehouses();
  const columns: readonly TableColumn<StorageDay>[] = [
    { id: "sku", title: words.sku, code: "sku" },
    { id: "day", title: words.day, cell: ({ business_date }) => date(business_date) },
    { id: "lot", title: words.lot, text: "lot_number" },
    { id: "bin", when: isOperatorUser.value, title: words.bin, cell: ({ bin }) => <code>{bin}</code> },
    { id: "warehouse", when: several, title: words.warehouse, cell: (it) => nameOf(it.warehouse_id) },
    { id: "units", title: texts.unitsAtClose, number: "units_at_close" },
    { id: "peak", title: texts.unitsPeak, number: "units_peak" },
    {
      id: "volume",
      title: texts.unitVolume,
      align: "right",
      extra: true,
      cell: ({ unit_volume_cm3: cm3 }) => (cm3 === null ? "–" : texts.cubicCentimetres(count(cm3))),
    },
    { id: "zone", title: words.zone, extra: true, cell: ({ temperature_zone }) => texts.zones[temperature_zone] },
    { id: "oldest", title: texts.oldest, cell: ({ oldest_receipt_date }) => date(oldest_receipt_date) },
  ];
  return (
    <List<StorageDay>
      name={texts.rows}
      path="/billing/storage"
      params={asked}
      columns={columns}
      id={(it) => [it.business_date, it.product_id, it.lot_number, it.warehouse_id, it.bin ?? placeOf(it)].join(" ")}
      href={(it) => stockHref(it.sku, it)}
      empty={{ icon: "boxes", title: texts.noStorageTitle, text: texts.noStorageText }}
    />
  );
}
