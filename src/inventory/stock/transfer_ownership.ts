// Transfers stock from one merchant to another, by a pair of movements.

import type { Actor } from "../../core/actor.ts";
import { iso } from "../../core/clock.ts";
import { Fault, invalid, ofFields } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import type { Merchant } from "../../merchants/merchant.ts";
import { refuseClosed } from "../../merchants/merchant.ts";
import { findMerchantNamed } from "../../merchants/merchants.sql.ts";
import type { Tx } from "../../storage/database.ts";
import { unscoped } from "../../storage/scope.ts";
import { unknownMerchant } from "../../storage/tenant.ts";
import type { StockItem } from "../ledger/stock_item.ts";
import { movedItem } from "../receiving/move_stock.ts";
import { wakeAtExpiry } from "../receiving/receive_units.ts";
import { fillBackorders, lockFreshStock } from "../reservations/backorders.ts";
import { lockedStockOf, moveUnits } from "../reservations/locked_stock.ts";
import { binSpot } from "../warehouses/warehouse.ts";
import { shareWarehouse } from "../warehouses/warehouses.sql.ts";
import { binFor } from "../warehouses/warehouses.ts";
import { type Lot, lotSpot } from "./lot.ts";
import { findLot, insertLot } from "./lots.sql.ts";
import { bundleProblem, type NamedProducts, ownSpot, refuseTooMuch, type StockedProduct } from "./product_stock.ts";
import type { TransferOwnership } from "./stock.schema.ts";
import { findNamedProducts } from "./stock.sql.ts";

/**
 * Transfers units of one merchant to another, with their lot and their received date: they leave one merchant's stock
 * and enter that of the new owner's product, in the same bin unless another is named. Reserved units stay. Backorders
 * of the new owner's product are filled at once.
 * Refuses: validation_failed, merchant_closed, resource_missing, ambiguous_stock, insufficient_inventory, bin_full,
 * bin_of_other_merchant. Emits: inventory.updated, inventory.low_stock.
 */
export async function transferOwnership(own: Tx, input: TransferOwnership, actor: Actor) {
  // It concerns two merchants, whichever one the request is about.
  const tx = own.scoped(unscoped);
  const { sku, to_sku = sku, quantity, reason } = input;
  const from_merchant = await merchantNamed(tx, "from_merchant_id", input);
  const to_merchant = await merchantNamed(tx, "to_merchant_id", input);
  if (from_merchant.id === to_merchant.id) throw invalid("to_merchant_id", "must be another merchant");
  refuseClosed(to_merchant, "stock");
  const named = await findNamedProducts(tx, [sku, to_sku]);
  const from_id = productOf(named, from_merchant, sku, "sku");
  const to_id = productOf(named, to_merchant, to_sku, input.to_sku === undefined ? "sku" : "to_sku");
  const stocks = await lockFreshStock(tx, [from_id, to_id]);
  const [from, to] = [lockedStockOf(stocks, from_id), lockedStockOf(stocks, to_id)];
  const item = movedItem(from, input);
  refuseReserved(item, sku, quantity);
  const warehouse = await shareWarehouse(tx, item.warehouse_id);
  const id = tx.newId("own");
  const posting = {
    type: "adjustment",
    quantity,
    promised: false,
    reason: "ownership_transfer",
    notes: reason,
    reference: { type: "ownership_transfer", id },
    confirmed: true,
    actor,
  } as const;
  const left = await moveUnits(tx, from, { ...posting, from: item, to: null, to_place: "other_merchant" });
  // Only now is it known whose goods remain in the bin, and how much room it has.
  const lot = await lotOf(tx, item, to.product);
  const bin = await binFor(tx, warehouse, to.product, input.to_bin ?? item.bin, quantity);
  const spot = {
    ...ownSpot(to.product),
    ...binSpot(warehouse, bin),
    ...lotSpot(lot),
    received_at: item.received_at,
  };
  refuseTooMuch(to, spot, quantity, "quantity");
  const incoming = await moveUnits(tx, to, { ...posting, from: null, to: spot, to_place: null });
  await fillBackorders(tx, stocks, [to_id]);
  return {
    id,
    from_merchant_id: wireId("merchant", from_merchant.id),
    to_merchant_id: wireId("merchant", to_merchant.id),
    sku,
    to_sku,
    quantity,
    location: wireId("warehouse", warehouse.id),
    bin: item.bin,
    to_bin: bin.code,
    lot_number: item.lot_number,
    reason,
    from_movement_id: wireId("movement", left.id),
    to_movement_id: wireId("movement", incoming.id),
    transferred_at: iso(tx.now),
    transferred_by: actor.id,
  };
}

async function merchantNamed(
  tx: Tx,
  field: "from_merchant_id" | "to_merchant_id",
  input: TransferOwnership,
): Promise<Merchant> {
  const merchant = await findMerchantNamed(tx, String(input[field]));
  if (merchant === null) throw unknownMerchant(field);
  return merchant;
}

/** The id of a merchant's product. Refuses: resource_missing, validation_failed (a bundle). */
function productOf(named: NamedProducts, { id, code }: Merchant, sku: string, field: string): number {
  const product = named.get(sku)?.find(({ merchant_id }) => merchant_id === id);
  if (product === undefined) {
    throw ofFields("resource_missing", [
      { field, code: "resource_missing", message: `is not the SKU of a product of ${code}` },
    ]);
  }
  if (product.type === "bundle") throw ofFields("validation_failed", [bundleProblem(field)]);
  return product.id;
}

function refuseReserved({ on_hand, reserved }: StockItem, sku: string, quantity: number): void {
  const available = on_hand - reserved;
  if (quantity <= available) return;
  const few = available === 1 ? "1 unit" : `${available} units`;
  throw new Fault("insufficient_inventory", `Only ${few} of ${sku} there can be transferred. The rest is reserved.`, {
    shortages: [{ sku, requested: quantity, available }],
  });
}

/**
 * The lot for the new owner's units: the owner's lot of the same number, or a new one like theirs.
 * Refuses: validation_failed (the owner's lot has another expiry or status).
 */
async function lotOf(tx: Tx, item: StockItem, product: StockedProduct): Promise<Lot | null> {
  const { lot_number, lot_status: status, expires_on } = item;
  if (lot_number === null || status === null) {
    if (product.lot_tracking) throw invalid("to_sku", "tracks lots, but the units have no lot");
    return null;
  }
  if (product.expiration_tracking && expires_on === null) {
    throw invalid("to_sku", `tracks expiry, but lot ${lot_number} has no expiry`);
  }
  const known = await findLot(tx, product.id, lot_number);
  if (known === null) {
    const received_date = item.lot_received_date ?? item.received_at;
    const lot = await insertLot(tx, { ...ownSpot(product), lot_number, received_date, expires_on, status });
    wakeAtExpiry(tx, lot, item);
    return lot;
  }
  if (known.expires_on !== expires_on || known.status !== status) {
    throw invalid("lot_number", "is used by the new owner for a lot with another expiry or status");
  }
  return known;
}
