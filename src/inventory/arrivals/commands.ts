import type { Tx } from "../../database/store.ts";
import type { Actor } from "../../kit/actor.ts";
import { assert } from "../../kit/assert.ts";
import { iso, isoOrNull, momentOf } from "../../kit/clock.ts";
import { Fault, invalid, missing } from "../../kit/fault.ts";
import { wireId } from "../../kit/ids.ts";
import { readCents } from "../../kit/money.ts";
import { emit } from "../../outbox/emit.ts";
import { displacePromises, fillBackorders, freshShelves, type Shortfall } from "../backorders/commands.ts";
import { moveUnits, type OpenShelf, type Shelves, shelfOf, shelfView, stockEvent } from "../shelves/commands.ts";
import type { AdjustmentReason } from "../status.ts";
import { pickAdjusted, refuseBundle } from "../stock/rules.ts";
import type { AddStock, AdjustStock } from "../stock/schemas.ts";
import { type BinSpot, binSpot, type Lot, lotSpot, type Spot, type StockedProduct } from "../stock/shelf.ts";
import { findLot, findLotById, findStockedIds, insertLot, type Posting } from "../stock/store.ts";
import { binFor, waitingSpot } from "../warehouses/commands.ts";
import { findWarehouse, listPlainWarehouses, shareWarehouse } from "../warehouses/store.ts";
import type { ZonedWarehouse } from "../warehouses/warehouse.ts";

const on_hand_max = 1_000_000_000;

/**
 * Takes units of a SKU into a warehouse; whoever waits for them gets them at once. Answers the stock as it is then.
 * Refuses: resource_missing, validation_failed, bin_full.
 * Emits: inventory.received, inventory.updated, inventory.low_stock.
 */
export async function addStock(tx: Tx, input: AddStock, actor: Actor) {
  const { sku, reason = "received", reference, unit_cost } = input;
  const shelves = await openSku(tx, sku);
  const shelf = onlyShelf(shelves, sku);
  refuseBundle(shelf.product);
  const warehouse = await shareWarehouse(tx, await warehouseNamed(tx, input.location, "location"));
  const received = await takeIn(tx, shelf, {
    ...input,
    warehouse,
    expiration_date: momentOf(input.expiration_date) ?? null,
    received_date: momentOf(input.received_date) ?? tx.now,
    kind: null,
    reason,
    reference: reference === undefined ? null : { type: "reference", id: reference },
    unit_cost_cents: unit_cost === undefined ? null : readCents(unit_cost),
    actor,
  });
  await fillBackorders(tx, shelves, [shelf.product.id]);
  await emit(tx, [stockEvent(tx, "inventory.received", shelf, { received })]);
  return { ...shelfView(tx, shelf), received };
}

/** Units of one SKU that come into a warehouse from outside; moments in milliseconds. */
export interface Arrival {
  readonly warehouse: ZonedWarehouse;
  readonly quantity: number;
  /** The bin named; without one, the usual bin for such goods. */
  readonly bin?: string | undefined;
  /** The kind of bin for units that are not for sale; null for goods as they should be. */
  readonly kind: "damage" | "quarantine" | null;
  readonly lot_number?: string | undefined;
  readonly expiration_date: number | null;
  readonly received_date: number;
  readonly reason: AdjustmentReason;
  readonly notes?: string | undefined;
  readonly reference: Posting["reference"];
  readonly unit_cost_cents?: number | null | undefined;
  readonly actor: Actor;
}

/**
 * Puts units that arrived on an open shelf; their lot is made when it is new. Whoever waits for them is not served yet.
 * Answers what was received as the API shows it. Refuses: validation_failed, bin_full.
 */
