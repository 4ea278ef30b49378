import { useEffect, useState } from "preact/hooks";
import { post } from "../../api/client.ts";
import { type ApiProblem, problemOf } from "../../api/problem.ts";
import { refresh, useQuery } from "../../api/query.ts";
import type { LabelRate, LabelRates, LabelRecord, Order, WarehouseRecord } from "../../api/types.ts";
import type { Action } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Dialog, openDialog } from "../../components/dialog.tsx";
import { DocumentDialog } from "../../components/document_dialog.tsx";
import { FieldRow, type FormField, type FormValues } from "../../components/fields.tsx";
import { Notice } from "../../components/notice.tsx";
import { useLatest, useProgress } from "../../components/reading.ts";
import { words } from "../../text/common.ts";
import { count, date, money, weight } from "../../text/format.ts";
import { orderTexts, labelTexts as texts } from "../../text/order.ts";
import { agreeToSamples, PurchaseProblem, rateKey, rateOfMethod, SampleNotice } from "./label_rates.tsx";
import { labelDocument } from "./order_facts.ts";
import { exceedsReserved, itemsOf, type LooseLine, looseLines, reservedUnits, unitsField } from "./units_field.tsx";

interface RateTableProps {
  readonly rates: LabelRates | null;
  readonly asking: boolean;
  readonly chosen: string | null;
  readonly onChoose: (key: string) => void;
}

