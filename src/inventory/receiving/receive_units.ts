import { billFacts } from "../../billing/bill_facts.ts";
import { type BillableFact, packsAttribute } from "../../billing/billable_event.ts";
import type { Actor } from "../../core/actor.ts";
import { iso } from "../../core/clock.ts";
import { assert, invalid } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import { centsOf } from "../../core/money.ts";
import { dayEndTextOrNull, dayOf, dayStart, dayText, momentIn } from "../../core/time_zone.ts";
import { emit } from "../../events/emit.ts";
import { refuseForClosed } from "../../merchants/directory.sql.ts";
import { refuseWrongPacks } from "../../products/handled_packs.ts";
import type { PackKind } from "../../products/product.ts";
import type { Tx } from "../../storage/database.ts";
import { type AdjustmentReason, isAvailable } from "../inventory.transitions.ts";
import type { Posting } from "../ledger/ledger.sql.ts";
import type { UnitCost } from "../ledger/movement.ts";
import type { BinSpot } from "../ledger/stock_item.ts";
import { isPastExpiry } from "../ledger/stock_item.ts";
import { fillBackorders, lockFreshStock } from "../reservations/backorders.ts";
import {
  type LockedStock,
  type LockedStockMap,
  lockedStockView,
  moveUnits,
  stockEvent,
} from "../reservations/locked_stock.ts";
import { type Lot, lotSpot } from "../stock/lot.ts";
import { findLot, insertLot } from "../stock/lots.sql.ts";
import { missingSku, ownSpot, refuseBundle, refuseTooMuch, type StockedProduct } from "../stock/product_stock.ts";
import type { AddStock } from "../stock/stock.schema.ts";
import { findStockedId } from "../stock/stock.sql.ts";
import { isOutsideHours } from "../warehouses/dispatch_calendar.ts";
import { binSpot, type ZonedWarehouse } from "../warehouses/warehouse.ts";
import { shareWarehouse } from "../warehouses/warehouses.sql.ts";
import { binFor, transitSpot, warehouseNamed } from "../warehouses/warehouses.ts";

/**
 * Adds received units of a SKU to a warehouse's stock and fills backorders. Returns the stock afterwards.
 * Refuses: resource_missing, validation_failed, merchant_required, merchant_closed, bin_full, bin_of_other_merchant.
 * Emits: inventory.received, inventory.updated, inventory.low_stock.
 */
export async function addStock(tx: Tx, input: AddStock, actor: Actor) {
  const { sku, reason = "received", reference, unit_cost, expiration_date, received_date } = input;
  const stocks = await lockSku(tx, sku);
  const stock = stockOfSku(stocks, sku);
  refuseBundle(stock.product);
  await refuseWrongPacks(tx, [{ product_id: stock.product.id, ...input }], () => "");
  const warehouse = await shareWarehouse(tx, await warehouseNamed(tx, input.location, "location"));
  const received = await receiveUnits(tx, stock, {
    ...input,
    warehouse,
    expires_on: expiration_date === undefined ? null : dayOf(expiration_date, warehouse.timezone),
    received_date: received_date === undefined ? tx.now : momentIn(received_date, warehouse.timezone),
    kind: null,
    reason,
    reference: reference === undefined ? null : { type: "reference", id: reference },
    unit_cost: unit_cost === undefined ? null : costOf(unit_cost, stock.product),
    actor,
  });
  await fillBackorders(tx, stocks, [stock.product.id]);
  billFacts(tx, [addedFact(tx, stock, warehouse, received, input)]);
  await emit(tx, [stockEvent(tx, "inventory.received", stock, { received })]);
  return { ...lockedStockView(tx, stock), received };
}

/** The cost of a unit, in the currency of its product. Refuses: validation_failed. */
function costOf(unit_cost: string | number, { currency }: Pick<StockedProduct, "currency">): UnitCost {
  return { cents: centsOf(unit_cost, currency, "unit_cost"), currency };
}

/** The billable fact of added units. */
function addedFact(
  { now }: Tx,
  { product }: LockedStock,
  warehouse: ZonedWarehouse,
  received: Awaited<ReturnType<typeof receiveUnits>>,
  { pack, cartons, pallets }: AddStock,
): BillableFact {
  const { quantity, lot_number, reference, movement_id } = received;
  return {
    act: "stock.add",
    merchant_id: product.merchant_id,
    warehouse,
    quantity,
    source: { id: readId("movement", movement_id) ?? 0 },
    attributes: {
      announced: false,
      reference,
      skus: 1,
      lots: lot_number === null ? 0 : 1,
      cartons: cartons ?? null,
      pallets: pallets ?? null,
      outside_working_hours: isOutsideHours(now, warehouse),
      ...packsAttribute([{ quantity, pack }]),
    },
  };
}

