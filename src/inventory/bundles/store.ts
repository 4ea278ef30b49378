import type { Db } from "../../database/store.ts";
import { listBundleParts } from "../../products/store.ts";
import { availableOf } from "../stock/shelf.ts";
import { type LoadedShelf, loadShelves } from "../stock/store.ts";

/** A component of a bundle: how many a set takes, how many are available, and for how many sets these are enough. */
export interface StockedPart {
  readonly sku: string;
  readonly quantity: number;
  readonly available: number;
  readonly sets: number;
}

/** As `loadShelves`; a bundle has as many sets as its components, as far as they are available, make. */
export async function loadShelvesAndSets(db: Db, ids: readonly number[]): Promise<LoadedShelf[]> {
  const shelves = await loadShelves(db, ids);
  const bundles = shelves.filter(({ product }) => product.type === "bundle").map(({ product }) => product.id);
  if (bundles.length === 0) return shelves;
  const of = await partsOf(db, bundles);
  return shelves.map((shelf) => {
    const own = of.get(shelf.product.id);
    return own === undefined ? shelf : { ...shelf, sets: Math.min(...own.map(({ sets }) => sets)) };
  });
}

/** What a bundle is made of, and what there is of it. */
export async function listParts(db: Db, bundle_id: number): Promise<StockedPart[]> {
  return (await partsOf(db, [bundle_id])).get(bundle_id) ?? [];
}

async function partsOf(db: Db, bundle_ids: readonly number[]): Promise<Map<number, StockedPart[]>> {
  const parts = await listBundleParts(db, bundle_ids);
  const components = await loadShelves(db, [...new Set(parts.map(({ product_id }) => product_id))]);
  const free = new Map(components.map(({ product, items }) => [product.id, availableOf(items, db.now)]));
  const of = new Map<number, StockedPart[]>();
  for (const { bundle_id, product_id, sku, quantity } of parts) {
    const available = free.get(product_id) ?? 0;
    const part = { sku, quantity, available, sets: Math.floor(available / quantity) };
    of.set(bundle_id, [...(of.get(bundle_id) ?? []), part]);
  }
  return of;
}
