import { ownerOf } from "../../api/merchants.ts";
import type { Placed } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { type Action, Actions } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import { EmptyState } from "../../components/notice.tsx";
import { BinName } from "../../components/record_name.tsx";
import { DataTable, type TableColumn } from "../../components/table.tsx";
import { words } from "../../text/common.ts";
import { date } from "../../text/format.ts";
import { stockTexts as texts } from "../../text/stock.ts";
import { daysUntil, stockHref, useWarehouses } from "./stock_links.ts";

/** The address of a bin's page. */
export const binHref = (warehouse_id: string, bin: string) =>
  to(`/bins/${encodeURIComponent(warehouse_id)}/${encodeURIComponent(bin)}`);

interface ExpiryProps {
  readonly at: string | null;
  /** The warehouse whose time zone applies. */
  readonly warehouse?: string | undefined;
}

/** An expiry date, marked if it is near or past. */
export function Expiry({ at, warehouse }: ExpiryProps) {
  const { zoneOf } = useWarehouses();
  if (at === null) return null;
  const days = daysUntil(at, zoneOf(warehouse));
  const tone = days < 0 ? "bad" : days <= 30 ? "warning" : null;
  const left = days < 0 ? texts.causes.expired : days === 0 ? texts.lastDay : `${days} d`;
  return (
    <>
      {date(at)} {tone && <Badge tone={tone}>{left}</Badge>}
    </>
  );
}

/** A bin with the reason why its units are unavailable. Picked units show their order. */
function Bin({ bin, kind, cause }: Placed) {
  if (kind === "staging") {
    return <BinName code={bin} text={texts.kinds.staging} />;
  }
  return (
    <>
      <code>{bin}</code> {cause && <Badge tone="warning">{texts.causes[cause]}</Badge>}
    </>
  );
}

interface StockPlacesProps {
  readonly rows: readonly Placed[];
  /** Whether the rows are of one SKU or of one bin. */
  readonly of: "sku" | "bin";
  /** The actions on the units of a row. */
  readonly acts?: (row: Placed) => readonly Action[];
}

/** A table of locations: a row for each bin and lot. */
export function Places({ rows, of, acts }: StockPlacesProps) {
  const { several, nameOf } = useWarehouses();
  if (rows.length === 0) return <EmptyState icon="bins" title={texts.noPlaces} text={texts.noPlacesText} />;
  const columns: readonly TableColumn<Placed>[] = [
    { id: "bin", when: of === "sku", title: words.bin, cell: (it) => <Bin {...it} /> },
    {
      id: "warehouse",
      when: of === "sku" && several,
      title: words.warehouse,
      cell: ({ warehouse_id }) => nameOf(warehouse_id),
    },
    {
      id: "sku",
      when: of === "bin",
      title: words.sku,
      cell: ({ sku, cause }) => (
        <>
          <code>{sku}</code> {cause && <Badge tone="warning">{texts.causes[cause]}</Badge>}
        </>
      ),
    },
    { id: "name", when: of === "bin", title: words.name, text: "name", wide: true },
    {
      id: "lot",
      title: words.lot,
      cell: ({ lot_id, lot_number }) => (lot_id === null ? "" : <a href={to(`/lots/${lot_id}`)}>{lot_number}</a>),
    },
    {
      id: "expiry",
      title: words.expires,
      cell: (row) => <Expiry at={row.expiration_date} warehouse={row.warehouse_id} />,
    },
    { id: "units", title: words.onHand, number: "quantity" },
    { id: "reserved", title: words.reserved, number: "reserved" },
    { id: "available", title: texts.available, number: "available" },
  ];
  return (
    <DataTable
      name={words.locations}
      rows={rows}
      columns={columns}
      id={(row) => [row.sku, row.warehouse_id, row.bin, row.lot_number, ownerOf(row)].join(" ")}
      href={(row) => {
        if (of === "bin") return stockHref(row.sku, row);
        return row.kind === "staging" ? null : binHref(row.warehouse_id, row.bin);
      }}
      {...(acts ? { acts: (row: Placed) => <Actions of={acts(row)} /> } : {})}
    />
  );
}
