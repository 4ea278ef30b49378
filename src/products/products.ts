import { isDeepStrictEqual } from "node:util";
import { Fault, invalid, ofFields } from "../core/faults.ts";
import { wireId } from "../core/ids.ts";
import { centsOf, decimalsOf, money } from "../core/money.ts";
import { weightUnit } from "../core/weight_units.ts";
import { refuseForClosed } from "../merchants/directory.sql.ts";
import type { Tx } from "../storage/database.ts";
import { conflict } from "../storage/storage_errors.ts";
import { requireOwner } from "../storage/tenant.ts";
import type { CreateProduct, ImportProduct, UpdateProduct } from "./product.schema.ts";
import type { Product, ProductPack } from "./product.ts";
import { canBeSold, checkProduct, type ProductFields, productDefaults } from "./product.ts";
import {
  findBarcodes,
  findProductBySku,
  findProductsBySku,
  insertProduct,
  lockProduct,
  saveProduct,
} from "./products.sql.ts";

/** Creates a product. Refuses: validation_failed, duplicate_sku, merchant_closed, resource_missing (a component). */
export async function createProduct(tx: Tx, input: CreateProduct): Promise<Product> {
  const currency = input.currency ?? productDefaults.currency;
  const fields = { sku: input.sku, name: input.name, ...productDefaults, ...sentFields(input, currency) };
  checkProduct(fields);
  await refuseForClosed(tx, requireOwner(tx));
  const parts = await componentIds(tx, fields);
  return refusingTaken(tx, fields, null, (inner) => insertProduct(inner, fields, parts));
}

/** Called in the transaction that changes a product, so that routes can pass in the reactions of orders and stock. */
export type OnProductChange = (tx: Tx, before: Product, after: Product) => Promise<void>;

/**
 * Changes fields of a product. Without a difference nothing is written. Its type cannot change, nor can its SKU, which
 * stock, orders and history refer to. Refuses: resource_missing, validation_failed, immutable_field.
 */
export async function updateProduct(
  tx: Tx,
  id: string,
  input: UpdateProduct,
  onChange: OnProductChange,
): Promise<Product> {
  const before = await lockProduct(tx, id);
  if (input.sku !== undefined && input.sku !== before.sku) {
    throw new Fault("immutable_field", "A SKU cannot be changed. Create another product.", {
      fields: [{ field: "sku", code: "immutable_field", message: "cannot change" }],
    });
  }
  if (input.type !== undefined && input.type !== before.type) {
    throw new Fault("immutable_field", "A product's type cannot be changed. Create another product.", {
      fields: [{ field: "type", code: "immutable_field", message: "cannot change" }],
    });
  }
  const {
    id: _id,
    merchant_id: _owner,
    revision: _revision,
    created_at: _created,
    updated_at: _updated,
    ...kept
  } = before;
  const fields: ProductFields = {
    ...kept,
    ...price(before, input),
    ...sentFields(input, input.currency ?? before.currency),
  };
  if (isDeepStrictEqual(fields, kept)) return before;
  checkProduct(fields);
  const parts = await componentIds(tx, fields);
  const after = await refusingTaken(tx, fields, before.id, (inner) => saveProduct(inner, before, fields, parts));
  await onChange(tx, before, after);
  // Orders may be on hold until the product can be sold.
  if (!canBeSold(before.status) && canBeSold(after.status)) tx.wake("orders.recheck_goods", tx.now);
  return after;
}

/** The products of a bundle's components. They are simple, so a bundle cannot contain itself. */
async function componentIds(tx: Tx, { components }: ProductFields): Promise<number[]> {
  if (components.length === 0) return [];
  const found = await findProductsBySku(
    tx,
    components.map(({ sku }) => sku),
  );
  const products = components.map(({ sku }) => found.find((product) => product.sku === sku));
  const fields = products.flatMap((product, at) => {
    const [field, message] = [`components[${at}].sku`, `is not the SKU of a product: ${components[at]?.sku}`];
    return product === undefined ? [{ field, code: "resource_missing", message }] : [];
  });
  if (fields.length > 0) throw ofFields("resource_missing", fields);
  const nested = products.findIndex((product) => product?.type === "bundle");
  if (nested >= 0) throw invalid(`components[${nested}].sku`, "is a bundle; name its components instead");
  return products.map((product) => product?.id ?? 0);
}

/** The result of a row of a file, and the product after it. */
interface ImportedProduct {
  readonly change: "created" | "updated" | "unchanged";
  readonly after: Product;
}

