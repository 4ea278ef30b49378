// Reservations that a client makes for an order that may be created later.

import { momentOf } from "../../core/clock.ts";
import {
  assert,
  Fault,
  type FieldProblem,
  invalid,
  invalidFields,
  missing,
  ofFields,
  orFault,
} from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import { day_ms } from "../../core/time.ts";
import { transition } from "../../core/transitions.ts";
import { canBeSold } from "../../products/product.ts";
import type { Tx } from "../../storage/database.ts";
import { requireOwner } from "../../storage/tenant.ts";
import {
  initialReservationStatus,
  isExpired,
  isReleased,
  isReserved,
  type ReservationStatus,
  reservationTransitions,
} from "../inventory.transitions.ts";
import type { StockedProduct } from "../stock/product_stock.ts";
import { bundleProblem, type NamedProducts } from "../stock/product_stock.ts";
import { findNamedProducts } from "../stock/stock.sql.ts";
import type { PlainWarehouse } from "../warehouses/warehouse.ts";
import { listPlainWarehouses } from "../warehouses/warehouses.sql.ts";
import { endLines, fillBackorders, lockFreshStock } from "./backorders.ts";
import type { ExtendReservation, ReserveStock } from "./client_reservation.schema.ts";
import { findKnownOrderNumbers, findOrderNumber, findPastOrderNumber, mayBeNumber } from "./client_reservations.sql.ts";
import { type LockedStockMap, lockedStockOf } from "./locked_stock.ts";
import { type PlannedAllocation, planOrderAllocations, storeOrderAllocations } from "./plan_order_allocations.ts";
import type { StockPortion } from "./plan_stock.ts";
import { isOverdue, type Reservation, type ReservedUnits } from "./reservation.ts";
import {
  findReservation,
  listLines,
  listOverdue,
  nextExpiry,
  reservedUnits,
  saveExpired,
  saveState,
} from "./reservations.sql.ts";

const default_duration_ms = day_ms;
const duration_max_ms = 30 * day_ms;

/** A reservation with the units it holds. */
interface ClientReservation extends Reservation {
  readonly units: readonly ReservedUnits[];
}

/**
 * Reserves stock for an order that may be created later: everything requested, or nothing. It lasts until `expires_at`.
 * An existing order has already reserved what it wants, so its own reservation is returned and nothing is reserved
 * twice. An id must name an existing order; any other text may be the number of a future one.
 * Refuses: validation_failed, resource_missing, ambiguous_identifier, insufficient_inventory, reservation_closed (the
 * order is over), reservation_committed (it wants less).
 * Emits: inventory.updated, inventory.low_stock.
 */
export async function reserveStock(tx: Tx, input: ReserveStock): Promise<ClientReservation> {
  const [booked] = await reserveBatch(tx, [input]);
  if (booked instanceof Fault) throw booked;
  return booked ?? (await heldAlready(tx, input));
}

/**
 * Makes reservations as if one after the other, with as many statements for many as for one, up to the first input for
 * an existing order. Returns one result for each input handled: the reservation, or its refusal, which has changed
 * nothing.
 * Emits: inventory.updated, inventory.low_stock.
 */
export async function reserveBatch(tx: Tx, inputs: readonly ReserveStock[]): Promise<(ClientReservation | Fault)[]> {
  const drafts = await draftReservations(tx, inputs);
  const stocks = await lockFreshStock(
    tx,
    drafts.flatMap((draft) => (draft instanceof Fault ? [] : draft.wants.map(({ product_id }) => product_id))),
  );
  const own = [...stocks.values()].filter(({ product }) => product.merchant_id === tx.scope.owner);
  const products = new Map(own.map(({ product }) => [product.sku, product]));
  const sold = drafts.map((draft, at) => {
    return draft instanceof Fault ? draft : (orFault(() => refuseUnsold(products, inputs[at]?.items ?? [])) ?? draft);
  });
  const valid = sold.filter((draft): draft is ReservationDraft => !(draft instanceof Fault));
  // Checked under the lock of the stock, since an order may be created at the same time.
  const names = valid.map(({ order_id }) => order_id);
  const known = names.length === 0 ? new Set() : await findKnownOrderNumbers(tx, names, requireOwner(tx));
  const end = sold.findIndex((draft) => !(draft instanceof Fault) && known.has(draft.order_id));
  const plain = (end < 0 ? sold : sold.slice(0, end)).map((draft) => {
    // No future order can be known by its id: units reserved under one would never reach that order.
    return draft instanceof Fault || mayBeNumber(draft.order_id) ? draft : noSuchOrder(draft.order_id);
  });
  const booked = await storeReservations(
    tx,
    stocks,
    plain.filter((draft): draft is ReservationDraft => !(draft instanceof Fault)),
  );
  let at = 0;
  return plain.map((draft) => (draft instanceof Fault ? draft : (booked[at++] as ClientReservation | Fault)));
}

