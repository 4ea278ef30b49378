// The baseline of the benchmark on PostgreSQL: a bare Elysia route for each request, which handles the same rows with
// hand-written `pg` statements in a transaction of its own, on a database of the same schema. It validates nothing.
import { Elysia } from "elysia";
import pg from "pg";
import { isOwned } from "./owned_tables.ts";

type Row = Record<string, number | string | null>;
interface Line {
  readonly sku: string;
  readonly quantity: number;
  readonly unit_price: string;
}

const [url = "", port = "0"] = process.argv.slice(2);
for (const type of [pg.types.builtins.INT8, pg.types.builtins.NUMERIC]) pg.types.setTypeParser(type, Number);
const pool = new pg.Pool({
  connectionString: url,
  max: 16,
  onConnect: (client: pg.ClientBase) => client.query("set search_path to test"),
} as pg.PoolConfig);

type Ask = (text: string, values: readonly unknown[]) => Promise<Row[]>;

const names = new Map<string, string>();

/** Runs a statement, which is prepared once per connection. */
const asking =
  (client: pg.PoolClient): Ask =>
  async (text, values) => {
    const name = names.get(text) ?? `f${names.size}`;
    names.set(text, name);
    return (await client.query({ name, text, values: [...values] })).rows;
  };

async function transact<T>(work: (ask: Ask) => Promise<T>, begin = "begin"): Promise<T> {
  const client = await pool.connect();
  await client.query(begin);
  const done = await work(asking(client));
  await client.query("commit");
  client.release();
  return done;
}

const read = <T>(work: (ask: Ask) => Promise<T>) => transact(work, "begin isolation level repeatable read read only");

/** The SQL that inserts `rows`, and its values. */
async function insert(ask: Ask, table: string, columns: string, rows: readonly (readonly unknown[])[]) {
  const list = columns.split(" ");
  // Every row that the baseline writes belongs to the first merchant.
  const [owner, whose] = isOwned(table) ? [",merchant_id", ",1"] : ["", ""];
  const marks = rows.map((_, row) => `(${list.map((_, at) => `$${row * list.length + at + 1}`)}${whose})`);
  const text = `insert into ${table} (${list}${owner}) values ${marks} returning *`;
  return ask(text, rows.flat());
}

const stockText =
  "select s.*, b.code, b.kind, w.name as warehouse from stock_items s join bins b on b.id = s.bin_id" +
  " join warehouses w on w.id = s.warehouse_id where s.product_id = any($1::bigint[]) and s.on_hand > 0 order by s.id";
const takeText =
  "update stock_items as s set reserved = reserved + t.quantity, updated_at = $3" +
  " from unnest($1::bigint[], $2::bigint[]) as t(id, quantity)" +
  " where s.id = t.id and s.on_hand - s.reserved >= t.quantity returning s.id, s.reserved";
const number = (id: string) => Number(id.replace(/^\D+/, ""));

function event(type: string, data: object, now: number): unknown[] {
  const id = `evt_${Bun.randomUUIDv7("hex").replaceAll("-", "")}`;
  return [id, type, Buffer.from(JSON.stringify({ id, type, created_at: new Date(now).toISOString(), data })), now];
}
const tell = (ask: Ask, events: readonly (readonly unknown[])[]) =>
  insert(ask, "events", "id type body created_at", events);

/** Reserves the lines' units from the first stock item of each SKU that has them. */
async function claim(ask: Ask, reservation: readonly unknown[], lines: readonly Line[], now: number, order = 0) {
  const skus = lines.map(({ sku }) => sku);
  const products = await ask("select * from products where sku = any($1) order by id for no key update", [skus]);
  const stock = await ask(stockText, [products.map(({ id }) => id)]);
  const of = lines.map((line) => products.find(({ sku }) => sku === line.sku) as Row);
  const items = of.map((product) => stock.find(({ product_id }) => product_id === product["id"]) as Row);
  const columns =
    "order_id product_id sku name quantity unit_price_cents quantity_packed quantity_shipped quantity_delivered" +
    " quantity_returned quantity_cancelled";
  const facts = lines.map((line, at) => {
    const price = Math.round(Number(line.unit_price) * 100);
    return [order, of[at]?.["id"], line.sku, of[at]?.["name"], line.quantity, price, 0, 0, 0, 0, 0];
  });
  const order_lines = order === 0 ? [] : await insert(ask, "order_lines", columns, facts);
  const [claimed] = await insert(
    ask,
    "reservations",
    "order_id order_ref source status priority paused requires_cold_storage expires_at created_at",
    [reservation],
  );
  const claims = await insert(
    ask,
    "reservation_lines",
    "reservation_id product_id order_line_id quantity wanted reserved picked",
    lines.map(({ quantity }, at) => {
      return [claimed?.["id"], of[at]?.["id"], order_lines[at]?.["id"] ?? null, quantity, quantity, quantity, 0];
    }),
  );
  await ask(takeText, [items.map(({ id }) => id), lines.map(({ quantity }) => quantity), now]);
  await insert(
    ask,
    "allocations",
    "reservation_line_id stock_item_id quantity",
    claims.map(({ id }, at) => [id, items[at]?.["id"], lines[at]?.quantity]),
  );
  return { id: claimed?.["id"], items: of.map((product, at) => ({ product, stock: items[at] })) };
}