/** Units of one SKU that enter a warehouse from outside. Times are in ms. */
interface ReceivedUnits {
  readonly warehouse: ZonedWarehouse;
  readonly quantity: number;
  /** The pack in which they came; single units without one. */
  readonly pack?: PackKind | undefined;
  /** The named bin; by default the first that suits the goods. */
  readonly bin?: string | undefined;
  /** The kind of bin for units that cannot be sold; null for good units. */
  readonly kind: "damage" | "quarantine" | null;
  readonly lot_number?: string | undefined;
  /** The lot's last day, in days since 1970-01-01. */
  readonly expires_on: number | null;
  readonly received_date: number;
  readonly reason: AdjustmentReason;
  readonly notes?: string | undefined;
  readonly reference: Posting["reference"];
  readonly unit_cost?: UnitCost | null | undefined;
  readonly actor: Actor;
}

/**
 * Adds received units to locked stock and creates their lot if it is new. Backorders are not filled yet. Returns the
 * received units as the API shows them.
 * Refuses: validation_failed, merchant_closed, bin_full, bin_of_other_merchant.
 */
export async function receiveUnits(tx: Tx, stock: LockedStock, arrival: ReceivedUnits) {
  const { warehouse, quantity, pack, received_date, reason, notes, reference, unit_cost, actor } = arrival;
  if (received_date > tx.now) throw invalid("received_date", "must not be in the future");
  const { product } = stock;
  await refuseForClosed(tx, product.merchant_id, "stock");
  const lot = await lotFor(tx, product, arrival);
  const place = await arrivalSpot(tx, product, arrival);
  const spot = { ...ownSpot(product), ...place, ...lotSpot(lot), received_at: received_date };
  refuseTooMuch(stock, spot, quantity, "quantity");
  const posting = { type: "receipt", quantity, pack, from: null, to: spot, to_place: null, promised: false } as const;
  const details = { reason, notes, reference, unit_cost, confirmed: true, actor };
  const { id: movement_id } = await moveUnits(tx, stock, { ...posting, ...details });
  if (lot !== null) wakeAtExpiry(tx, lot, warehouse);
  return {
    movement_id: wireId("movement", movement_id),
    quantity,
    warehouse_id: wireId("warehouse", warehouse.id),
    location: spot.bin,
    lot_number: lot?.lot_number ?? null,
    expiration_date: dayEndTextOrNull(lot?.expires_on ?? null),
    received_date: iso(received_date),
    reason,
    reference: reference?.id ?? null,
  };
}

async function arrivalSpot(tx: Tx, product: StockedProduct, arrival: ReceivedUnits): Promise<BinSpot> {
  const { warehouse, bin: code, kind, quantity } = arrival;
  if (kind !== null && code === undefined) return transitSpot(tx, warehouse.id, kind, product.merchant_id);
  const bin = await binFor(tx, warehouse, product, code, quantity);
  if (kind !== null && bin.kind !== kind) throw invalid("bin", `is not a ${kind} bin; omit it to use the default bin`);
  return binSpot(warehouse, bin);
}

async function lockSku(tx: Tx, sku: string): Promise<LockedStockMap> {
  const id = await findStockedId(tx, sku);
  if (id === null) throw missingSku(sku);
  return lockFreshStock(tx, [id]);
}

function stockOfSku(stocks: LockedStockMap, sku: string): LockedStock {
  const stock = [...stocks.values()].find(({ product }) => product.sku === sku);
  assert(stock, `the stock of ${sku} is locked`);
  return stock;
}

/**
 * The lot of received units: the one with their number, or a new one; null for goods without lots.
 * Refuses: validation_failed.
 */
export async function lotFor(
  tx: Tx,
  product: StockedProduct,
  arrival: Pick<ReceivedUnits, "lot_number" | "expires_on" | "received_date"> & {
    readonly warehouse: Pick<ZonedWarehouse, "timezone">;
  },
): Promise<Lot | null> {
  const { lot_number, expires_on, received_date, warehouse } = arrival;
  if (lot_number === undefined) {
    if (product.lot_tracking) throw invalid("lot_number", `is required: ${product.sku} tracks lots`, "required");
    if (expires_on !== null) throw invalid("lot_number", "is required with expiration_date", "required");
    return null;
  }
  const known = await findLot(tx, product.id, lot_number);
  if (known !== null) {
    if (expires_on === null || expires_on === known.expires_on) return known;
    const other = known.expires_on === null ? "none" : dayText(known.expires_on);
    throw invalid("expiration_date", `must match that of lot ${lot_number}: ${other}`);
  }
  if (product.expiration_tracking && expires_on === null) {
    throw invalid("expiration_date", `is required: ${product.sku} tracks expiry`, "required");
  }
  const { timezone } = warehouse;
  const status = isPastExpiry({ expires_on, timezone }, tx.now) ? "expired" : "available";
  return insertLot(tx, { ...ownSpot(product), lot_number, received_date, expires_on, status });
}

/** Schedules the expiry of an available lot for the end of its last day in a warehouse. */
export function wakeAtExpiry(
  tx: Tx,
  { status, expires_on }: Lot,
  { timezone }: Pick<ZonedWarehouse, "timezone">,
): void {
  if (isAvailable(status) && expires_on !== null) tx.wake("inventory.expire_lots", dayStart(expires_on + 1, timezone));
}