/** Plans reservations and stores those that can be met in full. */
async function storeReservations(
  tx: Tx,
  stocks: LockedStockMap,
  drafts: readonly ReservationDraft[],
): Promise<(ClientReservation | Fault)[]> {
  const plans = planOrderAllocations(
    tx,
    stocks,
    drafts.map(({ row, wants }) => ({ ...row, allow_backorder: false, lines: wants })),
  );
  const planned = drafts.flatMap(({ row, wants: lines }, at) => {
    const portions = plans[at];
    return portions === undefined || portions instanceof Fault ? [] : { row, lines, portions };
  });
  const stored = await storeOrderAllocations(tx, stocks, planned);
  const booked = stored.map(({ id }, at): ClientReservation => {
    const { row, lines, portions } = planned[at] as PlannedAllocation;
    if (row.expires_at !== null) tx.wake("inventory.expire_reservations", row.expires_at);
    const units = lines.flatMap(({ product_id }, nth) => {
      return unitsOf(id, lockedStockOf(stocks, product_id).product.sku, portions[nth] ?? []);
    });
    return { id, ...row, units };
  });
  let at = 0;
  return plans.map((plan) => (plan instanceof Fault ? plan : (booked[at++] as ClientReservation)));
}

/** Portions of one SKU as the reservation shows them: one entry per warehouse. */
function unitsOf(reservation_id: number, sku: string, portions: readonly StockPortion[]): ReservedUnits[] {
  const of = new Map<number, number>();
  for (const { item, quantity } of portions) of.set(item.warehouse_id, (of.get(item.warehouse_id) ?? 0) + quantity);
  return [...of]
    .sort(([a], [b]) => a - b)
    .map(([warehouse_id, quantity]) => ({ reservation_id, sku, quantity, warehouse_id }));
}

/** A reservation that is about to be made. */
interface ReservationDraft {
  readonly order_id: string | number;
  readonly row: PlannedAllocation["row"];
  readonly wants: PlannedAllocation["lines"];
}

/** For each input, the requested reservation, or its refusal if it is invalid apart from stock. */
async function draftReservations(tx: Tx, inputs: readonly ReserveStock[]): Promise<(ReservationDraft | Fault)[]> {
  const named = await findNamedProducts(
    tx,
    inputs.flatMap(({ items }) => items.map(({ sku }) => sku)),
  );
  const warehouses = inputs.some(({ location }) => location !== undefined) ? await listPlainWarehouses(tx) : [];
  return inputs.map((input) => {
    return orFault((): ReservationDraft => {
      const expires_at = expiryOf(tx, input.expires_at);
      const warehouse_id = warehouseOf(warehouses, input.location);
      const merchant_id = requireOwner(tx);
      const wants = wantsOf(named, merchant_id, input.items);
      const row = {
        merchant_id,
        order_id: null,
        order_ref: String(input.order_id),
        source: "api",
        status: initialReservationStatus,
        priority: 0,
        paused: false,
        warehouse_id,
        requires_cold_storage: input.requires_cold_storage ?? false,
        expires_at,
        released_at: null,
        created_at: tx.now,
        avoids: null,
      };
      return { order_id: input.order_id, row, wants };
    });
  });
}

function noSuchOrder(name: string | number): Fault {
  const message = `No such order: ${name}. For a future order, use its order number.`;
  const fields = [{ field: "order_id", code: "resource_missing", message: "names no order" }];
  return new Fault("resource_missing", message, { resource: "order", fields });
}

function wantsNothing(order_id: number): Fault {
  const order = wireId("order", order_id);
  return new Fault("reservation_closed", `${order} needs no more stock.`, { order_id: order });
}