interface OrderBody {
  readonly order_number: string;
  readonly customer_id: string;
  readonly shipping_address_id: string;
  readonly line_items: Line[];
}

const placeOrder = (body: OrderBody) =>
  transact(async (ask) => {
    const now = Date.now();
    const [who] = await ask(
      "select c.id, c.email, c.company, a.id as address_id, a.name, a.address_line1, a.city, a.state, a.postal_code," +
        " a.country from customers c join addresses a on a.customer_id = c.id where c.id = $1 and a.id = $2",
      [number(body.customer_id), number(body.shipping_address_id)],
    );
    const lines = body.line_items;
    const cents = lines.reduce((sum, line) => sum + Math.round(Number(line.unit_price) * 100) * line.quantity, 0);
    const facts = [body.order_number, "pending", false, who?.["id"], who?.["email"], who?.["company"]];
    const [order] = await insert(
      ask,
      "orders",
      "order_number status held customer_id customer_email customer_name shipping_address_id shipping_address" +
        " requires_cold_storage priority allow_backorder subtotal_cents shipping_amount_cents currency" +
        " source_platform metadata revision created_at updated_at",
      [
        [
          ...facts,
          ...[who?.["address_id"], JSON.stringify(who), false, 0, true, cents, 0, "USD", "api", "{}", 1, now, now],
        ],
      ],
    );
    const id = order?.["id"] as number;
    const reservation = [id, body.order_number, "api", "reserved", 0, false, false, null, now];
    const { items } = await claim(ask, reservation, lines, now, id);
    await insert(ask, "order_history", "order_id number event to_status actor_type actor_id actor_name created_at", [
      [id, 1, "created", "pending", "api_key", "key_1", "bench", now],
    ]);
    const view = { id: `ord_${id}`, order_number: body.order_number, status: "pending", created_at: now, who, items };
    await tell(ask, [
      event("order.created", { object: "order", ...view }, now),
      ...items.map((item) => event("inventory.updated", { object: "inventory_item", ...item }, now)),
    ]);
    return view;
  });

const reserve = (body: { order_id: string; items: Line[] }) =>
  transact(async (ask) => {
    const now = Date.now();
    const reservation = [null, body.order_id, "api", "reserved", 0, false, false, now + 86_400_000, now];
    const { id, items } = await claim(ask, reservation, body.items, now);
    await tell(
      ask,
      items.map((item) => event("inventory.updated", { object: "inventory_item", ...item }, now)),
    );
    return { reservation_id: `rsv_${id}`, order_id: body.order_id, items };
  });

