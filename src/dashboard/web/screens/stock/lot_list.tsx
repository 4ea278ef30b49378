import type { LotRecord } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { Badge, stateOptions } from "../../components/badge.tsx";
import { LinkButton } from "../../components/button.tsx";
import { choice, List, ListPage, type ListSettings } from "../../components/list_page.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { Day } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { lotTexts as texts } from "../../text/lots.ts";
import { dayFromNow, useWarehouses } from "./stock_links.ts";
import { Expiry } from "./stock_places.tsx";

/** The date on which a lot was received. */
export function Received({ lot }: { readonly lot: Pick<LotRecord, "received_date" | "locations"> }) {
  const { zoneOf } = useWarehouses();
  return <Day at={lot.received_date} zone={zoneOf(lot.locations[0]?.warehouse_id)} />;
}

const columns: readonly TableColumn<LotRecord>[] = [
  { id: "lot", title: words.lot, code: "lot_number" },
  { id: "sku", title: words.sku, text: "sku", wide: true },
  { id: "status", title: words.status, cell: ({ status }) => <Badge of="lot" state={status} /> },
  {
    id: "expiry",
    title: words.expires,
    sort: "expiration_date",
    cell: (lot) => <Expiry at={lot.expiration_date} warehouse={lot.locations[0]?.warehouse_id} />,
  },
  { id: "quantity", title: words.onHand, number: "quantity" },
  { id: "reserved", title: words.reserved, number: "reserved" },
  { id: "picked", title: words.picked, number: "picked", extra: true },
  { id: "received", title: words.received, cell: (lot) => <Received lot={lot} /> },
  { id: "created", title: words.created, time: "created_at", extra: true },
];

function useSettings(): ListSettings<LotRecord> {
  const { zoneOf } = useWarehouses();
  const within = [7, 30, 90].map((days) => ({ value: dayFromNow(days + 1, zoneOf()), title: texts.expiresIn(days) }));
  return {
    name: texts.title,
    path: "/inventory/lots",
    search: { param: "q", hint: texts.search },
    filters: [
      choice("status", words.status, stateOptions("lot")),
      choice("expiring_before", texts.expiresWithin, within),
      { kind: "flag", param: "on_hand", title: texts.onHandOnly },
    ],
    columns,
    href: ({ id }) => to(`/lots/${id}`),
    empty: {
      icon: "boxes",
      title: texts.emptyTitle,
      text: texts.emptyText,
      act: <LinkButton title={texts.emptyAct} href={to("/stock")} />,
    },
  };
}

export function LotsScreen() {
  return <ListPage<LotRecord> {...useSettings()} title={texts.title} sort="-created_at" />;
}

/** The lots of a SKU, by expiry. */
export function LotsOfSku({ sku }: { readonly sku: string }) {
  return <List<LotRecord> {...useSettings()} params={{ sku }} sort="expiration_date" />;
}
