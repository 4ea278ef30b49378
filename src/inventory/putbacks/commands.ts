// Units that an order gave up after they were picked: they wait in the put-back bin until somebody shelves them.
import type { Tx } from "../../database/store.ts";
import type { Actor } from "../../kit/actor.ts";
import { iso } from "../../kit/clock.ts";
import { Fault, invalid } from "../../kit/fault.ts";
import { readId, wireId } from "../../kit/ids.ts";
import { fillBackorders, freshShelves } from "../backorders/commands.ts";
import { moveUnits, type OpenShelf, shelfOf } from "../shelves/commands.ts";
import { binSpot, type StockItem } from "../stock/shelf.ts";
import { findStockedIds } from "../stock/store.ts";
import { binFor } from "../warehouses/commands.ts";
import { getWarehouse } from "../warehouses/store.ts";
import type { PutBack } from "./schemas.ts";
import { listWaiting } from "./store.ts";

/**
 * Puts units that an order gave up from the put-back bin to a bin of the same warehouse, where they are for sale again;
 * whoever waits for them gets them. Refuses: resource_missing, validation_failed, ambiguous_stock,
 * insufficient_inventory. Emits: inventory.updated.
 */
export async function putBack(tx: Tx, order_id: number, input: PutBack, actor: Actor) {
  const { sku, quantity } = input;
  const product_id = (await findStockedIds(tx, [sku])).get(sku);
  if (product_id === undefined) {
    throw new Fault("resource_missing", `No such SKU: ${sku}.`, {
      fields: [{ field: "sku", code: "resource_missing", message: "names no product" }],
    });
  }
  const shelves = await freshShelves(tx, [product_id]);
  const shelf = shelfOf(shelves, product_id);
  const order = wireId("order", order_id);
  const { item, waits } = await waitingItem(tx, shelf, order, input);
  if (quantity > waits) throw tooFew(sku, quantity, waits);
  const warehouse = await getWarehouse(tx, item.warehouse_id);
  const bin = await binFor(tx, warehouse, shelf.product, input.bin);
  if (bin.kind === "putback") throw invalid("bin", "is where units wait to be put back");
  const { id } = await moveUnits(tx, shelf, {
    type: "transfer",
    quantity,
    from: item,
    to: { ...item, ...binSpot(warehouse, bin) },
    to_place: null,
    promised: false,
    reason: "put_back",
    reference: { type: "order", id: order },
    confirmed: true,
    actor,
  });
  await fillBackorders(tx, shelves, [product_id]);
  return {
    order_id: order,
    sku,
    quantity,
    lot_number: item.lot_number,
    location: wireId("warehouse", warehouse.id),
    from_bin: item.bin,
    bin: bin.code,
    movement_id: wireId("movement", id),
    remaining: waits - quantity,
    put_back_at: iso(tx.now),
    put_back_by: actor.id,
  };
}

/** The stock item that the request means, and how many of its units wait for the order. */
async function waitingItem(
  tx: Tx,
  { product, items }: OpenShelf,
  order: string,
  { sku, quantity, lot_number, location }: PutBack,
): Promise<{ readonly item: StockItem; readonly waits: number }> {
  const warehouse_id = location === undefined ? null : (readId("warehouse", location) ?? 0);
  const waiting = (await listWaiting(tx, order, product.id)).flatMap((row) => {
    const item = items.find(({ id }) => id === row.stock_item_id);
    // Some may have been written off where they waited.
    return item === undefined ? [] : [{ item, waits: Math.min(row.quantity, item.on_hand) }];
  });
  const [found, ...others] = waiting.filter(
    ({ item }) =>
      (lot_number === undefined || item.lot_number === lot_number) &&
      (warehouse_id === null || item.warehouse_id === warehouse_id),
  );
  if (found === undefined) throw tooFew(sku, quantity, 0);
  if (others.length === 0) return found;
  throw new Fault("ambiguous_stock", `Units of ${sku} wait in several lots or warehouses; name one.`, {
    candidates: [found, ...others].map(({ item, waits }) => ({
      location: wireId("warehouse", item.warehouse_id),
      lot_number: item.lot_number,
      quantity: waits,
    })),
  });
}

function tooFew(sku: string, requested: number, available: number): Fault {
  return new Fault("insufficient_inventory", `Only ${available} units of ${sku} wait to be put back for this order.`, {
    shortages: [{ sku, requested, available }],
  });
}
