import { useQuery } from "../../api/query.ts";
import { isOperatorUser } from "../../api/session.ts";
import type { Movement } from "../../api/types.ts";
import { query, to } from "../../browser/router.ts";
import { optionsOf } from "../../components/form_values.ts";
import { choice, List, type ListFilter, listParams } from "../../components/list_page.tsx";
import { RecordName } from "../../components/record_name.tsx";
import type { TableColumn } from "../../components/table.tsx";
import { words } from "../../text/common.ts";
import { count } from "../../text/format.ts";
import { stockTexts as texts } from "../../text/stock.ts";
import { stockHref } from "./stock_links.ts";
import { changeOf, totalsAfter } from "./stock_shares.ts";

const signed = (value: number) => (value > 0 ? `+${count(value)}` : count(value));

function Change({ movement }: { readonly movement: Movement }) {
  const change = changeOf(movement);
  if (change === 0) return <span class="muted">{texts.moved(count(movement.quantity))}</span>;
  return <span class={change > 0 ? "plus" : "minus"}>{signed(change)}</span>;
}

/** A short name of a place. The reference names the order of picked units. */
function placeName(place: string | null): string {
  if (place === null) return words.received;
  return place.startsWith("STAGING-") ? words.picked : (texts.outside[place] ?? place);
}

/** The cause of a movement, with a link. */
function Reference({ reference }: Pick<Movement, "reference">) {
  if (reference === null) return null;
  const { type, id } = reference;
  const screens: Readonly<Record<string, string>> = {
    order: "orders",
    receipt: "receipts",
    transfer: "transfers",
    count: "counts",
    return: "returns",
  };
  const screen = screens[type];
  if (screen === undefined) return <RecordName id={id} plain />;
  // A reference entered by a user is already a name.
  return /^[a-z]{3}_\d+$/.test(id) ? (
    <RecordName id={id} />
  ) : (
    <a href={to(`/${screen}/${encodeURIComponent(id)}`)}>{id}</a>
  );
}

const reasons: Readonly<Record<string, string>> = { ...texts.reasons, ...texts.movementReasons };

const reasonOf = (reason: string) => {
  const text = reasons[reason] ?? reason.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
};

interface LedgerProps {
  readonly of: Readonly<Record<string, string>>;
  /** The units on hand of the SKU; null if the list is not the whole ledger of one SKU. */
  readonly on_hand: number | null;
}

function columnsOf(
  totals: ReadonlyMap<string, number> | null,
  of: LedgerProps["of"],
): readonly TableColumn<Movement>[] {
  return [
    { id: "at", title: words.when, time: "created_at" },
    {
      id: "sku",
      when: of["sku"] === undefined,
      title: words.sku,
      cell: (it) => <a href={stockHref(it.sku, it)}>{it.sku}</a>,
    },
    { id: "what", title: texts.what, cell: ({ type }) => texts.types[type] },
    { id: "change", title: texts.change, align: "right", cell: (it) => <Change movement={it} /> },
    {
      id: "total",
      when: totals !== null,
      title: texts.total,
      align: "right",
      cell: ({ id }) => count(totals?.get(id)),
    },
    {
      id: "route",
      when: isOperatorUser.value,
      title: texts.route,
      cell: (it) => `${placeName(it.from_location)} → ${placeName(it.to_location)}`,
    },
    {
      id: "why",
      title: words.reason,
      cell: ({ reason, confirmed }) => (
        <span title={confirmed ? undefined : texts.assumed}>
          {reasonOf(reason)}
          {!confirmed && " *"}
        </span>
      ),
    },
    {
      id: "reference",
      when: of["reference"] === undefined,
      title: words.reference,
      cell: ({ reference }) => <Reference reference={reference} />,
    },
    { id: "by", title: texts.by, cell: ({ actor }) => actor.id },
    { id: "lot", title: words.lot, text: "lot_number" },
    { id: "balance", title: texts.balance, number: "balance_after", extra: true },
    { id: "notes", title: words.notes, text: "notes", extra: true },
  ];
}

const filters: readonly ListFilter[] = [
  choice("type", texts.what, optionsOf(texts.types)),
  { kind: "text", param: "reason", title: words.reason },
  { kind: "text", param: "lot_number", title: words.lot },
  { kind: "text", param: "actor", title: texts.byWhom },
  { kind: "date", param: "created_after", title: texts.after },
  { kind: "date", param: "created_before", title: texts.before },
];

/** All changes of quantity, with user and reason. */
export function Ledger({ of, on_hand }: LedgerProps) {
  const settings = {
    name: texts.ledger,
    path: "/inventory/movements",
    params: of,
    // The movements of one reference are few, so they need no filters.
    filters: of["reference"] === undefined ? filters : [],
    limit: 50,
    empty: { icon: "list", title: texts.noMovements, text: texts.noMovementsText } as const,
  };
  const asked = listParams(settings);
  const { data: rows } = useQuery<readonly Movement[]>("/inventory/movements", asked);
  const narrowed = [...filters.map(({ param }) => param), "page", "cursor"].some((param) => query.value.has(param));
  const totals = on_hand === null || narrowed || rows === undefined ? null : totalsAfter(rows, on_hand);
  return <List<Movement> {...settings} columns={columnsOf(totals, of)} />;
}
