import { eq } from "drizzle-orm";
import { merchant_branding } from "../../../db/schema/branding.ts";
import type { StoredFile } from "../../files/file.ts";
import { getFile } from "../../files/files.sql.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { prepared, type StatementArgs } from "../../storage/statements.ts";
import { type Branding, plainBranding } from "./branding.ts";

const ofMerchant = prepared((sql, a: StatementArgs<{ merchant_id: number }>) =>
  sql.select().from(merchant_branding).where(eq(merchant_branding.merchant_id, a.merchant_id)),
);

/** The branding of a merchant; without fields if it was never edited. */
export async function getBranding(db: Db, merchant_id: number): Promise<Branding> {
  const [row] = await ofMerchant(db, { merchant_id });
  return row ?? plainBranding(merchant_id);
}

/** The branding of a merchant with the file of its logo, for documents. */
interface BrandingWithLogo {
  readonly branding: Branding;
  readonly logo: StoredFile | null;
}

/** As `getBranding`, with the file of the logo. */
export async function getBrandingWithLogo(db: Db, merchant_id: number): Promise<BrandingWithLogo> {
  const branding = await getBranding(db, merchant_id);
  const { logo_file_id: id } = branding;
  return { branding, logo: id === null ? null : await getFile(db, id) };
}

/** Stores changed branding and returns it with its revision incremented. */
export async function saveBranding(tx: Tx, branding: Branding): Promise<Branding> {
  const before = branding.revision === 0 ? tx.now : branding.created_at;
  const after = { ...branding, revision: branding.revision + 1, created_at: before, updated_at: tx.now };
  const { merchant_id: _, ...fields } = after;
  await tx.sql
    .insert(merchant_branding)
    .values(after)
    .onConflictDoUpdate({ target: merchant_branding.merchant_id, set: fields });
  return after;
}
