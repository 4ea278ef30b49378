import type { Order, OrderLine } from "../../api/types.ts";
import { to } from "../../browser/router.ts";
import { Badge } from "../../kit/badge.tsx";
import { Card } from "../../kit/page.tsx";
import { type Column, DataTable } from "../../kit/table.tsx";
import { count, money } from "../../texts/format.ts";
import { orderTexts as texts } from "../../texts/order.ts";
import { type Counter, unitsOf } from "../order_parts/counters.ts";

/** A column with a counter of the lines. */
const counter = (name: Counter, title: string): Column<OrderLine> => ({
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
  ["reserved", texts.reserved],
  ["backordered", texts.short],
  ["picked", texts.picked],
  ["packed", texts.packed],
  ["shipped", texts.shipped],
  ["delivered", texts.delivered],
  ["returned", texts.returned],
  ["cancelled", texts.cancelled],
] as const;

/** The lines of an order with their counters. Columns with only zeros are left out. */
export function LinesCard({ order }: { readonly order: Order }) {
  const { line_items: lines, currency } = order;
  const columns: Column<OrderLine>[] = [
    { id: "item", title: texts.item, cell: (line) => <Item line={line} /> },
    { id: "quantity", title: texts.ordered, align: "right", cell: ({ quantity }) => <b>{count(quantity)}</b> },
    ...counters
      .filter(([name]) => lines.some((line) => unitsOf(line, name) > 0))
      .map(([name, title]) => counter(name, title)),
    { id: "total", title: texts.total, align: "right", cell: (line) => <Total line={line} currency={currency} /> },
  ];
  return (
    <Card title={texts.lines} flush>
      <DataTable name={texts.lines} rows={lines} columns={columns} id={({ id }) => id} />
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
