// Seeds tens of thousands of orders that are ready for an act. They are copied in SQL from a few orders that the API
// brought to that state, with everything that belongs to them except movements and events, each for other SKUs. The
// service is stopped during the copy.
import type { Database } from "bun:sqlite";
import { columnsOf, openForSeeding } from "./seed.ts";

/** A table with rows of an order: how to find them, and which of their columns reference which other rows. */
interface Part {
  readonly table: string;
  readonly of: string;
  readonly names: Readonly<Record<string, string>>;
  /** Makes the texts of a copy unique; `copy` is its number, `$new_order` the id of its order. */
  readonly own?: Readonly<Record<string, string>>;
}

const claimed = "reservation_lines where reservation_id in (select id from reservations where order_id = $order)";
const staged = "bins where kind = 'staging' and code = 'STAGING-ord_$order'";
const parcels = "shipments where order_id = $order";
const numbered = { tracking_number: "one.tracking_number || 'C' || copy" };

const parts: readonly Part[] = [
  { table: "orders", of: "id = $order", names: {}, own: { order_number: "one.order_number || '-' || copy" } },
  {
    table: "order_lines",
    of: "order_id = $order",
    names: { order_id: "orders", product_id: "products" },
    own: {
      sku: "(select sku from products where id = $product)",
      name: "(select name from products where id = $product)",
    },
  },
  { table: "order_history", of: "order_id = $order", names: { order_id: "orders" } },
  {
    table: "reservations",
    of: "order_id = $order",
    names: { order_id: "orders" },
    own: { order_ref: "one.order_ref || '-' || copy" },
  },
  {
    table: "reservation_lines",
    of: `id in (select id from ${claimed})`,
    names: { reservation_id: "reservations", order_line_id: "order_lines", product_id: "products" },
  },
  {
    table: "bins",
    of: `id in (select id from ${staged})`,
    names: {},
    own: { code: "'STAGING-ord_' || ($new_order)" },
  },
  {
    table: "stock_items",
    of: `bin_id in (select id from ${staged})`,
    names: { bin_id: "bins", product_id: "products" },
  },
  {
    table: "allocations",
    of: `reservation_line_id in (select id from ${claimed})`,
    names: { reservation_line_id: "reservation_lines", stock_item_id: "stock_items" },
  },
  { table: "shipments", of: "order_id = $order", names: { order_id: "orders" }, own: numbered },
  {
    table: "shipment_lines",
    of: `shipment_id in (select id from ${parcels})`,
    names: { shipment_id: "shipments", order_line_id: "order_lines" },
  },
  {
    table: "labels",
    of: "order_id = $order",
    names: { shipment_id: "shipments", order_id: "orders" },
    own: numbered,
  },
  {
    table: "tracking_records",
    of: `shipment_id in (select id from ${parcels})`,
    names: { shipment_id: "shipments" },
    own: numbered,
  },
  {
    table: "tracking_events",
    of: `record_id in (select r.id from tracking_records r join shipments s on s.id = r.shipment_id
      where s.order_id = $order)`,
    names: { record_id: "tracking_records" },
  },
];

/** The id of a copied order, and its tracking number if it has one. */
export interface Copied {
  readonly id: string;
  readonly tracking_number: string | null;
}

/** The products of copied orders, with consecutive ids. Each has one stock item with enough units. */
interface Products {
  readonly first: number;
  readonly count: number;
}

/** Copies each of these orders `count` times, for these products. Returns the copies, in rotation by model. */
export function copyAtWork(path: string, models: readonly (readonly number[])[], count: number): Copied[][] {
  const db = openForSeeding(path);
  const products = db
    .query("select min(id) as first, count(*) as count from products where sku like 'COPY-%'")
    .get() as Products;
  const copied = db.transaction(() => {
    const all = models.map((state) => {
      const own = state.map((model) => copyWhole(db, model, products, count));
      return Array.from({ length: count }, (_, at) => own.flatMap((copies) => copies[at] ?? [])).flat();
    });
    db.run(
      `update stock_items set reserved = promised.units
      from (select stock_item_id, sum(quantity) as units from allocations group by stock_item_id) as promised
      where promised.stock_item_id = stock_items.id`,
    );
    return all;
  })();
  db.close();
  return copied;
}

function copyWhole(db: Database, order: number, products: Products, count: number): Copied[] {
  const column = (query: string) =>
    db
      .query(query)
      .values()
      .map(([value]) => Number(value));
  const filled = (text: string) => text.replaceAll("$order", String(order));
  const sold = column(`select product_id from order_lines where order_id = ${order} order by id`);
  const productOf = (id: number) =>
    `${products.first} + (${order * 997} + copy * ${sold.length} + ${sold.indexOf(id)}) % ${products.count}`;
  // The ids of the model's rows by table, and where the ids of the copies begin.
  const rows = new Map<string, { readonly ids: readonly number[]; readonly last: number }>();
  const copyOf = (table: string, id: number) => {
    if (table === "products") return productOf(id);
    const { ids, last } = rows.get(table) ?? { ids: [], last: 0 };
    const at = ids.indexOf(id);
    if (at >= 0) return `${last} + (copy - 1) * ${ids.length} + ${at + 1}`;
    // Units that are allocated and not picked lie on the shelf.
    const [product = 0] = column(`select product_id from stock_items where id = ${id}`);
    return `(select min(id) from stock_items where product_id = ${productOf(product)})`;
  };
  for (const { table, of, names, own = {} } of parts) {
    const ids = column(`select id from ${table} where ${filled(of)} order by id`);
    rows.set(table, { ids, last: column(`select coalesce(max(id), 0) from ${table}`)[0] ?? 0 });
    for (const id of ids) {
      const row = db.query(`select * from ${table} where id = ${id}`).get() as Record<string, unknown>;
      const references = Object.entries(names).map(([name, other]) => [name, copyOf(other, Number(row[name]))]);
      const texts = Object.entries(own).map(([name, text]) => {
        const product = () => productOf(Number(row["product_id"]));
        return [name, text.replace("$new_order", copyOf("orders", order)).replace("$product", product)];
      });
      const changes = { id: copyOf(table, id), ...Object.fromEntries([...references, ...texts]) };
      const { names: into, values } = columnsOf(db, table, changes);
      db.run(
        `with recursive copies(copy) as (select 1 union all select copy + 1 from copies where copy < ${count})
        insert into ${table} (${into}) select ${values} from copies, ${table} as one where one.id = ${id}`,
      );
    }
  }
  const last = rows.get("orders")?.last ?? 0;
  return db
    .query(
      `select orders.id, min(shipments.tracking_number) as number from orders
      left join shipments on shipments.order_id = orders.id
      where orders.id > ${last} group by orders.id order by orders.id`,
    )
    .values()
    .map(([id, number]) => ({ id: `ord_${id}`, tracking_number: number === null ? null : String(number) }));
}
