// Buys labels for many orders, each at the shown price of its own rate.
import { useEffect, useState } from "preact/hooks";
import { get, post } from "../../api/client.ts";
import { type ApiProblem, problemOf } from "../../api/problem.ts";
import { refresh } from "../../api/query.ts";
import type { LabelRate, LabelRates, LabelRecord, Order } from "../../api/types.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { FieldRow, type FormField, type FormValues, Select } from "../../components/fields.tsx";
import { words } from "../../text/common.ts";
import { date, money } from "../../text/format.ts";
import { bulkLabelTexts as texts } from "../../text/order_list.ts";
import { agreeToSamples, PurchaseProblem, rateKey, rateName, rateOfMethod, SampleNotice } from "./label_rates.tsx";
import { looseLines, reservedItems } from "./units_field.tsx";

/** The rates for one order's parcel, or the error. */
interface Quoted {
  readonly rates: LabelRates | null;
  readonly problem: ApiProblem | null;
}

/** The outcome of one purchase. */
type PurchaseOutcome = { readonly label: LabelRecord } | { readonly problem: ApiProblem };

const together_max = 4;
const typing_ms = 400;

/** Runs `work` for each item, a few at a time. */
async function forEachOf<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: together_max }, worker));
}

/** The orders with these ids: from the list if shown there, otherwise from the server. */
function useOrders(ids: readonly string[], rows: readonly Order[]): readonly Order[] {
  const [orders, setOrders] = useState(() => rows.filter(({ id }) => ids.includes(id)));
  useEffect(() => {
    const missing = ids.filter((id) => !rows.some((row) => row.id === id));
    forEachOf(missing, async (id) => {
      const { data } = await get<Order>(`/orders/${id}`);
      setOrders((now) => [...now, data]);
    }).catch(() => {});
  }, []);
  return orders;
}

/** The reason why an order cannot get a label; null if it can. */
function hindrance(order: Order): string | null {
  if (!order.allowed_actions.includes("ship")) return texts.notNow;
  const lines = looseLines(order);
  if (lines.length === 0) return texts.allInParcels;
  return reservedItems(lines).length === 0 ? texts.nothingReserved : null;
}

/** The rates for each order's parcel, by order id. Reloaded when the weight changes. */
function useRates(orders: readonly Order[], box: FormValues, round: number): ReadonlyMap<string, Quoted> {
  const [quoted, setQuoted] = useState<ReadonlyMap<string, Quoted>>(new Map());
  const weight = String(box["weight"] ?? "").trim();
  const question = JSON.stringify([orders.map(({ id }) => id), weight, box["weight_unit"], round]);
  useEffect(() => {
    const aborting = new AbortController();
    const { signal } = aborting;
    const able = orders.filter((order) => hindrance(order) === null);
    const weight_fields = Number(weight) > 0 ? { weight: Number(weight), weight_unit: box["weight_unit"] } : {};
    const ask = async (order: Order) => {
      if (signal.aborted) return;
      const body = { order_id: order.id, items: reservedItems(looseLines(order)), ...weight_fields };
      const answer = await post<LabelRates>("/shipping/rates", body, { signal, key: null }).then(
        ({ data }): Quoted => ({ rates: data, problem: null }),
        (error): Quoted => ({ rates: null, problem: problemOf(error) }),
      );
      if (!signal.aborted) setQuoted((now) => new Map(now).set(order.id, answer));
    };
    const timer = setTimeout(() => void forEachOf(able, ask), weight === "" ? 0 : typing_ms);
    return () => {
      clearTimeout(timer);
      aborting.abort();
    };
  }, [question]);
  return quoted;
}

/** An order with its chosen rate. */
interface PurchaseRow {
  readonly order: Order;
  readonly hindered: string | null;
  readonly quoted: Quoted | null;
  readonly rate: LabelRate | null;
  readonly outcome: PurchaseOutcome | null;
}

