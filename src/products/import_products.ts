import { type CheckedCsvRow, type CsvRowOutcome, rowOutcome, type WrittenKeys } from "../core/csv_columns.ts";
import { invalid } from "../core/faults.ts";
import type { Tx } from "../storage/database.ts";
import type { ImportProduct } from "./product.schema.ts";
import { productView } from "./product.ts";
import { findFullProductsBySku } from "./products.sql.ts";
import { type OnProductChange, setProduct } from "./products.ts";

/**
 * Creates the products of some rows of a file, or updates those that differ. A row that fails writes nothing and does
 * not affect the others. Refuses: validation_failed, duplicate_sku, resource_missing, immutable_field (each as the
 * result of its row).
 */
export async function saveProductRows(
  tx: Tx,
  rows: readonly CheckedCsvRow<ImportProduct>[],
  taken: WrittenKeys,
  onChange: OnProductChange,
): Promise<CsvRowOutcome[]> {
  const found = await findFullProductsBySku(
    tx,
    rows.map(({ row }) => row.sku),
  );
  const known = new Map(found.map((product) => [product.sku, product]));
  const own = new Map<string, number>();
  const outcomes: CsvRowOutcome[] = [];
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
