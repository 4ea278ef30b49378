import type { Db } from "../../database/store.ts";
import { listBundleParts } from "../../products/store.ts";
import { availableOf } from "../stock/shelf.ts";
import { type LoadedShelf, loadShelves } from "../stock/store.ts";
import type { StockedPart } from "./part.ts";

/** As `loadShelves`; a bundle has as many sets as its components, as far as they are available, make. */
export async function loadShelvesAndSets(db: Db, ids: readonly number[]): Promise<LoadedShelf[]> {
  const shelves = await loadShelves(db, ids);
  const bundles = shelves.filter(({ product }) => product.type === "bundle").map(({ product }) => product.id);
  if (bundles.length === 0) return shelves;
  const of = await listParts(db, bundles);
  return shelves.map((shelf) => {
    const own = of.get(shelf.product.id);
    return own === undefined ? shelf : { ...shelf, sets: Math.min(...own.map(({ sets }) => sets)) };
  });
}

/** What each of these bundles is made of, and what there is of it. */
export async function listParts(db: Db, bundle_ids: readonly number[]): Promise<Map<number, StockedPart[]>> {
  const parts = await listBundleParts(db, bundle_ids);
  const components = await loadShelves(db, [...new Set(parts.map(({ product_id }) => product_id))]);
  const free = new Map(components.map((part) => [part.product.id, availableOf(part, db.now)]));
  const of = new Map<number, StockedPart[]>();
  for (const { bundle_id, product_id, sku, quantity } of parts) {
    const available = free.get(product_id) ?? 0;
    const part = { product_id, sku, quantity, available, sets: Math.floor(available / quantity) };
    of.set(bundle_id, [...(of.get(bundle_id) ?? []), part]);
  }
  return of;
}
