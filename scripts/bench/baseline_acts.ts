// The acts of an order on the baseline: hand-written, with the same rows and events as the service.
import type { Database, Statement } from "bun:sqlite";

type Row = Record<string, number | string | null>;

/** A billable fact: its act, the row that caused it, and its other attributes. */
export interface Billed {
  readonly kind: string;
  readonly act: string;
  readonly unit: string;
  readonly quantity: number;
  /** The noun of the row, its id, and the id of its line. */
  readonly source: readonly [noun: string, id: number, line: number];
  readonly details: object;
  readonly warehouse_id: number;
}

/** What the baseline provides to its acts. */
interface Tools {
  readonly db: Database;
  readonly insert: (table: string, columns: string) => Statement;
  readonly tell: (type: string, data: object, now: number) => void;
  readonly ofStock: Statement;
  readonly bill: (billed: Billed, now: number) => void;
}

const who = ["api_key", "key_1"] as const;

const idOf = (row: unknown) => (row as { id: number }).id;

function readsAndChanges(db: Database) {
  const orderOf = db.prepare("select * from orders where id = ?");
  const linesOf = db.prepare("select * from order_lines where order_id = ?");
  const parcelsOf = db.prepare(
    "select s.*, l.order_line_id, l.quantity from shipments s join shipment_lines l on l.shipment_id = s.id" +
      " where s.order_id = ?",
  );
  const claimsOf = db.prepare(
    "select l.*, p.sku, a.id as allocation_id, i.id as item_id, i.warehouse_id, i.received_at from reservations r" +
      " join reservation_lines l on l.reservation_id = r.id join products p on p.id = l.product_id" +
      " left join allocations a on a.reservation_line_id = l.id left join stock_items i on i.id = a.stock_item_id" +
      " where r.order_id = ?",
  );
  const recordOf = db.prepare("select * from tracking_records where tracking_number = ?");
  const parcelOf = db.prepare("select * from shipments where id = ?");
  const labelOf = db.prepare("select * from labels where shipment_id = ?");
  const eventsOf = db.prepare("select * from tracking_events where record_id = ?");

  const saveOrder = db.prepare(
    "update orders set status = ?, revision = revision + ?, history_rows = history_rows + ?, updated_at = ?," +
      " processing_at = coalesce(processing_at, ?), fulfilled_at = coalesce(fulfilled_at, ?)," +
      " shipped_at = coalesce(shipped_at, ?), delivered_at = ? where id = ? returning history_rows as number",
  );
  const commitClaim = db.prepare("update reservations set status = 'committed' where order_id = ?");
  const giveUp = db.prepare("delete from allocations where id = ?");
  const takeOut = db.prepare(
    "update stock_items set on_hand = on_hand - ?, reserved = reserved - ?, updated_at = ? where id = ?" +
      " returning on_hand",
  );
  const saveClaim = db.prepare("update reservation_lines set wanted = ?, reserved = ?, picked = ? where id = ?");
  const countUp = (column: string) => db.prepare(`update order_lines set ${column} = quantity where order_id = ?`);
  const packed = countUp("quantity_packed");
  const shipped = countUp("quantity_shipped");
  const delivered = countUp("quantity_delivered");
  const sendParcel = db.prepare("update shipments set status = 'shipped', shipped_at = ? where id = ?");
  const endParcel = db.prepare("update shipments set status = 'delivered', delivered_at = ? where id = ?");
  const saveRecord = db.prepare(
    "update tracking_records set status = ?, event_status = ?, event_hash = ?, occurred_at = ?, message = ?," +
      " revision = revision + 1, updated_at = ? where id = ?",
  );
  return {
    orderOf,
    linesOf,
    parcelsOf,
    claimsOf,
    recordOf,
    parcelOf,
    labelOf,
    eventsOf,
    saveOrder,
    commitClaim,
    giveUp,
    takeOut,
    saveClaim,
    packed,
    shipped,
    delivered,
    sendParcel,
    endParcel,
    saveRecord,
  };
}

