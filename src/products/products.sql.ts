import { isDeepStrictEqual } from "node:util";
import { and, asc, eq, exists, gt, sql } from "drizzle-orm";
import { among, amongTexts, list } from "../../db/kit.ts";
import { product_components } from "../../db/schema/bundles.ts";
import { product_barcodes, product_packs, products } from "../../db/schema/products.ts";
import { choice, textField } from "../core/schema.ts";
import type { Db, Tx } from "../storage/database.ts";
import { ascending, descending, equals, exactly, filter, recordList, search } from "../storage/record_list.ts";
import { recordLookup } from "../storage/record_lookup.ts";
import { insert, insertIds, prepared, type StatementArgs } from "../storage/statements.ts";
import { refuseAmbiguousOwner, requireOwner } from "../storage/tenant.ts";
import {
  type Barcode,
  type BundleComponent,
  isGtin,
  type Product,
  type ProductFields,
  type ProductPack,
  type ProductType,
  productStatuses,
} from "./product.ts";

type ProductRow = typeof products.$inferSelect;

const byIds = prepared((sql, a: StatementArgs<{ ids: string }>) =>
  sql.select().from(products).where(among(products.id, a.ids)),
);
const bySkus = prepared((sql, a: StatementArgs<{ skus: string }>) =>
  sql.select().from(products).where(amongTexts(products.sku, a.skus)),
);
const barcodesOf = prepared((sql, a: StatementArgs<{ ids: string }>) =>
  sql
    .select()
    .from(product_barcodes)
    .where(among(product_barcodes.product_id, a.ids))
    .orderBy(asc(product_barcodes.id)),
);

const packsOf = prepared((sql, a: StatementArgs<{ ids: string }>) =>
  sql.select().from(product_packs).where(among(product_packs.product_id, a.ids)).orderBy(asc(product_packs.id)),
);

/** The packs of these products. */
export const listPackKinds = (db: Db, product_ids: readonly number[]) => packsOf(db, { ids: list(product_ids) });

const componentsOf = prepared((sql, a: StatementArgs<{ ids: string }>) =>
  sql
    .select({
      bundle_id: product_components.bundle_id,
      product_id: product_components.component_id,
      sku: products.sku,
      status: products.status,
      temperature_zone: products.temperature_zone,
      quantity: product_components.quantity,
    })
    .from(product_components)
    .innerJoin(products, eq(products.id, product_components.component_id))
    .where(among(product_components.bundle_id, a.ids))
    .orderBy(asc(product_components.id)),
);

/** A product without its barcodes, packs and components, as other features need it. */
type PlainProduct = Omit<Product, "barcodes" | "packs" | "components">;

/** A component of a bundle, as other features need it. */
type BundlePart = Awaited<ReturnType<typeof componentsOf>>[number];

const bundlesWith = prepared((sql, a: StatementArgs<{ ids: string }>) =>
  sql
    .selectDistinct({ bundle_id: product_components.bundle_id })
    .from(product_components)
    .where(among(product_components.component_id, a.ids))
    .orderBy(asc(product_components.bundle_id)),
);

/** The bundles that contain any of these products, in the order of their ids. */
export async function listBundlesWith(db: Db, component_ids: readonly number[]): Promise<number[]> {
  return (await bundlesWith(db, { ids: list(component_ids) })).map(({ bundle_id }) => bundle_id);
}

/** The components of these bundles, in their order. */
export async function listBundleParts(db: Db, bundle_ids: readonly number[]): Promise<BundlePart[]> {
  return bundle_ids.length === 0 ? [] : componentsOf(db, { ids: list(bundle_ids) });
}

/** The products with these ids, in no order; unknown ids are left out. */
export async function findProducts(db: Db, ids: readonly number[]): Promise<PlainProduct[]> {
  return (await byIds(db, { ids: list(ids) })) as PlainProduct[];
}

