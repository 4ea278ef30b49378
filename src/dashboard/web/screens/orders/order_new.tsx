import { useEffect, useMemo, useState } from "preact/hooks";
import { newKey, post } from "../../api/client.ts";
import { ApiProblem, problemOf } from "../../api/problem.ts";
import type { Order, OrderPreview } from "../../api/types.ts";
import { storedPreference } from "../../browser/preferences.ts";
import { navigate, query, to } from "../../browser/router.ts";
import { Button } from "../../components/button.tsx";
import { Effects } from "../../components/effects.tsx";
import type { FormField, FormValues, Option } from "../../components/fields.tsx";
import { Form } from "../../components/form.tsx";
import { withMerchantField } from "../../components/merchant_field.tsx";
import { Notice } from "../../components/notice.tsx";
import { today } from "../../components/now.ts";
import { Card, Page } from "../../components/page.tsx";
import type { ScreenProps } from "../../components/screen.ts";
import { showSuccess } from "../../components/toasts.tsx";
import { previewTexts, words } from "../../text/common.ts";
import { date, money } from "../../text/format.ts";
import { effectTexts } from "../../text/order.ts";
import { entryTexts as texts } from "../../text/order_entry.ts";
import { useWarehouses } from "../stock/stock_links.ts";
import { type EnteredRecipient, nobody, recipientField, storeRecipient, useCustomer } from "./customer_field.tsx";
import { areComplete, lineItems, linesField } from "./lines_field.tsx";
import { stockEffects } from "./order_effects.ts";
import { firstServing, servingFields, servingOf } from "./shipping_fields.tsx";

/** A new order number: the date and four random characters. */
const nextNumber = () => `M-${today().slice(2).replaceAll("-", "")}-${newKey().slice(0, 4).toUpperCase()}`;

const first = (): FormValues => ({
  recipient: nobody,
  line_items: [],
  order_number: nextNumber(),
  ...firstServing,
  shipping_amount: "",
  currency: "USD",
  allow_backorder: true,
  pickup: false,
  warehouse_id: "",
});

const isValues = (value: unknown): value is FormValues => typeof value === "object" && value !== null;
const draft = storedPreference<FormValues | object>("order_draft", {}, isValues);

/** Creates an order by hand. The draft is stored in this browser until the order is created or discarded. */
export function NewOrderScreen({ title, back }: ScreenProps) {
  const [round, setRound] = useState(0);
  const before = useMemo(() => draft.state.peek(), [round]);
  const unfinished = "line_items" in before;
  return (
    <Page title={title} back={back} narrow>
      <Entry
        key={round}
        unfinished={unfinished}
        first={unfinished ? (before as FormValues) : first()}
        onAgain={() => {
          draft.set({});
          setRound(round + 1);
        }}
      />
    </Page>
  );
}

interface EntryProps {
  readonly first: FormValues;
  readonly unfinished: boolean;
  readonly onAgain: () => void;
}

function Entry({ first, unfinished, onAgain }: EntryProps) {
  const [start, setStart] = useState<FormValues | null>(query.peek().has("customer") && !unfinished ? null : first);
  useCustomer(start === null ? query.peek().get("customer") : null, (recipient) => setStart({ ...first, recipient }));
  const { options } = useWarehouses();
  if (start === null) return null;
  return (
    <Card>
      {unfinished && (
        <Notice kind="info">
          {texts.draft} <Button title={texts.discard} onClick={onAgain} />
        </Notice>
      )}
      <Form
        fields={withMerchantField(fieldsWith(options))}
        first={start}
        submit={texts.create}
        guarded={false}
        onSubmit={async (values, key) => {
          const order = await create(values, key);
          draft.set({});
          showSuccess(texts.created(order.order_number), {
            title: texts.another,
            run: () => navigate(to("/orders/new")),
          });
          navigate(to(`/orders/${order.id}`), { replace: true, force: true });
        }}
      >
        {(values) => (
          <>
            <StoredDraft values={values} first={start} />
            <Check values={values} />
          </>
        )}
      </Form>
    </Card>
  );
}

const fieldsWith = (options: readonly Option[]): readonly FormField[] => [
  recipientField,
  linesField,
  { kind: "heading", name: "serving", label: texts.shipping },
  { kind: "text", name: "order_number", label: texts.number, required: true, width: "half", mono: true },
  { kind: "money", name: "shipping_amount", label: texts.amount, width: "half" },
  ...servingFields,
  { kind: "switch", name: "pickup", label: texts.pickup, help: texts.pickupHelp },
  { kind: "switch", name: "allow_backorder", label: texts.backorder, help: texts.backorderHelp },
  {
    kind: "select",
    name: "warehouse_id",
    label: words.warehouse,
    empty: texts.anyWarehouse,
    options,
    width: "half",
    when: () => options.length > 1,
  },
];

