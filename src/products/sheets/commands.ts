import type { Tx } from "../../database/store.ts";
import { invalid } from "../../kit/fault.ts";
import { type Outcome, rowOutcome, type SheetRow, type Taken } from "../../kit/sheet.ts";
import { type OnProductChange, setProduct } from "../commands.ts";
import { productView } from "../product.ts";
import type { ImportProduct } from "../schemas.ts";
import { findWholeProductsBySku } from "../store.ts";

/**
 * Creates the products of some rows of a file, or updates those that differ. A row that fails writes nothing and does
 * not affect the others. Refuses: validation_failed, duplicate_sku, resource_missing, immutable_field (each as the
 * result of its row).
 */
export async function saveProductRows(
  tx: Tx,
  rows: readonly SheetRow<ImportProduct>[],
  taken: Taken,
  onChange: OnProductChange,
): Promise<Outcome[]> {
  const found = await findWholeProductsBySku(
    tx,
    rows.map(({ row }) => row.sku),
  );
  const known = new Map(found.map((product) => [product.sku, product]));
  const own = new Map<string, number>();
  const outcomes: Outcome[] = [];
  for (const { line, row } of rows) {
    const { sku } = row;
    const outcome = await rowOutcome(async () => {
      const first = taken.get(sku) ?? own.get(sku);
      if (first !== undefined) throw invalid("sku", `repeats line ${first}`, "duplicate");
      const before = known.get(sku) ?? null;
      const { change, after } = await setProduct(tx, before, row, onChange);
      const effect = { before: before && productView(before), after: productView(after) };
      return { change, key: sku, effect };
    });
    if (outcome.change !== "failed") own.set(sku, line);
    outcomes.push(outcome);
  }
  return outcomes;
}
