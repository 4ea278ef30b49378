// What a change of a product does to its stock.
import type { Tx } from "../../database/store.ts";
import type { Product } from "../../products/product.ts";
import { freshShelves } from "../backorders/commands.ts";
import { openShelves, tellSets } from "../shelves/commands.ts";
import { lastAvailableOf } from "../stock/shelf.ts";

/**
 * Reports what a change of a product does to its stock: other components make more or fewer sets, and units that must
 * keep for longer can no longer be promised, while those that need not are for waiting orders. Promises stay.
 * Emits: inventory.updated, inventory.low_stock.
 */
export async function noteProductChange(tx: Tx, before: Product, after: Product): Promise<void> {
  await tellSets(tx, before, after);
  if (before.min_shelf_life_days === after.min_shelf_life_days) return;
  const shelf = (await openShelves(tx, [after.id])).get(after.id);
  if (shelf === undefined) return;
  // What was told last is what could be promised by the days that were required then.
  shelf.told = { ...shelf.told, available: lastAvailableOf({ product: before, items: shelf.items }) };
  await freshShelves(tx, [after.id]);
}
