// The baseline of a benchmark: a bare Elysia route for each request, which handles the same rows with hand-written
// bun:sqlite statements and group commit on a database of the same schema. It validates nothing. A label is drawn by
// the service's own code, since every seller of labels has to draw them.
import { Database } from "bun:sqlite";
import { Elysia } from "elysia";
import { drawLabel } from "../../src/shipping/labels/draw_label.ts";
import { quote_lifetime_ms } from "../../src/shipping/rates/quote.ts";
import { type Billed, baselineActs } from "./baseline_acts.ts";
import { isOwned } from "./owned_tables.ts";

type Row = Record<string, number | string | null>;
interface Line {
  readonly sku: string;
  readonly quantity: number;
  readonly unit_price: string;
}

const [path = "", port = "0"] = process.argv.slice(2);
const db = new Database(path, { strict: true });
for (const pragma of [
  "busy_timeout=5000",
  "journal_mode=wal",
  "synchronous=full",
  "wal_autocheckpoint=4000",
  "foreign_keys=on",
  "temp_store=memory",
  "cache_size=-65536",
]) {
  db.run(`pragma ${pragma}`);
}

const insert = (table: string, columns: string) => {
  const names = columns.split(" ");
  const marks = names.map(() => "?");
  // Every row that the baseline writes belongs to the first merchant.
  if (isOwned(table)) {
    names.push("merchant_id");
    marks.push("1");
  }
  return db.prepare(`insert into ${table} (${names}) values (${marks}) returning id`);
};
const ofCustomer = db.prepare(
  "select c.id, c.email, c.company, a.id as address_id, a.name, a.address_line1, a.city, a.state, a.postal_code," +
    " a.country from customers c join addresses a on a.customer_id = c.id where c.id = ? and a.id = ?",
);
const ofSku = db.prepare("select * from products where sku = ?");
const ofStock = db.prepare(
  "select s.*, b.code, b.kind, w.name as warehouse from stock_items s join bins b on b.id = s.bin_id" +
    " join warehouses w on w.id = s.warehouse_id where s.product_id = ? and s.on_hand > 0 order by s.id",
);
const take = db.prepare(
  "update stock_items set reserved = reserved + ?, updated_at = ? where id = ? and on_hand - reserved >= ?" +
    " returning reserved",
);
const put = db.prepare(
  "update stock_items set on_hand = on_hand + ?, updated_at = ? where id = ? returning on_hand, reserved",
);
const newMovement = insert(
  "movements",
  "product_id type quantity to_item_id to_balance reason confirmed actor_type actor_id created_at",
);
const newOrder = insert(
  "orders",
  "order_number status held customer_id customer_email customer_name shipping_address_id shipping_address" +
    " requires_cold_storage priority allow_backorder subtotal_cents shipping_amount_cents currency source_platform" +
    " metadata revision created_at updated_at",
);
const newLine = insert(
  "order_lines",
  "order_id product_id sku name quantity unit_price_cents quantity_packed quantity_shipped quantity_delivered" +
    " quantity_returned quantity_cancelled",
);
const newHistory = insert("order_history", "order_id number event to_status actor_type actor_id actor_name created_at");
const newReservation = insert(
  "reservations",
  "order_id order_ref source status priority paused requires_cold_storage expires_at created_at",
);
const newClaim = insert("reservation_lines", "reservation_id product_id order_line_id quantity wanted reserved picked");
const newAllocation = insert("allocations", "reservation_line_id stock_item_id quantity");
const newEvent = db.prepare(
  "insert into events (id, type, body, created_at, merchant_id) values (?,?,cast(? as blob),?,1)",
);
const newShipment = insert("shipments", "order_id status carrier service tracking_number created_at");
const newParcelLine = insert("shipment_lines", "shipment_id order_line_id quantity");
const newLabel = insert(
  "labels",
  "shipment_id order_id status carrier service tracking_number cost_cents currency package from_address" +
    " to_address drawing warnings fingerprint created_at",
);
const newRecord = insert(
  "tracking_records",
  "tracking_number carrier shipment_id status revision created_at updated_at",
);
const touch = db.prepare(
  "update orders set revision = revision + 1, history_rows = history_rows + 1, updated_at = ? where id = ?" +
    " returning history_rows as number",
);
const order = db.prepare("select * from orders where id = ?");
const lines = db.prepare("select * from order_lines where order_id = ?");
const claims = db.prepare(
  "select l.* from reservation_lines l join reservations r on r.id = l.reservation_id where r.order_id = ?",
);
const holds = db.prepare("select * from order_holds where order_id = ? and released_at is null");
const parcels = db.prepare("select * from shipments where order_id = ?");
const returned = db.prepare("select id from returns where order_id = ?");
const page = db.prepare("select * from orders order by created_at desc, id desc limit ?");
const inIds = (query: string) => db.prepare(query.replace("$ids", "(select value from json_each(?))"));
const pageLines = inIds("select * from order_lines where order_id in $ids");
const pageClaims = inIds(
  "select r.order_id, l.* from reservation_lines l join reservations r on r.id = l.reservation_id" +
    " where r.order_id in $ids",
);
const pageHolds = inIds("select * from order_holds where order_id in $ids and released_at is null");
const pageParcels = inIds("select * from shipments where order_id in $ids");
const pageReturns = inIds("select id, order_id from returns where order_id in $ids");