function expiryOf(tx: Tx, text: string | undefined): number {
  if (text === undefined) return tx.now + default_duration_ms;
  const at = momentOf(text);
  if (at <= tx.now) throw invalid("expires_at", "must be in the future");
  if (at > tx.now + duration_max_ms) throw invalid("expires_at", "must be within 30 days");
  return at;
}

function warehouseOf(warehouses: readonly PlainWarehouse[], location: string | number | undefined): number | null {
  if (location === undefined) return null;
  const id = readId("warehouse", location);
  if (warehouses.some((warehouse) => warehouse.id === id)) return id;
  throw new Fault("resource_missing", `No such warehouse: ${location}.`, {
    fields: [{ field: "location", code: "resource_missing", message: "names no warehouse" }],
  });
}

/** Refuses: validation_failed (bundles and inactive products). */
function refuseUnsold(products: ReadonlyMap<string, StockedProduct>, items: ReserveStock["items"]): void {
  const problems = items.flatMap(({ sku }, at): FieldProblem | [] => {
    const field = `items[${at}].sku`;
    const product = products.get(sku);
    if (product?.type === "bundle") return bundleProblem(field);
    return product && !canBeSold(product.status) ? { field, code: "inactive", message: "is inactive" } : [];
  });
  if (problems.length > 0) throw invalidFields(problems);
}

/**
 * The reservation of an existing order, if it holds everything that an input asks for.
 * Refuses: resource_missing, ambiguous_identifier, reservation_closed, reservation_committed, insufficient_inventory.
 */
async function heldAlready(tx: Tx, input: ReserveStock): Promise<ClientReservation> {
  const [draft] = await draftReservations(tx, [input]);
  assert(draft && !(draft instanceof Fault), "only a valid reservation is compared with an order");
  const { wants } = draft;
  const own = await findOrderNumber(tx, input.order_id, draft.row.merchant_id);
  if (own === null) throw wantsNothing((await findPastOrderNumber(tx, input.order_id, draft.row.merchant_id)) ?? 0);
  const stocks = await lockFreshStock(
    tx,
    wants.map(({ product_id }) => product_id),
  );
  const lines = await listLines(tx, [own.id]);
  const order = wireId("order", own.order_id ?? 0);
  if (lines.every(({ wanted }) => wanted === 0)) throw wantsNothing(own.order_id ?? 0);
  const held = wants.map(({ product_id, quantity }) => {
    const its = lines.filter((line) => line.product_id === product_id);
    const wanted = its.reduce((sum, line) => sum + line.wanted, 0);
    const available = its.reduce((sum, line) => sum + line.reserved, 0);
    return { sku: lockedStockOf(stocks, product_id).product.sku, requested: quantity, wanted, available };
  });
  const over = held.filter(({ requested, wanted }) => requested > wanted).map(({ sku }) => sku);
  if (over.length > 0) {
    const reservation = wireId("reservation", own.id);
    throw new Fault(
      "reservation_committed",
      `${order} has ${reservation}, which wants less of ${over.join(", ")}. Change the order's line_items.`,
      { order_id: order, reservation_id: reservation },
    );
  }
  const shortages = held
    .filter(({ requested, available }) => requested > available)
    .map(({ wanted: _wanted, ...short }) => ({ ...short, by_warehouse: [] }));
  if (shortages.length === 0) return { ...own, units: await reservedUnits(tx, [own.id]) };
  const named = shortages.map(({ sku }) => sku).join(", ");
  throw new Fault("insufficient_inventory", `${order} is itself backordered for ${named}.`, { shortages });
}

/** Units wanted of each product of a merchant: the items of one SKU are summed. */
function wantsOf(named: NamedProducts, merchant_id: number, items: ReserveStock["items"]) {
  const wanted = new Map<number, number>();
  const unknown: FieldProblem[] = [];
  for (const [index, { sku, quantity }] of items.entries()) {
    const id = named.get(sku)?.find((product) => product.merchant_id === merchant_id)?.id;
    if (id === undefined) {
      unknown.push({ field: `items[${index}].sku`, code: "resource_missing", message: "names no product" });
    } else wanted.set(id, (wanted.get(id) ?? 0) + quantity);
  }
  if (unknown.length > 0) throw ofFields("resource_missing", unknown);
  return [...wanted].map(([product_id, quantity]) => ({ product_id, quantity, order_line_id: null }));
}