/**
 * Creates the product of a row of a file, updates it where it differs, or leaves it as it is. Refuses:
 * validation_failed, duplicate_sku, resource_missing, immutable_field.
 */
export async function setProduct(
  tx: Tx,
  before: Product | null,
  input: ImportProduct,
  onChange: OnProductChange,
): Promise<ImportedProduct> {
  const { name } = input;
  if (before === null) {
    if (name === undefined) throw invalid("name", "is required: there is no such product yet", "required");
    const after = await tx.nested((inner) => createProduct(inner, { ...input, name }));
    return { change: "created", after };
  }
  const differs = Object.entries(sentFields(input, input.currency ?? before.currency)).some(
    ([field, value]) => !isDeepStrictEqual(plain(value), plain(before[field as keyof Product])),
  );
  if (!differs) return { change: "unchanged", after: before };
  const after = await tx.nested((inner) => updateProduct(inner, wireId("product", before.id), input, onChange));
  return { change: "updated", after };
}

/** A value as a cell of a file can express it: missing, null, and an empty text or object are the same. */
function plain(value: unknown): unknown {
  const isEmpty = value === "" || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
  return isEmpty ? null : value;
}

/** The price in another currency reads as before: 5 dollars become 5 yen. Refuses: validation_failed. */
function price({ price_cents, currency: before }: Product, { currency = before, price: given }: UpdateProduct) {
  const stays = price_cents === null || given !== undefined || decimalsOf(currency) === decimalsOf(before);
  return stays ? {} : { price_cents: centsOf(money(price_cents, before), currency, "price") };
}

/** The product's fields in a request, as the tables keep them. Refuses: validation_failed. */
function sentFields(input: UpdateProduct, currency: string): Partial<ProductFields> {
  const { weight, weight_unit, price, packs, ...same } = input;
  const fields: Record<string, unknown> = {};
  for (const name of [...Object.keys(productDefaults), "name"]) {
    const value = (same as Record<string, unknown>)[name];
    if (value !== undefined) fields[name] = value;
  }
  if (weight_unit !== undefined) fields["weight_unit"] = weight_unit === null ? null : weightUnit(weight_unit);
  if (packs !== undefined) fields["packs"] = packs.map(packOf);
  if (weight !== undefined) fields["weight"] = weight === null ? null : String(weight);
  if (price !== undefined) fields["price_cents"] = price === null ? null : centsOf(price, currency, "price");
  return fields as Partial<ProductFields>;
}

/** A pack in a request, as the tables keep it. */
function packOf({ level, quantity, barcode = null, ...of }: SentPack): ProductPack {
  const { dimensions = null, weight = null, weight_unit: unit = null } = of;
  return { level, quantity, barcode, dimensions, weight, weight_unit: unit === null ? null : weightUnit(unit) };
}

type SentPack = NonNullable<UpdateProduct["packs"]>[number];

/** Stores a product. If its SKU or a barcode is taken, the refusal names the other product. */
async function refusingTaken(
  tx: Tx,
  fields: ProductFields,
  own_id: number | null,
  store: (inner: Tx) => Promise<Product>,
): Promise<Product> {
  try {
    return await tx.nested(store);
  } catch (error) {
    if (conflict(error)?.kind !== "unique") throw error;
    await refuseTakenSku(tx, fields.sku, own_id);
    await refuseTakenBarcodes(tx, fields, own_id);
    throw error;
  }
}

async function refuseTakenSku(tx: Tx, sku: string, own_id: number | null): Promise<void> {
  const other = await findProductBySku(tx, sku);
  if (other === null || other.id === own_id) return;
  throw new Fault("duplicate_sku", `A product with the SKU ${sku} already exists.`, {
    existing_id: wireId("product", other.id),
  });
}

async function refuseTakenBarcodes(tx: Tx, fields: ProductFields, own_id: number | null): Promise<void> {
  const codes = [
    ...fields.barcodes.map(({ value }, at) => ({ value, field: `barcodes[${at}].value` })),
    ...fields.packs.flatMap(({ barcode = null }, at) =>
      barcode === null ? [] : { value: barcode, field: `packs[${at}].barcode` },
    ),
  ];
  const taken = await findBarcodes(
    tx,
    codes.map(({ value }) => value),
  );
  const other = taken.find((barcode) => barcode.product_id !== own_id);
  const code = codes.find(({ value }) => value === other?.value);
  if (other === undefined || code === undefined) return;
  throw invalid(code.field, `belongs to ${wireId("product", other.product_id)}`, "duplicate");
}
