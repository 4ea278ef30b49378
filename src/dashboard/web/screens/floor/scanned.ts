// What a scanned text is.
import { get } from "../../api/client.ts";
import type { ScanLookup } from "../../api/types.ts";
import { floorTexts as texts } from "../../text/floor.ts";
import { productTexts } from "../../text/products.ts";
import type { Outcome } from "./act_queue.ts";

export type ScannedProduct = ScanLookup["products"][number];

/** A scan without the prefix that names the kind of barcode, such as `]C0`. */
export const plain = (read: string) => read.replace(/^\][A-Za-z]\d/, "").trim();

/** Whether a scan is this code of a bin, tote, lot or product. */
export const isCode = (read: string, code: string | null | undefined) =>
  typeof code === "string" && plain(read).toLowerCase() === code.toLowerCase();

/** Finds out what a scan is. */
export async function lookUp(read: string, warehouse_id: string | null): Promise<ScanLookup> {
  return (await get<ScanLookup>("/floor/lookup", { params: { code: read, warehouse_id } })).data;
}

/** The lot that the code itself names. */
export const lotIn = ({ readings }: ScanLookup, product: ScannedProduct | undefined): string | null =>
  readings[0]?.lot_number ?? product?.lot?.lot_number ?? null;

/** The text to send for a scan: GS1 data with its identifiers in brackets, which are read in one way only. */
export const codeOf = ({ readings, scanned }: ScanLookup): string => readings[0]?.code ?? scanned;

/** The name of a scanned product, after its pack if it is one. */
export const nameOf = ({ name, pack }: ScannedProduct): string =>
  pack === null ? name : `${productTexts.pack(pack)} · ${name}`;

/** A refusal that this screen decided itself. */
export const wrong = (title: string, text: string, code: string, facts: Outcome["facts"] = {}): Outcome => ({
  kind: "wrong",
  title,
  text,
  code,
  facts,
});

/** The refusal of a code that several products have, or that can be read in several ways: one of them is chosen. */
export function ambiguous({ type, products, readings }: ScanLookup): Outcome {
  const [text, facts] =
    type === "ambiguous" ? [texts.severalReadings, { readings }] : [texts.severalProducts, { products }];
  return wrong(texts.refusals.ambiguous_barcode, text, "ambiguous_barcode", facts);
}

/** The refusal of a code that is not what was expected: it says what it is. */
export function notExpected(found: ScanLookup, expected: string): Outcome {
  const [product, bin, tote, order] = [found.products[0], found.bins[0], found.totes[0], found.orders[0]];
  if (product !== undefined) {
    return wrong(texts.refusals.wrong_item, texts.isProduct(product.name, product.sku, expected), "wrong_item");
  }
  const other = bin
    ? texts.isBin(bin.code)
    : tote
      ? texts.isTote(tote.code)
      : order && texts.isOrder(order.order_number);
  if (other) return wrong(texts.notThis, texts.insteadOf(other, expected), "wrong_kind");
  return wrong(texts.refusals.unknown_barcode, texts.unknownCode(expected), "unknown_barcode", {
    scanned: found.scanned,
  });
}
