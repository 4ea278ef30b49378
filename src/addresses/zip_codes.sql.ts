import { eq, sql as template } from "drizzle-orm";
import { address_settings, postal_codes } from "../../db/schema/postal.ts";
import type { Db, Tx, WriteStatements } from "../storage/database.ts";
import { insert, prepared, preparedOf, type StatementArgs } from "../storage/statements.ts";
import type { PostalAddress } from "./address.ts";
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

/** What a check goes by. */
interface PostalLookup {
  readonly places: ZipPlaces;
  /** Whether a carrier is asked about addresses that are stored. */
  readonly asks_carrier: boolean;
}

/** What is known of the ZIP codes of addresses: one query, where the table has all of them. */
export async function findPostalData(db: Db, addresses: readonly PostalAddress[]): Promise<PostalLookup> {
  const zips = new Set(addresses.flatMap((address) => Number(zipOf(address) ?? [])));
  const found = zips.size === 0 ? [] : await placesOf(db, { ids: [...zips] });
  const places = new Map<number, ZipPlace>(found.map((place) => [place.zip, place]));
  const [first] = found;
  if (first !== undefined && places.size === zips.size) return { places, asks_carrier: first.asks_carrier };
  const [row] = await settings(db, { id: 1 });
  // What the table does not have yet, the program has.
  const left = isLoaded(row) ? [] : [...zips].filter((number) => !places.has(number));
  for (const place of left.length === 0 ? [] : carriedPlaces(left)) places.set(place.zip, place);
  return { places, asks_carrier: row?.asks_carrier ?? false };
}

type AddressSettingsRow = typeof address_settings.$inferSelect;

/** Whether the table has all that the program carries, or what a newer one does. */
const isLoaded = (row: AddressSettingsRow | undefined) =>
  row !== undefined && row.next === null && row.edition >= edition;

/** Where the carried ZIP codes are to be loaded on; null when they are in the table, or those of a newer program. */
export async function nextZipToLoad(db: Db): Promise<{ readonly next: number; readonly fresh: boolean } | null> {
  const [row] = await settings(db, { id: 1 });
  if (row === undefined || row.edition < edition) return { next: 0, fresh: true };
  return row.next === null || row.edition > edition ? null : { next: row.next, fresh: false };
}

/** Whether a carrier is asked about addresses that are stored. */
export async function asksCarrier(db: Db): Promise<boolean> {
  const [row] = await settings(db, { id: 1 });
  return row?.asks_carrier ?? false;
}

/** Has a carrier asked about addresses that are stored from now on, or nobody. */
export async function saveAsksCarrier(tx: Tx, asks_carrier: boolean): Promise<void> {
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

/** Takes away the ZIP codes of an older program. */
export async function clearZips(tx: Tx): Promise<void> {
  await clear(tx, {});
}

/** Stores ZIP codes, and where the file is to be read on; null when these were the last. */
export async function insertZips(tx: Tx, lines: readonly ZipLine[], next: number | null): Promise<void> {
  await insert(tx, postal_codes, lines);
  await keepEdition(tx, { edition, next });
}