/** A table of rates, cheapest first. The cheapest and the fastest are marked. */
function RateTable({ rates, asking, chosen, onChoose }: RateTableProps) {
  const all = rates?.rates ?? [];
  const fastest = Math.min(...all.map(({ delivery_days }) => delivery_days ?? Number.POSITIVE_INFINITY));
  // Left out because the notice about samples is more detailed.
  const messages = (rates?.messages ?? []).filter(({ code }) => code !== "sample_rates");
  return (
    <section class={asking ? "rates stale" : "rates"} aria-busy={asking} aria-label={texts.rates} aria-live="polite">
      {rates === null && asking && <p class="muted">{texts.asking}</p>}
      {rates !== null && all.length === 0 && <Notice kind="warning">{texts.noRates}</Notice>}
      <SampleNotice of={all} />
      {all.length > 0 && (
        <div class="table-box">
          <table class="table rate-table">
            <thead>
              <tr>
                <th scope="col">
                  <span class="unseen">{texts.choose}</span>
                </th>
                <th scope="col">{texts.carrier}</th>
                <th scope="col">{texts.service}</th>
                <th scope="col" class="right">
                  {texts.price}
                </th>
                <th scope="col" class="right">
                  {texts.days}
                </th>
                <th scope="col">{texts.arrives}</th>
                <th scope="col">{texts.account}</th>
              </tr>
            </thead>
            <tbody>
              {all.map((rate, at) => (
                <RateRow
                  key={rateKey(rate)}
                  rate={rate}
                  at={at}
                  fastest={rate.delivery_days === fastest}
                  chosen={rateKey(rate) === chosen}
                  onChoose={() => onChoose(rateKey(rate))}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {messages.length > 0 && (
        <ul class="rate-messages">
          {messages.map(({ carrier, service, code, message }) => (
            <li key={`${carrier} ${service} ${code}`} class="muted">
              {carrier} {service}: {message}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface RateRowProps {
  readonly rate: LabelRate;
  readonly at: number;
  readonly fastest: boolean;
  readonly chosen: boolean;
  readonly onChoose: () => void;
}

function RateRow({ rate, at, fastest, chosen, onChoose }: RateRowProps) {
  const price = money(rate.rate, rate.currency);
  return (
    <tr class={chosen ? "linked chosen" : "linked"} onClick={onChoose}>
      <td class="select">
        <input
          type="radio"
          name="rate"
          checked={chosen}
          onChange={onChoose}
          aria-label={`${rate.carrier_name} ${rate.service_name} ${price}`}
        />
      </td>
      <td data-label={texts.carrier}>{rate.carrier_name}</td>
      <td data-label={texts.service}>
        <span class="rate-service">
          <span>{rate.service_name}</span>
          {at === 0 && <Badge tone="good">{texts.cheapest}</Badge>}
          {fastest && <Badge tone="info">{texts.fastest}</Badge>}
          {rate.sample && <Badge tone="warning">{texts.sample}</Badge>}
        </span>
      </td>
      <td class="right" data-label={texts.price}>
        <b>{price}</b>
      </td>
      <td class="right" data-label={texts.days}>
        {count(rate.delivery_days)}
      </td>
      <td data-label={texts.arrives}>{date(rate.delivery_day)}</td>
      <td data-label={texts.account}>
        <span class="muted">{rate.account_id ?? texts.own}</span>
      </td>
    </tr>
  );
}

const sizes = ["length", "width", "height"] as const;

/** The rate request for the entries; null without a valid weight. */
function questionOf(order: Order, values: FormValues, lines: readonly LooseLine[]) {
  const { weight, weight_unit, unit, value, insurance } = values;
  const items = itemsOf(values["items"], lines);
  if (lines.length > 0 && items.length === 0) return null;
  const entered = String(weight ?? "").trim();
  if (entered !== "" && !(Number(entered) > 0)) return null;
  const has_size = sizes.every((name) => Number(values[name]) > 0);
  return {
    order_id: order.id,
    ...(items.length > 0 ? { items } : {}),
    ...(entered === "" ? {} : { weight: Number(entered), weight_unit }),
    ...(has_size
      ? { dimensions: { ...Object.fromEntries(sizes.map((name) => [name, Number(values[name])])), unit } }
      : {}),
    ...(value === "" ? {} : { value, insurance: insurance === true }),
  };
}

const first: FormValues = {
  weight: "",
  weight_unit: "lb",
  length: "",
  width: "",
  height: "",
  unit: "in",
  value: "",
  insurance: false,
  reason: "",
};

/** The state of the dialog: the parcel, its rates and the purchase. */
function usePurchase(order: Order) {
  const lines = looseLines(order);
  const [values, setValues] = useState<FormValues>({ ...first, items: reservedUnits(lines) });
  const [chosen, setChosen] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [label, setLabel] = useState<LabelRecord | null>(null);
  const [round, setRound] = useState(0);
  const question = questionOf(order, values, lines);
  const items = itemsOf(values["items"], lines);
  const reason = String(values["reason"] ?? "").trim();
  const needsReason = exceedsReserved(items, lines);
  const quote = useLatest(
    question === null || label !== null ? null : JSON.stringify([question, round]),
    async (signal) => (await post<LabelRates>("/shipping/rates", question, { signal, key: null })).data,
    400,
  );
  const rates = quote.data?.rates ?? null;
  const rate = rates?.find((one) => rateKey(one) === chosen) ?? null;
  const picked = rates?.find((one) => one.chosen);
  const ordered = rates === null ? null : (picked ?? rateOfMethod(rates, order.shipping_method));
  // The rate that the order's choice or method picks is preselected until the user chooses another rate.
  useEffect(() => {
    if (chosen === null && ordered !== null) setChosen(rateKey(ordered));
  }, [ordered]);
  const set = (name: string, value: unknown) => setValues((now) => ({ ...now, [name]: value }));
  const buy = async () => {
    if (rate === null || quote.data === null || !(await agreeToSamples([rate]))) return;
    setBusy(true);
    setProblem(null);
    const worth = values["value"] === "" ? {} : { value: values["value"], insurance: values["insurance"] === true };
    try {
      const { data } = await post<LabelRecord>("/shipping/labels", {
        order_id: order.id,
        quote_id: rate.quote_id,
        package: { ...quote.data.parcel, ...worth },
        ...(items.length > 0 ? { items } : {}),
        ...(needsReason ? { reason } : {}),
      });
      refresh(new Set(["orders", "shipments"]));
      setLabel(data);
    } catch (error) {
      const found = problemOf(error);
      setProblem(found);
      if (found.code === "quote_expired" || found.code === "quote_used") setRound((now) => now + 1);
    } finally {
      setBusy(false);
    }
  };
  const ready = rate !== null && !quote.asking && question !== null && (!needsReason || reason !== "");
  const parcel = { lines, values, set, items, needsReason };
  return { ...parcel, quote, rate, ordered, chosen, setChosen, ready, busy, problem, label, setLabel, buy };
}

/** Opens the dialog to buy a label for a parcel of an order. */
export const buyLabel = (order: Order): Action => ({
  title: orderTexts.acts["label"] ?? "",
  icon: "tag",
  permission: "shipping.buy",
  run: () => openDialog((close) => <LabelDialog order={order} onClose={close} />),
});

/** Compares the rates of all carriers for a parcel of an order, and buys a label. */
function LabelDialog({ order, onClose }: { readonly order: Order; readonly onClose: () => void }) {
  const purchase = usePurchase(order);
  const { lines, values, set, quote, rate, ordered, chosen, setChosen, busy, problem, label, setLabel, buy } = purchase;
  if (label !== null) return <Bought label={label} onClose={onClose} onAgain={() => setLabel(null)} />;
  const weighed = values["weight"] === "" ? (quote.data?.parcel ?? null) : null;
  const fields: readonly FormField[] = [
    {
      kind: "weight",
      name: "weight",
      unit_name: "weight_unit",
      label: texts.weight,
      width: "third",
      help: weighed === null ? texts.weightHelp : texts.weighs(weight(weighed.weight, weighed.weight_unit)),
    },
    {
      kind: "custom",
      name: "size",
      label: texts.size,
      width: "third",
      render: () => <Size values={values} set={set} />,
    },
    { kind: "money", name: "value", label: texts.value, currency: "USD", width: "third" },
    { kind: "switch", name: "insurance", label: texts.insurance, when: ({ value }) => value !== "" },
    ...(lines.length > 0 ? [{ ...unitsField(lines.map(withReserved)), label: texts.items }] : []),
    {
      kind: "text",
      name: "reason",
      label: texts.unreservedReason,
      help: texts.unreservedHelp,
      required: true,
      when: () => purchase.needsReason,
    },
  ];
  const method = order.shipping_method;
  return (
    <Dialog title={`${texts.title}: ${order.order_number}`} wide onClose={onClose} mayClose={() => !busy}>
      <p class="dialog-text">
        {texts.text} <Way order={order} />
        {method !== null && ` ${ordered === null && quote.data ? texts.methodUnknown(method) : texts.method(method)}`}
      </p>
      {lines.length > 0 && lines.every(({ reserved }) => reserved === 0) && (
        <Notice kind="warning">{texts.noneReserved}</Notice>
      )}
      <div class="fields">
        {fields.map((field) => (
          <FieldRow key={field.name} field={field} values={values} set={set} problem={noProblem} />
        ))}
      </div>
      {quote.problem && <Notice problem={quote.problem} />}
      {purchase.needsReason && <Notice kind="warning">{texts.unreserved}</Notice>}
      {problem && <PurchaseProblem problem={problem} />}
      <RateTable rates={quote.data} asking={quote.asking} chosen={chosen} onChoose={setChosen} />
      <footer class="dialog-acts">
        <Button title={words.cancel} onClick={onClose} disabled={busy} />
        <Button
          kind="primary"
          busy={busy}
          disabled={!purchase.ready}
          title={rate === null ? texts.choose : texts.buy(money(rate.rate, rate.currency))}
          onClick={() => void buy()}
        />
      </footer>
    </Dialog>
  );
}

/** Adds the number of reserved units to a line if fewer than its open units are reserved. */
const withReserved = (line: LooseLine): LooseLine =>
  line.reserved < line.most ? { ...line, name: `${line.name} (${texts.reserved(line.reserved)})` } : line;

const noProblem = () => undefined;

/** The origin and destination of the parcel: the order's warehouse and address. */
function Way({ order }: { readonly order: Order }) {
  const { data } = useQuery<readonly WarehouseRecord[]>("/inventory/locations");
  const { warehouse_id, shipping_address } = order;
  const from = data?.find((one) => one.warehouse_id === warehouse_id) ?? data?.[0];
  if (from === undefined) return null;
  const placeOf = ({ postal_code, city, country }: typeof shipping_address | WarehouseRecord["address"]) =>
    [postal_code ?? "", city, country].filter((part) => part !== "").join(" ");
  return <>{texts.way(placeOf(from.address), placeOf(shipping_address))}.</>;
}

interface SizeProps {
  readonly values: FormValues;
  readonly set: (name: string, value: unknown) => void;
}

function Size({ values, set }: SizeProps) {
  return (
    <span class="with-unit size">
      {sizes.map((name) => (
        <input
          key={name}
          type="text"
          inputMode="decimal"
          aria-label={texts[name]}
          placeholder={texts[name]}
          value={String(values[name] ?? "")}
          onInput={(event) => set(name, event.currentTarget.value)}
        />
      ))}
      <select
        aria-label={texts.sizeUnit}
        value={String(values["unit"])}
        onChange={(event) => set("unit", event.currentTarget.value)}
      >
        <option value="in">in</option>
        <option value="cm">cm</option>
      </select>
    </span>
  );
}

interface BoughtProps {
  readonly label: LabelRecord;
  readonly onClose: () => void;
  readonly onAgain: () => void;
}

/** Whether to show a warning. The one about sample prices was shown before the purchase. */
const isReported = ({ code }: LabelRecord["warnings"][number]) => code !== "sample_rates";

/** A bought label, or one whose purchase is in progress. */
function Bought({ label: first, onClose, onAgain }: BoughtProps) {
  const [printing, setPrinting] = useState(false);
  const { data, reload } = useQuery<LabelRecord>(`/shipping/labels/${first.label_id}`);
  const label = data ?? first;
  useProgress(label.status === "processing", reload);
  const number = label.tracking_number ?? label.label_id;
  if (printing) return <DocumentDialog paper={labelDocument(label, number)} onClose={onClose} />;
  return (
    <Dialog title={texts.title} onClose={onClose}>
      {label.status === "processing" && <Notice kind="info">{texts.processing}</Notice>}
      {label.status === "completed" && <Notice kind="done">{texts.bought(number)}</Notice>}
      {label.status === "error" && (
        <Notice kind="warning">
          {texts.failed}: {label.error?.message}
        </Notice>
      )}
      {label.warnings.filter(isReported).map(({ field, message }) => (
        <Notice key={`${field} ${message}`} kind="warning">
          {message}
        </Notice>
      ))}
      <footer class="dialog-acts">
        <Button title={texts.done} onClick={onClose} />
        {label.status === "completed" && (
          <Button kind="primary" icon="print" title={texts.print} onClick={() => setPrinting(true)} />
        )}
        {label.status === "error" && <Button kind="primary" title={texts.again} onClick={onAgain} />}
      </footer>
    </Dialog>
  );
}