const skuPage = db.prepare("select * from products order by sku limit ?");
const skuStock = inIds(
  "select s.*, b.code, b.kind, z.temperature_zone, w.name, l.lot_number, l.status, l.expires_on" +
    " from stock_items s join bins b on b.id = s.bin_id left join zones z on z.id = b.zone_id" +
    " join warehouses w on w.id = s.warehouse_id left join lots l on l.id = s.lot_id" +
    " where s.on_hand > 0 and s.product_id in $ids",
);
const skuDemand = inIds(
  "select product_id, sum(wanted - reserved) as waits from reservation_lines where reserved < wanted" +
    " and product_id in $ids group by product_id",
);

const count = db.prepare("select count(*) as n from orders");
const skuCount = db.prepare("select count(*) as n from products");
const idOf = (row: unknown) => (row as { id: number }).id;
const eventId = () => `evt_${Bun.randomUUIDv7("hex").replaceAll("-", "")}`;
const number = (id: string) => Number(id.replace(/^\D+/, ""));

function tell(type: string, data: object, now: number): void {
  const id = eventId();
  newEvent.run(id, type, JSON.stringify({ id, type, created_at: new Date(now).toISOString(), data }), now);
}

const newFact = insert(
  "billable_events",
  "warehouse_id kind act occurred_at business_date quantity unit source_type source_id source_line source_revision" +
    " attributes",
);

// When orders run out, the baseline starts again from the first. The billable fact of an act is written once.
let billed = 0;

function bill({ kind, act, unit, quantity, source, details, warehouse_id }: Billed, now: number): void {
  const day = new Date(now).toISOString().slice(0, 10);
  billed += 1;
  newFact.get(warehouse_id, kind, act, now, day, quantity, unit, ...source, billed, JSON.stringify(details));
}

/** Reserves the units of one SKU from its first stock item that has them. */
function takeStock(line: Line, claim: number, order_line: number | null, now: number) {
  const product = ofSku.get(line.sku) as Row;
  const stock = ofStock.all(product["id"] as number) as Row[];
  const item = stock.find((row) => Number(row["on_hand"]) - Number(row["reserved"]) >= line.quantity) as Row;
  take.get(line.quantity, now, item["id"] as number, line.quantity);
  const claimed = idOf(
    newClaim.get(claim, product["id"] as number, order_line, line.quantity, line.quantity, line.quantity, 0),
  );
  newAllocation.get(claimed, item["id"] as number, line.quantity);
  return { product, stock };
}

function placeOrder(body: {
  order_number: string;
  customer_id: string;
  shipping_address_id: string;
  line_items: Line[];
}) {
  const now = Date.now();
  const who = ofCustomer.get(number(body.customer_id), number(body.shipping_address_id)) as Row;
  const cents = body.line_items.reduce(
    (sum, line) => sum + Math.round(Number(line.unit_price) * 100) * line.quantity,
    0,
  );
  const address = JSON.stringify(who);
  const fixed = [body.order_number, "pending", 0, who["id"], who["email"], who["company"], who["address_id"], address];
  const id = idOf(newOrder.get(...(fixed as never[]), 0, 0, 1, cents, 0, "USD", "api", "{}", 1, now, now));
  const claim = idOf(newReservation.get(id, body.order_number, "api", "reserved", 0, 0, 0, null, now));
  const items = body.line_items.map((line) => {
    const product = ofSku.get(line.sku) as Row;
    const price = Math.round(Number(line.unit_price) * 100);
    const facts = [id, product["id"], line.sku, product["name"], line.quantity, price] as never[];
    const order_line = idOf(newLine.get(...facts, 0, 0, 0, 0, 0));
    return { order_line, ...takeStock(line, claim, order_line, now) };
  });
  newHistory.get(id, 1, "created", "pending", "api_key", "key_1", "bench", now);
  const view = {
    id: `ord_${id}`,
    order_number: body.order_number,
    status: "pending",
    created_at: new Date(now),
    who,
    items,
  };
  tell("order.created", { object: "order", ...view }, now);
  for (const { product, stock } of items) tell("inventory.updated", { object: "inventory_item", product, stock }, now);
  return view;
}

