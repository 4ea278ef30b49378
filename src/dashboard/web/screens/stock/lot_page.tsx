import { saveFile } from "../../api/client.ts";
import { isOperatorUser, may } from "../../api/session.ts";
import type { LotDetail, Traced } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { type Action, Actions } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import type { FormField } from "../../components/fields.tsx";
import { List } from "../../components/list_page.tsx";
import { Card, Columns, Page } from "../../components/page.tsx";
import { type RecordProps, recordScreen } from "../../components/record_screen.tsx";
import { DataTable, type TableColumn } from "../../components/table.tsx";
import { showRefused, toast } from "../../components/toasts.tsx";
import { DescriptionList, Time, Timeline } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { count, dateIn } from "../../text/format.ts";
import { lotTexts as texts } from "../../text/lots.ts";
import { stateText } from "../../text/states.ts";
import { Received } from "./lot_list.tsx";
import { enteredText, stockHref, useWarehouses } from "./stock_links.ts";
import { binHref, Expiry } from "./stock_places.tsx";

type AllowedLotStatus = LotDetail["allowed_statuses"][number];
type LotChangeAnswer = LotDetail & { readonly backordered_orders: readonly { readonly order_number: string }[] };

/** One lot: its status, locations, trace and history. */
export const LotScreen = recordScreen("/inventory/lots/:id", LotPage);

function LotPage({ record: lot, etag, back }: RecordProps<LotDetail>) {
  return (
    <Page
      title={texts.one(lot.lot_number)}
      back={back}
      badge={<Badge of="lot" state={lot.status} />}
      owned={lot}
      below={<a href={stockHref(lot.sku, lot)}>{lot.sku}</a>}
      acts={may("stock.write") && <Acts lot={lot} etag={etag} />}
    >
      <Columns main={<Main lot={lot} />} side={<Side lot={lot} />} />
    </Page>
  );
}

function Acts({ lot, etag }: { readonly lot: LotDetail; readonly etag: string | null }) {
  const { zoneOf } = useWarehouses();
  const { allowed_statuses: allowed } = lot;
  const first = allowed.includes("recalled") ? "recalled" : allowed[0];
  const statuses = allowed.map((status): Action => {
    const action = setStatus(status, lot);
    if (status !== first) return action;
    return {
      ...action,
      icon: status === "recalled" ? "alert" : "check",
      button: status === "available" ? "primary" : true,
    };
  });
  const actions = [...statuses, setDates(lot, dateIn(lot.received_date, zoneOf(lot.locations[0]?.warehouse_id)))];
  return <Actions of={actions.map((action) => ({ ...action, match: etag }))} />;
}

const notesField: FormField = { kind: "text", name: "notes", label: words.notes, lines: 2 };

const setStatus = (status: AllowedLotStatus, { id, lot_number }: LotDetail): Action => ({
  title: texts.acts[status],
  ask: {
    title: texts.actTitle(texts.acts[status], lot_number),
    text: texts.actTexts[status],
    danger: status !== "available",
    fields: [
      { kind: "text", name: "reason", label: words.reason, help: texts.reasonHelp, required: true, focus: true },
      notesField,
    ],
  },
  call: ({ reason, notes }) => ({
    method: "POST",
    path: `/inventory/lots/${id}/status`,
    body: { status, reason, notes: enteredText(notes) ?? null },
  }),
  after: (lot: LotChangeAnswer) => {
    const waits = lot.backordered_orders.map(({ order_number }) => order_number);
    toast({
      kind: waits.length > 0 ? "info" : "done",
      text: texts.done(lot.lot_number, stateText("lot", lot.status)),
      note: waits.length > 0 ? texts.wait(waits.join(", ")) : null,
    });
  },
});

/** Corrects the dates of a lot. `received` is the date in the lot's warehouse. */
function setDates(lot: LotDetail, received: string): Action {
  const expiry = lot.expiration_date?.slice(0, 10) ?? "";
  return {
    title: texts.dates,
    icon: "calendar",
    done: texts.corrected(lot.lot_number),
    ask: {
      title: texts.dates,
      text: texts.datesText,
      edits: true,
      first: { expiration_date: expiry, received_date: received, notes: "" },
      fields: [
        { kind: "date", name: "expiration_date", label: words.expires, width: "half" },
        { kind: "date", name: "received_date", label: words.received, width: "half" },
        notesField,
      ],
    },
    call: ({ expiration_date, received_date, notes }) => {
      const body = {
        ...(expiration_date === expiry ? {} : { expiration_date: enteredText(expiration_date) ?? null }),
        ...(received_date === received ? {} : { received_date: enteredText(received_date) }),
        notes: enteredText(notes) ?? null,
      };
      return { method: "PATCH", path: `/inventory/lots/${lot.id}`, body };
    },
  };
}

