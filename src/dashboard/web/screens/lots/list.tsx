import type { Lot } from "../../api/stock_types.ts";
import { to } from "../../browser/router.ts";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { LinkButton } from "../../kit/button.tsx";
import { EmptyState } from "../../kit/empty_state.tsx";
import { List, ListPage, type ListSettings } from "../../kit/list_page.tsx";
import type { Column } from "../../kit/table.tsx";
import { Day, Time } from "../../kit/values.tsx";
import { count } from "../../texts/format.ts";
import { lotTexts as texts } from "../../texts/lots.ts";
import { Expiry } from "../stock_parts/places.tsx";
import { dayFromNow, optionsOf, useWarehouses } from "../stock_parts/shared.ts";

const tones: Readonly<Record<Lot["status"], Tone>> = {
  available: "good",
  on_hold: "warning",
  quarantined: "warning",
  recalled: "bad",
  expired: "bad",
  damaged: "bad",
};

/** The status of a lot. */
export function LotBadge({ status }: Pick<Lot, "status">) {
  return <Badge tone={tones[status]}>{texts.statuses[status]}</Badge>;
}

/** When a lot came. */
export function Received({ lot }: { readonly lot: Pick<Lot, "received_date" | "locations"> }) {
  const { zoneOf } = useWarehouses();
  return <Day at={lot.received_date} zone={zoneOf(lot.locations[0]?.warehouse_id)} />;
}

const columns: readonly Column<Lot>[] = [
  { id: "lot", title: texts.lot, cell: ({ lot_number }) => <code>{lot_number}</code> },
  { id: "sku", title: texts.sku, cell: ({ sku }) => sku, wide: true },
  { id: "status", title: texts.status, cell: ({ status }) => <LotBadge status={status} /> },
  {
    id: "expiry",
    title: texts.expiry,
    sort: "expiration_date",
    cell: (lot) => <Expiry at={lot.expiration_date} warehouse={lot.locations[0]?.warehouse_id} />,
  },
  { id: "quantity", title: texts.onHand, align: "right", cell: ({ quantity }) => count(quantity) },
  { id: "reserved", title: texts.promised, align: "right", cell: ({ reserved }) => count(reserved) },
  { id: "picked", title: texts.picked, align: "right", extra: true, cell: ({ picked }) => count(picked) },
  { id: "received", title: texts.received, cell: (lot) => <Received lot={lot} /> },
  { id: "created", title: texts.created, extra: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

function useSettings(): ListSettings<Lot> {
  const { zoneOf } = useWarehouses();
  const within = [7, 30, 90].map((days) => ({ value: dayFromNow(days + 1, zoneOf()), title: texts.expiresIn(days) }));
  return {
    name: texts.title,
    path: "/inventory/lots",
    search: { param: "q", hint: texts.search },
    filters: [
      { kind: "choice", param: "status", title: texts.status, options: optionsOf(texts.statuses) },
      { kind: "choice", param: "expiring_before", title: texts.expiresWithin, options: within },
      { kind: "flag", param: "on_hand", title: texts.onHandOnly },
    ],
    columns,
    id: ({ id }) => id,
    href: ({ id }) => to(`/lots/${id}`),
    empty: (
      <EmptyState
        icon="boxes"
        title={texts.emptyTitle}
        text={texts.emptyText}
        act={<LinkButton title={texts.emptyAct} href={to("/stock")} />}
      />
    ),
  };
}

/** All lots. */
export function LotsScreen() {
  return <ListPage<Lot> {...useSettings()} title={texts.title} sort="-created_at" />;
}

/** The lots of a SKU, by expiry. */
export function LotsOfSku({ sku }: { readonly sku: string }) {
  return <List<Lot> {...useSettings()} params={{ sku }} sort="expiration_date" />;
}
