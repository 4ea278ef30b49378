import type { Db } from "../../database/store.ts";
import { listBundleParts } from "../../products/store.ts";
import { availableOf } from "../stock/shelf.ts";
import { type LoadedShelf, loadShelves } from "../stock/store.ts";

/** As `loadShelves`; a bundle has as many sets as its components, as far as they are available, make. */
export async function loadShelvesAndSets(db: Db, ids: readonly number[]): Promise<LoadedShelf[]> {
  const shelves = await loadShelves(db, ids);
  const bundles = shelves.filter(({ product }) => product.type === "bundle").map(({ product }) => product.id);
  if (bundles.length === 0) return shelves;
  const parts = await listBundleParts(db, bundles);
  const components = await loadShelves(db, [...new Set(parts.map(({ product_id }) => product_id))]);
  const available = new Map(components.map(({ product, items }) => [product.id, availableOf(items, db.now)]));
  const of = Map.groupBy(parts, ({ bundle_id }) => bundle_id);
  return shelves.map((shelf) => {
    const own = of.get(shelf.product.id);
    if (own === undefined) return shelf;
    const sets = own.map(({ product_id, quantity }) => Math.floor((available.get(product_id) ?? 0) / quantity));
    return { ...shelf, sets: Math.min(...sets) };
  });
}
