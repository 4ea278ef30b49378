import { useState } from "preact/hooks";
import { post } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import type { LabelRates, WarehouseRecord } from "../../api/types.ts";
import { query, setQuery } from "../../browser/router.ts";
import { Badge } from "../../components/badge.tsx";
import type { FormField, FormValues } from "../../components/fields.tsx";
import { Form } from "../../components/form.tsx";
import { valuesOf } from "../../components/form_values.ts";
import { EmptyState, Notice, Skeleton } from "../../components/notice.tsx";
import { Card, Page } from "../../components/page.tsx";
import { DataTable, type TableColumn } from "../../components/table.tsx";
import { words } from "../../text/common.ts";
import { countryNames } from "../../text/countries_and_units.ts";
import { date, money } from "../../text/format.ts";
import { shippingTexts } from "../../text/shipping.ts";
import { SampleNotice } from "../orders/label_rates.tsx";

const texts = shippingTexts.rates;
type ListedRate = LabelRates["rates"][number];

const select = { kind: "select", width: "half", empty: "", blank: undefined } as const;
const side = { kind: "number", unit: "in", width: "third" } as const;

const fields = (): readonly FormField[] => [
  { kind: "text", name: "from_zip", label: texts.from, required: true, width: "half", mono: true, focus: true },
  { kind: "text", name: "to_zip", label: texts.to, required: true, width: "half", mono: true },
  { ...select, name: "from_country", label: texts.fromCountry, options: countryNames() },
  { ...select, name: "to_country", label: texts.toCountry, options: countryNames() },
  {
    kind: "weight",
    name: "weight",
    unit_name: "weight_unit",
    label: words.weight,
    first: "1",
    required: true,
    width: "half",
  },
  { kind: "money", name: "value", label: texts.value, currency: "USD", width: "half", blank: undefined },
  { ...side, name: "dimensions.length", label: texts.length },
  { ...side, name: "dimensions.width", label: texts.width },
  { ...side, name: "dimensions.height", label: texts.height },
  { kind: "switch", name: "residential", label: texts.residential, help: texts.residentialHelp, width: "half" },
  { kind: "switch", name: "insurance", label: texts.insurance, width: "half" },
];

/** The form values from the address, so that a link can share them. By default a parcel leaves the first warehouse. */
function fromAddress(warehouse: WarehouseRecord | undefined): FormValues {
  const { postal_code = "", country = "" } = warehouse?.address ?? {};
  const first = valuesOf(fields());
  const defaults: FormValues = { ...first, from_zip: postal_code ?? "", from_country: country };
  const has_origin = query.peek().has("from_zip") || query.peek().has("from_country");
  const entries = Object.entries(has_origin ? first : defaults).map(([name, empty]) => {
    const given = query.peek().get(name);
    return [name, given === null ? empty : typeof empty === "boolean" ? given === "true" : given];
  });
  return Object.fromEntries(entries);
}

/** Compares the rates of all carriers for a parcel. */
export function RatesScreen() {
  const [found, setFound] = useState<LabelRates | null>(null);
  const { data: warehouses, loading } = useQuery<readonly WarehouseRecord[]>("/inventory/locations");
  const ask = async (values: FormValues, key: string, { dimensions, ...body }: FormValues) => {
    const parcel = { ...body, ...(dimensions !== null && { dimensions: { ...(dimensions as object), unit: "in" } }) };
    const { data } = await post<LabelRates>("/shipping/rates", parcel, { key });
    setFound(data);
    setQuery(Object.fromEntries(Object.entries(values).map(([name, one]) => [name, one ? String(one) : null])));
  };
  return (
    <Page title={texts.title} below={texts.intro}>
      <div class="shipping-try">
        <Card>
          {loading && <Skeleton lines={6} />}
          {!loading && (
            <Form
              fields={fields()}
              first={fromAddress(warehouses?.[0])}
              submit={texts.ask}
              onSubmit={ask}
              guarded={false}
            />
          )}
        </Card>
        {found && (
          <Card title={texts.results} flush>
            <RateList found={found} />
          </Card>
        )}
      </div>
    </Page>
  );
}

