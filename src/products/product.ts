import { iso } from "../core/clock.ts";
import { invalid } from "../core/faults.ts";
import { wireId } from "../core/ids.ts";
import { money } from "../core/money.ts";
import { countries } from "../core/postal_address.ts";
import { defaultsOf, type StoredFields, wordsOf } from "../core/resource.ts";
import { productFields } from "./product.resource.ts";

export const productStatuses = wordsOf(productFields.status);
export type ProductStatus = (typeof productStatuses)[number];
/** The status of a product that can be ordered. */
export const orderable = "active" satisfies ProductStatus;

/** A product that an imported order created cannot be sold until it is completed. */
export const initialImportedProductStatus: ProductStatus = "inactive";

/** Whether a product can be sold. */
export function canBeSold(status: ProductStatus): boolean {
  return status === "active";
}

export const productTypes = wordsOf(productFields.type);
export type ProductType = (typeof productTypes)[number];

/** Temperature zones from the warmest to the coldest. */
export const temperatureZones = wordsOf(productFields.temperature_zone);
export type TemperatureZone = (typeof temperatureZones)[number];

export const lengthUnits = wordsOf(productFields.dimensions.fields.unit);
export type LengthUnit = (typeof lengthUnits)[number];

export const packLevels = wordsOf(productFields.packs.of.level);
export type PackLevel = (typeof packLevels)[number];

export const barcodeTypes = wordsOf(productFields.barcodes.of.type);

/** The fields of a product in a request, as the tables keep them. */
export type ProductFields = StoredFields<typeof productFields>;
export type Barcode = ProductFields["barcodes"][number];
export type BarcodeType = Barcode["type"];
/** A pack of a product: some units in one package. */
export type ProductPack = Required<ProductFields["packs"][number]>;
/** What a pack is, and how many units it has. */
export type PackKind = Pick<ProductPack, "level" | "quantity">;
/** A simple product and its units in one set of a bundle. */
export type BundleComponent = ProductFields["components"][number];
export type Customs = NonNullable<ProductFields["customs"]>;

