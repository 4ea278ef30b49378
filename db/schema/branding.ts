import { foreignKey, int, primaryKey, table, text, time } from "../kit.ts";
import { files } from "./files.ts";
import { owner } from "./merchants.ts";

/** What buyers see of a merchant: on tracking pages and packing slips. A merchant without a row has none. */
export const merchant_branding = table(
  "merchant_branding",
  {
    merchant_id: owner(),
    logo_file_id: int(),
    /** Such as `#1f6feb`. */
    accent_color: text(),
    display_name: text(),
    support_email: text(),
    support_phone: text(),
    website: text(),
    message: text(),
    revision: int().notNull().default(1),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.merchant_id] }),
    foreignKey({ columns: [t.merchant_id, t.logo_file_id], foreignColumns: [files.merchant_id, files.id] }),
  ],
);
