import { Fault, invalid } from "../core/faults.ts";

/** The merchant that owns what a request creates. Refuses: merchant_required. */
export function requireOwner({ scope }: { readonly scope: { readonly owner: number | null } }): number {
  if (scope.owner === null) throw merchantRequired();
  return scope.owner;
}

/** Creates the fault of a request that does not say which merchant it is for. */
export function merchantRequired(what = "There are several merchants"): Fault {
  const way = "name one in the header Packhouse-Merchant, or in merchant_id if the body accepts it";
  return new Fault("merchant_required", `${what}: ${way}.`);
}

/** The header that names the merchant of a request. */
export const merchant_header = "Packhouse-Merchant";

/**
 * Creates the fault for a merchant that does not exist for the caller. `where` is the request's field, or the header.
 */
export function unknownMerchant(where: string): Fault {
  const message = "does not name a merchant: send its code or its id, mer_…";
  return where === merchant_header
    ? new Fault("malformed_header", `${where} ${message}.`)
    : invalid(where, message, "unknown");
}

/**
 * Refuses rows of different merchants that share a name, when an operator's request did not name a merchant.
 * Refuses: merchant_required.
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
    if (other !== undefined && other !== row.merchant_id) throw merchantRequired(`Several merchants have ${name}`);
    owners.set(name, row.merchant_id);
  }
}

/**
 * Whether the installation serves a single merchant: the request sees all records, and new ones belong to that
 * merchant.
 */
export function hasOneMerchant({
  scope,
}: {
  readonly scope: { readonly visible: number | null; readonly owner: number | null };
}) {
  return scope.visible === null && scope.owner !== null;
}

/** Merchant codes by id. */
export type MerchantCodes = ReadonlyMap<number, string>;

/**
 * A number assigned by a merchant, such as an order number, on a document of the operator: with the merchant's code if
 * there are several merchants.
 */
export function numberWithMerchant(number: string, merchant_id: number, codes: MerchantCodes): string {
  return codes.size < 2 ? number : `${number} (${codes.get(merchant_id)})`;
}

/** The id of the first merchant in each environment, which owns all records from before there were merchants. */
export const main_merchant = 1;

/** The paths, after the version, of records that belong to merchants. */
export const ownedPaths = [
  "orders",
  "products",
  "customers",
  "returns",
  "imports",
  "platforms",
  "inventory/receipts",
  "inventory/transfers",
  "inventory/reservations",
  "inventory/lots",
  "shipping/labels",
] as const;
export type OwnedPath = (typeof ownedPaths)[number];
