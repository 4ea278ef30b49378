import { post } from "../../api/client.ts";
import { mayAlso } from "../../api/session.ts";
import type { Receipt } from "../../api/types.ts";
import { type Action, Actions } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import type { FormField, FormValues } from "../../components/fields.tsx";
import { optionsOf } from "../../components/form_values.ts";
import { Page } from "../../components/page.tsx";
import { type RecordProps, recordScreen } from "../../components/record_screen.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { Day, Time } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { count, date, money } from "../../text/format.ts";
import { stateText } from "../../text/states.ts";
import { receiptTexts as texts } from "../../text/transfers.ts";
import { commonActions, DocumentBody, sendArrived, unitLines, unitsIn } from "./documents.tsx";
import { useWarehouses } from "./stock_links.ts";

const half = { width: "half" } as const;

/** What is known about a delivery as a whole. */
export const deliveryFields: readonly FormField[] = [
  { kind: "text", name: "supplier", label: texts.supplier, focus: true, ...half },
  { kind: "text", name: "purchase_order_number", label: texts.purchaseOrder, mono: true, ...half },
  { kind: "text", name: "reference", label: words.reference, help: texts.referenceHelp, ...half },
  { kind: "date", name: "expected_at", label: words.expected, ...half },
  { kind: "text", name: "carrier", label: words.carrier, ...half },
  { kind: "text", name: "tracking_number", label: words.trackingNumber, mono: true, ...half },
  { kind: "money", name: "freight_cost", label: texts.freight, ...half },
  { kind: "text", name: "currency", label: texts.freightCurrency, help: texts.currencyHelp, mono: true, ...half },
];

const third = { width: "third" } as const;

/** What billing needs to know of a delivery. */
const handlingFields: readonly FormField[] = [
  { kind: "number", name: "cartons", label: texts.cartons, ...third },
  { kind: "number", name: "pallets", label: texts.pallets, ...third },
  { kind: "number", name: "minutes", label: texts.minutes, ...third },
];

/** One receipt: its lines and its actions. */
export const ReceiptScreen = recordScreen("/inventory/receipts/:id", ReceiptPage);

function ReceiptPage({ record: receipt, etag, back }: RecordProps<Receipt>) {
  const { nameOf, zoneOf } = useWarehouses();
  const { id, status, reference, supplier, items, location, expected_at, created_at, closed_at } = receipt;
  const { purchase_order_number, carrier, tracking_number, freight_cost, currency } = receipt;
  return (
    <Page
      title={texts.one(id)}
      back={back}
      badge={<Badge of="receipt" state={status} />}
      owned={receipt}
      below={[supplier, purchase_order_number, reference].filter(Boolean).join(" · ")}
      acts={<Actions of={actionsOf(receipt, etag)} />}
    >
      <DocumentBody
        title={texts.lines}
        of={receipt}
        lines={items}
        columns={columnsOf(items)}
        facts={[
          [words.warehouse, nameOf(location)],
          [texts.supplier, supplier],
          [texts.purchaseOrder, purchase_order_number],
          [words.reference, reference],
          [words.expected, expected_at && <Day at={expected_at} zone={zoneOf(location)} />],
          [words.carrier, [carrier, tracking_number].filter(Boolean).join(" · ")],
          [texts.freight, freight_cost !== null && currency !== null && money(freight_cost, currency)],
          [words.created, <Time key="created" at={created_at} />],
          closed_at === null ? null : [stateText("receipt", "closed"), <Time key="closed" at={closed_at} />],
        ]}
        moved={status !== "expected" && status !== "cancelled"}
      />
    </Page>
  );
}

type ReceivedLine = Receipt["items"][number];