/** A product: everything that is stored under one SKU. */
export interface Product extends ProductFields {
  readonly id: number;
  readonly merchant_id: number;
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** The product as the API shows it. */
export function productView(product: Product) {
  const { id, merchant_id, price_cents, weight, created_at, updated_at, ...same } = product;
  return {
    id: wireId("product", id),
    merchant_id: wireId("merchant", merchant_id),
    ...same,
    weight: weight === null ? null : Number(weight),
    price: price_cents === null ? null : money(price_cents, product.currency),
    created_at: iso(created_at),
    updated_at: iso(updated_at),
  };
}

/** The defaults of a new product. */
export const productDefaults = defaultsOf(productFields);

/** Names of routes below `/inventory`, which cannot be SKUs since a SKU has the same place in a path. */
const reserved_skus: readonly string[] = [
  "locations",
  "bins",
  "items",
  "moves",
  "movements",
  "reserve",
  "release",
  "reservations",
  "transfers",
  "receipts",
  "counts",
  "lots",
  "ownership_transfers",
  "putbacks",
  "import",
  "export.csv",
];

/** Checks what a schema cannot. Refuses: validation_failed. */
export function checkProduct(fields: ProductFields): void {
  const { sku, name, customs, weight, weight_unit } = fields;
  if (reserved_skus.includes(sku.toLowerCase())) throw invalid("sku", "is a reserved word");
  // Scanners strip outer spaces, and a path that ends in dots would be another path.
  if (sku !== sku.trim()) throw invalid("sku", "must not start or end with a space");
  if (sku === "." || sku === "..") throw invalid("sku", "must not consist only of dots");
  if (name.trim() === "") throw invalid("name", "must not be blank");
  const origin = customs?.country_of_origin;
  if (origin && !countries().isValid(origin))
    throw invalid("customs.country_of_origin", "is not an ISO 3166-1 country code");
  if (weight !== null && weight_unit === null) throw invalid("weight_unit", "is required with a weight", "required");
  if (fields.expiration_tracking && !fields.lot_tracking) {
    throw invalid("lot_tracking", "must be true for a product that tracks expiry: a lot carries the date");
  }
  checkComponents(fields);
  fields.barcodes.forEach(({ value, type }, index) => {
    if (type !== "code128" && type !== "other" && !isGtin(value)) {
      throw invalid(`barcodes[${index}].value`, "is not a GTIN: its check digit is wrong", "invalid_check_digit");
    }
  });
  const values = fields.barcodes.map((barcode: Barcode) => barcode.value);
  const again = values.findIndex((value, at) => values.indexOf(value) < at);
  if (again >= 0) throw invalid(`barcodes[${again}].value`, "is listed twice", "duplicate");
  checkPacks(fields);
}

function checkPacks({ type, packs, barcodes }: ProductFields): void {
  if (type === "bundle" && packs.length > 0) throw invalid("packs", "are only for simple products");
  const kinds = packs.map(({ level, quantity }) => `${level} ${quantity}`);
  const twice = kinds.findIndex((kind, at) => kinds.indexOf(kind) < at);
  if (twice >= 0) throw invalid(`packs[${twice}]`, "is listed twice: same level and quantity", "duplicate");
  // A GTIN is the same one with and without leading zeros.
  const taken = new Set(barcodes.map(({ value }) => fullCode(value)));
  for (const [at, { barcode = null, weight = null, weight_unit = null }] of packs.entries()) {
    if (weight !== null && weight_unit === null)
      throw invalid(`packs[${at}].weight_unit`, "is required with a weight", "required");
    if (barcode === null) continue;
    const field = `packs[${at}].barcode`;
    if (/^\d{12,14}$/.test(barcode) && !isGtin(barcode))
      throw invalid(field, "is not a GTIN: its check digit is wrong", "invalid_check_digit");
    if (taken.has(fullCode(barcode))) throw invalid(field, "is listed twice", "duplicate");
    taken.add(fullCode(barcode));
  }
}

/** How many units a pack has, in words. */
export const packSize = ({ level, quantity }: PackKind): string =>
  `The ${productFields.packs.of.level.words[level].toLowerCase()} has ${quantity} units.`;

/** The pack in which units were handled: null if they are not whole packs, since someone opened one. */
export const wholePacks = (pack: PackKind | null, units: number): PackKind | null =>
  pack !== null && units % pack.quantity === 0 ? pack : null;

/** A code; a GTIN in 14 digits. */
const fullCode = (code: string): string => (isGtin(code) ? code.padStart(14, "0") : code);

function checkComponents({ type, components }: ProductFields): void {
  if (type === "simple" && components.length > 0)
    throw invalid("components", "are only for bundles; set type to bundle");
  if (type === "bundle" && components.length === 0)
    throw invalid("components", "are required for a bundle", "required");
  const skus = components.map(({ sku }) => sku);
  const twice = skus.findIndex((sku, at) => skus.indexOf(sku) < at);
  if (twice >= 0) throw invalid(`components[${twice}].sku`, "is listed twice", "duplicate");
}

/** GS1's check digit of the digits before it: weights 3 and 1 from the right (GS1 General Specifications, 7.9). */
export function checkDigitOf(body: string): string {
  let sum = 0;
  for (let place = 0; place < body.length; place += 1) {
    sum += Number(body[body.length - 1 - place]) * (place % 2 === 0 ? 3 : 1);
  }
  return String((10 - (sum % 10)) % 10);
}

/** Whether the last of these digits is GS1's check digit of the others. */
export const hasCheckDigit = (digits: string): boolean => digits.endsWith(checkDigitOf(digits.slice(0, -1)));

/** Whether digits are a GTIN-8, -12, -13 or -14 with a right check digit. */
export const isGtin = (digits: string): boolean => /^(\d{8}|\d{12,14})$/.test(digits) && hasCheckDigit(digits);

/** The texts under which a GTIN may be stored: with and without leading zeros. */
export function gtinForms(gtin: string): string[] {
  const bare = gtin.replace(/^0+/, "");
  return [8, 12, 13, 14].filter((length) => length >= bare.length).map((length) => bare.padStart(length, "0"));
}
