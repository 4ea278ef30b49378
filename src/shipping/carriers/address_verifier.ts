// Chooses the carrier that verifies addresses: that of the oldest active account whose connector can.

import type { CarrierAnswer } from "../../addresses/carrier_verification.ts";
import { Fault } from "../../core/faults.ts";
import type { PostalAddress } from "../../core/postal_address.ts";
import type { Service } from "../../http/service.ts";
import type { Store } from "../../storage/database.ts";
import type { CarrierAccount } from "./account.ts";
import { listActiveAccounts } from "./accounts.sql.ts";
import { accessTo, refusalOf } from "./call_carrier.ts";
import type { OutsideCarrier } from "./connector.ts";
import { outsideCarriersOf } from "./connectors.ts";

type VerifyingCarrier = OutsideCarrier & Required<Pick<OutsideCarrier, "verifyAddress">>;

/** An account whose connector verifies addresses. */
export interface Verifier {
  readonly account: CarrierAccount;
  readonly connector: VerifyingCarrier;
}

const verifiesAddresses = (connector: OutsideCarrier | undefined): connector is VerifyingCarrier =>
  connector?.verifyAddress !== undefined && connector.capabilities.has("address");

/** Finds the account that verifies addresses, the oldest if there are several; null if there is none. */
export async function findVerifier(store: Store, service: Service): Promise<Verifier | null> {
  const accounts = await store.read(listActiveAccounts);
  const connectors = outsideCarriersOf(service);
  for (const account of accounts) {
    const connector = connectors[account.connector];
    if (verifiesAddresses(connector)) return { account, connector };
  }
  return null;
}

/** A carrier's reply: its answer, or a warning with the fault. */
export type VerifierReply = { readonly answer: CarrierAnswer; readonly fault: Fault | null };

const parallel_max = 8;

/**
 * Verifies addresses with a carrier, a few in parallel. The replies are in the order of the addresses. All requests
 * share one deadline, `wait_ms` from now; later ones count as timeouts.
 */
export async function askVerifier(
  { account, connector }: Verifier,
  addresses: readonly PostalAddress[],
  { store, service, wait_ms }: { readonly store: Store; readonly service: Service; readonly wait_ms: number },
): Promise<VerifierReply[]> {
  const ctx = accessTo(account, connector, store, service);
  const { code, name } = connector;
  const late = Promise.withResolvers<never>();
  const message = `${name} did not answer within ${wait_ms / 1000} seconds.`;
  const timer = setTimeout(() => late.reject(new Fault("carrier_timeout", message)), wait_ms);
  late.promise.catch(() => {});
  const replies: VerifierReply[] = [];
  const ask = async (address: PostalAddress): Promise<VerifierReply> => {
    try {
      const whole = { ...address, name: "", company: null, phone: null };
      const found = await Promise.race([late.promise, connector.verifyAddress(whole, ctx)]);
      return { answer: { connector: code, found }, fault: null };
    } catch (error) {
      const fault = refusalOf(error, ctx, service.log);
      const warning = { carrier: code, level: "warning", code: fault.code, message: fault.message } as const;
      return { answer: { connector: code, message: warning }, fault };
    }
  };
  for (let at = 0; at < addresses.length; at += parallel_max) {
    replies.push(...(await Promise.all(addresses.slice(at, at + parallel_max).map(ask))));
  }
  clearTimeout(timer);
  return replies;
}

// A client's timeout: the local check answers the request without the carrier.
const client_waits_ms = 8000;

/** Returns the function with which `POST /addresses/verify` calls a carrier. It returns null without a verifier. */
export function carrierAsker(service: Service) {
  return async (mode: Store["mode"], addresses: readonly PostalAddress[]): Promise<CarrierAnswer[] | null> => {
    const store = service.stores[mode];
    const verifier = await findVerifier(store, service);
    if (verifier === null) return null;
    const replies = await askVerifier(verifier, addresses, { store, service, wait_ms: client_waits_ms });
    return replies.map(({ answer }) => answer);
  };
}
