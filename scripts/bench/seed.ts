// Seeds hundreds of thousands of rows, copied in SQL from what the API created, since creating each through the API
// would take a whole day. The service is stopped during the copy.
import { Database } from "bun:sqlite";

type Changes = Readonly<Record<string, string>>;

/** Opens the database of a stopped service for bulk writes. */
export function openForSeeding(path: string): Database {
  const db = new Database(path, { strict: true });
  for (const pragma of ["journal_mode=off", "foreign_keys=off", "synchronous=off", "cache_size=-262144"])
    db.run(`pragma ${pragma}`);
  return db;
}

/**
 * The columns of a table, and what to insert into each: its own value, or the given expression. An id is allotted or
 * given.
 */
export function columnsOf(db: Database, table: string, changes: Changes) {
  const rows = db.query(`select name from pragma_table_info('${table}')`).all() as { name: string }[];
  const names = rows.map(({ name }) => name).filter((name) => name !== "id" || changes["id"] !== undefined);
  return { names: names.join(", "), values: names.map((name) => changes[name] ?? `one.${name}`).join(", ") };
}

/**
 * Creates `count` more SKUs, each with the stock and the ledger of the named one, which has been received once. They
 * belong to the first merchant, or in rotation to the first `owners` merchants.
 */
export function copySku(path: string, sku: string, count: number, owners = 1): void {
  const db = openForSeeding(path);
  const numbers = `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})`;
  const fresh = "products.sku like 'COPY-%'";
  const copy = (table: string, changes: Changes, from: string) => {
    const { names, values } = columnsOf(db, table, changes);
    db.run(`insert into ${table} (${names}) ${from.replace("$values", values)}`);
  };
  db.transaction(() => {
    db.run("create temp table owners as select id, row_number() over (order by id) - 1 as place from merchants");
    const whose = `(select id from owners where place = n % ${owners})`;
    const named = { sku: "printf('COPY-%06d', n)", name: "printf('Copy %06d', n)", merchant_id: whose };
    copy("products", named, `${numbers} select $values from products as one, numbers where one.sku = '${sku}'`);
    const ofOne = `one.product_id = (select id from products where sku = '${sku}')`;
    const place = { product_id: "products.id", merchant_id: "products.merchant_id" };
    copy("stock_items", place, `select $values from products, stock_items as one where ${fresh} and ${ofOne}`);
    const item = "(select id from stock_items where product_id = products.id and on_hand > 0)";
    const moved = { product_id: "products.id", to_item_id: item };
    copy("movements", moved, `select $values from products, movements as one where ${fresh} and ${ofOne}`);
  })();
  db.close();
}

/** Extends the ledger to a number of movements: for each SKU a unit arrives and leaves again, over and over. */
export function fillLedger(path: string, total: number): void {
  const db = openForSeeding(path);
  const [there, items] = ["movements", "stock_items"].map((table) => {
    return (db.query(`select count(*) as n from ${table}`).get() as { n: number }).n;
  }) as [number, number];
  const pairs = Math.max(0, Math.ceil((total - there) / (2 * items)));
  const { names, values } = columnsOf(db, "movements", {
    type: "'adjustment'",
    quantity: "1",
    reason: "case way when 1 then 'found' else 'lost' end",
    from_item_id: "case way when 1 then null else items.id end",
    to_item_id: "case way when 1 then items.id end",
    to_place: "case way when 1 then null else 'write_off' end",
    from_balance: "case way when 1 then null else items.on_hand end",
    to_balance: "case way when 1 then items.on_hand + 1 end",
  });
  db.transaction(() => {
    db.run(
      `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${pairs}),
        ways(way) as (values (1), (2)),
        firsts(product_id, id) as materialized (select product_id, min(id) from movements group by product_id)
      insert into movements (${names}) select ${values}
      from numbers, stock_items as items, ways
      join firsts on firsts.product_id = items.product_id
      join movements as one on one.id = firsts.id
      where ${pairs} > 0
      order by n, items.id, way`,
    );
  })();
  db.close();
}
