import { billableKinds } from "../../../../billing/billable_kinds.ts";
import { saveFile } from "../../api/client.ts";
import { nameOf, useCarrierNames } from "../../api/names.ts";
import { isOperatorUser } from "../../api/session.ts";
import type { BillableEvent } from "../../api/types.ts";
import { query } from "../../browser/router.ts";
import { type Action, Actions } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import type { FormField } from "../../components/fields.tsx";
import { choice, type ListFilter, ListPage } from "../../components/list_page.tsx";
import { merchantChoice, merchantIn } from "../../components/merchant_field.tsx";
import { RecordName } from "../../components/record_name.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { Time } from "../../components/values.tsx";
import { billingTexts as texts } from "../../text/billing.ts";
import { words } from "../../text/common.ts";
import { date } from "../../text/format.ts";
import { useWarehouses } from "../stock/stock_links.ts";
import { detailsOf } from "./billing_details.ts";

// The screens of source records. Movements have none.
const screens: Partial<Readonly<Record<BillableEvent["source"]["type"], string>>> = {
  order: "/orders",
  receipt: "/receipts",
  return: "/returns",
  label: "/shipping/labels",
};
const screens_of_house = { transfer: "/transfers", count: "/counts" } as const;

function Source({ source: { type, id } }: Pick<BillableEvent, "source">) {
  const all: Partial<Readonly<Record<string, string>>> = isOperatorUser.value
    ? { ...screens, ...screens_of_house }
    : screens;
  const screen = all[type];
  return <RecordName id={id} plain={screen === undefined} />;
}

function Details({ event }: { readonly event: BillableEvent }) {
  const { both } = useCarrierNames();
  return (
    <span class="muted">
      {detailsOf(event, { service: (carrier, service) => both(carrier, service).replace(" · ", ", "), record: nameOf })}
    </span>
  );
}

const columnsOf = ({ several, nameOf }: ReturnType<typeof useWarehouses>): readonly TableColumn<BillableEvent>[] => [
  { id: "day", title: words.day, cell: ({ business_date }) => date(business_date) },
  { id: "kind", title: texts.kind, cell: ({ kind }) => texts.kinds[kind] },
  {
    id: "quantity",
    title: words.quantity,
    align: "right",
    cell: ({ quantity, unit }) => <span class={quantity < 0 ? "minus" : undefined}>{texts.units[unit](quantity)}</span>,
  },
  { id: "warehouse", when: several, title: words.warehouse, cell: (it) => nameOf(it.warehouse_id) },
  { id: "source", title: words.source, cell: ({ source }) => <Source source={source} /> },
  {
    id: "details",
    title: words.details,
    wide: true,
    cell: (event) => (
      <span class="bill-details">
        {event.reversal_of && (
          <>
            <Badge tone="warning">{texts.reversal}</Badge> {texts.reversalOf(event.reversal_of)}{" "}
          </>
        )}
        <Details event={event} />
      </span>
    ),
  },
  { id: "at", title: texts.at, extra: true, cell: ({ occurred_at }) => <Time at={occurred_at} exact /> },
  { id: "id", title: "ID", code: "id", extra: true },
];

const narrowing = ["kind", "warehouse", "from", "to"] as const;

/** Billable activity by merchant. */
export function BillingScreen() {
  const warehouses = useWarehouses();
  const { filter, field } = warehouses;
  const filters: readonly ListFilter[] = [
    choice(
      "kind",
      texts.kind,
      billableKinds.map((value) => ({ value, title: texts.kinds[value] })),
    ),
    filter(words.warehouse, "warehouse"),
    { kind: "date", param: "from", title: texts.from },
    { kind: "date", param: "to", title: words.to },
  ];
  const actions: readonly Action[] = [
    addTime(field(words.warehouse)),
    {
      title: texts.export,
      icon: "download",
      button: "plain",
      run: () => {
        const params = Object.fromEntries(narrowing.map((name) => [name, query.peek().get(name)]));
        return saveFile("/billing/events/export.csv", "billable_events.csv", "text/csv", params);
      },
    },
  ];
  return (
    <ListPage<BillableEvent>
      title={texts.title}
      path="/billing/events"
      filters={filters}
      columns={columnsOf(warehouses)}
      acts={<Actions of={actions} />}
      empty={{ icon: "card", title: texts.emptyTitle, text: texts.emptyText }}
    />
  );
}

/** Records billable time for a merchant. */
const addTime = (where: FormField): Action => ({
  title: texts.add,
  icon: "plus",
  button: true,
  permission: "billing.write",
  ask: {
    title: texts.addTitle,
    text: texts.addText,
    fields: [
      ...merchantChoice(),
      { kind: "number", name: "minutes", label: texts.minutes, required: true, width: "half", focus: true },
      { kind: "text", name: "approved_by", label: texts.approvedBy, width: "half" },
      where,
      { kind: "text", name: "description", label: texts.description, required: true, lines: 2 },
    ],
  },
  call: (values, body) => ({ method: "POST", path: "/billing/events", body, merchant: merchantIn(values) }),
  done: (_data, { minutes }) => texts.added(Number(minutes)),
});
