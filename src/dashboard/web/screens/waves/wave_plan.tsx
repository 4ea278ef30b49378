import { waveModes } from "../../../../floor/floor.transitions.ts";
import { get, post, rehearse } from "../../api/client.ts";
import { chosenMerchant, merchantOf, several as severalMerchants } from "../../api/merchants.ts";
import { useQuery } from "../../api/query.ts";
import { may } from "../../api/session.ts";
import type { CarrierList, Order, WavePlan, WaveRecord } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import { type Editing, FieldError, type FormField, type FormValues, type Option } from "../../components/fields.tsx";
import { Finder } from "../../components/finder.tsx";
import { Form } from "../../components/form.tsx";
import { numberOrText, optionsOf } from "../../components/form_values.ts";
import { merchantOptions } from "../../components/merchant_field.tsx";
import { Notice } from "../../components/notice.tsx";
import { Card, Page } from "../../components/page.tsx";
import { useLatest } from "../../components/reading.ts";
import type { ScreenProps } from "../../components/screen.ts";
import { showSuccess } from "../../components/toasts.tsx";
import { previewTexts, words } from "../../text/common.ts";
import { floorTexts } from "../../text/floor.ts";
import { count } from "../../text/format.ts";
import { warehouseTexts } from "../../text/warehouses.ts";
import { waveTexts as texts } from "../../text/waves.ts";
import { enteredText, useWarehouses } from "../stock/stock_links.ts";

/** The form of a new wave. It shows what the wave would take, and why other orders wait. */
export function NewWaveScreen({ title, back }: ScreenProps) {
  const { all, field } = useWarehouses();
  const carriers = useCarrierOptions();
  const plan = async (values: FormValues, key: string, release: boolean) => {
    const { data: wave } = await post<WaveRecord>("/waves", requestOf(values), { key });
    if (release) await post(`/waves/${wave.id}/release`);
    showSuccess(release ? texts.plannedAndReleased(wave.id) : texts.planned(wave.id));
    navigate(to(`/waves/${wave.id}`), { replace: true });
  };
  return (
    <Page title={title} back={back} narrow>
      <Card>
        {all.length > 0 && (
          <Form
            fields={fieldsOf(
              { ...field(words.warehouse), name: "warehouse_id", first: all[0]?.warehouse_id },
              carriers,
            )}
            submit={texts.planAndRelease}
            other={texts.plan}
            onCancel={() => navigate(back?.href ?? to("/waves"))}
            onSubmit={(values, key, _body, is_other) => plan(values, key, !is_other)}
          >
            {(values) => <Preview values={values} />}
          </Form>
        )}
      </Card>
    </Page>
  );
}

/** The carriers as options, each followed by its services. */
function useCarrierOptions(): readonly Option[] {
  const { data } = useQuery<CarrierList>(may("shipping.read") ? "/shipping/carriers" : null);
  const options = (data?.carriers ?? []).flatMap(({ code, name, services, service_names }) => [
    { value: code, title: name },
    ...services.map((one) => ({ value: `${code} ${one}`, title: `${name} · ${service_names[one] ?? one}` })),
  ]);
  // A carrier that several accounts sell is listed once.
  return [...new Map(options.map((option) => [option.value, option])).values()];
}

const isOneOrder = ({ mode }: FormValues) => mode === "order";
const takesSeveral = (values: FormValues) => !isOneOrder(values);

function fieldsOf(warehouse: FormField, carriers: readonly Option[]): readonly FormField[] {
  const modes = waveModes.map((value) => ({ value, title: floorTexts.modes[value] }));
  const half = { width: "half", when: takesSeveral } as const;
  return [
    warehouse,
    { kind: "select", name: "mode", label: texts.mode, required: true, options: modes, first: modes[0]?.value },
    {
      kind: "custom",
      name: "filters.order_ids",
      label: words.order,
      required: true,
      first: null,
      when: isOneOrder,
      render: (editing) => <OrderField {...editing} />,
    },
    { kind: "heading", name: "filters", label: texts.filters, help: texts.filtersHelp, when: takesSeveral },
    { ...half, kind: "date", name: "filters.ship_by_before", label: texts.shipBefore, help: texts.shipBeforeHelp },
    {
      ...half,
      kind: "select",
      name: "filters.carrier",
      label: words.carrier,
      options: carriers,
      empty: texts.anyCarrier,
    },
    {
      ...half,
      kind: "select",
      name: "filters.temperature_zone",
      label: texts.temperature,
      options: optionsOf(warehouseTexts.temperatures),
      empty: texts.anyTemperature,
    },
    {
      ...half,
      kind: "select",
      name: "filters.one_unit",
      label: texts.size,
      options: optionsOf(texts.sizes),
      empty: texts.anySize,
      when: (values) => takesSeveral(values) && values["mode"] !== "single",
    },
    { ...half, kind: "number", name: "filters.priority_min", label: texts.priorityMin },
    { ...half, kind: "text", name: "filters.tags", label: words.tags, help: texts.tagsHelp },
    {
      kind: "multi-select",
      name: "filters.merchant_ids",
      label: texts.merchants,
      help: texts.merchantsHelp,
      options: merchantOptions(),
      first: chosenMerchant.value === null ? [] : [chosenMerchant.value.code],
      when: (values) => takesSeveral(values) && severalMerchants.value,
    },
    { kind: "heading", name: "limits", label: texts.limits, help: texts.limitsHelp, when: takesSeveral },
    { ...half, kind: "number", name: "limits.orders", label: words.orders, first: "50" },
    { ...half, kind: "number", name: "limits.units", label: words.units },
    { ...half, kind: "number", name: "limits.weight_grams", label: words.weight, unit: "kg" },
    { ...half, kind: "number", name: "limits.volume_cm3", label: texts.volume, unit: "L" },
  ];
}

