import type { Explanation } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { Badge } from "../../components/badge.tsx";
import { LinkButton } from "../../components/button.tsx";
import { EmptyState } from "../../components/notice.tsx";
import { Card } from "../../components/page.tsx";
import { DataTable, type TableColumn } from "../../components/table.tsx";
import { Day, Time } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { stockTexts as texts } from "../../text/stock.ts";
import { useWarehouses } from "./stock_links.ts";

type BackorderedClaim = NonNullable<Explanation["backordered"]>["reservations"][number];
type Holding = NonNullable<Explanation["reserved"]>["reservations"][number];

function Claimant({ order_id, order_number }: Pick<BackorderedClaim, "order_id" | "order_number">) {
  return order_id === null ? <span>{order_number}</span> : <a href={to(`/orders/${order_id}`)}>{order_number}</a>;
}

const waitingColumns: readonly TableColumn<BackorderedClaim>[] = [
  { id: "order", title: words.order, cell: (it) => <Claimant {...it} /> },
  { id: "units", title: words.units, number: "units" },
  { id: "priority", title: words.priority, number: "priority" },
  { id: "since", title: words.since, time: "created_at" },
  {
    id: "paused",
    title: words.status,
    cell: ({ paused }) => (paused ? <Badge tone="warning">{texts.onHold}</Badge> : ""),
  },
];

const holdingColumns: readonly TableColumn<Holding>[] = [
  { id: "order", title: words.order, cell: (it) => <Claimant {...it} /> },
  { id: "units", title: words.units, number: "units" },
  { id: "picked", title: words.picked, number: "picked" },
  { id: "until", title: texts.until, cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} /> : "") },
  { id: "reservation", title: texts.reservation, text: "reservation_id" },
];

/** The backorders of a SKU, and the orders with reserved units. */
export function Demand({ explanation }: { readonly explanation: Explanation }) {
  const { backordered, reserved } = explanation;
  return (
    <div class="stack">
      <Card title={texts.waits} flush={(backordered?.reservations.length ?? 0) > 0}>
        <DataTable
          name={texts.waits}
          rows={backordered?.reservations ?? []}
          none={texts.nobodyWaits}
          columns={waitingColumns}
          id={({ reservation_id }) => reservation_id}
        />
        {backordered?.has_more && <p class="muted pad">{texts.moreThanListed}</p>}
      </Card>
      <Card title={texts.promisedTo} flush={(reserved?.reservations.length ?? 0) > 0}>
        <DataTable
          name={texts.promisedTo}
          rows={reserved?.reservations ?? []}
          none={texts.nobodyHolds}
          columns={holdingColumns}
          id={({ reservation_id }) => reservation_id}
        />
        {reserved?.has_more && <p class="muted pad">{texts.moreThanListed}</p>}
      </Card>
    </div>
  );
}

interface Coming {
  readonly id: string;
  readonly href: string;
  readonly what: string;
  readonly reference: string | null;
  readonly units: number;
  readonly way: string;
  readonly at: string | null;
}

const comingColumns: readonly TableColumn<Coming>[] = [
  { id: "what", title: texts.what, cell: ({ what, reference, id }) => `${what} ${reference || id}` },
  { id: "units", title: words.units, number: "units" },
  { id: "at", title: words.expected, cell: ({ at }) => <Day at={at} /> },
  { id: "way", title: words.to, text: "way" },
  { id: "reference", title: words.reference, text: "reference", wide: true },
];

/** The incoming units, by receipt and transfer. */
export function Incoming({ explanation }: { readonly explanation: Explanation }) {
  const { nameOf } = useWarehouses();
  const { receipts = [], transfers = [] } = explanation.incoming ?? {};
  const rows: readonly Coming[] = [
    ...receipts.map(({ receipt_id: id, reference, units, location, expected_at }) => ({
      id,
      reference,
      units,
      href: to(`/receipts/${id}`),
      what: texts.delivery,
      way: nameOf(location),
      at: expected_at,
    })),
    ...transfers.map(({ transfer_id: id, reference, units, from_location, to_location, shipped_at }) => ({
      id,
      reference,
      units,
      href: to(`/transfers/${id}`),
      what: words.transfer,
      way: `${nameOf(from_location)} → ${nameOf(to_location)}`,
      at: shipped_at,
    })),
  ];
  if (rows.length === 0) {
    return (
      <EmptyState
        icon="truck"
        title={texts.noIncoming}
        act={<LinkButton title={texts.expectIt} href={to("/receipts/new")} />}
      />
    );
  }
  return (
    <DataTable
      name={words.incoming}
      rows={rows}
      columns={comingColumns}
      id={({ id }) => id}
      href={({ href }) => href}
    />
  );
}
