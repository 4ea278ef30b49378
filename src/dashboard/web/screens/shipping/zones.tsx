import { useState } from "preact/hooks";
import { get, sendCsv } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import type { CarrierList, Charts, ListedCard, Overrides, ZoneMap, Zones } from "../../api/types.ts";
import { query, setQuery } from "../../browser/router.ts";
import { type Action, ActionButton, act } from "../../components/action.tsx";
import type { FormField } from "../../components/fields.tsx";
import { chooseFile } from "../../components/file_input.tsx";
import { Form } from "../../components/form.tsx";
import { optionsOf } from "../../components/form_values.ts";
import { Notice } from "../../components/notice.tsx";
import { Card, Page } from "../../components/page.tsx";
import { DataTable, type TableColumn } from "../../components/table.tsx";
import { words } from "../../text/common.ts";
import { countryNames } from "../../text/countries_and_units.ts";
import { count } from "../../text/format.ts";
import { shippingTexts } from "../../text/shipping.ts";
import { ZoneMapPicture, ZoneTable } from "./zone_map.tsx";

const texts = shippingTexts.zones;

/** The zones: a map, an explanation for one place, overrides and imported charts. */
export function ZonesScreen() {
  const { data: cards } = useQuery<readonly ListedCard[]>("/shipping/rate_cards", { active: true, limit: 100 });
  const { data: carriers } = useQuery<CarrierList>("/shipping/carriers");
  const from = query.value.get("from") ?? "43215";
  const service = query.value.get("service") ?? cards?.[0]?.service ?? null;
  const is_ready = cards !== undefined && service !== null;
  const { data: map, problem } = useQuery<ZoneMap>(is_ready ? "/shipping/zones/map" : null, { from, service });
  const services = [...new Set(cards?.map((card) => card.service) ?? [])].map((value) => {
    const named = carriers?.carriers.map(({ service_names }) => service_names[value]).find((name) => name);
    return { value, title: named ?? value };
  });
  return (
    <Page title={texts.title}>
      <Card title={texts.map}>
        <p class="muted">{texts.mapText}</p>
        {cards !== undefined && (
          <Form
            key={services.map(({ value }) => value).join()}
            guarded={false}
            fields={[
              { kind: "text", name: "from", label: texts.from, required: true, width: "half", mono: true },
              {
                kind: "select",
                name: "service",
                label: words.service,
                required: true,
                width: "half",
                options: services,
              },
            ]}
            first={{ from, service: service ?? "" }}
            submit={texts.show}
            onSubmit={async (values) => {
              // An API error appears next to its field, and the map stays.
              await get<ZoneMap>("/shipping/zones/map", { params: values as Readonly<Record<string, string>> });
              setQuery({ from: String(values["from"]), service: String(values["service"]) });
            }}
          />
        )}
        {problem && <Notice problem={problem} />}
        {map && <ZoneMapPicture map={map} />}
      </Card>
      {map && (
        <Card title={texts.count} flush>
          <ZoneTable map={map} />
        </Card>
      )}
      <Why from={from} />
      <SetByHand />
      <ChartList />
    </Page>
  );
}

function Why({ from }: { readonly from: string }) {
  const [found, setFound] = useState<Zones | null>(null);
  return (
    <Card title={texts.explainTitle}>
      <Form
        guarded={false}
        fields={[
          { kind: "text", name: "from", label: texts.from, required: true, width: "half", mono: true },
          { kind: "text", name: "to", label: texts.to, required: true, width: "half", mono: true },
          {
            kind: "select",
            name: "to_country",
            label: texts.country,
            width: "half",
            empty: "",
            options: countryNames(),
          },
        ]}
        first={{ from }}
        submit={texts.why}
        onSubmit={async (values) => {
          const params = values as Readonly<Record<string, string>>;
          setFound((await get<Zones>("/shipping/zones", { params })).data);
        }}
      />
      {found && (
        <div class="zone-why" role="status">
          {found.services.map(({ service, name, zone, served, explanation, miles }) => (
            <section key={service}>
              <h3>
                {name}: {zone === null ? texts.noneFound : texts.found(zone)}
                {!served && ` (${texts.unserved})`}
                {miles !== null && <small class="muted"> {texts.miles(count(miles))}</small>}
              </h3>
              <ol>
                {explanation.map((line) => (
                  <li key={line}>{line}</li>
                ))}
              </ol>
            </section>
          ))}
        </div>
      )}
    </Card>
  );
}

type Override = Overrides["overrides"][number];