/** The products of all merchants with these SKUs, in no order; unknown SKUs are left out. */
export async function findAllBySku(db: Db, skus: readonly string[]): Promise<PlainProduct[]> {
  return (await bySkus(db, { skus: list(skus) })) as PlainProduct[];
}

/**
 * The products with these SKUs, in no order; unknown SKUs are left out. Refuses: merchant_required, when one is known
 * to several merchants.
 */
export async function findProductsBySku(db: Db, skus: readonly string[]): Promise<PlainProduct[]> {
  const found = await findAllBySku(db, skus);
  refuseAmbiguousOwner(found, ({ sku }) => sku);
  return found;
}

/** The product with this SKU, or null. Refuses: merchant_required. */
export async function findProductBySku(db: Db, sku: string): Promise<PlainProduct | null> {
  const [row] = await findProductsBySku(db, [sku]);
  return row ?? null;
}

/** The products with these SKUs and their barcodes, in no order; unknown SKUs are left out. */
export async function findFullProductsBySku(db: Db, skus: readonly string[]): Promise<Product[]> {
  const found = await bySkus(db, { skus: list(skus) });
  refuseAmbiguousOwner(found, ({ sku }) => sku);
  return withParts(db, found);
}

/** The product that an identifier names: `prd_1001` or `1001`. Refuses: resource_missing. */
export const { get: getProduct, lock: lockProduct } = recordLookup(products, "product", { records: withParts });

/** The products with their barcodes, packs and components. */
async function withParts(db: Db, rows: readonly ProductRow[]): Promise<Product[]> {
  const ids = list(rows.map((row) => row.id));
  const barcodes = rows.length === 0 ? [] : await barcodesOf(db, { ids });
  const of = Map.groupBy(barcodes, (barcode) => barcode.product_id);
  const packs = Map.groupBy(rows.length === 0 ? [] : await packsOf(db, { ids }), ({ product_id }) => product_id);
  const bundles = rows.filter(({ type }) => type === "bundle").map(({ id }) => id);
  const parts = Map.groupBy(await listBundleParts(db, bundles), (part) => part.bundle_id);
  return rows.map((row) => {
    const codes = of.get(row.id) ?? [];
    const found = codes.filter(({ pack_id }) => pack_id === null).map(({ value, type }): Barcode => ({ value, type }));
    const packed = (packs.get(row.id) ?? []).map(
      ({ id, level, quantity, dimensions, weight, weight_unit }): ProductPack => {
        const barcode = codes.find(({ pack_id }) => pack_id === id)?.value ?? null;
        return { level, quantity, barcode, dimensions, weight: weight === null ? null : Number(weight), weight_unit };
      },
    );
    const components = (parts.get(row.id) ?? []).map(({ sku, quantity }): BundleComponent => ({ sku, quantity }));
    return { ...row, barcodes: found, packs: packed, components } as Product;
  });
}

const ofBarcode = (db: Db, value: string) =>
  db.sql
    .select({ one: sql`1` })
    .from(product_barcodes)
    .where(and(eq(product_barcodes.product_id, products.id), eq(product_barcodes.value, value)));

/** Products with their barcodes, packs and components. */
export const productList = recordList(products, {
  filters: {
    sku: exactly(products.sku, textField(100, { description: "Only products with this SKU." })),
    barcode: filter(
      textField(80, { description: "Only the product with this barcode, or with a pack that has it." }),
      (value, db) => exists(ofBarcode(db, value)),
    ),
    q: search("Part of the SKU or the name.", [products.sku, products.name]),
    status: equals(products.status, choice(productStatuses)),
  },
  sorts: { created_at: ascending(products.created_at), "-created_at": descending(products.created_at) },
  sort_note: "Default: `-created_at`, newest first.",
  records: (rows, db) => withParts(db, rows),
});

/**
 * The products after one (null: from the first): first the simple ones by id, then the bundles, so that every component
 * precedes its bundle.
 */
