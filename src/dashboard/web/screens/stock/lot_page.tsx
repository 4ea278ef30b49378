import { useState } from "preact/hooks";
import { patch, post, saveFile } from "../../api/client.ts";
import { useQuery } from "../../api/query.ts";
import { isOperatorUser, may } from "../../api/session.ts";
import type { LotDetail, Traced } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { Button } from "../../components/button.tsx";
import { FormDialog } from "../../components/form.tsx";
import { List } from "../../components/list_page.tsx";
import { ActionMenu } from "../../components/menu.tsx";
import { Notice, Skeleton } from "../../components/notice.tsx";
import { Card, Columns, Page } from "../../components/page.tsx";
import type { ScreenProps } from "../../components/screen.ts";
import { DataTable, type TableColumn } from "../../components/table.tsx";
import { showRefused, toast } from "../../components/toasts.tsx";
import { DescriptionList, Time, Timeline } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { count, dateIn } from "../../text/format.ts";
import { lotTexts as texts } from "../../text/lots.ts";
import { LotBadge, Received } from "./lot_list.tsx";
import { enteredText, stockHref, useWarehouses } from "./stock_links.ts";
import { binHref, Expiry } from "./stock_places.tsx";

type AllowedLotStatus = LotDetail["allowed_statuses"][number];
type LotChangeAnswer = LotDetail & { readonly backordered_orders: readonly { readonly order_number: string }[] };

/** One lot: its status, locations, trace and history. */
export function LotScreen({ params }: ScreenProps) {
  const query = useQuery<LotDetail>(`/inventory/lots/${params["id"]}`);
  const { data: lot, etag, problem, loading, reload } = query;
  const [given, setGiven] = useState<AllowedLotStatus | "dates" | null>(null);
  const back = { href: to("/lots"), title: texts.title };
  if (loading) return <Skeleton />;
  if (lot === undefined) {
    return (
      <Page title={texts.title} back={back}>
        {problem && <Notice problem={problem} onRetry={reload} />}
      </Page>
    );
  }
  return (
    <Page
      title={texts.one(lot.lot_number)}
      back={back}
      badge={<LotBadge status={lot.status} />}
      owned={lot}
      below={<a href={stockHref(lot.sku, lot)}>{lot.sku}</a>}
      acts={may("stock.write") && <Acts lot={lot} onAct={setGiven} />}
    >
      <Columns main={<Main lot={lot} />} side={<Side lot={lot} />} />
      {given === "dates" && <DatesDialog lot={lot} etag={etag} onClose={() => setGiven(null)} />}
      {given !== null && given !== "dates" && (
        <StatusDialog status={given} lot={lot} etag={etag} onClose={() => setGiven(null)} />
      )}
    </Page>
  );
}

interface LotActsProps {
  readonly lot: LotDetail;
  readonly onAct: (given: AllowedLotStatus | "dates") => void;
}

function Acts({ lot: { allowed_statuses }, onAct }: LotActsProps) {
  const first = allowed_statuses.includes("recalled") ? "recalled" : allowed_statuses[0];
  const others = allowed_statuses.filter((status) => status !== first);
  return (
    <>
      <ActionMenu
        items={[
          ...others.map((status) => ({ title: texts.acts[status], run: () => onAct(status) })),
          { title: texts.dates, icon: "calendar", run: () => onAct("dates") },
        ]}
      />
      {first && (
        <Button
          kind={first === "available" ? "primary" : "normal"}
          icon={first === "recalled" ? "alert" : "check"}
          title={texts.acts[first]}
          onClick={() => onAct(first)}
        />
      )}
    </>
  );
}

interface LotDialogProps {
  readonly lot: LotDetail;
  readonly etag: string | null;
  readonly onClose: () => void;
}

function StatusDialog({ status, lot, etag, onClose }: LotDialogProps & { readonly status: AllowedLotStatus }) {
  return (
    <FormDialog
      title={texts.actTitle(texts.acts[status], lot.lot_number)}
      text={texts.actTexts[status]}
      submit={texts.acts[status]}
      danger={status !== "available"}
      onClose={onClose}
      first={{ reason: "", notes: "" }}
      fields={[
        { kind: "text", name: "reason", label: texts.reason, help: texts.reasonHelp, required: true, focus: true },
        { kind: "text", name: "notes", label: texts.notes, lines: 2 },
      ]}
      onSubmit={async ({ reason, notes }, key) => {
        const body = { status, reason, notes: enteredText(notes) ?? null };
        const { data } = await post<LotChangeAnswer>(`/inventory/lots/${lot.id}/status`, body, { key, match: etag });
        const waits = data.backordered_orders.map(({ order_number }) => order_number);
        toast({
          kind: waits.length > 0 ? "info" : "done",
          text: texts.done(data.lot_number, texts.statuses[data.status]),
          note: waits.length > 0 ? texts.wait(waits.join(", ")) : null,
        });
      }}
    />
  );
}