export async function takeIn(tx: Tx, shelf: OpenShelf, arrival: Arrival) {
  const { warehouse, quantity, received_date, reason, notes, reference, unit_cost_cents, actor } = arrival;
  if (received_date > tx.now) throw invalid("received_date", "lies in the future");
  const { product } = shelf;
  const lot = await lotFor(tx, product, arrival);
  const place = await arrivalSpot(tx, product, arrival);
  const spot = { product_id: product.id, ...place, ...lotSpot(lot), received_at: received_date };
  refuseTooMuch(shelf, spot, quantity, "quantity");
  const posting = { type: "receipt", quantity, from: null, to: spot, to_place: null, promised: false } as const;
  const told = { reason, notes, reference, unit_cost_cents, confirmed: true, actor };
  const { id: movement_id } = await moveUnits(tx, shelf, { ...posting, ...told });
  if (lot?.status === "available" && lot.expiration_date !== null)
    tx.wake("inventory.expire_lots", lot.expiration_date);
  return {
    movement_id: wireId("movement", movement_id),
    quantity,
    warehouse_id: wireId("warehouse", warehouse.id),
    location: spot.bin,
    lot_number: lot?.lot_number ?? null,
    expiration_date: isoOrNull(lot?.expiration_date ?? null),
    received_date: iso(received_date),
    reason,
    reference: reference?.id ?? null,
  };
}

async function arrivalSpot(tx: Tx, product: StockedProduct, arrival: Arrival): Promise<BinSpot> {
  const { warehouse, bin: code, kind, quantity } = arrival;
  if (kind !== null && code === undefined) return waitingSpot(tx, warehouse.id, kind);
  const bin = await binFor(tx, warehouse, product, code, quantity);
  if (kind !== null && bin.kind !== kind) throw invalid("bin", `is no ${kind} bin; without one the usual is taken`);
  return binSpot(warehouse, bin);
}

async function openSku(tx: Tx, sku: string): Promise<Shelves> {
  const id = (await findStockedIds(tx, [sku])).get(sku);
  if (id === undefined) {
    throw new Fault("resource_missing", `No such SKU: ${sku}.`, {
      fields: [{ field: "sku", code: "resource_missing", message: "names no product" }],
    });
  }
  return freshShelves(tx, [id]);
}

function onlyShelf(shelves: Shelves, sku: string): OpenShelf {
  const shelf = [...shelves.values()].find(({ product }) => product.sku === sku);
  assert(shelf, `the shelf of ${sku} is open`);
  return shelf;
}

/**
 * The id of the warehouse that a field of a request names, or of the only one there is.
 * Refuses: resource_missing, validation_failed.
 */
export async function warehouseNamed(tx: Tx, location: string | number | undefined, field: string): Promise<number> {
  if (location === undefined) {
    const [first, second] = await listPlainWarehouses(tx);
    if (first === undefined || second !== undefined) {
      throw invalid(field, "is required: there are several warehouses", "required");
    }
    return first.id;
  }
  const found = await findWarehouse(tx, location);
  if (found !== null) return found.id;
  throw new Fault("resource_missing", `No such warehouse: ${location}.`, {
    fields: [{ field, code: "resource_missing", message: "names no warehouse" }],
  });
}

/**
 * The lot that units come in with: the one of that number, or a new one; null for goods without lots.
 * Refuses: validation_failed.
 */
export async function lotFor(
  tx: Tx,
  product: StockedProduct,
  arrival: Pick<Arrival, "lot_number" | "expiration_date" | "received_date">,
): Promise<Lot | null> {
  const { lot_number, expiration_date, received_date } = arrival;
  if (lot_number === undefined) {
    if (product.lot_tracking) throw invalid("lot_number", `is required: ${product.sku} tracks lots`, "required");
    if (expiration_date !== null) throw invalid("lot_number", "is required: a lot carries the expiry", "required");
    return null;
  }
  const known = await findLot(tx, product.id, lot_number);
  if (known !== null) {
    if (expiration_date === null || expiration_date === known.expiration_date) return known;
    throw invalid("expiration_date", `is not that of lot ${lot_number}: ${isoOrNull(known.expiration_date) ?? "none"}`);
  }
  if (product.expiration_tracking && expiration_date === null) {
    throw invalid("expiration_date", `is required: ${product.sku} tracks expiry`, "required");
  }
  const status = expiration_date !== null && expiration_date <= tx.now ? "expired" : "available";
  return insertLot(tx, { product_id: product.id, lot_number, received_date, expiration_date, status });
}

