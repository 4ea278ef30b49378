// Scans units into a parcel, and takes them out again. A refused scan changes nothing.
import { Fault, invalid } from "../../core/faults.ts";
import { hasPassed } from "../../inventory/stock/lot.ts";
import { calendarAt } from "../../inventory/warehouses/warehouses.sql.ts";
import type { Order } from "../../orders/order.ts";
import { type PackKind, packSize } from "../../products/product.ts";
import type { Tx } from "../../storage/database.ts";
import type { PackingFacts } from "./packed_parcel.ts";
import type { ScanUnit } from "./packing.schema.ts";
import { orderText, type PackingPart, type PackingSession, partsToPack, type ScannedUnits } from "./packing_session.ts";

/** A scanned item: the products that its code may mean, and what a GS1 code says. */
export interface ScannedItem {
  readonly product_ids: readonly number[];
  readonly lot_number: string | null;
  readonly quantity: number;
  /** The pack that has the code; null for single units. */
  readonly pack: PackKind | null;
  /** What was read. */
  readonly read: string;
}

/**
 * The units of a session after a scan. Units of a product go to its lines in their order.
 * Refuses: wrong_item, surplus_item, wrong_lot, lot_expired, validation_failed (a lot is required).
 */
export async function scannedInto(tx: Tx, facts: PackingFacts, item: ScannedItem): Promise<ScannedUnits[]> {
  const { session, order, products } = facts;
  const parts = partsToPack(order, session.units).filter(({ part }) => item.product_ids.includes(part.product_id));
  const [first] = parts;
  if (first === undefined) throw wrongItem(order, item);
  const own = parts.filter(({ part }) => part.product_id === first.part.product_id);
  const free = own.reduce((sum, { needed, scanned }) => sum + Math.max(0, needed - scanned), 0);
  if (item.quantity > free) throw surplusScan(order, own, item, free);
  const tracked = products.get(first.part.product_id)?.lot_tracking ?? false;
  const lot_number = tracked ? await checkedLot(tx, facts, first, item) : null;
  let left = item.quantity;
  return own.reduce<ScannedUnits[]>(
    (units, { line, part, needed, scanned }) => {
      const quantity = Math.min(left, Math.max(0, needed - scanned));
      left -= quantity;
      return withUnits(units, { line_id: line.id, product_id: part.product_id, lot_number, quantity });
    },
    [...session.units],
  );
}

/** The units of a session without scanned ones. Refuses: wrong_item (fewer of them were scanned). */
export function takenOut({ units }: PackingSession, order: Order, item: ScannedItem): ScannedUnits[] {
  let left = item.quantity;
  const rest = units.toReversed().map((one) => {
    const isSame =
      item.product_ids.includes(one.product_id) && (item.lot_number === null || item.lot_number === one.lot_number);
    const quantity = isSame ? Math.min(left, one.quantity) : 0;
    left -= quantity;
    return { ...one, quantity: one.quantity - quantity };
  });
  if (left === 0) return rest.toReversed().filter(({ quantity }) => quantity > 0);
  const message = `${item.quantity} of ${item.read} are not in this parcel of order ${orderText(order)}.`;
  throw new Fault("wrong_item", message, { read: item.read });
}

function withUnits(units: readonly ScannedUnits[], added: ScannedUnits): ScannedUnits[] {
  if (added.quantity === 0) return [...units];
  const isSame = (one: ScannedUnits) =>
    one.line_id === added.line_id && one.product_id === added.product_id && one.lot_number === added.lot_number;
  if (!units.some(isSame)) return [...units, added];
  return units.map((one) => (isSame(one) ? { ...one, quantity: one.quantity + added.quantity } : one));
}

function wrongItem(order: Order, { read }: ScannedItem): Fault {
  const message = `${read} does not belong to order ${orderText(order)}. Put it aside.`;
  return new Fault("wrong_item", message, { read });
}

function surplusScan(
  order: Order,
  parts: readonly PackingPart[],
  { quantity, pack }: ScannedItem,
  free: number,
): Fault {
  const needed = parts.reduce((sum, one) => sum + one.needed, 0);
  const scanned = parts.reduce((sum, one) => sum + one.scanned, 0);
  const sku = parts[0]?.part.sku;
  const message =
    `Order ${orderText(order)} needs ${needed} of ${sku} in this parcel, and ${scanned} are scanned:` +
    ` ${quantity - free} too many.${pack === null ? "" : ` ${packSize(pack)}`}`;
  return new Fault("surplus_item", message, { sku, needed, scanned });
}

/** The lot of a scan, which must be one that was picked. Refuses: validation_failed, wrong_lot, lot_expired. */
async function checkedLot(
  tx: Tx,
  { session, order, plans }: PackingFacts,
  { part }: PackingPart,
  { lot_number, quantity }: ScannedItem,
): Promise<string> {
  if (lot_number === null) throw invalid("lot_number", `is required: ${part.sku} has lots`, "required");
  const lots = lotsOf(plans, part.product_id);
  const lot = lots.find((one) => one.lot_number.toLowerCase() === lot_number.toLowerCase());
  if (lot === undefined) {
    const expected = lots.map((one) => one.lot_number);
    const message =
      `Lot ${lot_number} of ${part.sku} was not picked for order ${orderText(order)}.` +
      ` Scan one of these: ${expected.join(", ")}.`;
    throw new Fault("wrong_lot", message, { sku: part.sku, lot_number, expected });
  }
  const { timezone } = await calendarAt(tx, session.warehouse_id);
  if (hasPassed(lot, { zones: [timezone], now: tx.now })) {
    const message = `Lot ${lot.lot_number} of ${part.sku} has expired. Put it aside.`;
    throw new Fault("lot_expired", message, { sku: part.sku, lot_number: lot.lot_number });
  }
  const scanned = scannedOfLot(session.units, part.product_id, lot.lot_number);
  if (scanned + quantity > lot.quantity) {
    const message = `${lot.quantity} of lot ${lot.lot_number} of ${part.sku} were picked, and ${scanned} are scanned.`;
    throw new Fault("wrong_lot", message, { sku: part.sku, lot_number: lot.lot_number, expected: [lot.lot_number] });
  }
  return lot.lot_number;
}

/** Units of a lot that were scanned. */
export function scannedOfLot(units: readonly ScannedUnits[], product_id: number, lot_number: string): number {
  const own = units.filter((one) => one.product_id === product_id && one.lot_number === lot_number);
  return own.reduce((sum, { quantity }) => sum + quantity, 0);
}

/** The lots of a product that were picked for an order; if none was, those that are planned to be. */
export function lotsOf(plans: PackingFacts["plans"], product_id: number) {
  const own = plans.filter((plan) => plan.product_id === product_id);
  const staged = own.filter(({ picked }) => picked);
  const lots = new Map<string, { lot_number: string; expires_on: number | null; quantity: number }>();
  for (const { lot_number, expires_on, quantity } of staged.length > 0 ? staged : own) {
    if (lot_number === null) continue;
    const known = lots.get(lot_number)?.quantity ?? 0;
    lots.set(lot_number, { lot_number, expires_on, quantity: known + quantity });
  }
  return [...lots.values()];
}

/** What a request scanned, before its code is looked up. Refuses: validation_failed. */
export function scanText({ code, sku }: Pick<ScanUnit, "code" | "sku">): string {
  if ((code === undefined) === (sku === undefined)) {
    throw invalid("code", "or sku is required, exactly one of them", "required");
  }
  return code ?? sku ?? "";
}
