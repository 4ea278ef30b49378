import { useQuery } from "../../api/query.ts";
import { isOperatorUser, may } from "../../api/session.ts";
import type { LabelRecord, Order, OrderLine, Return } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { ActionButton } from "../../components/action.tsx";
import { Badge } from "../../components/badge.tsx";
import { openPrintable, type PrintableDocument } from "../../components/document_dialog.tsx";
import { Icon } from "../../components/icon.tsx";
import { Notice } from "../../components/notice.tsx";
import { Card, Columns, Page } from "../../components/page.tsx";
import { useReloadOn } from "../../components/reading.ts";
import { type RecordProps, recordScreen } from "../../components/record_screen.tsx";
import { DataTable, type TableColumn } from "../../components/table.tsx";
import { Time } from "../../components/values.tsx";
import { words } from "../../text/common.ts";
import { count, date, dateTime, money } from "../../text/format.ts";
import { orderTexts as texts } from "../../text/order.ts";
import { stateWords } from "../../text/states.ts";
import { createReturn } from "../returns/create_return.tsx";
import { canReturn, isReleasable, mayAct, OrderActs, orderAction } from "./order_actions.tsx";
import { AddressCard, DetailsCard, MetadataCard, MoneyCard } from "./order_cards.tsx";
import { type LineCounter, labelDocument, unitsOf } from "./order_facts.ts";
import { ParcelsCard } from "./parcels_card.tsx";
import { PlanCard } from "./plan_card.tsx";
import { PrintMenu } from "./print_menu.tsx";
import { ShippingChoiceCard } from "./shipping_choice_card.tsx";
import { TagsCard } from "./tags_and_notes.tsx";
import { TimelineCard } from "./timeline_card.tsx";

/** The holds of an order and how each ends. */
function Holds({ order, etag }: { readonly order: Order; readonly etag: string | null }) {
  if (order.holds.length === 0) return null;
  const release = mayAct("release") && isReleasable(order) ? orderAction(order, etag, "release") : null;
  return (
    <>
      {order.holds.map((hold) => (
        <Notice key={hold.id} kind="warning">
          <p>
            <strong>{texts.heldNow(stateWords(hold.reason).toLowerCase())}</strong>{" "}
            <span class="muted">
              {texts.since} <Time at={hold.created_at} />
              {hold.hold_until && `, ${words.until} ${dateTime(hold.hold_until)}`}
            </span>
          </p>
          {hold.note && <p>{hold.note}</p>}
          {hold.lifted_by === "cause" && <p class="muted">{texts.endsByCause}</p>}
        </Notice>
      ))}
      {release && (
        <p class="holds-release">
          <ActionButton of={release} />
        </p>
      )}
    </>
  );
}

/** A column with a counter of the lines. */
const counter = (name: LineCounter, title: string): TableColumn<OrderLine> => ({
  id: name,
  title,
  align: "right",
  cell: (line) => {
    const value = unitsOf(line, name);
    if (value === 0) return <span class="faint">0</span>;
    return name === "backordered" ? <Badge tone="bad">{texts.isShort(count(value))}</Badge> : count(value);
  },
});

const counters = [
  ["reserved", words.reserved],
  ["backordered", words.short],
  ["picked", words.picked],
  ["packed", texts.packed],
  ["shipped", words.shipped],
  ["delivered", texts.delivered],
  ["returned", texts.returned],
  ["cancelled", texts.cancelled],
] as const;

/** The lines of an order with their counters. Columns with only zeros are left out. */
function LinesCard({ order }: { readonly order: Order }) {
  const { line_items: lines, currency } = order;
  const columns: TableColumn<OrderLine>[] = [
    { id: "item", title: texts.item, cell: (line) => <Item line={line} /> },
    { id: "quantity", title: texts.ordered, align: "right", cell: ({ quantity }) => <b>{count(quantity)}</b> },
    ...counters
      .filter(([name]) => lines.some((line) => unitsOf(line, name) > 0))
      .map(([name, title]) => counter(name, title)),
    { id: "total", title: words.total, align: "right", cell: (line) => <Total line={line} currency={currency} /> },
  ];
  return (
    <Card title={words.items} flush>
      <DataTable name={words.items} rows={lines} columns={columns} id={({ id }) => id} />
    </Card>
  );
}

function Item({ line: { sku, product_id, name, components } }: { readonly line: OrderLine }) {
  const parts = components?.map(({ sku, quantity }) => `${quantity} × ${sku}`).join(", ");
  return (
    <span class="line-item">
      <a href={to(`/products/${product_id}`)}>
        <code>{sku}</code>
      </a>
      <span>{name}</span>
      {parts && <small class="muted">{texts.sets(parts)}</small>}
    </span>
  );
}

function Total({ line, currency }: { readonly line: OrderLine; readonly currency: string }) {
  const { quantity, unit_price, discount_amount, line_total } = line;
  return (
    <span class="line-total">
      {money(line_total, currency)}
      <small class="muted">
        {count(quantity)} × {money(unit_price, currency)}
        {discount_amount > 0 && ` − ${money(discount_amount, currency)}`}
      </small>
    </span>
  );
}

