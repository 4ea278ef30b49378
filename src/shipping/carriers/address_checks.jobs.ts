// Stored addresses are verified by a carrier later: claimed in one transaction, asked in none, recorded in another.

import { isWorthAsking, verificationOf } from "../../addresses/carrier_verification.ts";
import { setAsksCarrier } from "../../addresses/verify_address.ts";
import { asksCarrier } from "../../addresses/zip_codes.sql.ts";
import type { Actor } from "../../core/actor.ts";
import { wireId } from "../../core/ids.ts";
import type { CustomerAddress } from "../../customers/customer.ts";
import { claimCarrierChecks, nextCarrierCheck, postponeCarrierChecks } from "../../customers/customers.sql.ts";
import { recordVerification } from "../../customers/customers.ts";
import type { Service } from "../../http/service.ts";
import { noteVerification } from "../../orders/changes/change_order.ts";
import type { Store } from "../../storage/database.ts";
import { askVerifier, findVerifier, type Verifier, type VerifierReply } from "./address_verifier.ts";

const together_max = 8;
const wait_ms = 20_000;
// Longer than a round can take: a server that died during one left them claimed.
const claimed_ms = 60_000;
const again_ms = 300_000;
// After that the result of the check without the carrier stays.
const give_up_ms = 86_400_000;

/**
 * `addresses.ask`: asks a carrier about stored addresses, if an account can verify them. Answers when to run next (ms),
 * or null.
 */
export async function askAboutAddresses(store: Store, service: Service): Promise<number | null> {
  const verifier = await findVerifier(store, service);
  const asks = verifier !== null;
  if ((await store.read(asksCarrier)) !== asks) await store.write((tx) => setAsksCarrier(tx, asks));
  if (verifier === null) return null;
  const claimed = await store.write((tx) => claimCarrierChecks(tx, together_max, tx.now + claimed_ms));
  if (claimed.length === 0) return store.read(nextCarrierCheck);
  const worth = claimed.filter(isWorthAsking);
  const asked = await askVerifier(verifier, worth, { store, service, wait_ms });
  for (const address of claimed) await record(store, service, verifier, address, asked[worth.indexOf(address)] ?? null);
  return store.clock.now();
}

async function record(
  store: Store,
  service: Service,
  { connector }: Verifier,
  address: CustomerAddress,
  asked: VerifierReply | null,
): Promise<void> {
  const { answer, fault } = asked ?? { answer: null, fault: null };
  if (answer !== null && "found" in answer) {
    const actor: Actor = { type: "carrier", id: connector.code, name: connector.name, request_id: null };
    await store.write(async (tx) => {
      const verification = verificationOf(address, connector.code, answer.found, tx.now);
      if (await recordVerification(tx, address, verification)) await noteVerification(tx, address, verification, actor);
    });
    return;
  }
  await store.write(async (tx) => {
    const { retry_after_seconds: seconds, permanent } = fault?.facts ?? {};
    const next = tx.now + (typeof seconds === "number" ? seconds * 1000 : again_ms);
    const is_over = fault === null || (permanent === true && fault.code === "carrier_refused");
    await postponeCarrierChecks(tx, address.id, is_over || next > address.updated_at + give_up_ms ? null : next);
  });
  if (fault === null) return;
  const facts = { mode: store.mode, address: wireId("address", address.id), error: fault.message };
  service.log.warn("a carrier did not answer about an address", facts);
}
