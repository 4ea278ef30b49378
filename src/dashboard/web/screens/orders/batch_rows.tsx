// The orders of a batch, each with its service, price and state.
import type { LabelRate } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { Badge, MerchantMark } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { FieldRow, type FormField, type FormValues, Select } from "../../components/fields.tsx";
import { batchTexts as texts } from "../../text/batch.ts";
import { words } from "../../text/common.ts";
import { count, money, nothing, shortDate } from "../../text/format.ts";
import { orderListTexts as listTexts } from "../../text/order_list.ts";
import { type Batch, type BatchRow, cheapest, isOpen } from "./batch_work.ts";
import { Due, unitsOf } from "./due.tsx";
import { rateKey, rateName } from "./label_rates.tsx";

type Price = Pick<LabelRate, "currency" | "rate">;

/** The sums of prices, per currency. */
export function sumsOf(prices: readonly Price[]): Price[] {
  const sums = new Map<string, number>();
  for (const { currency, rate } of prices) sums.set(currency, (sums.get(currency) ?? 0) + rate);
  return [...sums].map(([currency, rate]) => ({ currency, rate }));
}

/** The total of prices as text. */
export const totalOf = (prices: readonly Price[]): string =>
  sumsOf(prices)
    .map(({ rate, currency }) => money(rate, currency))
    .join(" + ");

/** What the labels of an order cost. */
export const costsOf = ({ labels }: BatchRow) =>
  labels.flatMap(({ cost, currency }) => (cost === null ? [] : [{ rate: cost, currency }]));

/** How much more the shown rates cost than those of the rules, where both have a price in one currency. */
export const surplusOf = ({ rate, differs }: BatchRow) =>
  rate !== null && differs?.rate?.currency === rate.currency
    ? [{ rate: rate.rate - differs.rate.rate, currency: rate.currency }]
    : [];

/** The service and the weight for all orders. */
export function ForAll({ batch }: { readonly batch: Batch }) {
  const rates = batch.rows.value.flatMap(({ quoted }) => quoted?.rates?.rates ?? []);
  const services = [...new Map(rates.map((rate) => [rateKey(rate), rateName(rate)]))];
  const options = [[cheapest, texts.cheapest], ...services].map(([value = "", title = ""]) => ({ value, title }));
  const fields: readonly FormField[] = [
    { kind: "select", name: "service", label: texts.forAll, empty: texts.asChosen, options },
    { kind: "weight", name: "weight", unit_name: "weight_unit", label: texts.weight, help: texts.weightHelp },
  ];
  const values: FormValues = { ...batch.box.value, service: batch.all.value };
  return (
    <fieldset class="fields batch-all" disabled={batch.busy.value}>
      {fields.map((field) => (
        <FieldRow
          key={field.name}
          field={{ ...field, width: "half" }}
          values={values}
          set={(name, value) => {
            if (name === "service") batch.chooseAll(String(value));
            else batch.weigh(name, String(value));
          }}
          problem={() => undefined}
        />
      ))}
    </fieldset>
  );
}

