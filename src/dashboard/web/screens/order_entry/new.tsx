import { useEffect, useMemo, useState } from "preact/hooks";
import { newKey, post } from "../../api/client.ts";
import { ApiProblem, problemOf } from "../../api/problem.ts";
import type { Order } from "../../api/types.ts";
import { navigate, query, to } from "../../browser/router.ts";
import { kept } from "../../browser/storage.ts";
import { Button } from "../../kit/button.tsx";
import { Effects } from "../../kit/effects.tsx";
import type { Field, Option, Values } from "../../kit/fields.tsx";
import { Form } from "../../kit/form.tsx";
import { withMerchantField } from "../../kit/merchant_field.tsx";
import { Notice } from "../../kit/notice.tsx";
import { today } from "../../kit/now.ts";
import { Card, Page } from "../../kit/page.tsx";
import { said } from "../../shell/toasts.tsx";
import { effectTexts } from "../../texts/acts.ts";
import { date, money } from "../../texts/format.ts";
import { titles } from "../../texts/navigation.ts";
import { entryTexts as texts } from "../../texts/order_entry.ts";
import { stockEffects } from "../order_parts/effects.ts";
import { nobody, type Recipient, recipientField, storeRecipient, useCustomer } from "./customer.tsx";
import { areComplete, lineItems, linesField } from "./lines.tsx";
import { firstServing, servingFields, servingOf, useWarehouses } from "./serving.tsx";

/** A new order number: the date and four random characters. */
const nextNumber = () => `M-${today().slice(2).replaceAll("-", "")}-${newKey().slice(0, 4).toUpperCase()}`;

const first = (): Values => ({
  recipient: nobody,
  line_items: [],
  order_number: nextNumber(),
  ...firstServing,
  shipping_amount: "",
  currency: "USD",
  allow_backorder: true,
  warehouse_id: "",
});

const isValues = (value: unknown): value is Values => typeof value === "object" && value !== null;
const draft = kept<Values | object>("order_draft", {}, isValues);

/** Creates an order by hand. This browser keeps the draft until the order is created or discarded. */
export function NewOrderScreen() {
  const [round, setRound] = useState(0);
  const before = useMemo(() => draft.state.peek(), [round]);
  const unfinished = "line_items" in before;
  return (
    <Page title={titles.newOrder} back={{ href: to("/orders"), title: titles.orders }} narrow>
      <Entry
        key={round}
        unfinished={unfinished}
        first={unfinished ? (before as Values) : first()}
        onAgain={() => {
          draft.set({});
          setRound(round + 1);
        }}
      />
    </Page>
  );
}

interface EntryProps {
  readonly first: Values;
  readonly unfinished: boolean;
  readonly onAgain: () => void;
}

function Entry({ first, unfinished, onAgain }: EntryProps) {
  const [start, setStart] = useState<Values | null>(query.peek().has("customer") && !unfinished ? null : first);
  useCustomer(start === null ? query.peek().get("customer") : null, (recipient) => setStart({ ...first, recipient }));
  const warehouses = useWarehouses();
  if (start === null) return null;
  return (
    <Card>
      {unfinished && (
        <Notice kind="info">
          {texts.draft} <Button title={texts.discard} onClick={onAgain} />
        </Notice>
      )}
      <Form
        fields={withMerchantField(fieldsWith(warehouses))}
        first={start}
        submit={texts.create}
        guarded={false}
        onSubmit={async (values, key) => {
          const order = await create(values, key);
          draft.set({});
          said(texts.created(order.order_number), { title: texts.another, run: () => navigate(to("/orders/new")) });
          navigate(to(`/orders/${order.id}`), { replace: true, force: true });
        }}
      >
        {(values) => (
          <>
            <Kept values={values} first={start} />
            <Check values={values} />
          </>
        )}
      </Form>
    </Card>
  );
}

const fieldsWith = (options: readonly Option[]): readonly Field[] => [
  recipientField,
  linesField,
  { kind: "heading", name: "serving", label: texts.shipping },
  { kind: "text", name: "order_number", label: texts.number, required: true, width: "half", mono: true },
  { kind: "money", name: "shipping_amount", label: texts.amount, width: "half" },
  ...servingFields,
  { kind: "switch", name: "allow_backorder", label: texts.backorder, help: texts.backorderHelp },
  {
    kind: "select",
    name: "warehouse_id",
    label: texts.warehouse,
    empty: texts.anyWarehouse,
    options,
    width: "half",
    when: () => options.length > 1,
  },
];

/** Keeps the draft, in case the screen is left by accident. */
function Kept({ values, first }: { readonly values: Values; readonly first: Values }) {
  useEffect(() => {
    if (JSON.stringify(values) !== JSON.stringify(first)) draft.set(values);
  }, [values]);
  return null;
}

function bodyOf(values: Values, who: { readonly customer_id: string; readonly address_id: string }) {
  const { order_number, line_items, shipping_amount, currency, allow_backorder, warehouse_id } = values;
  return {
    order_number,
    customer_id: who.customer_id,
    shipping_address_id: who.address_id,
    line_items: lineItems(line_items),
    ...servingOf(values),
    currency,
    allow_backorder,
    ...(shipping_amount === "" ? {} : { shipping_amount }),
    ...(warehouse_id === "" ? {} : { warehouse_id }),
  };
}

// Customers that a form has stored, so that its next try does not store them again.
const stored = new Map<string, { customer_id: string; address_id: string }>();

async function create(values: Values, key: string): Promise<Order> {
  const recipient = values["recipient"] as Recipient;
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
  const told = problem.code === "duplicate_email" ? [{ field: `${field}.email`, message: problem.message }] : details;
  return new ApiProblem(problem.status, { error: { ...problem, message: problem.message, details: told } });
}

/** A preview of the order, rehearsed with the chosen customer and address. What is new cannot be rehearsed. */
function Check({ values }: { readonly values: Values }) {
  const { customer, fresh, address_id } = values["recipient"] as Recipient;
  if (address_id === "" && (customer !== null || fresh !== null)) return <FreshCheck values={values} />;
  const ready =
    customer !== null && address_id !== "" && areComplete(values["line_items"]) && values["order_number"] !== "";
  const body = ready ? bodyOf(values, { customer_id: customer.id, address_id }) : undefined;
  return (
    <Effects<Order>
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

/** What an order for a new customer or a new address will be, as far as its own entries say. */
function FreshCheck({ values }: { readonly values: Values }) {
  const { fresh } = values["recipient"] as Recipient;
  const name = fresh === null ? "" : nameIn(fresh);
  const lines = areComplete(values["line_items"]) ? lineItems(values["line_items"]) : [];
  const total = lines.reduce((sum, { quantity, unit_price }) => sum + quantity * Number(unit_price), 0);
  const complete = lines.length > 0 && values["order_number"] !== "" && (fresh === null || name !== "");
  const told = [
    fresh === null ? effectTexts.addressMade : effectTexts.customerMade(name),
    effectTexts.created(String(values["order_number"]), money(total, String(values["currency"]))),
    ...lines.map(({ sku, quantity }) => effectTexts.reserves(sku, quantity)),
  ];
  return (
    <section class="effects" aria-label={effectTexts.title} aria-live="polite">
      <p class="effects-title">{effectTexts.title}</p>
      {complete ? (
        <ul>
          {told.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      ) : (
        <p class="muted">{effectTexts.incomplete}</p>
      )}
    </section>
  );
}

const nameIn = ({ first_name, last_name, company, email }: Values) =>
  [first_name, last_name].filter(Boolean).join(" ") || String(company || email || "");