export async function listProductsAfter(
  db: Db,
  last: Pick<Product, "id" | "type"> | null,
  limit: number,
): Promise<Product[]> {
  const page = (type: ProductType, id: number) =>
    db.sql
      .select()
      .from(products)
      .where(and(gt(products.id, id), eq(products.type, type)))
      .orderBy(asc(products.id))
      .limit(limit);
  const simple = last?.type === "bundle" ? [] : await page("simple", last?.id ?? 0);
  const rows = simple.length > 0 ? simple : await page("bundle", last?.type === "bundle" ? last.id : 0);
  return withParts(db, rows);
}

/** Stores a new product and returns it. `component_ids` are the ids of its components' products. */
export async function insertProduct(
  tx: Tx,
  { barcodes, packs, components, ...fields }: ProductFields,
  component_ids: readonly number[],
): Promise<Product> {
  const merchant_id = requireOwner(tx);
  const row = { ...fields, merchant_id, revision: 1, created_at: tx.now, updated_at: tx.now };
  const [id = 0] = await insertIds(tx, products, [row]);
  await insertPackages(tx, { product_id: id, merchant_id }, barcodes, packs);
  await insertComponents(tx, id, components, component_ids);
  return { id, ...row, barcodes, packs, components };
}

/** Stores the barcodes and the packs of a product. */
async function insertPackages(
  tx: Tx,
  of: { readonly product_id: number; readonly merchant_id: number },
  barcodes: ProductFields["barcodes"],
  packs: ProductFields["packs"],
) {
  const rows = packs.map(({ barcode: _, weight = null, ...pack }) => {
    return { ...of, ...pack, weight: weight === null ? null : String(weight) };
  });
  const pack_ids = await insertIds(tx, product_packs, rows);
  const codes = packs.flatMap(({ barcode = null }, at) => {
    if (barcode === null) return [];
    return {
      ...of,
      value: barcode,
      type: isGtin(barcode) ? ("gtin" as const) : ("other" as const),
      pack_id: pack_ids[at] ?? 0,
    };
  });
  const own = barcodes.map((barcode) => ({ ...of, ...barcode, pack_id: null }));
  await insert(tx, product_barcodes, [...own, ...codes]);
}

async function insertComponents(
  tx: Tx,
  bundle_id: number,
  components: readonly BundleComponent[],
  ids: readonly number[],
) {
  const rows = components.map(({ quantity }, at) => ({ bundle_id, component_id: ids[at] ?? 0, quantity }));
  await insert(tx, product_components, rows);
}

/** Stores changes of a product; its revision increases by one. `component_ids` are the products of its components. */
export async function saveProduct(
  tx: Tx,
  before: Product,
  { barcodes, packs, components, ...fields }: ProductFields,
  component_ids: readonly number[],
): Promise<Product> {
  const { merchant_id } = before;
  const row = { ...fields, revision: before.revision + 1, updated_at: tx.now };
  await tx.sql.update(products).set(row).where(eq(products.id, before.id));
  if (!isDeepStrictEqual([barcodes, packs], [before.barcodes, before.packs])) {
    await tx.sql.delete(product_barcodes).where(eq(product_barcodes.product_id, before.id));
    await tx.sql.delete(product_packs).where(eq(product_packs.product_id, before.id));
    await insertPackages(tx, { product_id: before.id, merchant_id }, barcodes, packs);
  }
  if (JSON.stringify(components) !== JSON.stringify(before.components)) {
    await tx.sql.delete(product_components).where(eq(product_components.bundle_id, before.id));
    await insertComponents(tx, before.id, components, component_ids);
  }
  return { id: before.id, merchant_id, created_at: before.created_at, ...row, barcodes, packs, components };
}

/** The barcodes among these values that belong to another product, with that product's id. */
export async function findBarcodes(
  db: Db,
  values: readonly string[],
): Promise<{ value: string; product_id: number }[]> {
  if (values.length === 0) return [];
  return db.sql
    .select({ value: product_barcodes.value, product_id: product_barcodes.product_id })
    .from(product_barcodes)
    .where(amongTexts(product_barcodes.value, sql`${list(values)}`));
}