/** The table of the orders. */
export function BatchTable({ batch }: { readonly batch: Batch }) {
  return (
    <div
      class="table-box batch-rows"
      role="region"
      aria-label={words.orders}
      tabIndex={0}
      aria-busy={batch.asking.value || batch.busy.value}
    >
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{words.order}</th>
            <th scope="col" class="batch-customer">
              {words.customer}
            </th>
            <th scope="col" class="right">
              {words.units}
            </th>
            <th scope="col">{texts.method}</th>
            <th scope="col">{words.service}</th>
            <th scope="col" class="right">
              {words.price}
            </th>
            <th scope="col">{words.arrives}</th>
            <th scope="col">{listTexts.due}</th>
            <th scope="col" class="acts">
              <span class="unseen">{words.remove}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {batch.shown.value.map((row) => (
            <Row key={row.order.id} row={row} batch={batch} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  readonly row: BatchRow;
  readonly batch: Batch;
}

function Row({ row, batch }: RowProps) {
  const { order, labels, rate, labelled } = row;
  const bought = labels.at(-1);
  const arrives = bought?.delivery_day ?? (labelled ? null : rate?.delivery_day) ?? null;
  return (
    <tr data-id={order.id} tabIndex={-1} class={row.differs === null ? undefined : "differs"}>
      <td data-label={words.order}>
        <a class="row-link" href={to(`/orders/${order.id}`)}>
          <strong>{order.order_number}</strong>
        </a>{" "}
        <MerchantMark of={order.merchant_id} />
      </td>
      <td data-label={words.customer} class="wide batch-customer">
        {order.customer.name || order.customer.email}
      </td>
      <td class="right" data-label={words.units}>
        {count(unitsOf(order))}
      </td>
      <td data-label={texts.method} class="batch-method">
        {order.shipping_method ?? "–"}
      </td>
      <td data-label={words.service}>
        <div class="batch-service">
          <Service row={row} batch={batch} />
        </div>
      </td>
      <td class="right" data-label={words.price}>
        {bought !== undefined
          ? totalOf(costsOf(row))
          : labelled || rate === null || row.hindered !== null
            ? "–"
            : money(rate.rate, rate.currency)}
      </td>
      <td data-label={words.arrives}>{arrives === null ? nothing : shortDate(arrives)}</td>
      <td data-label={listTexts.due}>
        <Due order={order} />
      </td>
      <td class="acts">
        <Button
          kind="plain"
          icon="close"
          iconOnly
          title={texts.remove(order.order_number)}
          disabled={batch.busy.value}
          onClick={() => batch.remove(order.id)}
        />
      </td>
    </tr>
  );
}

/** The service of an order: the choice before the purchase, then the label; or why there is none. */
function Service({ row, batch }: RowProps) {
  const { order, hindered, labelled, quoted, rate, labels, problem } = row;
  const label = labels.at(-1);
  const number =
    label?.tracking_number ?? order.shipments.findLast(({ status }) => status !== "voided")?.tracking_number;
  if (order.status === "shipped" || order.status === "delivered") {
    return (
      <>
        <Badge state={order.status} /> <code>{number}</code>
        <Difference of={row} />
      </>
    );
  }
  const rates = quoted?.rates?.rates ?? [];
  const choice = quoted?.rates?.choice ?? null;
  const wrong = problem ?? quoted?.problem ?? null;
  if (labelled || label !== undefined) {
    return (
      <>
        {label?.status === "processing" ? (
          <Badge tone="info">{texts.waits}</Badge>
        ) : (
          <Badge tone="good">{batch.isPrinted(order) ? texts.isPrinted : texts.isBought}</Badge>
        )}{" "}
        <code>{number}</code>
        <Difference of={row} />
        {wrong !== null && <div class="field-wrong">{wrong.message}</div>}
      </>
    );
  }
  if (hindered !== null) return <span class="muted">{hindered}</span>;
  if (!isOpen(row)) return <span class="muted">{texts.inParcels}</span>;
  if (quoted === null) return <span class="muted">{texts.asking}</span>;
  return (
    <>
      {rates.length > 0 && (
        <Select
          aria-label={texts.serviceOf(order.order_number)}
          value={rate === null ? "" : rateKey(rate)}
          disabled={batch.busy.value}
          options={rates.map((one) => ({
            value: rateKey(one),
            title: `${rateName(one)}, ${money(one.rate, one.currency)}`,
          }))}
          empty={rate === null ? texts.chooseService : undefined}
          onChoose={(key) => batch.choose(order.id, key)}
        />
      )}
      {rates.length === 0 && wrong === null && <span class="muted">{texts.noRates}</span>}
      <Difference of={row} />
      {row.differs === null && isOther(row) && choice !== null && (
        <small class="muted">{texts.chosenFor(choice.reason)}</small>
      )}
      {wrong !== null && <div class="field-wrong">{outdated.includes(wrong.code) ? texts.changed : wrong.message}</div>}
    </>
  );
}

/** Refusals of rates that do not hold any more. */
const outdated = ["quote_mismatch", "quote_expired"];

/** A mark on an order whose rate is not what the shipping rules pick, with that rate and the difference in price. */
function Difference({ of: row }: { readonly of: BatchRow }) {
  const { differs, rate } = row;
  if (differs === null) return null;
  const [surplus] = surplusOf(row);
  return (
    <div class="batch-differs">
      <Badge tone="warning">{texts.differs}</Badge>{" "}
      <small>
        {differs.rate === null
          ? differs.reason
          : texts.byRule(rateName(differs.rate), money(differs.rate.rate, differs.rate.currency))}
        {rate !== null && surplus !== undefined && ` (${texts.surplus(surplus.rate, surplus.currency)})`}
      </small>
    </div>
  );
}

/** Whether the order's own choice does not pick the rate that is shown. */
function isOther({ quoted, rate }: BatchRow): boolean {
  const code = quoted?.rates?.choice?.code ?? "no_choice";
  return code !== "no_choice" && rate?.chosen !== true;
}
