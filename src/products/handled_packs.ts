import { invalidFields } from "../core/faults.ts";
import type { Db } from "../storage/database.ts";
import type { PackKind } from "./product.ts";
import { listPackKinds } from "./products.sql.ts";

/** Units in a request, and the pack in which they were handled. */
interface HandledUnits {
  readonly product_id: number;
  readonly quantity: number;
  readonly pack?: PackKind | undefined;
}

/**
 * Refuses packs that their products do not have, and units that are not whole packs. `prefix` is the path of the units
 * in the request, such as `items[0].`. Refuses: validation_failed.
 */
export async function refuseWrongPacks(
  db: Db,
  units: readonly HandledUnits[],
  prefix: (at: number) => string,
): Promise<void> {
  const handled = units.flatMap(({ pack, ...one }, at) => (pack === undefined ? [] : { ...one, pack, at }));
  if (handled.length === 0) return;
  const known = await listPackKinds(
    db,
    handled.map(({ product_id }) => product_id),
  );
  const fields = handled.flatMap(({ product_id, quantity, pack, at }) => {
    const isSame = (one: (typeof known)[number]) =>
      one.product_id === product_id && one.level === pack.level && one.quantity === pack.quantity;
    if (!known.some(isSame)) {
      return { field: `${prefix(at)}pack`, code: "resource_missing", message: "is none of the product's packs" };
    }
    if (quantity % pack.quantity === 0) return [];
    const message = `must be whole packs: a multiple of ${pack.quantity}`;
    return { field: `${prefix(at)}quantity`, code: "invalid_value", message };
  });
  if (fields.length > 0) throw invalidFields(fields);
}