/** The documents of an order. */
function DocumentsCard({ order }: { readonly order: Order }) {
  const { data: labels } = useQuery<readonly LabelRecord[]>("/shipping/labels", { order_id: order.id, limit: 100 });
  return (
    <Card title={texts.documents} acts={<PrintMenu order={order} />}>
      <ul class="papers">
        {orderDocuments(order, labels ?? []).map((paper) => (
          <li key={paper.title}>
            <button type="button" class="plain" onClick={() => openPrintable(paper)}>
              <Icon name="page" />
              {paper.title}
            </button>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function orderDocuments(order: Order, labels: readonly LabelRecord[]): PrintableDocument[] {
  const { id, order_number, status } = order;
  const slip = { path: `/orders/${id}/packing_slip`, name: `${order_number}-packing-slip.pdf` };
  const pickable = ["pending", "processing", "on_hold"].includes(status);
  const bought = labels.filter((label) => label.status === "completed" && label.documents.length > 0);
  return [
    ...(pickable && isOperatorUser.value
      ? [{ title: texts.pickList, path: `/orders/${id}/pick_list`, name: `${order_number}-pick-list.pdf` }]
      : []),
    { title: texts.packingSlip, ...slip },
    { title: texts.packingSlipPrices, ...slip, params: { prices: true } },
    ...bought.map((label) => labelDocument(label, label.tracking_number ?? label.label_id)),
    ...bought.flatMap((label) =>
      label.documents.flatMap(({ kind }, at) =>
        kind === "customs"
          ? {
              title: texts.customs(label.tracking_number ?? label.label_id),
              path: `/shipping/labels/${label.label_id}/document`,
              params: { document: at },
              name: `${label.tracking_number}-customs.pdf`,
            }
          : [],
      ),
    ),
  ];
}

/** The returns of an order. */
function ReturnsCard({ order }: { readonly order: Order }) {
  const shipped = order.line_items.some((line) => line.quantity_shipped > 0);
  const seen = shipped && may("returns.read");
  const { data: returns, reload } = useQuery<readonly Return[]>(seen ? "/returns" : null, {
    order_id: order.id,
    limit: 50,
  });
  useReloadOn(order.revision, reload);
  if (!seen) return null;
  return (
    <Card title={texts.returns} acts={canReturn(order) && <ActionButton of={createReturn(order)} />}>
      <ul class="linked-list">
        {returns?.map(({ id, status, reason, created_at }) => (
          <li key={id}>
            <a href={to(`/returns/${id}`)}>{id}</a> <Badge state={status} />
            <span class="muted">
              {stateWords(reason)}, <Time at={created_at} />
            </span>
          </li>
        ))}
        {returns?.length === 0 && <li class="muted">–</li>}
      </ul>
    </Card>
  );
}

/** One order: its actions, lines, parcels, documents and history. */
export const OrderScreen = recordScreen("/orders/:id", OrderPage);

function OrderPage({ record: order, etag, back, notice }: RecordProps<Order>) {
  return (
    <Page
      title={order.order_number}
      back={back}
      badge={<States order={order} />}
      owned={order}
      below={<Below order={order} />}
      acts={<OrderActs order={order} etag={etag} />}
    >
      {notice}
      <Holds order={order} etag={etag} />
      <Columns
        main={
          <>
            <LinesCard order={order} />
            {isOperatorUser.value && <PlanCard order={order} etag={etag} />}
            <ParcelsCard order={order} />
            <TimelineCard order={order} />
          </>
        }
        side={
          <>
            <AddressCard order={order} etag={etag} />
            {order.fulfillment_type === "ship" && <ShippingChoiceCard order={order} etag={etag} />}
            <TagsCard order={order} />
            <DetailsCard order={order} />
            <MoneyCard order={order} />
            <DocumentsCard order={order} />
            <ReturnsCard order={order} />
            <MetadataCard order={order} />
          </>
        }
      />
    </Page>
  );
}

function States({ order }: { readonly order: Order }) {
  const { status, fulfillment_status, held_from, priority } = order;
  const partly = fulfillment_status.startsWith("partially");
  return (
    <>
      <Badge state={status} />
      {held_from && <Badge tone="neutral">{texts.heldFrom(stateWords(held_from).toLowerCase())}</Badge>}
      {partly && <Badge state={fulfillment_status} />}
      {priority !== 0 && <Badge tone={priority > 0 ? "warning" : "neutral"}>{texts.priority(String(priority))}</Badge>}
    </>
  );
}

function Below({ order }: { readonly order: Order }) {
  const { created_at, estimated_ship_date, shipped_at, status, source, imported } = order;
  const open = shipped_at === null && status !== "cancelled";
  return (
    <div class="order-below">
      <span>
        {texts.placed} <Time at={created_at} />
      </span>
      {source.platform !== "api" && <span>{texts.from(stateWords(source.platform.split(":")[0] ?? ""))}</span>}
      {open && <strong>{estimated_ship_date ? texts.leavesBy(date(estimated_ship_date)) : texts.noShipDate}</strong>}
      {imported && <span>{texts.imported}</span>}
    </div>
  );
}