/** The state of the dialog and the purchase. */
function usePurchase(ids: readonly string[], shown: readonly Order[]) {
  const orders = useOrders(ids, shown);
  const [box, setBox] = useState<FormValues>({ weight: "", weight_unit: "lb" });
  const [all, setAll] = useState("");
  const [own, setOwn] = useState<Readonly<Record<string, string>>>({});
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, PurchaseOutcome>>(new Map());
  const [round, setRound] = useState(0);
  const [busy, setBusy] = useState(false);
  const isBought = (id: string) => "label" in (outcomes.get(id) ?? {});
  const quoted = useRates(
    orders.filter(({ id }) => !isBought(id)),
    box,
    round,
  );
  const rows = orders.map((order): PurchaseRow => {
    const found = quoted.get(order.id) ?? null;
    const rates = found?.rates?.rates ?? [];
    const key = own[order.id] ?? all;
    const rate = key === "" ? rateOfMethod(rates, order.shipping_method) : rates.find((one) => rateKey(one) === key);
    const outcome = outcomes.get(order.id) ?? null;
    return { order, hindered: hindrance(order), quoted: found, rate: rate ?? null, outcome };
  });
  const ready = rows.filter(({ order, hindered, rate }) => !isBought(order.id) && hindered === null && rate !== null);
  const buyOne = async ({ order, quoted: found, rate }: PurchaseRow) => {
    const body = {
      order_id: order.id,
      quote_id: rate?.quote_id,
      package: found?.rates?.parcel,
      items: reservedItems(looseLines(order)),
    };
    const outcome = await post<LabelRecord>("/shipping/labels", body).then(
      ({ data }): PurchaseOutcome => ({ label: data }),
      (error): PurchaseOutcome => ({ problem: problemOf(error) }),
    );
    setOutcomes((now) => new Map(now).set(order.id, outcome));
  };
  const buy = async () => {
    if (!(await agreeToSamples(ready.flatMap(({ rate }) => rate ?? [])))) return;
    setBusy(true);
    await forEachOf(ready, buyOne);
    refresh(new Set(["orders", "shipments"]));
    setBusy(false);
    // A quote is valid for one purchase, so failed orders get new rates.
    setRound((now) => now + 1);
  };
  const chooseAll = (key: string) => {
    setAll(key);
    setOwn({});
  };
  const choose = (id: string, key: string) => setOwn((now) => ({ ...now, [id]: key }));
  return { rows, ready, box, setBox, all, chooseAll, choose, outcomes, busy, buy };
}

interface BuyLabelsProps {
  readonly ids: readonly string[];
  readonly rows: readonly Order[];
  readonly onClose: (done: boolean) => void;
}

export function BuyLabels({ ids, rows: shown, onClose }: BuyLabelsProps) {
  const purchase = usePurchase(ids, shown);
  const { rows, ready, choose, outcomes, busy, buy } = purchase;
  const rates = ready.flatMap(({ rate }) => rate ?? []);
  const asking = rows.some(({ hindered, quoted }) => hindered === null && quoted === null);
  const bought = [...outcomes.values()].filter((one) => "label" in one).length;
  const problems = [...outcomes.values()].flatMap((one) => ("problem" in one ? one.problem : []));
  const [addressProblem] = problems.filter(({ fields }) => fields.some(({ code }) => code === "example_address"));
  return (
    <Dialog title={texts.title(ids.length)} wide onClose={() => onClose(bought > 0)} mayClose={() => !busy}>
      <p class="dialog-text">{texts.text}</p>
      <ForAll {...purchase} />
      <SampleNotice of={rates} />
      {addressProblem && <PurchaseProblem problem={addressProblem} />}
      <div class="table-box bulk-labels" aria-busy={asking || busy}>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{words.order}</th>
              <th scope="col">{texts.method}</th>
              <th scope="col">{words.service}</th>
              <th scope="col" class="right">
                {words.price}
              </th>
              <th scope="col">{words.arrives}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <LabelRow key={row.order.id} row={row} busy={busy} onChoose={(key) => choose(row.order.id, key)} />
            ))}
          </tbody>
        </table>
      </div>
      <p role="status" class="bulk-status">
        {busy ? texts.buying(outcomes.size) : asking ? texts.asking : bought > 0 ? texts.bought(bought) : ""}
      </p>
      <footer class="dialog-acts">
        <Button title={bought > 0 ? words.close : words.cancel} onClick={() => onClose(bought > 0)} disabled={busy} />
        {(ready.length > 0 || bought === 0) && (
          <Button
            kind="primary"
            busy={busy}
            disabled={ready.length === 0 || asking}
            title={ready.length === 0 ? texts.choose : texts.buy(ready.length, totalOf(rates))}
            onClick={() => void buy()}
          />
        )}
      </footer>
    </Dialog>
  );
}

