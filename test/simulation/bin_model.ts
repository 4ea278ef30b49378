// Where goods may be stored, by the contract: bins reserved for a merchant, and bins shared with others. The building
// is shared, so this is the only place where the model of one merchant reads those of others.
import { type Bin, type BinCode, bins, goods, gtins, type House, merchants, type Sku, skus } from "./business.ts";

/** A request that the contract refuses, by its error code. */
export class Refused extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** Units in a bin, as far as other merchants need to know. */
interface Lying {
  readonly sku: Sku;
  readonly house: House;
  readonly bin: string;
  readonly on_hand: number;
}

/** One merchant, and the others in the same warehouses. */
interface Tenant {
  readonly whose: number;
  readonly neighbours: readonly { readonly items: readonly Lying[] }[];
}

/** Whether a bin contains units of other merchants. */
const holdsOthers = ({ neighbours }: Tenant, house: House, code: string): boolean =>
  neighbours.some(({ items }) => items.some((one) => one.house === house && one.bin === code && one.on_hand > 0));

/** Whether a bin currently accepts a merchant's goods. */
function takes(tenant: Tenant, house: House, { code, kind, kept, mixes }: Bin): boolean {
  if (kept !== null && kept !== merchants[tenant.whose]) return false;
  return kind !== "storage" || mixes.includes(house) || !holdsOthers(tenant, house, code);
}

/**
 * The first bin that accepts the goods: in the warmest zone that fits, with bins reserved for the merchant first. A bin
 * that is created later comes after those that exist.
 */
function usualBin(tenant: Tenant, house: House, cold: boolean): BinCode {
  for (const zone of cold ? [true] : [false, true]) {
    const fitting = bins.filter((bin) => bin.kind === "storage" && bin.cold === zone && takes(tenant, house, bin));
    const found = fitting.find(({ kept }) => kept !== null) ?? fitting[0];
    if (found !== undefined) return found.code;
  }
  throw new Error("each merchant has a bin of its own in the end");
}

/** The named bin if it accepts the goods, or the default one. Counted goods are already in the bin. */
export function binFor(tenant: Tenant, sku: Sku, code: BinCode | null, house: House, counted = false): BinCode {
  const { cold } = goods[sku];
  const bin = bins.find((one) => one.code === (code ?? usualBin(tenant, house, cold)));
  if (bin === undefined) throw new Refused("bin_of_other_merchant");
  if (bin.kind === "storage" && cold && !bin.cold) throw new Refused("validation_failed");
  if (!counted && !takes(tenant, house, bin)) throw new Refused("bin_of_other_merchant");
  return bin.code;
}

/** The GTIN of a merchant's goods: all merchants use the same GTINs, each for different SKUs. */
export const gtinOf = (whose: number, sku: Sku): string => gtins[(skus.indexOf(sku) + whose) % gtins.length] as string;

/** The SKU that a GTIN identifies at a merchant. */
export const meantBy = (whose: number, gtin: string): Sku => skus.find((sku) => gtinOf(whose, sku) === gtin) as Sku;