const key = ({ carrier, service, account_id }: ListedRate) => [carrier, service, account_id].join(" ");

function RateList({ found: { rates, messages } }: { readonly found: LabelRates }) {
  const soonest = rates.map(({ delivery_day }) => delivery_day).filter((day) => day !== null);
  const fastest = soonest.toSorted()[0] ?? null;
  const columns: readonly TableColumn<ListedRate>[] = [
    {
      id: "service",
      title: words.service,
      wide: true,
      cell: (it) => (
        <>
          <strong>{it.service_name}</strong>
          <div class="muted">{it.carrier_name}</div>
          <div class="shipping-badges">
            {it === rates[0] && <Badge tone="good">{texts.cheapest}</Badge>}
            {it.delivery_day !== null && it.delivery_day === fastest && <Badge tone="info">{texts.fastest}</Badge>}
            {it.sample && <Badge tone="warning">{words.sample}</Badge>}
          </div>
        </>
      ),
    },
    {
      id: "arrives",
      title: words.arrives,
      cell: ({ delivery_day, delivery_days }) => (
        <>
          {date(delivery_day)}
          {delivery_days !== null && <div class="muted">{texts.unitDays(delivery_days)}</div>}
        </>
      ),
    },
    {
      id: "zone",
      title: words.zone,
      cell: ({ zone, zone_estimated }) => (
        <span title={zone_estimated ? texts.zoneGuess : undefined}>{`${zone ?? "–"}${zone_estimated ? "?" : ""}`}</span>
      ),
    },
    {
      id: "billed",
      title: texts.billed,
      align: "right",
      cell: ({ billable_weight }) => (billable_weight === null ? "–" : texts.pounds(billable_weight)),
    },
    {
      id: "price",
      title: words.price,
      align: "right",
      cell: (it) => (
        <details class="shipping-price">
          <summary aria-label={`${money(it.rate, it.currency)}: ${texts.breakdown}`}>
            {money(it.rate, it.currency)}
          </summary>
          <Breakdown parts={it.breakdown} total={it.rate} currency={it.currency} />
        </details>
      ),
    },
  ];
  return (
    <>
      <Notices found={{ rates, messages }} />
      {rates.length === 0 && <EmptyState icon="truck" title={texts.none} />}
      {rates.length > 0 && <DataTable name={texts.results} rows={rates} columns={columns} id={key} />}
    </>
  );
}

/** The notices about rates: sample prices and messages of carriers. */
function Notices({ found: { rates, messages } }: { readonly found: Pick<LabelRates, "rates" | "messages"> }) {
  const others = messages.filter(({ code }) => code !== "sample_rates");
  return (
    <div class="shipping-notices">
      <SampleNotice of={rates} />
      {others.map(({ carrier, service, level, code, message }) => (
        <Notice key={`${carrier} ${service} ${code}`} kind={level === "info" ? "info" : "warning"}>
          <strong>{[carrier, service].filter(Boolean).join(" ")}</strong> {message}
        </Notice>
      ))}
    </div>
  );
}

interface BreakdownProps {
  readonly parts: readonly { readonly code: string; readonly amount: number }[];
  readonly total: number | null;
  readonly currency: string;
}

/** The parts of a price. */
export function Breakdown({ parts, total, currency }: BreakdownProps) {
  const named: Readonly<Record<string, string>> = texts.parts;
  return (
    <dl class="shipping-parts">
      {parts.map(({ code, amount }) => (
        <div key={code}>
          <dt>{named[code] ?? code}</dt>
          <dd>{money(amount, currency)}</dd>
        </div>
      ))}
      <div class="total">
        <dt>{words.price}</dt>
        <dd>{money(total, currency)}</dd>
      </div>
    </dl>
  );
}