/**
 * Releases a reservation that a client made; releasing it again changes nothing.
 * Refuses: resource_missing, reservation_committed (it belongs to an order), reservation_closed (it has expired).
 * Emits: inventory.updated.
 */
export async function releaseClientReservation(tx: Tx, reservation_id: string | number): Promise<Reservation> {
  const id = readId("reservation", reservation_id) ?? 0;
  const stocks = await lockFreshStock(tx, productsOf(await listLines(tx, [id])));
  // Read under the lock of its stock, which every change of a reservation takes.
  const reservation = await findReservation(tx, id);
  if (reservation === null) throw missing("reservation", reservation_id);
  if (isReleased(reservation.status)) return reservation;
  if (reservation.order_id !== null) {
    const order = wireId("order", reservation.order_id);
    throw new Fault(
      "reservation_committed",
      `The reservation belongs to ${order}. Cancel the order or put it on hold.`,
    );
  }
  if (isExpired(reservation.status) || isOverdue(reservation, tx.now)) {
    throw new Fault("reservation_closed", "The reservation has expired.", { status: reservationTransitions.expire.to });
  }
  const lines = await listLines(tx, [id]);
  await endLines(tx, stocks, lines);
  const status = moved("release", reservation.status);
  const released = { ...reservation, status, released_at: tx.now };
  await saveState(tx, released);
  await fillBackorders(tx, stocks, productsOf(lines));
  return released;
}

/**
 * Extends a client's reservation until `expires_at`, at most 30 days from now. Its current expiry changes nothing.
 * Refuses: resource_missing, reservation_committed (it belongs to an order, and lasts), reservation_closed (it is
 * over), validation_failed (an earlier time).
 */
export async function extendClientReservation(
  tx: Tx,
  reservation_id: string,
  input: ExtendReservation,
): Promise<Reservation> {
  const id = readId("reservation", reservation_id) ?? 0;
  await lockFreshStock(tx, productsOf(await listLines(tx, [id])));
  // Read under the lock of its stock, which every change of a reservation takes.
  const reservation = await findReservation(tx, id);
  if (reservation === null) throw missing("reservation", reservation_id);
  if (reservation.order_id !== null) {
    const order = wireId("order", reservation.order_id);
    throw new Fault("reservation_committed", `The reservation belongs to ${order} and does not expire.`);
  }
  // A later transaction may have given its units back before the job marked the reservation as expired.
  const isGivenBack = (await listLines(tx, [id])).every((line) => line.wanted === 0);
  if (!isReserved(reservation.status) || isOverdue(reservation, tx.now) || isGivenBack) {
    const status = isReleased(reservation.status) ? reservation.status : reservationTransitions.expire.to;
    throw new Fault("reservation_closed", `The reservation is ${status}.`, { status });
  }
  const expires_at = expiryOf(tx, input.expires_at);
  if (expires_at < (reservation.expires_at ?? 0))
    throw invalid("expires_at", "must not be earlier than the current expiry");
  const extended = { ...reservation, expires_at };
  await saveState(tx, extended);
  tx.wake("inventory.expire_reservations", expires_at);
  return extended;
}

function moved(act: "release" | "expire", status: ReservationStatus): ReservationStatus {
  return transition<ReservationStatus, typeof reservationTransitions>(reservationTransitions, act, status);
}

function productsOf(lines: readonly { readonly product_id: number }[]): number[] {
  return [...new Set(lines.map((line) => line.product_id))];
}

/**
 * Ends up to `limit` overdue reservations and gives their stock to backorders. Returns when the next one expires (ms),
 * or null.
 * Emits: inventory.updated.
 */
export async function expireClientReservations(tx: Tx, limit: number): Promise<number | null> {
  const overdue = await listOverdue(tx, limit);
  const ids = overdue.map(({ id }) => id);
  const stocks = await lockFreshStock(tx, productsOf(await listLines(tx, ids)), limit);
  // Which of them are still open is known only under the lock of their stock.
  const ended = await saveExpired(tx, ids, moved("expire", "reserved"));
  const lines = (await listLines(tx, ended)).filter((line) => line.wanted > 0);
  await endLines(tx, stocks, lines);
  await fillBackorders(tx, stocks, productsOf(lines));
  return nextExpiry(tx);
}