/** Refuses: validation_failed, for more units in one bin than are counted. */
export function refuseTooMuch({ items }: OpenShelf, spot: Spot, quantity: number, field: string): void {
  const there = items.find((item) => item.bin_id === spot.bin_id && item.lot_id === spot.lot_id)?.on_hand ?? 0;
  if (there + quantity > on_hand_max) throw invalid(field, `would make more than ${on_hand_max} units in one bin`);
}

/**
 * Corrects what is on hand of a SKU in one bin and lot. Promised units that vanish are promised from other stock; where
 * there is none, `allow_shortfall` puts the least urgent and youngest orders into backorder.
 * Refuses: resource_missing, validation_failed, ambiguous_stock, quantity_conflict, insufficient_inventory,
 * would_break_reservations. Emits: inventory.updated, inventory.low_stock.
 */
export async function adjustStock(tx: Tx, sku: string, input: AdjustStock, actor: Actor) {
  const { adjustment, reason, notes, expected_quantity } = input;
  if (reason === "other" && !notes?.trim()) throw invalid("notes", "are required for the reason other", "required");
  const id = (await findStockedIds(tx, [sku])).get(sku);
  if (id === undefined) throw missing("SKU", sku);
  const shelves = await freshShelves(tx, [id]);
  const shelf = shelfOf(shelves, id);
  refuseBundle(shelf.product);
  const warehouse_id = await adjustedWarehouse(tx, shelf, input.location);
  const inside = shelf.items.filter((item) => item.warehouse_id === warehouse_id && item.on_hand > 0);
  const previous_quantity = inside.reduce((sum, item) => sum + item.on_hand, 0);
  if (expected_quantity !== undefined && expected_quantity !== previous_quantity) {
    throw new Fault("quantity_conflict", `${sku} has ${previous_quantity} on hand, not ${expected_quantity}.`, {
      expected_quantity,
      current_quantity: previous_quantity,
    });
  }
  const item = pickAdjusted(inside, input, sku);
  const spot = item ?? (await newSpot(tx, shelf, warehouse_id, input));
  let shortfalls: Shortfall[] = [];
  if (item !== null && adjustment < 0) {
    const lost = Math.max(0, item.reserved - (item.on_hand + adjustment));
    shortfalls = await displacePromises(tx, shelves, shelf, item, lost);
    if (shortfalls.length > 0 && !input.allow_shortfall) throw brokenPromises(sku, shortfalls);
  } else refuseTooMuch(shelf, spot, adjustment, "adjustment");
  const { id: movement_id } = await moveUnits(tx, shelf, {
    type: "adjustment",
    quantity: Math.abs(adjustment),
    from: adjustment < 0 ? item : null,
    to: adjustment > 0 ? spot : null,
    to_place: adjustment < 0 ? "write_off" : null,
    promised: false,
    reason,
    notes,
    reference: null,
    confirmed: true,
    actor,
  });
  await fillBackorders(tx, shelves, [id]);
  return {
    sku,
    previous_quantity,
    adjustment,
    new_quantity: previous_quantity + adjustment,
    reason,
    notes: notes ?? null,
    location: wireId("warehouse", warehouse_id),
    bin: spot.bin,
    lot_number: spot.lot_number,
    movement_id: wireId("movement", movement_id),
    backordered_orders: shortfallsView(shortfalls),
    adjusted_at: iso(tx.now),
    adjusted_by: actor.id,
  };
}

/** The warehouse that is adjusted: the one named, or the only one where the SKU lies, or the only one there is. */
async function adjustedWarehouse(tx: Tx, { items }: OpenShelf, location: string | number | undefined): Promise<number> {
  const [first, ...others] = new Set(
    items.filter((item) => item.on_hand > 0 && item.bin_kind !== "staging").map((item) => item.warehouse_id),
  );
  if (location !== undefined || first === undefined) return warehouseNamed(tx, location, "location");
  if (others.length === 0) return first;
  throw invalid("location", "is required: the SKU lies in several warehouses", "required");
}

