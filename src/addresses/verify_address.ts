import type { PostalAddress } from "../core/postal_address.ts";
import type { Db, Tx } from "../storage/database.ts";
import { takeTurn } from "../storage/leases.ts";
import { type AddressVerification, isVerified, type StoredCheck } from "./address.ts";
import { carriedLines } from "./carried_zip_codes.ts";
import { checkOffline } from "./offline_verification.ts";
import { clearZips, findPostalData, insertZips, nextZipToLoad, saveUsesCarrierChecks } from "./zip_codes.sql.ts";

// The limit for one transaction, since other writes wait for it.
const lines_per_batch_max = 1000;

/** Checks addresses against postal data, in one query. The results are in the order of the addresses. */
export async function verifyOffline(db: Db, addresses: readonly PostalAddress[]): Promise<AddressVerification[]> {
  const { places } = await findPostalData(db, addresses);
  return addresses.map((address) => checkOffline(address, places, db.now));
}

/** Checks addresses before they are stored, in one query. The results are in the order of the addresses. */
export async function checkStored(tx: Tx, addresses: readonly PostalAddress[]): Promise<StoredCheck[]> {
  if (addresses.length === 0) return [];
  const { places, asks_carrier } = await findPostalData(tx, addresses);
  if (asks_carrier) tx.wake("addresses.ask", tx.now);
  return addresses.map((address) => {
    const verification = checkOffline(address, places, tx.now);
    return { verification, is_verified: isVerified(verification), ask_at: asks_carrier ? tx.now : null };
  });
}

/** Whether an address has an unknown ZIP code. Orders may ship there, but carriers may refuse to sell a label. */
export async function hasUnknownZip(db: Db, address: PostalAddress): Promise<boolean> {
  const [found] = await verifyOffline(db, [address]);
  return found?.warnings.some(({ code }) => code === "unknown_zip") ?? false;
}

/** Sets whether stored addresses are also verified by a carrier. */
export async function setUsesCarrierChecks(tx: Tx, asks_carrier: boolean): Promise<void> {
  await saveUsesCarrierChecks(tx, asks_carrier);
}

/** Loads a batch of the bundled ZIP codes into the table. Returns whether there are more. */
export async function loadZips(tx: Tx): Promise<boolean> {
  // Several servers may start at once.
  await takeTurn(tx, "addresses.load");
  const from = await nextZipToLoad(tx);
  if (from === null) return false;
  if (from.fresh) await clearZips(tx);
  const { lines, next } = carriedLines(from.next, lines_per_batch_max);
  await insertZips(tx, lines, next);
  return next !== null;
}
