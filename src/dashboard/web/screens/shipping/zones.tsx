import { useState } from "preact/hooks";
import { get, put, remove, sendCsv } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import type { CarrierList, Charts, ListedCard, Overrides, ZoneMap, Zones } from "../../api/types.ts";
import { query, setQuery } from "../../browser/router.ts";
import { Button } from "../../components/button.tsx";
import { confirm } from "../../components/dialog.tsx";
import type { FormField } from "../../components/fields.tsx";
import { chooseFile } from "../../components/file_input.tsx";
import { Form, FormDialog } from "../../components/form.tsx";
import { optionsOf } from "../../components/form_values.ts";
import { Notice } from "../../components/notice.tsx";
import { Card, Page } from "../../components/page.tsx";
import { DataTable, type TableColumn } from "../../components/table.tsx";
import { showSuccess } from "../../components/toasts.tsx";
import { Time } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { countryNames } from "../../text/countries_and_units.ts";
import { count } from "../../text/format.ts";
import { shippingTexts } from "../../text/shipping.ts";
import { ZoneMapPicture, ZoneTable } from "./zone_map.tsx";

const texts = shippingTexts.zones;

/** The zones: a map, an explanation for one place, overrides and imported charts. */
export function ZonesScreen() {
  const { data: cards } = useQuery<readonly ListedCard[]>("/shipping/rate-cards", { active: true, limit: 100 });
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
                label: texts.service,
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
  {
    kind: "select",
    name: "kind",
    label: texts.overrideKind,
    required: true,
    options: optionsOf(texts.kinds),
  },
  { kind: "select", name: "country", label: texts.country, required: true, width: "half", options: countryNames() },
  {
    kind: "text",
    name: "value",
    label: texts.value,
    width: "half",
    mono: true,
    when: ({ kind }) => kind !== "country",
  },
  { kind: "text", name: "zone", label: texts.zone, required: true, width: "half" },
];

function SetByHand() {
  const { data, etag, problem } = useQuery<Overrides>("/shipping/zones/overrides");
  const [adding, setAdding] = useState(false);
  const all = data?.overrides ?? [];
  const save = (overrides: readonly Override[], key?: string) =>
    put("/shipping/zones/overrides", { overrides }, { match: etag, key });
  const takeAway = (gone: Override) =>
    confirm({
      title: texts.removeTitle(placeOf(gone)),
      text: texts.removeText,
      act: words.remove,
      danger: true,
      run: async () => {
        await save(all.filter((one) => one !== gone));
        showSuccess(texts.overrideRemoved);
      },
    });
  const columns: readonly TableColumn<Override>[] = [
    { id: "place", title: texts.place, wide: true, cell: placeOf },
    { id: "zone", title: texts.zone, cell: ({ zone }) => zone },
  ];
  return (
    <Card
      title={texts.overrides}
      acts={may("shipping.manage") && <Button icon="plus" title={texts.addOverride} onClick={() => setAdding(true)} />}
    >
      <p class="muted">{all.length === 0 ? texts.noOverrides : texts.overridesText}</p>
      {problem && <Notice problem={problem} />}
      {all.length > 0 && (
        <DataTable
          name={texts.overrides}
          rows={all}
          columns={columns}
          id={(it) => JSON.stringify(it)}
          {...(may("shipping.manage")
            ? {
                acts: (it: Override) => (
                  <Button
                    kind="plain"
                    icon="delete"
                    iconOnly
                    title={`${words.remove} ${placeOf(it)}`}
                    onClick={() => void takeAway(it)}
                  />
                ),
              }
            : {})}
        />
      )}
      {adding && (
        <FormDialog
          title={texts.addOverride}
          text={texts.overridesText}
          fields={placeFields()}
          first={{ kind: "postal_prefix", country: "US" }}
          submit={words.save}
          onClose={() => setAdding(false)}
          onSubmit={async ({ kind, country, value, zone }, key) => {
            const place = kind === "country" ? {} : { [String(kind)]: value };
            const added = { zone, country, ...place } as unknown as Override;
            await save([...all, added], key);
            showSuccess(texts.overrideAdded);
          }}
        />
      )}
    </Card>
  );
}

type CarrierZoneChart = Charts["charts"][number];

function ChartList() {
  const { data } = useQuery<Charts>("/shipping/zones/charts");
  const [problem, setProblem] = useState<Parameters<typeof Notice>[0]["problem"] | null>(null);
  const charts = data?.charts ?? [];
  const take = () =>
    chooseFile(async (file) => {
      await confirm({
        title: texts.importTitle(file.name),
        text: texts.importText,
        act: texts.importChart,
        danger: true,
        run: async () => {
          const { data: now } = await sendCsv<Charts>("/shipping/zones/charts/import", file);
          setProblem(null);
          showSuccess(texts.imported(now.charts.length));
        },
      });
    }, setProblem);
  const takeAway = ({ id, origin }: CarrierZoneChart) =>
    confirm({
      title: texts.removeChartTitle(origin),
      text: texts.removeChartText,
      act: texts.remove,
      danger: true,
      run: () => remove(`/shipping/zones/charts/${id}`),
    });
  const columns: readonly TableColumn<CarrierZoneChart>[] = [
    { id: "origin", title: texts.chart, wide: true, cell: ({ country, origin }) => `${country} ${origin}` },
    { id: "ranges", title: texts.ranges, align: "right", cell: ({ ranges }) => count(ranges) },
    { id: "updated", title: texts.updated, cell: ({ updated_at }) => <Time at={updated_at} /> },
  ];
  return (
    <Card
      title={texts.charts}
      acts={may("shipping.manage") && <Button icon="upload" title={texts.importChart} onClick={take} />}
    >
      <p class="muted">{charts.length === 0 ? texts.noCharts : texts.chartsText}</p>
      {problem && <Notice problem={problem} />}
      {charts.length > 0 && (
        <DataTable
          name={texts.charts}
          rows={charts}
          columns={columns}
          id={({ id }) => id}
          {...(may("shipping.manage")
            ? {
                acts: (it: CarrierZoneChart) => (
                  <Button
                    kind="plain"
                    icon="delete"
                    iconOnly
                    title={`${texts.remove} ${it.origin}`}
                    onClick={() => void takeAway(it)}
                  />
                ),
              }
            : {})}
        />
      )}
    </Card>
  );
}