/** The service and the weight for all orders. */
function ForAll({ rows, all, chooseAll, box, setBox }: ReturnType<typeof usePurchase>) {
  const offered = new Map(rows.flatMap(({ quoted }) => quoted?.rates?.rates ?? []).map((one) => [rateKey(one), one]));
  const services = [...offered].map(([value, rate]) => ({ value, title: rateName(rate) }));
  const values: FormValues = { ...box, service: all };
  const fields: readonly FormField[] = [
    { kind: "select", name: "service", label: words.service, empty: texts.asOrdered, options: services },
    { kind: "weight", name: "weight", unit_name: "weight_unit", label: texts.weight, help: texts.weightHelp },
  ];
  return (
    <div class="fields">
      {fields.map((field) => (
        <FieldRow
          key={field.name}
          field={{ ...field, width: "half" }}
          values={values}
          set={(name, value) => {
            if (name === "service") chooseAll(String(value));
            else setBox((now) => ({ ...now, [name]: value }));
          }}
          problem={() => undefined}
        />
      ))}
    </div>
  );
}

/** The total of the rates, per currency. */
function totalOf(rates: readonly LabelRate[]): string {
  const sums = new Map<string, number>();
  for (const { currency, rate } of rates) sums.set(currency, (sums.get(currency) ?? 0) + rate);
  return [...sums].map(([currency, amount]) => money(amount, currency)).join(" + ");
}

interface LabelRowProps {
  readonly row: PurchaseRow;
  readonly busy: boolean;
  readonly onChoose: (key: string) => void;
}

function LabelRow({ row, busy, onChoose }: LabelRowProps) {
  const { order, hindered, quoted, rate, outcome } = row;
  const rates = quoted?.rates?.rates ?? [];
  const problem = outcome !== null && "problem" in outcome ? outcome.problem : (quoted?.problem ?? null);
  const done = outcome !== null && "label" in outcome ? outcome.label : null;
  const why = hindered ?? problem?.message ?? (quoted !== null && rates.length === 0 ? texts.noRates : null);
  return (
    <tr>
      <td data-label={words.order}>
        <b>{order.order_number}</b>
      </td>
      <td data-label={texts.method}>{order.shipping_method ?? "–"}</td>
      <td data-label={words.service}>
        {done !== null && (
          <>
            <Badge tone={done.status === "processing" ? "info" : "good"}>
              {done.status === "processing" ? texts.waits : texts.isBought}
            </Badge>{" "}
            <code>{done.tracking_number}</code>
          </>
        )}
        {done === null && rates.length > 0 && (
          <Select
            aria-label={texts.serviceOf(order.order_number)}
            value={rate === null ? "" : rateKey(rate)}
            disabled={busy}
            options={rates.map((one) => ({
              value: rateKey(one),
              title: `${rateName(one)}, ${money(one.rate, one.currency)}`,
            }))}
            empty={rate === null ? texts.chooseService : undefined}
            onChoose={onChoose}
          />
        )}
        {done === null && hindered === null && quoted === null && <span class="muted">{texts.asking}</span>}
        {done === null && why !== null && <div class={problem === null ? "muted" : "field-wrong"}>{why}</div>}
      </td>
      <td class="right" data-label={words.price}>
        {done !== null ? money(done.cost, done.currency) : rate === null ? "–" : money(rate.rate, rate.currency)}
      </td>
      <td data-label={words.arrives}>{date(done?.delivery_date ?? rate?.delivery_date ?? null)}</td>
    </tr>
  );
}