function columnsOf(items: readonly ReceivedLine[]): readonly TableColumn<ReceivedLine>[] {
  const some = (value: (line: ReceivedLine) => unknown) => items.some((line) => Boolean(value(line)));
  const right = { align: "right" } as const;
  const aside = (it: ReceivedLine) => <span title={texts.setAsideHelp}>{count(it.quantity_set_aside)}</span>;
  return [
    { id: "sku", title: words.sku, code: "sku", wide: true },
    { id: "lot", when: some((it) => it.lot_number), title: words.lot, text: "lot_number" },
    {
      id: "expiry",
      when: some((it) => it.expiration_date),
      title: words.expires,
      cell: ({ expiration_date }) => (expiration_date ? date(expiration_date) : ""),
    },
    {
      id: "cost",
      ...right,
      when: some((it) => it.unit_cost),
      title: texts.unitCost,
      cell: ({ unit_cost, currency }) => (unit_cost === null || currency === null ? "" : money(unit_cost, currency)),
    },
    { id: "expected", title: words.expected, number: "quantity" },
    { id: "received", title: words.received, number: "quantity_received" },
    { id: "outstanding", title: texts.outstanding, number: "quantity_outstanding" },
    { id: "apart", ...right, when: some((it) => it.quantity_set_aside), title: texts.apart, cell: aside },
    {
      id: "over",
      ...right,
      when: some((it) => it.quantity_over),
      title: texts.over,
      cell: (it) => <Odd units={it.quantity_over} />,
    },
    {
      id: "missing",
      ...right,
      when: some((it) => it.quantity_missing),
      title: texts.missing,
      cell: (it) => <Odd units={it.quantity_missing} />,
    },
  ];
}

/** A number that should be zero, highlighted otherwise. */
function Odd({ units }: { readonly units: number }) {
  return <span class={units === 0 ? "muted" : "minus"}>{count(units)}</span>;
}

const arrivedLines = unitLines("items", texts.lines, [
  { name: "expiration_date", title: words.expires, kind: "date" },
  { name: "bin", title: words.bin, kind: "text", mono: true },
  { name: "condition", title: texts.condition, kind: "select", options: optionsOf(texts.conditions) },
]);
const blank = { sku: "", quantity: "", lot_number: "", expiration_date: "", bin: "", condition: "good" };

function actionsOf(receipt: Receipt, etag: string | null): readonly Action[] {
  const { id, items, allowed_actions } = receipt;
  const outstanding = items.reduce((sum, line) => sum + line.quantity_outstanding, 0);
  return [
    { ...receive(receipt, outstanding), when: allowed_actions.includes("scan") },
    {
      title: words.close,
      button: true,
      permission: "stock.floor",
      match: etag,
      when: allowed_actions.includes("close"),
      ask: { title: texts.closeTitle(id), text: texts.closeText(outstanding), fields: handlingFields },
      call: (_, body) => ({ method: "POST", path: `/inventory/receipts/${id}/close`, body }),
      done: texts.closed(id),
    },
    {
      title: texts.change,
      icon: "edit",
      permission: "stock.write",
      match: etag,
      ask: { title: texts.change, fields: deliveryFields, record: receipt, edits: true },
      call: (_, body) => ({ method: "PATCH", path: `/inventory/receipts/${id}`, body }),
      done: texts.changed(id),
    },
    ...commonActions("receipts", receipt, etag, texts, mayAlso("stock.write")),
  ];
}

/** Receives a delivery line by line. The fields start with the outstanding units. */
function receive({ id, items }: Receipt, outstanding: number): Action {
  const expected = items.filter((line) => line.quantity_outstanding > 0);
  const first = expected.map(({ sku, quantity_outstanding, lot_number, expiration_date }) => ({
    ...blank,
    sku,
    quantity: String(quantity_outstanding),
    lot_number: lot_number ?? "",
    expiration_date: expiration_date?.slice(0, 10) ?? "",
  }));
  const preview = (values: FormValues) => {
    const units = unitsIn(values);
    if (units === 0) return <p class="will">{texts.nothingEntered}</p>;
    const more = units > outstanding ? texts.more(units - outstanding) : "";
    return <p class="will">{texts.willTake(units) + more}</p>;
  };
  return {
    title: words.receive,
    icon: "box",
    button: "primary",
    permission: "stock.floor",
    ask: {
      title: words.receive,
      text: texts.arrivalsText,
      submit: words.receive,
      wide: true,
      preview,
      fields: [arrivedLines],
      first: { items: first.length > 0 ? first : [blank] },
    },
    run: (values, key) => sendArrived(values, (items) => post(`/inventory/receipts/${id}/items`, { items }, { key })),
    done: (_, values) => texts.taken(unitsIn(values)),
  };
}