/** Stores the draft, in case the user leaves the screen by accident. */
function StoredDraft({ values, first }: { readonly values: FormValues; readonly first: FormValues }) {
  useEffect(() => {
    if (JSON.stringify(values) !== JSON.stringify(first)) draft.set(values);
  }, [values]);
  return null;
}

function bodyOf(values: FormValues, who: { readonly customer_id: string; readonly address_id: string }) {
  const { order_number, line_items, shipping_amount, currency, allow_backorder, pickup, warehouse_id } = values;
  return {
    order_number,
    customer_id: who.customer_id,
    shipping_address_id: who.address_id,
    line_items: lineItems(line_items),
    ...servingOf(values),
    currency,
    allow_backorder,
    ...(pickup === true && { fulfillment_type: "pickup" }),
    ...(shipping_amount === "" ? {} : { shipping_amount }),
    ...(warehouse_id === "" ? {} : { warehouse_id }),
  };
}

// Customers already created by a form, so that a retry does not create them again.
const stored = new Map<string, { customer_id: string; address_id: string }>();

async function create(values: FormValues, key: string): Promise<Order> {
  const recipient = values["recipient"] as EnteredRecipient;
  if (recipient.customer === null && recipient.fresh === null) throw wrongField("recipient", texts.noCustomer);
  if (!areComplete(values["line_items"])) throw wrongField("line_items", texts.noLines);
  const known = JSON.stringify(recipient);
  let who = stored.get(known);
  if (who === undefined) {
    who = await storeRecipient(recipient).catch((error) => {
      throw below("recipient", error, recipient.customer === null);
    });
    stored.set(known, who);
  }
  try {
    return (await post<Order>("/orders", bodyOf(values, who), { key })).data;
  } catch (error) {
    const problem = problemOf(error);
    if (problem.code === "duplicate_order_number") throw wrongField("order_number", problem.message);
    throw problem;
  }
}

const wrongField = (field: string, message: string) =>
  new ApiProblem(422, { error: { code: "validation_failed", message, details: [{ field, message }] } });

/** Moves the errors of a customer or address to the fields of this form. */
function below(field: string, error: unknown, is_customer: boolean): ApiProblem {
  const problem = problemOf(error);
  const details = problem.fields.map((one) => {
    const inner = one.field.replace(/^shipping_addresses\[0\]/, "address");
    return { ...one, field: `${field}.${is_customer || inner.startsWith("address") ? inner : `address.${inner}`}` };
  });
  const shown = problem.code === "duplicate_email" ? [{ field: `${field}.email`, message: problem.message }] : details;
  return new ApiProblem(problem.status, { error: { ...problem, message: problem.message, details: shown } });
}

/** A preview of the order, rehearsed with an existing customer and address. */
function Check({ values }: { readonly values: FormValues }) {
  const { customer, fresh, address_id } = values["recipient"] as EnteredRecipient;
  if (address_id === "" && (customer !== null || fresh !== null)) return <FreshCheck values={values} />;
  const ready =
    customer !== null && address_id !== "" && areComplete(values["line_items"]) && values["order_number"] !== "";
  const body = ready ? bodyOf(values, { customer_id: customer.id, address_id }) : undefined;
  return (
    <Effects<OrderPreview>
      act={ready ? { method: "POST", path: "/orders", body } : null}
      explain={({ data, events }) => [
        effectTexts.created(data.order_number, money(data.subtotal, data.currency)),
        ...(data.allocation.complete ? [] : [effectTexts.waits(data.allocation.backordered_units)]),
        ...(data.estimated_ship_date === null ? [] : [effectTexts.shipsBy(date(data.estimated_ship_date))]),
        ...stockEffects(events).slice(0, 20),
      ]}
    />
  );
}

/** A preview from the entries alone, for a new customer or address, which cannot be rehearsed. */
function FreshCheck({ values }: { readonly values: FormValues }) {
  const { fresh } = values["recipient"] as EnteredRecipient;
  const name = fresh === null ? "" : nameIn(fresh);
  const lines = areComplete(values["line_items"]) ? lineItems(values["line_items"]) : [];
  const total = lines.reduce((sum, { quantity, unit_price }) => sum + quantity * Number(unit_price), 0);
  const complete = lines.length > 0 && values["order_number"] !== "" && (fresh === null || name !== "");
  const effects = [
    fresh === null ? effectTexts.addressMade : effectTexts.customerMade(name),
    effectTexts.created(String(values["order_number"]), money(total, String(values["currency"]))),
    ...lines.map(({ sku, quantity }) => effectTexts.reserves(sku, quantity)),
  ];
  return (
    <section class="effects" aria-label={previewTexts.title} aria-live="polite">
      <p class="effects-title">{previewTexts.title}</p>
      {complete ? (
        <ul>
          {effects.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      ) : (
        <p class="muted">{previewTexts.incomplete}</p>
      )}
    </section>
  );
}

const nameIn = ({ first_name, last_name, company, email }: FormValues) =>
  [first_name, last_name].filter(Boolean).join(" ") || String(company || email || "");