/** Where units turn up that no stock item holds yet. */
async function newSpot(tx: Tx, { product }: OpenShelf, warehouse_id: number, input: AdjustStock): Promise<Spot> {
  const { bin: code, lot_number } = input;
  const lot = lot_number === undefined ? null : await findLot(tx, product.id, lot_number);
  if (lot_number !== undefined && lot === null) {
    throw invalid("lot_number", `names no lot of ${product.sku}; add its first units by POST /inventory`);
  }
  if (lot === null && product.lot_tracking) {
    throw invalid("lot_number", `is required: ${product.sku} tracks lots`, "required");
  }
  const warehouse = await shareWarehouse(tx, warehouse_id);
  const bin = await binFor(tx, warehouse, product, code, "counted");
  return { product_id: product.id, ...binSpot(warehouse, bin), ...lotSpot(lot), received_at: tx.now };
}

/** The refusal to take away units that are promised: it names who would have to wait, and what would let them. */
export function brokenPromises(sku: string, shortfalls: readonly Shortfall[], way = "allow_shortfall"): Fault {
  const orders = shortfallsView(shortfalls);
  const named = orders.slice(0, 5).map(({ order_number }) => order_number);
  const more = orders.length > named.length ? ` and ${orders.length - named.length} more` : "";
  const message = `Units of ${sku} are promised to ${named.join(", ")}${more}; ${way} puts these into backorder.`;
  return new Fault("would_break_reservations", message, { orders });
}

/** Who waits now, as the API shows it: each order once, however many of its lines or reservations do. */
export function shortfallsView(shortfalls: readonly Shortfall[]) {
  const orders = Map.groupBy(shortfalls, ({ order_id, order_ref }) => `${order_id} ${order_ref}`);
  return [...orders.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const { order_id, order_ref } = first;
    const quantity = others.reduce((sum, other) => sum + other.quantity, first.quantity);
    return { order_id: order_id === null ? null : wireId("order", order_id), order_number: order_ref, quantity };
  });
}

/** Units that came back and what becomes of them. */
export interface ReturnedUnits {
  readonly product_id: number;
  readonly warehouse_id: number;
  readonly quantity: number;
  readonly disposition: "restock" | "quarantine" | "dispose" | "return_to_sender";
  readonly lot_id: number | null;
  /** The bin to restock to; the warehouse's returns bin unless given. */
  readonly bin?: string | null | undefined;
}

/**
 * Takes back units that were inspected: restocked ones to their bin, others to quarantine; disposed ones come in and
 * are written off; what goes back to its sender never becomes stock. What never left stock here comes in by an
 * adjustment.
 * Refuses: validation_failed, bin_full. Emits: inventory.updated, inventory.low_stock.
 */
export async function takeReturned(
  tx: Tx,
  units: readonly ReturnedUnits[],
  reference: NonNullable<Posting["reference"]>,
  actor: Actor,
  type: "return" | "adjustment" = "return",
): Promise<void> {
  const kept = units.filter(({ disposition }) => disposition !== "return_to_sender");
  const products = kept.map(({ product_id }) => product_id);
  const shelves = await freshShelves(tx, products);
  for (const unit of kept) {
    const shelf = shelfOf(shelves, unit.product_id);
    const { quantity, disposition } = unit;
    const spot = await returnSpot(tx, shelf, unit);
    const posting = { quantity, promised: false, reference, confirmed: true, actor };
    const came = { ...posting, from: null, to: spot, to_place: null };
    const { to } = await moveUnits(tx, shelf, { ...came, type, reason: `return_${disposition}` });
    if (disposition !== "dispose") continue;
    const gone = { ...posting, from: to, to: null, to_place: "write_off" } as const;
    await moveUnits(tx, shelf, { ...gone, type: "adjustment", reason: "damaged" });
  }
  await fillBackorders(tx, shelves, products);
}

async function returnSpot(tx: Tx, { product }: OpenShelf, unit: ReturnedUnits): Promise<Spot> {
  const { warehouse_id, disposition, bin: code, lot_id, quantity } = unit;
  const lot = lot_id === null ? null : await findLotById(tx, lot_id);
  const own = { product_id: product.id, ...lotSpot(lot), received_at: tx.now };
  if (disposition !== "restock" || !code) {
    const place = await waitingSpot(tx, warehouse_id, disposition === "quarantine" ? "quarantine" : "returns");
    return { ...own, ...place };
  }
  const warehouse = await shareWarehouse(tx, warehouse_id);
  return { ...own, ...binSpot(warehouse, await binFor(tx, warehouse, product, code, quantity)) };
}
