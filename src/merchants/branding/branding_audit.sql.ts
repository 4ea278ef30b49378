// Audit rule of files for `verify`, in SQL that is independent of the acts.
import { sql } from "drizzle-orm";
import { merchant_branding } from "../../../db/schema/branding.ts";
import { files } from "../../../db/schema/files.ts";
import { verifierOf } from "../../storage/verifier.ts";

/** Finds files that would be removed although a merchant uses them, and files that are kept although none does. */
export const verifyFiles = verifierOf({
  nouns: { file: [files.id] },
  rules: [
    {
      rule: "a file is kept exactly as long as a merchant uses it",
      noun: "file",
      rows: sql`select ${files.id} as id, count(${merchant_branding.merchant_id}) as expected,
        case when ${files.remove_at} is null then 1 else 0 end as actual
        from ${files} left join ${merchant_branding} on ${merchant_branding.logo_file_id} = ${files.id}
        group by ${files.id}, ${files.remove_at}`,
    },
  ],
});