/** The display text of an override's place. */
function placeOf(it: Override): string {
  const code = it.postal_to === null ? (it.postal_code ?? it.postal_from) : `${it.postal_from}–${it.postal_to}`;
  const begins = it.postal_prefix === null ? null : `${it.postal_prefix}…`;
  return [it.country, code ?? begins, it.city, it.state, it.continent].filter(Boolean).join(" ");
}

const placeFields = (): readonly FormField[] => [
  { kind: "select", name: "kind", label: texts.overrideKind, required: true, options: optionsOf(texts.kinds) },
  { kind: "select", name: "country", label: texts.country, required: true, width: "half", options: countryNames() },
  { kind: "text", name: "value", label: words.code, width: "half", mono: true, when: ({ kind }) => kind !== "country" },
  { kind: "text", name: "zone", label: words.zone, required: true, width: "half" },
];

function SetByHand() {
  const { data, etag, problem } = useQuery<Overrides>("/shipping/zones/overrides");
  const all = data?.overrides ?? [];
  const managed = may("shipping.manage");
  const save = (overrides: readonly Override[]) =>
    ({ method: "PUT", path: "/shipping/zones/overrides", body: { overrides } }) as const;
  const removeOverride = (gone: Override): Action => ({
    title: words.remove,
    icon: "delete",
    danger: true,
    match: etag,
    done: texts.overrideRemoved,
    ask: { title: texts.removeTitle(placeOf(gone)), text: texts.removeText },
    call: save(all.filter((one) => one !== gone)),
  });
  const addOverride: Action = {
    title: texts.addOverride,
    icon: "plus",
    when: managed,
    match: etag,
    done: texts.overrideAdded,
    ask: {
      title: texts.addOverride,
      text: texts.overridesText,
      fields: placeFields(),
      first: { kind: "postal_prefix", country: "US" },
      submit: words.save,
    },
    call: ({ kind, country, value, zone }) => {
      const place = kind === "country" ? {} : { [String(kind)]: value };
      return save([...all, { zone, country, ...place } as unknown as Override]);
    },
  };
  const columns: readonly TableColumn<Override>[] = [
    { id: "place", title: texts.place, wide: true, cell: placeOf },
    { id: "zone", title: words.zone, text: "zone" },
  ];
  return (
    <Card title={texts.overrides} acts={<ActionButton of={addOverride} />}>
      <p class="muted">{all.length === 0 ? texts.noOverrides : texts.overridesText}</p>
      {problem && <Notice problem={problem} />}
      {all.length > 0 && (
        <DataTable
          name={texts.overrides}
          rows={all}
          columns={columns}
          id={(it) => JSON.stringify(it)}
          acts={
            managed
              ? (it) => <ActionButton of={removeOverride(it)} name={`${words.remove} ${placeOf(it)}`} />
              : undefined
          }
        />
      )}
    </Card>
  );
}

type CarrierZoneChart = Charts["charts"][number];

function ChartList() {
  const { data } = useQuery<Charts>("/shipping/zones/charts");
  const charts = data?.charts ?? [];
  const managed = may("shipping.manage");
  const importChart: Action = {
    title: texts.importChart,
    icon: "upload",
    when: managed,
    run: () =>
      chooseFile((file) =>
        act({
          title: texts.importChart,
          danger: true,
          ask: { title: texts.importTitle(file.name), text: texts.importText },
          run: () => sendCsv<Charts>("/shipping/zones/charts/import", file),
          done: (now: Charts) => texts.imported(now.charts.length),
        }),
      ),
  };
  const removeChart = ({ id, origin }: CarrierZoneChart): Action => ({
    title: texts.remove,
    icon: "delete",
    danger: true,
    ask: { title: texts.removeChartTitle(origin), text: texts.removeChartText },
    call: { method: "DELETE", path: `/shipping/zones/charts/${id}` },
  });
  const columns: readonly TableColumn<CarrierZoneChart>[] = [
    { id: "origin", title: texts.chart, wide: true, cell: ({ country, origin }) => `${country} ${origin}` },
    { id: "ranges", title: texts.ranges, number: "ranges" },
    { id: "updated", title: texts.updated, time: "updated_at" },
  ];
  return (
    <Card title={texts.charts} acts={<ActionButton of={importChart} />}>
      <p class="muted">{charts.length === 0 ? texts.noCharts : texts.chartsText}</p>
      {charts.length > 0 && (
        <DataTable
          name={texts.charts}
          rows={charts}
          columns={columns}
          id={({ id }) => id}
          acts={
            managed ? (it) => <ActionButton of={removeChart(it)} name={`${texts.remove} ${it.origin}`} /> : undefined
          }
        />
      )}
    </Card>
  );
}
