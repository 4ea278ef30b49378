import { and, asc, desc, eq, isNotNull, or, type SQL } from "drizzle-orm";
import { amongTexts, begins, folded, given, holds, list } from "../../../db/kit.ts";
import { product_barcodes, products } from "../../../db/schema/products.ts";
import { type Args, prepared } from "../../database/statements.ts";
import type { Db } from "../../database/store.ts";
import { wireId } from "../../kit/ids.ts";
import { bestOf, fitOf, type Hit, isPart, type Typed } from "../rules.ts";

// A text within names is looked for in so many of the newest products.
const newest_max = 5000;

const shown = {
  id: products.id,
  merchant_id: products.merchant_id,
  sku: products.sku,
  name: products.name,
  status: products.status,
  created_at: products.created_at,
};
type Row = Pick<typeof products.$inferSelect, keyof typeof shown>;

const byId = prepared((sql, a: Args<{ id: number }>) => sql.select(shown).from(products).where(eq(products.id, a.id)));
const bySku = prepared((sql, a: Args<{ code: string; limit: number }>) =>
  sql
    .select(shown)
    .from(products)
    .where(begins(folded(products.sku), a.code))
    .orderBy(asc(folded(products.sku)))
    .limit(given(a.limit)),
);
const byName = prepared((sql, a: Args<{ code: string; limit: number }>) =>
  sql
    .select(shown)
    .from(products)
    .where(begins(folded(products.name), a.code))
    .orderBy(asc(folded(products.name)))
    .limit(given(a.limit)),
);
const barcode = { ...shown, barcode: product_barcodes.value };
const byBarcode = prepared((sql, a: Args<{ values: string }>) =>
  sql
    .select(barcode)
    .from(product_barcodes)
    .innerJoin(products, eq(products.id, product_barcodes.product_id))
    .where(amongTexts(product_barcodes.value, a.values)),
);
const byBarcodeBeginning = prepared((sql, a: Args<{ value: string; limit: number }>) =>
  sql
    .select(barcode)
    .from(product_barcodes)
    .innerJoin(products, eq(products.id, product_barcodes.product_id))
    .where(begins(product_barcodes.value, a.value))
    .orderBy(asc(product_barcodes.value))
    .limit(given(a.limit)),
);

/** The products whose SKU, name or bar code was typed or scanned, begins with it, or contains each word. */
export async function findProductHits(db: Db, typed: Typed, limit: number): Promise<Hit[]> {
  const scanned = await byBarcode(db, { values: list(typed.barcodes) });
  const rows: Row[] = [...(await byId(db, { id: typed.idOf("product") }))];
  for (const code of typed.codes) {
    rows.push(...(await bySku(db, { code, limit })), ...(await byName(db, { code, limit })));
  }
  const [value = ""] = typed.barcodes;
  rows.push(...(await byBarcodeBeginning(db, { value, limit })));
  const exact = scanned.map((row) => hitOf(row, "exact"));
  const begun = rows.map((row) =>
    hitOf(row, row.id === typed.idOf("product") ? "exact" : (fitOf(typed, [row.sku, row.name]) ?? "prefix")),
  );
  const parts = isPart(typed) ? (await holding(db, typed, limit)).map((row) => hitOf(row, "part")) : [];
  return bestOf([...exact, ...begun, ...parts]);
}

/** Of the newest products those that contain each word in the SKU or the name, newest first. */
function holding(db: Db, { codes }: Typed, limit: number): Promise<Row[]> {
  const newest = db.sql
    .select(shown)
    .from(products)
    .orderBy(desc(products.created_at), desc(products.id))
    .limit(newest_max)
    .as("newest");
  const all = codes.map((code) => and(...code.split(" ").map((word) => either(newest.sku, newest.name, word))));
  return db.sql
    .select({
      id: newest.id,
      merchant_id: newest.merchant_id,
      sku: newest.sku,
      name: newest.name,
      status: newest.status,
      created_at: newest.created_at,
    })
    .from(newest)
    .where(and(isNotNull(newest.id), or(...all)))
    .orderBy(desc(newest.created_at), desc(newest.id))
    .limit(limit);
}

const either = (sku: Parameters<typeof holds>[0], name: Parameters<typeof holds>[0], word: string): SQL | undefined =>
  or(holds(sku, word), holds(name, word));

function hitOf({ id, merchant_id, sku, name, status, created_at }: Row, fit: Hit["fit"]): Hit {
  return {
    type: "product",
    fit,
    id: wireId("product", id),
    title: sku,
    subtitle: name,
    state: status,
    at: created_at,
    of: null,
    merchant_id,
  };
}