/** The carrier's first scan: the units leave the shelf, and the order is shipped. */
const scan = (tracking_number: string, { status }: { status: string }) =>
  transact(async (ask) => {
    const now = Date.now();
    const [record] = await ask("select * from tracking_records where tracking_number = $1 for no key update", [
      tracking_number,
    ]);
    const [parcel] = await ask(
      "update shipments set status = 'shipped', shipped_at = $2 where id = $1 returning id, order_id",
      [record?.["shipment_id"], now],
    );
    const order = parcel?.["order_id"];
    const taken = await ask(
      "update stock_items s set on_hand = s.on_hand - a.quantity, reserved = s.reserved - a.quantity, updated_at = $2" +
        " from allocations a join reservation_lines l on l.id = a.reservation_line_id" +
        " join reservations r on r.id = l.reservation_id where r.order_id = $1 and s.id = a.stock_item_id" +
        " returning s.id, s.product_id, s.on_hand, a.id as allocation_id, a.quantity",
      [order, now],
    );
    await ask("delete from allocations where id = any($1::bigint[])", [
      taken.map(({ allocation_id }) => allocation_id),
    ]);
    await insert(
      ask,
      "movements",
      "product_id type quantity from_item_id from_balance to_place reason confirmed actor_type actor_id created_at",
      taken.map(({ id, product_id, quantity, on_hand }) => {
        return [product_id, "sale", quantity, id, on_hand, "shipped", "shipped", true, "api_key", "key_1", now];
      }),
    );
    const lines = await ask("update order_lines set quantity_shipped = quantity where order_id = $1 returning *", [
      order,
    ]);
    await ask(
      "update reservation_lines l set wanted = 0, reserved = 0, picked = 0 from reservations r" +
        " where r.id = l.reservation_id and r.order_id = $1",
      [order],
    );
    const [whole] = await ask(
      "update orders set status = 'shipped', revision = revision + 1, history_rows = history_rows + 1," +
        " updated_at = $2 where id = $1 returning *",
      [order, now],
    );
    const hash = new Bun.CryptoHasher("sha256").update(`${tracking_number} ${status} ${now}`).digest("hex");
    await insert(ask, "tracking_events", "record_id source hash status occurred_at created_at", [
      [record?.["id"], "manual", hash, status, now, now],
    ]);
    const labels = await ask("select id, status, cost_cents, currency from labels where shipment_id = $1", [
      parcel?.["id"],
    ]);
    await ask(
      "update tracking_records set status = $2, occurred_at = $3, revision = revision + 1, updated_at = $3" +
        " where id = $1",
      [record?.["id"], status, now],
    );
    await insert(ask, "order_history", "order_id number event to_status actor_type actor_id actor_name created_at", [
      [order, whole?.["history_rows"], "ship", "shipped", "api_key", "key_1", "bench", now],
    ]);
    await tell(ask, [
      event("order.shipped", { object: "order", ...whole, lines, parcel }, now),
      event("shipment.tracking_updated", { object: "shipment", parcel, record, labels }, now),
      event("shipment.in_transit", { object: "shipment", parcel, record, labels }, now),
      ...taken.map((item) => event("inventory.updated", { object: "inventory_item", item }, now)),
    ]);
    return { tracking_number, status };
  });

const partsText = [
  "select * from order_lines where order_id = any($1::bigint[])",
  "select r.order_id, l.* from reservation_lines l join reservations r on r.id = l.reservation_id" +
    " where r.order_id = any($1::bigint[])",
  "select * from order_holds where order_id = any($1::bigint[]) and released_at is null",
  "select * from shipments where order_id = any($1::bigint[])",
  "select id, order_id from returns where order_id = any($1::bigint[])",
];

const partsOf = async (ask: Ask, orders: readonly Row[]) => {
  const ids = orders.map(({ id }) => id);
  const parts: Map<unknown, Row[]>[] = [];
  for (const text of partsText) parts.push(Map.groupBy(await ask(text, [ids]), ({ order_id }) => order_id));
  return orders.map((order) => ({ ...order, parts: parts.map((part) => part.get(order["id"]) ?? []) }));
};

const answer = (data: unknown) => ({ data, meta: { request_id: `req_${Bun.randomUUIDv7("hex")}` } });

const app = new Elysia()
  .post("/v1/orders", async ({ body, set }) => {
    set.status = 201;
    return answer(await placeOrder(body as never));
  })
  .post("/v1/inventory/reserve", async ({ body, set }) => {
    set.status = 201;
    return answer(await reserve(body as never));
  })
  .post("/v1/tracking/:number/events", async ({ params, body }) => answer(await scan(params.number, body as never)))
  .get("/v1/orders/:id", ({ params }) =>
    read(async (ask) => {
      const orders = await ask("select * from orders where id = $1", [number(params.id)]);
      return answer((await partsOf(ask, orders))[0]);
    }),
  )
  .get("/v1/orders", ({ query }) =>
    read(async (ask) => {
      const limit = Number(query["limit"] ?? 50);
      const orders = await ask("select * from orders order by created_at desc, id desc limit $1", [limit]);
      const [count] = await ask("select count(*) as n from orders", []);
      return { ...answer(await partsOf(ask, orders)), total: count?.["n"] };
    }),
  );

const server = Bun.serve({
  port: Number(port),
  hostname: "127.0.0.1",
  reusePort: false,
  fetch: (it) => app.handle(it),
});
console.log(`accepts requests at http://127.0.0.1:${server.port}`);
