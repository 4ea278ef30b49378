import { Fault, invalid } from "../core/faults.ts";

/** The merchant to whom belongs what a request makes. Refuses: merchant_required. */
export function requireOwner({ scope }: { readonly scope: { readonly makes: number | null } }): number {
  if (scope.makes === null) throw merchantRequired();
  return scope.makes;
}

/** The refusal of a request that does not say whose records it is about. */
export function merchantRequired(what = "Several merchants ship from here"): Fault {
  const way = "name one by the header Packhouse-Merchant, or by merchant_id where the body takes it";
  return new Fault("merchant_required", `${what}: ${way}.`);
}

/** The header by which a request names a merchant. */
export const merchant_header = "Packhouse-Merchant";

/** The refusal of a merchant that is not there for who asks; `where` is the field of the request, or the header. */
export function unknownMerchant(where: string): Fault {
  const message = "names no merchant: send its code or its id, mer_…";
  return where === merchant_header
    ? new Fault("malformed_header", `${where} ${message}.`)
    : invalid(where, message, "unknown");
}

/**
 * Refuses rows that have a name in common and belong to different merchants, when the house has not said whose are
 * meant. Refuses: merchant_required.
 */
export function refuseAmbiguousOwner<Row extends { readonly merchant_id: number }>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
): void {
  const [first] = rows;
  if (first === undefined || rows.every(({ merchant_id }) => merchant_id === first.merchant_id)) return;
  const owners = new Map<string, number>();
  for (const row of rows) {
    const name = nameOf(row);
    const other = owners.get(name);
    if (other !== undefined && other !== row.merchant_id)
      throw merchantRequired(`${name} is known to several merchants`);
    owners.set(name, row.merchant_id);
  }
}

/** Whether a request is of a house that serves one merchant alone: it sees all, and all that it makes is that one's. */
export function hasOneMerchant({
  scope,
}: {
  readonly scope: { readonly sees: number | null; readonly makes: number | null };
}) {
  return scope.sees === null && scope.makes !== null;
}

/** The codes of merchants by their ids. */
export type MerchantCodes = ReadonlyMap<number, string>;

/**
 * A number that each merchant gives by itself, such as an order's, on a paper of the house: with the merchant's code
 * where those of several meet.
 */
export function numberWithMerchant(number: string, merchant_id: number, codes: MerchantCodes): string {
  return codes.size < 2 ? number : `${number} (${codes.get(merchant_id)})`;
}

/** The merchant to whom everything of before belongs, in each world. */
export const main_merchant = 1;

/** How the paths of records go on, below the version, that belong to a merchant. */
export const ownedPaths = [
  "orders",
  "products",
  "customers",
  "returns",
  "platforms",
  "inventory/receipts",
  "inventory/transfers",
  "inventory/reservations",
  "inventory/lots",
  "shipping/labels",
] as const;
export type OwnedPath = (typeof ownedPaths)[number];