function additions({ db, insert }: Tools) {
  const newBin = db.prepare(
    "insert into bins (warehouse_id, code, kind, pick_order) values (?, ?, 'staging', 0)" +
      " on conflict (warehouse_id, code) do update set kind = 'staging' returning id",
  );
  const newItem = db.prepare(
    "insert into stock_items (product_id, warehouse_id, bin_id, on_hand, reserved, received_at, updated_at," +
      " merchant_id) values (?,?,?,?,?,?,?,1) on conflict (product_id, bin_id) where lot_id is null" +
      " do update set on_hand = on_hand + excluded.on_hand returning id",
  );
  const newMovement = insert(
    "movements",
    "product_id type quantity from_item_id to_item_id to_place from_balance to_balance reason reference_type" +
      " reference_id confirmed actor_type actor_id created_at",
  );
  const newAllocation = insert("allocations", "reservation_line_id stock_item_id quantity");
  const newShipment = insert("shipments", "order_id status created_at shipped_at");
  const newParcelLine = insert("shipment_lines", "shipment_id order_line_id quantity");
  const newHistory = db.prepare(
    "insert into order_history (order_id, number, event, from_status, to_status, actor_type, actor_id, actor_name," +
      " created_at) values (?,?,?,?,?,?,?,?,?) on conflict do nothing",
  );
  const newEvent = db.prepare(
    "insert into tracking_events (record_id, source, hash, status, message, occurred_at, created_at)" +
      " values (?,?,?,?,?,?,?) on conflict do nothing",
  );
  return { newBin, newItem, newMovement, newAllocation, newShipment, newParcelLine, newHistory, newEvent };
}

type Made = ReturnType<typeof readsAndChanges> & ReturnType<typeof additions> & Tools;

/** The acts. Each handles all three lines of an order, or records one scan of its parcel. */
export function baselineActs(tools: Tools) {
  const made: Made = { ...readsAndChanges(tools.db), ...additions(tools), ...tools };
  return {
    pick: (id: number) => pick(made, id),
    pack: (id: number) => pack(made, id),
    ship: (id: number) => ship(made, id),
    scan: (tracking_number: string, body: Scan) => scan(made, tracking_number, body),
  };
}

interface Scan {
  readonly status: string;
  readonly message: string;
}

function write(made: Made, id: number, status: string, entries: readonly string[], now: number) {
  const done = (reached: string) => (status === reached ? now : null);
  const count = entries.length;
  const at = [done("processing"), done("fulfilled"), done("shipped"), done("delivered")];
  const { number } = made.saveOrder.get(status, count, count, now, ...at, id) as { number: number };
  for (const [place, event] of entries.entries()) {
    made.newHistory.run(id, number - count + 1 + place, event, status, status, ...who, "bench", now);
  }
}

function viewOf(made: Made, id: number, rows: { readonly lines: Row[]; readonly claims: Row[] }) {
  return {
    ...(made.orderOf.get(id) as Row),
    ...rows,
    parcels: made.parcelsOf.all(id),
  };
}

const picked = { kind: "pick", act: "order.pick", unit: "unit" };
const packing = { kind: "pack", act: "order.pack", unit: "unit" };

function pick(made: Made, id: number) {
  const now = Date.now();
  const lines = made.linesOf.all(id) as Row[];
  const claims = made.claimsOf.all(id) as Row[];
  made.commitClaim.run(id);
  const bin = idOf(made.newBin.get(claims[0]?.["warehouse_id"] ?? 1, `STAGING-ord_${id}`));
  for (const claim of claims) {
    const { id: claimed = 0, product_id = 0, quantity = 0, item_id = 0 } = claim;
    made.giveUp.run(claim["allocation_id"] ?? 0);
    const { on_hand } = made.takeOut.get(quantity, quantity, now, item_id) as { on_hand: number };
    const place = [product_id, claim["warehouse_id"] ?? 1, bin] as const;
    const item = idOf(made.newItem.get(...place, quantity, quantity, claim["received_at"] ?? now, now));
    const moved = [product_id, "transfer", quantity, item_id, item, null, on_hand, quantity] as const;
    made.newMovement.get(...moved, "picked", "order", `ord_${id}`, 1, ...who, now);
    made.newAllocation.get(claimed, item, quantity);
    made.saveClaim.run(quantity, quantity, quantity, claimed);
    const source = ["order", id, Number(claim["order_line_id"])] as const;
    const details = { order_id: `ord_${id}`, sku: claim["sku"], skus_of_order: claims.length, unit_weight: null };
    const warehouse_id = Number(claim["warehouse_id"] ?? 1);
    made.bill({ ...picked, quantity: Number(quantity), source, details, warehouse_id }, now);
  }
  write(made, id, "processing", ["process", "pick"], now);
  return viewOf(made, id, { lines, claims });
}