function reserve(body: { order_id: string; items: Line[] }) {
  const now = Date.now();
  const claim = idOf(newReservation.get(null, body.order_id, "api", "reserved", 0, 0, 0, now + 86_400_000, now));
  const items = body.items.map((line) => takeStock(line, claim, null, now));
  for (const { product, stock } of items) tell("inventory.updated", { object: "inventory_item", product, stock }, now);
  return { reservation_id: `rsv_${claim}`, order_id: body.order_id, items };
}

function adjust(sku: string, body: { adjustment: number; reason: string }) {
  const now = Date.now();
  const product = ofSku.get(sku) as Row;
  const stock = ofStock.all(product["id"] as number) as Row[];
  const item = (stock[0] as Row)["id"] as number;
  const after = put.get(body.adjustment, now, item) as Row;
  const on_hand = after["on_hand"] as number;
  const whose = [1, "api_key", "key_1", now] as const;
  const moved = newMovement.get(
    product["id"] as number,
    "adjustment",
    body.adjustment,
    item,
    on_hand,
    body.reason,
    ...whose,
  );
  tell("inventory.updated", { object: "inventory_item", product, stock }, now);
  return { sku, previous_quantity: on_hand - body.adjustment, new_quantity: on_hand, movement_id: idOf(moved) };
}

function listStock(limit: number) {
  const found = skuPage.all(limit) as Row[];
  const ids = JSON.stringify(found.map((row) => row["id"]));
  const [stock, demand] = [skuStock, skuDemand].map((part) => {
    return Map.groupBy(part.all(ids) as Row[], (row) => row["product_id"]);
  });
  const { n: total } = skuCount.get() as { n: number };
  const views = found.map((row) => ({
    ...row,
    stock: stock?.get(row["id"]) ?? [],
    waits: demand?.get(row["id"]) ?? 0,
  }));
  return { ...answer(views), total };
}

function buyLabel(body: { order_id: string; carrier: string; service: string; package: object }) {
  const now = Date.now();
  const id = number(body.order_id);
  const of = order.get(id) as Row;
  const tracking = `FL${Bun.randomUUIDv7("hex").replaceAll("-", "").slice(-14).toUpperCase()}`;
  const parcel = idOf(newShipment.get(id, "pending", body.carrier, body.service, tracking, now));
  for (const line of lines.all(id) as Row[])
    newParcelLine.get(parcel, line["id"] as number, line["quantity"] as number);
  const to = of["shipping_address"] as string;
  const facts = [parcel, id, "completed", body.carrier, body.service, tracking, 795, "USD"] as never[];
  const [place] = places.all() as Row[];
  const { drawing, warnings } = drawLabel({
    ...{ carrier: "Simulated carrier", service: body.service, weight: "2 lb", parcel: "1 of 1", qr_text: null },
    ...{ sender: JSON.parse(place?.["address"] as string), recipient: JSON.parse(to), tracking_number: tracking },
    ...{ order_number: of["order_number"] as string, date: new Date(now).toISOString().slice(0, 10), test: true },
  });
  const printed = [Buffer.from(JSON.stringify(drawing)), JSON.stringify(warnings)];
  const drawn = [JSON.stringify(body.package), to, to, ...printed] as never[];
  const label = idOf(newLabel.get(...facts, ...drawn, tracking, now));
  newRecord.get(tracking, body.carrier, parcel, "pending", 1, now, now);
  const { number: entry } = touch.get(now, id) as Row;
  newHistory.get(id, entry as number, "label", "pending", "api_key", "key_1", "bench", now);
  const view = {
    label_id: `lbl_${label}`,
    tracking_number: tracking,
    carrier: body.carrier,
    cost: 7.95,
    created_at: now,
  };
  tell("shipment.created", { object: "shipment", ...view, to }, now);
  const warehouse_id = Number(place?.["id"]);
  const sold = { kind: "label", act: "label.buy", unit: "label", quantity: 1 };
  bill({ ...sold, source: ["label", label, 0], details: view, warehouse_id }, now);
  return view;
}
const places = db.prepare("select * from warehouses order by priority, id");
const cards = db.prepare(
  "select c.id, c.revision, z.revision as zones, h.revision as holidays from rate_cards c" +
    " left join zone_systems z on z.name = c.zone_system left join holiday_sets h on h.carrier = c.holidays" +
    " where c.active and (c.effective_from is null or c.effective_from <= ?)" +
    " and (c.effective_to is null or c.effective_to > ?) order by c.id",
);

