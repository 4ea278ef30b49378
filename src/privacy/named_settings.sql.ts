// Settings of users that may name a person: saved views of lists, and mappings of the columns of uploaded files.
import { eq, inArray, isNull, or } from "drizzle-orm";
import { isOneOf } from "../../db/kit.ts";
import { import_mappings } from "../../db/schema/imports.ts";
import { saved_views } from "../../db/schema/saved_views.ts";
import { personalKinds } from "../imports/file_import.transitions.ts";
import type { Db, Tx } from "../storage/database.ts";
import { unscoped } from "../storage/scope.ts";
import { containsEmail, mentions } from "./erasure_terms.ts";

/** Whose saved views are searched: those of a merchant's users (null for all), and those of the operator's. */
interface ViewOwners {
  readonly merchant_id: number | null;
  readonly of_operator: boolean;
}

/**
 * The saved views whose name or filters name a person. The names of the operator's views count only by email address if
 * a merchant's data is searched: merchants choose the names of their customers, such as that of a view.
 */
export async function viewsNaming(db: Db, terms: ReadonlySet<string>, { merchant_id, of_operator }: ViewOwners) {
  const isTheirs = merchant_id === null ? undefined : eq(saved_views.merchant_id, merchant_id);
  const views = await db
    .scoped(unscoped)
    .sql.select()
    .from(saved_views)
    .where(isTheirs && (of_operator ? or(isTheirs, isNull(saved_views.merchant_id)) : isTheirs));
  return views.filter(
    ({ name, params, merchant_id: owner }) =>
      Object.values(params).some((text) => mentions(text, terms)) ||
      (merchant_id !== null && owner === null ? containsEmail(name, terms) : mentions(name, terms)),
  );
}

/** Deletes saved views. */
export async function deleteViews(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .scoped(unscoped)
    .sql.delete(saved_views)
    .where(inArray(saved_views.id, [...ids]));
}

/** The mappings of files of people's data whose columns name a person, as those of a file without a header line. */
export async function mappingsNaming(db: Db, terms: ReadonlySet<string>) {
  const mappings = await db.sql.select().from(import_mappings).where(isOneOf(import_mappings.kind, personalKinds));
  return mappings.filter(({ map }) => map !== null && namesIn(map).some((text) => mentions(text, terms)));
}

/** The names of columns in a mapping, and the whole of it, since they may contain commas and colons. */
const namesIn = (map: string) => [map, ...map.split(/[,:]/)];

/** Deletes mappings. */
export async function deleteMappings(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await tx.sql.delete(import_mappings).where(inArray(import_mappings.id, [...ids]));
}