type LotLocation = LotDetail["locations"][number];

/** Merchant users see warehouses in place of bins. */
const placeColumns = (sees_bins: boolean, nameOf: (id: string) => string): readonly TableColumn<LotLocation>[] => [
  { id: "bin", when: sees_bins, title: words.bin, code: "location", wide: true },
  {
    id: "warehouse",
    when: !sees_bins,
    title: words.warehouse,
    wide: true,
    cell: ({ warehouse_id }) => nameOf(warehouse_id),
  },
  { id: "units", title: words.onHand, number: "quantity" },
  { id: "reserved", title: words.reserved, number: "reserved" },
];

const traceColumns: readonly TableColumn<Traced>[] = [
  { id: "order", title: words.order, text: "order_number" },
  { id: "customer", title: words.customer, cell: ({ customer }) => customer.name, wide: true },
  {
    id: "email",
    title: words.email,
    cell: ({ customer }) => <a href={`mailto:${customer.email}`}>{customer.email}</a>,
  },
  { id: "units", title: words.units, number: "quantity" },
  {
    id: "assumed",
    title: texts.assumed,
    align: "right",
    cell: ({ assumed_quantity }) => <span title={texts.assumedHelp}>{count(assumed_quantity)}</span>,
  },
  {
    id: "parcel",
    title: words.parcel,
    cell: ({ shipments }) => shipments.flatMap(({ tracking_number }) => tracking_number ?? []).join(", "),
  },
  { id: "shipped", title: words.shipped, time: "last_shipped_at" },
];

function Main({ lot }: { readonly lot: LotDetail }) {
  const { nameOf } = useWarehouses();
  const file = () =>
    void saveFile(`/inventory/lots/${lot.id}/trace/export.csv`, `trace-${lot.lot_number}.csv`).catch(showRefused);
  return (
    <>
      <Card title={words.locations} flush={lot.locations.length > 0}>
        <DataTable
          name={words.locations}
          rows={lot.locations}
          none={texts.nowhere}
          columns={placeColumns(isOperatorUser.value, nameOf)}
          id={({ warehouse_id, location }) => `${warehouse_id} ${location}`}
          href={({ warehouse_id, location, kind }) =>
            kind === "staging" || !isOperatorUser.value ? null : binHref(warehouse_id, location)
          }
        />
      </Card>
      <Card title={texts.trace} acts={<Button icon="download" title={texts.traceFile} onClick={file} />}>
        <p class="muted">{texts.traceText}</p>
        <List<Traced>
          name={texts.trace}
          path={`/inventory/lots/${lot.id}/trace`}
          columns={traceColumns}
          id={({ order_id }) => order_id}
          href={({ order_id }) => to(`/orders/${order_id}`)}
          empty={{ icon: "cart", title: texts.traceEmpty }}
        />
      </Card>
    </>
  );
}

function Side({ lot }: { readonly lot: LotDetail }) {
  return (
    <>
      <Card>
        <DescriptionList
          facts={[
            [words.onHand, count(lot.quantity)],
            [words.reserved, count(lot.reserved)],
            [words.picked, count(lot.picked)],
            [
              words.expires,
              lot.expiration_date && <Expiry at={lot.expiration_date} warehouse={lot.locations[0]?.warehouse_id} />,
            ],
            [words.received, <Received lot={lot} />],
            [words.created, <Time at={lot.created_at} />],
          ]}
        />
      </Card>
      <Card title={words.history}>
        {lot.changes.length === 0 ? (
          <p class="muted">{texts.noHistory}</p>
        ) : (
          <Timeline
            entries={lot.changes.toReversed().map((change, at) => ({
              id: String(at),
              at: change.changed_at,
              title: texts.from(stateText("lot", change.from_status), stateText("lot", change.to_status)),
              by: change.actor.id,
              note: [change.reason, change.notes].filter(Boolean).join(" · "),
            }))}
          />
        )}
      </Card>
    </>
  );
}
