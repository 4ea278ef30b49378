// Verifies stored addresses with a carrier: claim in one transaction, call in none, record in another.

import { isWorthAsking, verificationOf } from "../../addresses/carrier_verification.ts";
import { setUsesCarrierChecks } from "../../addresses/verify_address.ts";
import { usesCarrierChecks } from "../../addresses/zip_codes.sql.ts";
import type { Actor } from "../../core/actor.ts";
import { wireId } from "../../core/ids.ts";
import type { CustomerAddress } from "../../customers/customer.ts";
import { carrierChecks, postponeCarrierCheck } from "../../customers/customers.sql.ts";
import { recordVerification } from "../../customers/customers.ts";
import type { Service } from "../../http/service.ts";
import { noteVerification } from "../../orders/changes/change_order.ts";
import type { Store } from "../../storage/database.ts";
import { askVerifier, findVerifier, type Verifier, type VerifierReply } from "./address_verifier.ts";

const batch_size = 8;
const wait_ms = 20_000;
const retry_ms = 300_000;
// After this the result of the local check stands.
const give_up_ms = 86_400_000;

/** The job `addresses.ask`: verifies stored addresses if an account can. Returns the next due time (ms), or null. */
export async function askAboutAddresses(store: Store, service: Service): Promise<number | null> {
  const verifier = await findVerifier(store, service);
  const has_verifier = verifier !== null;
  if ((await store.read(usesCarrierChecks)) !== has_verifier)
    await store.write((tx) => setUsesCarrierChecks(tx, has_verifier));
  if (verifier === null) return null;
  const { claims, next_at } = await store.write((tx) => carrierChecks.claimNext(tx, batch_size));
  if (claims.length === 0) return next_at;
  const eligible = claims.filter(isWorthAsking);
  const replies = await askVerifier(verifier, eligible, { store, service, wait_ms });
  for (const address of claims)
    await record(store, service, verifier, address, replies[eligible.indexOf(address)] ?? null);
  return next_at;
}

async function record(
  store: Store,
  service: Service,
  { connector }: Verifier,
  address: CustomerAddress,
  reply: VerifierReply | null,
): Promise<void> {
  const { answer, fault } = reply ?? { answer: null, fault: null };
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
    const next = tx.now + (typeof seconds === "number" ? seconds * 1000 : retry_ms);
    const is_over = fault === null || (permanent === true && fault.code === "carrier_refused");
    await postponeCarrierCheck(tx, address.id, is_over || next > address.updated_at + give_up_ms ? null : next);
  });
  if (fault === null) return;
  const facts = { mode: store.mode, address: wireId("address", address.id), error: fault.message };
  service.log.warn("a carrier failed to verify an address", facts);
}
