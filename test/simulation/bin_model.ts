// Where goods may lie, as the contract tells it: whose bins are, and beside whom. The house is shared, so this is the
// one place where a merchant's model looks at those of others.
import { type Bin, type BinCode, bins, goods, gtins, type House, merchants, type Sku, skus } from "./business.ts";

/** A request that the contract refuses, by its error code. */
export class Refused extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** Units in a bin, as far as others have to know of them. */
interface Lying {
  readonly sku: Sku;
  readonly house: House;
  readonly bin: string;
  readonly on_hand: number;
}

/** One merchant of the house, and the others in it. */
interface Tenant {
  readonly whose: number;
  readonly neighbours: readonly { readonly items: readonly Lying[] }[];
}

/** Whether any units in a bin are of others. */
const holdsOthers = ({ neighbours }: Tenant, house: House, code: string): boolean =>
  neighbours.some(({ items }) => items.some((one) => one.house === house && one.bin === code && one.on_hand > 0));

/** Whether a bin takes a merchant's goods now. */
function takes(tenant: Tenant, house: House, { code, kind, kept, mixes }: Bin): boolean {
  if (kept !== null && kept !== merchants[tenant.whose]) return false;
  return kind !== "storage" || mixes.includes(house) || !holdsOthers(tenant, house, code);
}

/** The first bin where goods may lie: in the warmest zone that fits, before others those that are kept for them. */
function usualBin(tenant: Tenant, house: House, cold: boolean): BinCode | null {
  for (const zone of cold ? [true] : [false, true]) {
    const fitting = bins.filter((bin) => bin.kind === "storage" && bin.cold === zone && takes(tenant, house, bin));
    const found = fitting.find(({ kept }) => kept !== null) ?? fitting[0];
    if (found !== undefined) return found.code;
  }
  return null;
}

/** The bin that is named, if the goods may lie there, or the usual one. What is counted lies in the bin already. */
export function binFor(tenant: Tenant, sku: Sku, code: BinCode | null, house: House, counted = false): BinCode {
  const { cold } = goods[sku];
  const bin = bins.find((one) => one.code === (code ?? usualBin(tenant, house, cold)));
  if (bin === undefined) throw new Refused("bin_of_other_merchant");
  if (bin.kind === "storage" && cold && !bin.cold) throw new Refused("validation_failed");
  if (!counted && !takes(tenant, house, bin)) throw new Refused("bin_of_other_merchant");
  return bin.code;
}

/** The GTIN of a merchant's goods: all use the same ones, each for another SKU. */
export const gtinOf = (whose: number, sku: Sku): string => gtins[(skus.indexOf(sku) + whose) % gtins.length] as string;

/** What a GTIN means at a merchant. */
export const meantBy = (whose: number, gtin: string): Sku => skus.find((sku) => gtinOf(whose, sku) === gtin) as Sku;