function DatesDialog({ lot, etag, onClose }: LotDialogProps) {
  const { zoneOf } = useWarehouses();
  const days = {
    expiration_date: lot.expiration_date?.slice(0, 10) ?? "",
    received_date: dateIn(lot.received_date, zoneOf(lot.locations[0]?.warehouse_id)),
  };
  return (
    <FormDialog
      title={texts.dates}
      text={texts.datesText}
      submit={words.save}
      unchanged={false}
      onClose={onClose}
      first={{ ...days, notes: "" }}
      fields={[
        { kind: "date", name: "expiration_date", label: texts.expiry, width: "half" },
        { kind: "date", name: "received_date", label: texts.received, width: "half" },
        { kind: "text", name: "notes", label: texts.notes, lines: 2 },
      ]}
      onSubmit={async ({ expiration_date, received_date, notes }, key) => {
        const body = {
          ...(expiration_date === days.expiration_date
            ? {}
            : { expiration_date: enteredText(expiration_date) ?? null }),
          ...(received_date === days.received_date ? {} : { received_date: enteredText(received_date) }),
          notes: enteredText(notes) ?? null,
        };
        await patch<LotChangeAnswer>(`/inventory/lots/${lot.id}`, body, { key, match: etag });
        toast({ kind: "done", text: texts.corrected(lot.lot_number) });
      }}
    />
  );
}

type LotLocation = LotDetail["locations"][number];

const placeColumns: readonly TableColumn<LotLocation>[] = [
  { id: "bin", title: texts.bin, cell: ({ location }) => <code>{location}</code>, wide: true },
  { id: "units", title: texts.onHand, align: "right", cell: ({ quantity }) => count(quantity) },
  { id: "reserved", title: texts.promised, align: "right", cell: ({ reserved }) => count(reserved) },
];

const traceColumns: readonly TableColumn<Traced>[] = [
  { id: "order", title: texts.order, cell: ({ order_number }) => order_number },
  { id: "customer", title: texts.customer, cell: ({ customer }) => customer.name, wide: true },
  {
    id: "email",
    title: texts.email,
    cell: ({ customer }) => <a href={`mailto:${customer.email}`}>{customer.email}</a>,
  },
  { id: "units", title: texts.units, align: "right", cell: ({ quantity }) => count(quantity) },
  {
    id: "assumed",
    title: texts.assumed,
    align: "right",
    cell: ({ assumed_quantity }) => <span title={texts.assumedHelp}>{count(assumed_quantity)}</span>,
  },
  {
    id: "parcel",
    title: texts.parcel,
    cell: ({ shipments }) => shipments.flatMap(({ tracking_number }) => tracking_number ?? []).join(", "),
  },
  { id: "shipped", title: texts.shipped, cell: ({ last_shipped_at }) => <Time at={last_shipped_at} /> },
];

/** The warehouse column for merchant users, who do not see bins. */
const warehouseColumn = (nameOf: (id: string) => string): TableColumn<LotLocation> => ({
  ...{ id: "warehouse", title: texts.warehouse, wide: true },
  cell: ({ warehouse_id }) => nameOf(warehouse_id),
});

function Main({ lot }: { readonly lot: LotDetail }) {
  const { nameOf } = useWarehouses();
  const file = () =>
    void saveFile(`/inventory/lots/${lot.id}/trace/export.csv`, `trace-${lot.lot_number}.csv`).catch(showRefused);
  return (
    <>
      <Card title={texts.where} flush={lot.locations.length > 0}>
        {lot.locations.length === 0 ? (
          <p class="muted">{texts.nowhere}</p>
        ) : (
          <DataTable
            name={texts.where}
            rows={lot.locations}
            columns={isOperatorUser.value ? placeColumns : [warehouseColumn(nameOf), ...placeColumns.slice(1)]}
            id={({ warehouse_id, location }) => `${warehouse_id} ${location}`}
            href={({ warehouse_id, location, kind }) =>
              kind === "staging" || !isOperatorUser.value ? null : binHref(warehouse_id, location)
            }
          />
        )}
      </Card>
      <Card title={texts.trace} acts={<Button icon="download" title={texts.traceFile} onClick={file} />}>
        <p class="muted">{texts.traceText}</p>
        <List<Traced>
          name={texts.trace}
          path={`/inventory/lots/${lot.id}/trace`}
          columns={traceColumns}
          id={({ order_id }) => order_id}
          href={({ order_id }) => to(`/orders/${order_id}`)}
          empty={<p>{texts.traceEmpty}</p>}
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
            [texts.onHand, count(lot.quantity)],
            [texts.promised, count(lot.reserved)],
            [texts.picked, count(lot.picked)],
            [
              texts.expiry,
              lot.expiration_date && <Expiry at={lot.expiration_date} warehouse={lot.locations[0]?.warehouse_id} />,
            ],
            [texts.received, <Received lot={lot} />],
            [texts.created, <Time at={lot.created_at} />],
          ]}
        />
      </Card>
      <Card title={texts.history}>
        {lot.changes.length === 0 ? (
          <p class="muted">{texts.noHistory}</p>
        ) : (
          <Timeline
            entries={lot.changes.toReversed().map((change, at) => ({
              id: String(at),
              at: change.changed_at,
              title: texts.from(texts.statuses[change.from_status], texts.statuses[change.to_status]),
              by: change.actor.id,
              note: [change.reason, change.notes].filter(Boolean).join(" · "),
            }))}
          />
        )}
      </Card>
    </>
  );
}
