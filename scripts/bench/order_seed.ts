// Seeds millions of orders, copied in SQL from a few that the API created, with their lines, reservations, holds and
// history, so that `packhouse verify` finds no difference. They have no events. The service is stopped during the copy.

import type { Database } from "bun:sqlite";
import { second_ms } from "../../src/core/time.ts";
import { skus } from "./business.ts";
import { columnsOf, openForSeeding } from "./seed.ts";

/** An order to copy, and its share of all copies. */
export interface Model {
  readonly id: number;
  readonly share: number;
}

/**
 * Copies orders until there are `total` more, each created a second earlier than the one before. Models and SKUs
 * rotate.
 */
export function copyOrders(path: string, models: readonly Model[], total: number): void {
  const db = openForSeeding(path);
  db.transaction(() => {
    for (const model of models) copyOrder(db, model.id, Math.round(total * model.share), second_ms / model.share);
    db.run(
      `update stock_items set reserved = promised.units
      from (select stock_item_id, sum(quantity) as units from allocations group by stock_item_id) as promised
      where promised.stock_item_id = stock_items.id`,
    );
  })();
  db.close();
}

function copyOrder(db: Database, id: number, count: number, step_ms: number): void {
  const value = (query: string) => (db.query(query).get() as { value: number }).value;
  const last = (table: string) => value(`select coalesce(max(id), 0) as value from ${table}`);
  const [order, line, claim, part] = ["orders", "order_lines", "reservations", "reservation_lines"].map(last);
  const first_product = value(`select id as value from products where sku = '${skus[0]}'`);
  const size = value(`select count(*) as value from order_lines where order_id = ${id}`);
  const nth = `(n - 1) * ${size} + one.nth`;
  const earlier = (column: string) => ({ [column]: `one.${column} - n * ${Math.round(step_ms)}` });
  const its = { order_id: `${order} + n` };
  const named = (column: string) => ({ [column]: `one.${column} || '-' || n` });
  const product = `${first_product} + (one.product_id - ${first_product} + n) % ${skus.length}`;
  const copy = (table: string, from: string, changes: Readonly<Record<string, string>>) => {
    const { names, values } = columnsOf(db, table, changes);
    db.run(
      `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})
      insert into ${table} (${names}) select ${values} from numbers cross join ${from}`,
    );
  };
  const ordered = (table: string, condition: string) =>
    `(select *, row_number() over (order by id) as nth from ${table} where ${condition}) as one
    join products on products.id = ${product}`;
  const plain = (table: string, condition: string) => `(select * from ${table} where ${condition}) as one`;
  const claimed = `reservation_id in (select id from reservations where order_id = ${id})`;

  const moments = { ...earlier("created_at"), ...earlier("updated_at"), ...earlier("cancelled_at") };
  copy("orders", plain("orders", `id = ${id}`), { id: `${order} + n`, ...named("order_number"), ...moments });
  copy("order_lines", ordered("order_lines", `order_id = ${id}`), {
    id: `${line} + ${nth}`,
    ...its,
    product_id: "products.id",
    sku: "products.sku",
    name: "products.name",
    ...earlier("ordered_at"),
  });
  copy("order_history", plain("order_history", `order_id = ${id}`), { ...its, ...earlier("created_at") });
  copy("order_holds", plain("order_holds", `order_id = ${id}`), { ...its, ...earlier("created_at") });
  const own = { id: `${claim} + n`, ...its, ...named("order_ref"), ...earlier("created_at") };
  copy("reservations", plain("reservations", `order_id = ${id}`), own);
  copy("reservation_lines", ordered("reservation_lines", claimed), {
    id: `${part} + ${nth}`,
    reservation_id: `${claim} + n`,
    product_id: "products.id",
    order_line_id: `${line} + ${nth}`,
  });
  // A product of the benchmark lies in one bin. A line has all of its units allocated there, or none.
  const promised = ordered("reservation_lines", `${claimed} and reserved > 0`);
  copy("allocations", `${promised} join stock_items on stock_items.product_id = products.id`, {
    reservation_line_id: `${part} + ${nth}`,
    stock_item_id: "stock_items.id",
    quantity: "one.reserved",
  });
}
