import { missing } from "../../core/faults.ts";
import { getFile } from "../../files/files.sql.ts";
import { releaseFile, useFile } from "../../files/files.ts";
import type { Db, Tx } from "../../storage/database.ts";
import type { Merchant } from "../merchant.ts";
import { getMerchant, lockMerchant } from "../merchants.sql.ts";
import type { UpdateBranding } from "./branding.schema.ts";
import { getBranding, saveBranding } from "./branding.sql.ts";
import { type Branding, readBranding } from "./branding.ts";

/** Refuses another merchant than the caller may see. Refuses: resource_missing. */
function refuseOther({ scope }: Db, merchant: Merchant, name: string): Merchant {
  if (scope.visible === null || scope.visible === merchant.id) return merchant;
  throw missing("merchant", name);
}

/** The branding of the merchant that an identifier names. Refuses: resource_missing. */
export async function brandingOf(db: Db, name: string): Promise<Branding> {
  const merchant = refuseOther(db, await getMerchant(db, name), name);
  return getBranding(db, merchant.id);
}

/** As `brandingOf`, and locks the merchant, so that its branding changes once at a time. Refuses: resource_missing. */
export async function lockBranding(tx: Tx, name: string): Promise<Branding> {
  const merchant = refuseOther(tx, await lockMerchant(tx, name), name);
  return getBranding(tx, merchant.id);
}

/**
 * Changes the branding of a merchant. A new logo is kept from then on, and the previous one is removed after a day.
 * Refuses: resource_missing, validation_failed.
 */
export async function editBranding(tx: Tx, name: string, input: UpdateBranding): Promise<Branding> {
  const before = await lockBranding(tx, name);
  const changed = { ...before, ...readBranding(input) };
  const own = tx.scoped({ visible: before.merchant_id, owner: before.merchant_id });
  const logo_file_id = await changeLogo(own, before.logo_file_id, input.logo_file_id);
  return saveBranding(own, { ...changed, logo_file_id });
}

async function changeLogo(
  tx: Tx,
  before: number | null,
  named: UpdateBranding["logo_file_id"],
): Promise<number | null> {
  if (named === undefined) return before;
  const after = named === null ? null : (await getFile(tx, named)).id;
  if (after === before) return before;
  if (after !== null) await useFile(tx, after);
  if (before !== null) await releaseFile(tx, before);
  return after;
}
