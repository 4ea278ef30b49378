import { Fault } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { dayEndTextOrNull } from "../../core/time_zone.ts";
import { gtinForms, isGtin } from "../../products/product.ts";
import type { Db } from "../../storage/database.ts";
import { bracketed, readScan, type Scan, type ScanContents } from "./read_scan.ts";
import { findByBarcode, findByLot, findBySku, listProductsInBin } from "./scanned_records.sql.ts";

// The number of a lot may be that of many products' lots.
const same_lot_max = 20;

/** A product that has a scanned code. */
export type MatchingProduct = Awaited<ReturnType<typeof findByBarcode>>[number];

/** What a scan is about, which decides between products with the same code. */
interface ScanContext {
  /** The expected products. Another one is a `wrong_item`. */
  readonly product_ids?: readonly number[];
  /** The merchants of the document. A product of another one is a `wrong_item`. */
  readonly merchant_ids?: readonly number[];
  /** The bin in which the product lies. */
  readonly bin_id?: number;
}

/** The product of a scan, and what else the code contains. */
interface ScannedProduct extends MatchingProduct, Pick<ScanContents, "lot_number" | "serial_number" | "expires_on"> {
  /** The units that the code stands for: those of its packs, or as many as it says. */
  readonly quantity: number;
  /** The text of the code. */
  readonly code: string;
}

/**
 * Finds the product that a scan means: its barcode or that of a pack (a GTIN with or without leading zeros), its SKU,
 * or the number of one of its lots. Of several products, the context decides.
 * Refuses: unreadable_barcode, unknown_barcode, ambiguous_barcode, wrong_item.
 */
export async function findScannedProduct(db: Db, code: string, context: ScanContext = {}): Promise<ScannedProduct> {
  const scan = readScan(code, db.now);
  const { text } = scan;
  const { products, lot_number } = await findMatchingProducts(db, scan);
  if (products.length === 0) {
    if (scan.kind === "invalid") throw unreadable(scan);
    throw new Fault("unknown_barcode", `No product has the code ${text}.`, { scanned: text });
  }
  const expected = products.filter(
    ({ id, merchant_id }) =>
      context.product_ids?.includes(id) !== false && context.merchant_ids?.includes(merchant_id) !== false,
  );
  const [first] = products;
  if (expected.length === 0 && first !== undefined) {
    const message = `${first.sku} (${first.name}) is not expected here.`;
    throw new Fault("wrong_item", message, { scanned: text, products: products.map(candidateView) });
  }
  const [only, ...others] = await inBin(db, expected, context.bin_id);
  if (only === undefined || others.length > 0) {
    const message = `Several products have the code ${text}. Choose one by its SKU.`;
    throw new Fault("ambiguous_barcode", message, { scanned: text, products: expected.map(candidateView) });
  }
  if (scan.kind === "ambiguous") throw ambiguousReadings(scan);
  const contents = scan.kind === "gs1" ? scan.contents : null;
  return {
    ...only,
    code: text,
    lot_number,
    serial_number: contents?.serial_number ?? null,
    expires_on: contents?.expires_on ?? null,
    quantity: unitsOf(only, contents),
  };
}

/** The units of a code: it may stand for several units, or for several packs. */
export const unitsOf = ({ pack }: Pick<MatchingProduct, "pack">, contents: ScanContents | null): number =>
  (pack?.quantity ?? 1) * (contents?.quantity ?? 1);

/** Of several products, those that lie in the bin, if any does. */
async function inBin(db: Db, products: readonly MatchingProduct[], bin_id: number | undefined) {
  if (products.length < 2 || bin_id === undefined) return products;
  const held = new Set((await listProductsInBin(db, { bin_id })).map(({ product_id }) => product_id));
  const there = products.filter(({ id }) => held.has(id));
  return there.length === 0 ? products : there;
}

/** All products that a scan may mean, and the number of the lot that it names. */
export async function findMatchingProducts(
  db: Db,
  scan: Scan,
): Promise<{ readonly products: readonly MatchingProduct[]; readonly lot_number: string | null }> {
  const { text } = scan;
  const [contents = null] = readingsOf(scan);
  const gtin = contents?.gtin ?? (isGtin(text) ? text : null);
  const lot_number = scan.kind === "gs1" ? scan.contents.lot_number : null;
  const scanned = await findByBarcode(db, [...new Set([text, ...(gtin === null ? [] : gtinForms(gtin))])]);
  if (scanned.length > 0) return { products: scanned, lot_number };
  if (contents !== null) {
    const named = gtin === null && lot_number !== null ? await findByLot(db, { lot_number, limit: same_lot_max }) : [];
    return { products: named.map(asUnit), lot_number };
  }
  const named = await findBySku(db, { sku: folded(text) });
  if (named.length > 0) return { products: named.map(asUnit), lot_number: null };
  const of_lot = await findByLot(db, { lot_number: text, limit: same_lot_max });
  return { products: of_lot.map(asUnit), lot_number: text };
}

/** A product that was found by another code than the barcode of a pack. */
const asUnit = <Product extends object>(product: Product) => ({ ...product, pack: null });

/** A text with A to Z in lower case, as indexes store it. */
export const folded = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** The ways to read a scan; none for plain text. */
export function readingsOf(scan: Scan): readonly ScanContents[] {
  if (scan.kind === "gs1") return [scan.contents];
  return scan.kind === "ambiguous" ? scan.readings : [];
}

/** Creates the fault of a code with a mistake. */
export function unreadable({ text, problem }: Extract<Scan, { kind: "invalid" }>): Fault {
  return new Fault("unreadable_barcode", `The code ${problem}.`, { scanned: text });
}

function ambiguousReadings(scan: Extract<Scan, { kind: "ambiguous" }>): Fault {
  const message = "The code can be read in several ways, because a separator is missing. Send the code of one reading.";
  return new Fault("ambiguous_barcode", message, { scanned: scan.text, readings: scan.readings.map(readingView) });
}

/** A way to read a code. Its `code`, in brackets, is never ambiguous. */
export function readingView(contents: ScanContents) {
  const { gtin, sscc, lot_number, serial_number, expires_on, quantity } = contents;
  const expiration_date = dayEndTextOrNull(expires_on);
  return { code: bracketed(contents), gtin, sscc, lot_number, serial_number, expiration_date, quantity };
}

function candidateView({ id, merchant_id, sku, name }: MatchingProduct) {
  return { product_id: wireId("product", id), merchant_id: wireId("merchant", merchant_id), sku, name };
}
