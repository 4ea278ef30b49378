import { isDeepStrictEqual } from "node:util";
import type { Tx } from "../../database/store.ts";
import { emit } from "../../outbox/emit.ts";
import type { Product } from "../../products/product.ts";
import { setsEvents } from "../shelves/commands.ts";
import { availableOf } from "../stock/shelf.ts";
import { findStockedIds, loadShelves, lockShelves } from "../stock/store.ts";

/**
 * Tells of a bundle of which more or fewer sets can be made, since it is made of other components.
 * Emits: inventory.updated, inventory.low_stock.
 */
export async function tellSets(tx: Tx, before: Product, after: Product): Promise<void> {
  if (isDeepStrictEqual(before.components, after.components)) return;
  const skus = [...before.components, ...after.components].map(({ sku }) => sku);
  const ids = await findStockedIds(tx, skus);
  // Locked, so that whoever changes a part at the same moment either is counted here or finds the bundle as it is now.
  const parts = await lockShelves(tx, [...ids.values()]);
  const free = new Map(parts.map(({ product, items }) => [product.sku, availableOf(items, tx.now)]));
  const [shelf] = await loadShelves(tx, [after.id]);
  if (shelf === undefined) return;
  const sets = setsOf(after, free);
  await emit(tx, setsEvents(tx, { ...shelf, sets }, setsOf(before, free)));
}

/** How many sets can be made of a bundle's components, of which so many are available. */
function setsOf({ components }: Product, free: ReadonlyMap<string, number>): number {
  return Math.min(...components.map(({ sku, quantity }) => Math.floor((free.get(sku) ?? 0) / quantity)));
}