function pack(made: Made, id: number) {
  const now = Date.now();
  made.packed.run(id);
  const claims = made.claimsOf.all(id) as Row[];
  write(made, id, "fulfilled", ["pack"], now);
  const view = viewOf(made, id, { lines: made.linesOf.all(id) as Row[], claims });
  made.tell("order.fulfilled", { object: "order", ...view }, now);
  const units = claims.reduce((sum, { quantity }) => sum + Number(quantity), 0);
  const details = { order_id: `ord_${id}`, parcels: 1, skus: claims.length };
  const warehouse_id = Number(claims[0]?.["warehouse_id"] ?? 1);
  made.bill({ ...packing, quantity: units, source: ["order", id, 0], details, warehouse_id }, now);
  return view;
}

/** Takes an order's picked units out of stock, and writes the events of the order and of each SKU. */
function leave(made: Made, id: number, now: number) {
  const claims = made.claimsOf.all(id) as Row[];
  for (const { id: claimed = 0, product_id = 0, quantity = 0, item_id = 0, allocation_id = 0 } of claims) {
    made.giveUp.run(allocation_id);
    const { on_hand } = made.takeOut.get(quantity, quantity, now, item_id) as { on_hand: number };
    const moved = [product_id, "sale", quantity, item_id, null, "customer", on_hand, null] as const;
    made.newMovement.get(...moved, "shipped", "order", `ord_${id}`, 1, ...who, now);
    made.saveClaim.run(0, 0, 0, claimed);
  }
  made.shipped.run(id);
  write(made, id, "shipped", ["ship"], now);
  const view = viewOf(made, id, { lines: made.linesOf.all(id) as Row[], claims });
  made.tell("order.shipped", { object: "order", ...view }, now);
  for (const { product_id = 0, sku } of claims) {
    made.tell("inventory.updated", { object: "inventory_item", sku, stock: made.ofStock.all(product_id) }, now);
  }
  return view;
}

function ship(made: Made, id: number) {
  const now = Date.now();
  const parcel = idOf(made.newShipment.get(id, "shipped", now, now));
  for (const line of made.linesOf.all(id) as Row[])
    made.newParcelLine.get(parcel, line["id"] ?? 0, line["quantity"] ?? 0);
  return leave(made, id, now);
}

/** Records a scan. The first one ships the parcel, a delivery scan completes it. */
function scan(made: Made, tracking_number: string, { status, message }: Scan) {
  const now = Date.now();
  const record = made.recordOf.get(tracking_number) as Row;
  const hash = new Bun.CryptoHasher("sha256").update(`${tracking_number} ${status} ${now}`).digest("hex");
  made.newEvent.run(record["id"] ?? 0, "manual", hash, status, message, now, now);
  const parcel = made.parcelOf.get(record["shipment_id"] ?? 0) as Row;
  const id = Number(parcel["order_id"]);
  if (status === "delivered") {
    made.endParcel.run(now, parcel["id"] ?? 0);
    made.delivered.run(id);
    write(made, id, "delivered", ["deliver"], now);
    const view = viewOf(made, id, { lines: made.linesOf.all(id) as Row[], claims: [] });
    made.tell("order.delivered", { object: "order", ...view }, now);
  } else {
    made.sendParcel.run(now, parcel["id"] ?? 0);
    leave(made, id, now);
  }
  made.saveRecord.run(status, status, hash, now, message, now, record["id"] ?? 0);
  const { drawing: _drawing, ...label } = made.labelOf.get(parcel["id"] ?? 0) as Row;
  const data = { object: "shipment", parcel, label, record };
  made.tell("shipment.tracking_updated", data, now);
  made.tell(`shipment.${status}`, data, now);
  return { ...record, status, events: made.eventsOf.all(record["id"] ?? 0) };
}