const newQuotes = db.prepare("insert into rate_quotes (id, content, expires_at) values (?,cast(? as blob),?)");

function askRates() {
  const now = Date.now();
  const [place] = places.all() as Row[];
  const rates = (cards.all(now, now) as Row[]).map((card) => ({
    ...{ carrier: "sim", service: card["id"], rate: 9.95, currency: "USD", billable_weight: 3 },
    ...{ breakdown: [{ code: "base", amount: 9.95 }], zone: "8", delivery_days: 4 },
    delivery_date: new Date(now),
  }));
  const id = `quo_${Bun.randomUUIDv7("hex").replaceAll("-", "")}`;
  newQuotes.run(id, JSON.stringify({ from: place?.["timezone"], offers: rates }), now + quote_lifetime_ms);
  return { rates: rates.map((rate, at) => ({ quote_id: `${id}_${at}`, ...rate })), messages: [] };
}

const queue: { work: () => unknown; done: (value: unknown) => void }[] = [];
const begin = db.prepare("begin immediate");
const commit = db.prepare("commit");
const save = db.prepare("savepoint part");
const release = db.prepare("release part");
let writing = false;

/**
 * Group commit: pending work runs in one transaction, each part in its own savepoint, and is answered after the commit.
 */
function flush(): void {
  const batch = queue.splice(0, 64);
  begin.run();
  const answers = batch.map(({ work }) => {
    save.run();
    const value = work();
    release.run();
    return value;
  });
  commit.run();
  batch.forEach(({ done }, index) => {
    done(answers[index]);
  });
  if (queue.length > 0) setImmediate(flush);
  else writing = false;
}

const write = <T>(work: () => T): Promise<T> =>
  new Promise((resolve) => {
    queue.push({ work, done: resolve as (value: unknown) => void });
    if (writing) return;
    writing = true;
    setImmediate(flush);
  });
const answer = (data: unknown) => ({
  success: true,
  data,
  meta: { timestamp: new Date().toISOString(), version: "v1" },
});

const acts = baselineActs({ db, insert, tell, ofStock, bill });

const app = new Elysia()
  .post("/v1/orders", async ({ body, set }) => {
    set.status = 201;
    return answer(await write(() => placeOrder(body as never)));
  })
  .post("/v1/inventory/reserve", async ({ body, set }) => {
    set.status = 201;
    return answer(await write(() => reserve(body as never)));
  })
  .patch("/v1/inventory/:sku", async ({ params, body }) => answer(await write(() => adjust(params.sku, body as never))))
  .get("/v1/inventory", ({ query }) => listStock(Number(query["limit"] ?? 50)))
  .post("/v1/shipping/rates", async () => answer(await write(askRates)))
  .post("/v1/shipping/labels", async ({ body, set }) => {
    set.status = 201;
    return answer(await write(() => buyLabel(body as never)));
  })
  .post("/v1/orders/:id/pick", async ({ params }) => answer(await write(() => acts.pick(number(params.id)))))
  .post("/v1/orders/:id/pack", async ({ params }) => answer(await write(() => acts.pack(number(params.id)))))
  .post("/v1/orders/:id/ship", async ({ params }) => answer(await write(() => acts.ship(number(params.id)))))
  .post("/v1/tracking/:number/events", async ({ params, body, set }) => {
    set.status = 201;
    return answer(await write(() => acts.scan(params.number, body as never)));
  })
  .get("/v1/orders/:id", ({ params }) => {
    const id = number(params.id);
    const parts = { lines: lines.all(id), claims: claims.all(id), holds: holds.all(id), parcels: parcels.all(id) };
    return answer({ ...(order.get(id) as Row), ...parts, returns: returned.all(id) });
  })
  .get("/v1/orders", ({ query }) => {
    const found = page.all(Number(query["limit"] ?? 50)) as Row[];
    const ids = JSON.stringify(found.map((row) => row["id"]));
    const parts = [pageLines, pageClaims, pageHolds, pageParcels, pageReturns].map((part) => {
      return Map.groupBy(part.all(ids) as Row[], (row) => row["order_id"]);
    });
    const { n: total } = count.get() as { n: number };
    return {
      ...answer(found.map((row) => ({ ...row, parts: parts.map((part) => part.get(row["id"] as number) ?? []) }))),
      total,
    };
  });

const server = Bun.serve({
  port: Number(port),
  hostname: "127.0.0.1",
  reusePort: false,
  fetch: (it) => app.handle(it),
});
console.log(`accepts requests at http://127.0.0.1:${server.port}`);