type FoundOrder = Pick<Order, "id" | "order_number">;

const findOrders = async (q: string, signal: AbortSignal) =>
  (await get<readonly Order[]>("/orders", { params: { q, limit: 12 }, signal })).data;

function OrderField({ value, set, problem, id }: Editing) {
  const chosen = value as FoundOrder | null;
  return (
    <>
      <Finder<FoundOrder>
        field_id={id}
        label={words.order}
        placeholder={texts.chooseOrder}
        shown={chosen?.order_number ?? ""}
        suggests
        find={findOrders}
        id={(order) => order.id}
        item={({ order_number }) => order_number}
        onChoose={set}
        onClear={() => set(null)}
        invalid={problem() !== undefined}
      />
      <FieldError text={problem()} />
    </>
  );
}

/** The end of a day, by the clock of this device. */
function endOf(day: string): string {
  const end = new Date(`${day}T00:00`);
  end.setDate(end.getDate() + 1);
  return end.toISOString();
}

/** An entered number in thousandths of its unit, as the API expects it. */
function thousandths(value: unknown): unknown {
  const entered = numberOrText(value);
  return typeof entered === "number" ? Math.round(entered * 1000) : entered;
}

/** The fields with a value. */
const given = (fields: FormValues): FormValues =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));

/** The request that the entries make. */
function requestOf(values: FormValues): FormValues {
  const base = given({ warehouse_id: enteredText(values["warehouse_id"]), mode: values["mode"] });
  const of = (name: string) => values[`filters.${name}`];
  if (isOneOrder(values)) {
    const order = of("order_ids") as FoundOrder | null;
    return { ...base, filters: { order_ids: order === null ? [] : [order.id] } };
  }
  const [carrier, service] = String(of("carrier") ?? "").split(" ");
  const day = enteredText(of("ship_by_before"));
  const size = values["mode"] === "single" ? "" : of("one_unit");
  const tags = (enteredText(of("tags")) ?? "").split(",").flatMap((tag) => tag.trim() || []);
  const merchant_ids = of("merchant_ids") as readonly string[];
  return {
    ...base,
    filters: given({
      carrier: carrier || null,
      service,
      ship_by_before: day && endOf(day),
      temperature_zone: enteredText(of("temperature_zone")),
      one_unit: size === "" ? null : size === "one",
      priority_min: numberOrText(of("priority_min")),
      tags: tags.length === 0 ? null : tags,
      merchant_ids: merchant_ids.length === 0 ? null : merchant_ids,
    }),
    limits: given({
      orders: numberOrText(values["limits.orders"]),
      units: numberOrText(values["limits.units"]),
      weight_grams: thousandths(values["limits.weight_grams"]),
      volume_cm3: thousandths(values["limits.volume_cm3"]),
    }),
  };
}

/** What the wave would take, and why other orders wait. */
function Preview({ values }: { readonly values: FormValues }) {
  const ready = !isOneOrder(values) || values["filters.order_ids"] !== null;
  const body = requestOf(values);
  const question = ready ? JSON.stringify(body) : null;
  const { data, problem, asking } = useLatest(question, (signal) =>
    rehearse<WavePlan>({ method: "POST", path: "/waves", body }, { signal }),
  );
  return (
    <section
      class={asking ? "effects stale" : "effects"}
      aria-label={texts.takes}
      aria-live="polite"
      aria-busy={asking}
    >
      <p class="effects-title">{texts.takes}</p>
      {!ready && <p class="muted">{texts.takesOrder}</p>}
      {problem && (
        <Notice kind="warning">
          {[problem.message, ...problem.fields.map(({ field, message }) => `${field} ${message}.`)].join(" ")}
        </Notice>
      )}
      {data === null && problem === null && ready && <p class="muted">{previewTexts.asking}</p>}
      {data && <Plan plan={data.data} all={Object.keys(body["filters"] as object).length === 0} />}
    </section>
  );
}

interface PlanProps {
  readonly plan: WavePlan;
  /** Whether the wave has no filters. */
  readonly all: boolean;
}

function Plan({ plan, all }: PlanProps) {
  const { orders, units, stops, weight_grams, volume_cm3, merchants, waiting } = plan;
  const nothing = all && waiting.length === 0 ? texts.noOrders : texts.takesNothing;
  const measures = texts.measures(
    weight_grams > 0 ? `${count(weight_grams / 1000)} kg` : null,
    volume_cm3 > 0 ? `${count(volume_cm3 / 1000)} L` : null,
  );
  return (
    <>
      <ul>
        <li>{orders === 0 ? nothing : texts.takesText(orders, units, stops)}</li>
        {weight_grams + volume_cm3 > 0 && <li>{measures}</li>}
        {severalMerchants.value &&
          merchants.map(({ merchant_id, orders: own }) => (
            <li key={merchant_id}>{texts.ofMerchant(merchantOf(merchant_id)?.name ?? merchant_id ?? "", own)}</li>
          ))}
      </ul>
      {waiting.length > 0 && (
        <>
          <p class="effects-title">{texts.waiting}</p>
          <dl class="wave-waiting">
            {waiting.map(({ reason, orders: all, examples }) => (
              <div key={reason}>
                <dt>
                  {texts.reasons[reason]} <span class="count">{count(all)}</span>
                </dt>
                <dd>
                  {examples.map(({ order_id, order_number }) => (
                    <a key={order_id} href={to(`/orders/${order_id}`)} target="_blank" rel="noopener">
                      {order_number}
                    </a>
                  ))}
                  {all > examples.length && <span class="muted">{texts.more(all - examples.length)}</span>}
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </>
  );
}
