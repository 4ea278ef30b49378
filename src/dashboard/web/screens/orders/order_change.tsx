import { patch } from "../../api/client.ts";
import { useOpened, useQuery } from "../../api/query.ts";
import type { Customer, Order, RehearsedOrder } from "../../api/types.ts";
import { navigate, to } from "../../browser/router.ts";
import { Effects } from "../../components/effects.tsx";
import type { FormField, FormValues } from "../../components/fields.tsx";
import { Form } from "../../components/form.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { Card, Page } from "../../components/page.tsx";
import type { ScreenProps } from "../../components/screen.ts";
import { showRefused, showSuccess } from "../../components/toasts.tsx";
import { previewTexts, words } from "../../text/common.ts";
import { titles } from "../../text/navigation.ts";
import { orderTexts } from "../../text/order.ts";
import { entryTexts as texts } from "../../text/order_entry.ts";
import { areComplete, lineItems, linesField } from "./lines_field.tsx";
import { orderEffects } from "./order_effects.ts";
import { servingFields, servingOf } from "./shipping_fields.tsx";

/** Edits an order. Refused if someone else edited it since it was opened. */
export function EditOrderScreen({ params }: ScreenProps) {
  const id = encodeURIComponent(params["id"] ?? "");
  const { data: order, etag, problem, loading } = useOpened<Order>(`/orders/${id}`);
  const customer = useQuery<Customer>(order ? `/customers/${order.customer_id}` : null);
  const back = { href: to(`/orders/${id}`), title: order?.order_number ?? titles.order };
  if (loading || customer.loading) return <Skeleton />;
  return (
    <Page title={titles.editOrder} back={back} narrow>
      {problem && <Notice problem={problem} />}
      {order && <Change order={order} etag={etag} customer={customer.data} />}
    </Page>
  );
}

/** Whether the lines can still be changed. */
function hasOpenLines({ status, line_items }: Order): boolean {
  return ["pending", "on_hold"].includes(status) && line_items.every((line) => line.quantity_picked === 0);
}

interface ChangeProps {
  readonly order: Order;
  readonly etag: string | null;
  readonly customer: Customer | undefined;
}

function Change({ order, etag, customer }: ChangeProps) {
  const open = hasOpenLines(order);
  const back = to(`/orders/${order.id}`);
  const first = valuesOf(order);
  const addresses = customer?.shipping_addresses ?? [];
  const address: FormField = {
    kind: "select",
    name: "shipping_address_id",
    label: texts.address,
    required: true,
    options: addresses.map((one) => ({
      value: one.id,
      title: [one.name, one.address_line1, one.city, one.state, one.postal_code].filter(Boolean).join(", "),
    })),
  };
  const fields = [...(open ? [linesField] : []), ...(addresses.length === 0 ? [] : [address]), ...servingFields];
  return (
    <Card>
      {!open && <Notice kind="info">{texts.linesFixed}</Notice>}
      <Form
        fields={fields}
        first={first}
        submit={words.save}
        unchanged={false}
        onCancel={() => navigate(back)}
        onSubmit={async (values, key) => {
          await patch<Order>(`/orders/${order.id}`, changesOf(order, first, values), { key, match: etag });
          const undo = changesOf(order, values, first);
          showSuccess(orderTexts.done["update"] ?? "", {
            title: words.undo,
            run: () => void patch<Order>(`/orders/${order.id}`, undo).catch(showRefused),
          });
          navigate(back, { replace: true });
        }}
      >
        {(values) => {
          const body = changesOf(order, first, values);
          const complete = areComplete(values["line_items"]);
          const ready = complete && Object.keys(body).length > 0;
          return (
            <Effects<RehearsedOrder>
              {...(complete ? { idle: previewTexts.nothing } : {})}
              act={ready ? { method: "PATCH", path: `/orders/${order.id}`, body } : null}
              explain={({ data, events }) => orderEffects(order, data, events)}
            />
          );
        }}
      </Form>
    </Card>
  );
}

const valuesOf = (order: Order): FormValues => ({
  currency: order.currency,
  shipping_address_id: order.shipping_address_id,
  shipping_method: order.shipping_method ?? "",
  packing_note: order.packing_note ?? "",
  order_notes: order.order_notes ?? "",
  priority: String(order.priority),
  requires_cold_storage: order.requires_cold_storage,
  line_items: order.line_items.map(({ sku, name, quantity, unit_price, quantity_reserved }) => ({
    sku,
    name,
    quantity: String(quantity),
    unit_price: String(unit_price),
    held: quantity_reserved,
  })),
});

/** The request body with the changed fields. Unchanged lines keep their discount. */
function changesOf(order: Order, before: FormValues, after: FormValues): Record<string, unknown> {
  const old = new Map(Object.entries(bodyOf(order, before)));
  const now = Object.entries(bodyOf(order, after));
  return Object.fromEntries(now.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(old.get(name))));
}

function bodyOf(order: Order, values: FormValues) {
  const line_items = lineItems(values["line_items"]).map((line) => {
    const same = order.line_items.find(
      ({ sku, quantity, unit_price }) =>
        sku === line.sku && quantity === line.quantity && unit_price === Number(line.unit_price),
    );
    return same && same.discount_amount > 0 ? { ...line, discount_amount: same.discount_amount } : line;
  });
  return { ...servingOf(values), shipping_address_id: values["shipping_address_id"], line_items };
}
