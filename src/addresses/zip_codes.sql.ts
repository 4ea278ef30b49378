import { eq, sql as template } from "drizzle-orm";
import { address_settings, postal_codes } from "../../db/schema/postal.ts";
import type { PostalAddress } from "../core/postal_address.ts";
import type { Db, Tx, WriteStatements } from "../storage/database.ts";
import { insert, prepared, preparedOf, type StatementArgs } from "../storage/statements.ts";
import { carriedPlaces, edition } from "./carried_zip_codes.ts";
import { type ZipPlaces, zipOf } from "./offline_verification.ts";
import type { ZipLine, ZipPlace } from "./postal_codes.ts";

const { zip, city, state } = postal_codes;
const settings = prepared((sql, a: StatementArgs<{ id: number }>) =>
  sql.select().from(address_settings).where(eq(address_settings.id, a.id)),
);
const placesOf = preparedOf((sql, isOf) =>
  sql
    .select({ zip, city, state, asks_carrier: address_settings.asks_carrier })
    .from(postal_codes)
    .innerJoin(address_settings, eq(address_settings.id, template`1`))
    .where(isOf(postal_codes.zip)),
);

/** The data for a check. */
interface PostalLookup {
  readonly places: ZipPlaces;
  /** Whether stored addresses are also verified by a carrier. */
  readonly asks_carrier: boolean;
}

/** Data on the ZIP codes of addresses. It takes one query if the table has all of them. */
export async function findPostalData(db: Db, addresses: readonly PostalAddress[]): Promise<PostalLookup> {
  const zips = new Set(addresses.flatMap((address) => Number(zipOf(address) ?? [])));
  const found = zips.size === 0 ? [] : await placesOf(db, { ids: [...zips] });
  const places = new Map<number, ZipPlace>(found.map((place) => [place.zip, place]));
  const [first] = found;
  if (first !== undefined && places.size === zips.size) return { places, asks_carrier: first.asks_carrier };
  const [row] = await settings(db, { id: 1 });
  // Codes that are not in the table yet come from the bundled file.
  const left = isLoaded(row) ? [] : [...zips].filter((number) => !places.has(number));
  for (const place of left.length === 0 ? [] : carriedPlaces(left)) places.set(place.zip, place);
  return { places, asks_carrier: row?.asks_carrier ?? false };
}

type AddressSettingsRow = typeof address_settings.$inferSelect;

/** Whether the table has all bundled ZIP codes, of this or a newer version. */
const isLoaded = (row: AddressSettingsRow | undefined) =>
  row !== undefined && row.next === null && row.edition >= edition;

/** The position to continue loading the bundled ZIP codes; null if the table has them, or those of a newer version. */
export async function nextZipToLoad(db: Db): Promise<{ readonly next: number; readonly fresh: boolean } | null> {
  const [row] = await settings(db, { id: 1 });
  if (row === undefined || row.edition < edition) return { next: 0, fresh: true };
  return row.next === null || row.edition > edition ? null : { next: row.next, fresh: false };
}

/** Whether stored addresses are also verified by a carrier. */
export async function usesCarrierChecks(db: Db): Promise<boolean> {
  const [row] = await settings(db, { id: 1 });
  return row?.asks_carrier ?? false;
}

/** Sets whether stored addresses are also verified by a carrier. */
export async function saveUsesCarrierChecks(tx: Tx, asks_carrier: boolean): Promise<void> {
  await tx.sql
    .insert(address_settings)
    .values({ id: 1, edition: 0, next: 0, asks_carrier })
    .onConflictDoUpdate({ target: address_settings.id, set: { asks_carrier } });
}

const clear = prepared((sql: WriteStatements, _: object) => sql.delete(postal_codes));
const keepEdition = prepared((sql: WriteStatements, a: StatementArgs<{ edition: number; next: number | null }>) =>
  sql
    .insert(address_settings)
    .values({ id: 1, edition: a.edition, next: a.next, asks_carrier: false })
    .onConflictDoUpdate({ target: address_settings.id, set: { edition: a.edition, next: a.next } }),
);

/** Deletes the ZIP codes of an older version. */
export async function clearZips(tx: Tx): Promise<void> {
  await clear(tx, {});
}

/** Stores ZIP codes and the position of the next ones in the file; null if these were the last. */
export async function insertZips(tx: Tx, lines: readonly ZipLine[], next: number | null): Promise<void> {
  await insert(tx, postal_codes, lines);
  await keepEdition(tx, { edition, next });
}
