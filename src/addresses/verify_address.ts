import type { Db, Tx } from "../storage/database.ts";
import { takeTurn } from "../storage/leases.ts";
import { type AddressVerification, isVerified, type PostalAddress, type StoredCheck } from "./address.ts";
import { carriedLines } from "./carried_zip_codes.ts";
import { checkOffline } from "./offline_verification.ts";
import { clearZips, findPostalData, insertZips, nextZipToLoad, saveAsksCarrier } from "./zip_codes.sql.ts";

// So many in one transaction, which all other writes wait for.
const lines_per_batch_max = 1000;

/** Checks addresses against postal data, in one query for all; each answer at the place of its address. */
export async function verifyOffline(db: Db, addresses: readonly PostalAddress[]): Promise<AddressVerification[]> {
  const { places } = await findPostalData(db, addresses);
  return addresses.map((address) => checkOffline(address, places, db.now));
}

/** Checks addresses that are about to be stored, in one query for all; each answer at the place of its address. */
export async function checkStored(tx: Tx, addresses: readonly PostalAddress[]): Promise<StoredCheck[]> {
  if (addresses.length === 0) return [];
  const { places, asks_carrier } = await findPostalData(tx, addresses);
  if (asks_carrier) tx.wake("addresses.ask", tx.now);
  return addresses.map((address) => {
    const verification = checkOffline(address, places, tx.now);
    return { verification, is_verified: isVerified(verification), ask_at: asks_carrier ? tx.now : null };
  });
}

/** Whether an address has a ZIP code that nobody here knows. An order may go there; a carrier's label may not. */
export async function hasUnknownZip(db: Db, address: PostalAddress): Promise<boolean> {
  const [found] = await verifyOffline(db, [address]);
  return found?.warnings.some(({ code }) => code === "unknown_zip") ?? false;
}

/** Has a carrier asked about addresses that are stored from now on, or nobody. */
export async function setAsksCarrier(tx: Tx, asks_carrier: boolean): Promise<void> {
  await saveAsksCarrier(tx, asks_carrier);
}

/** Loads some of the ZIP codes that the program carries into the table, and says whether there are more. */
export async function loadZips(tx: Tx): Promise<boolean> {
  // Several servers may begin at once.
  await takeTurn(tx, "addresses.load");
  const from = await nextZipToLoad(tx);
  if (from === null) return false;
  if (from.fresh) await clearZips(tx);
  const { lines, next } = carriedLines(from.next, lines_per_batch_max);
  await insertZips(tx, lines, next);
  return next !== null;
}
