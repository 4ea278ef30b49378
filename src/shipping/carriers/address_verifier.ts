// Which carrier verifies addresses: that of the oldest active account whose connector can.

import type { PostalAddress } from "../../addresses/address.ts";
import type { CarrierAnswer } from "../../addresses/carrier_verification.ts";
import { Fault } from "../../core/faults.ts";
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

const knowsAddresses = (connector: OutsideCarrier | undefined): connector is VerifyingCarrier =>
  connector?.verifyAddress !== undefined && connector.capabilities.has("address");

/** The account that verifies addresses, the oldest of several; null when there is none. */
export async function findVerifier(store: Store, service: Service): Promise<Verifier | null> {
  const accounts = await store.read(listActiveAccounts);
  const connectors = outsideCarriersOf(service);
  for (const account of accounts) {
    const connector = connectors[account.connector];
    if (knowsAddresses(connector)) return { account, connector };
  }
  return null;
}

/** The result of a request: the carrier's answer, or the refusal. */
export type VerifierReply = { readonly answer: CarrierAnswer; readonly fault: Fault | null };

const together_max = 8;

/**
 * Asks a carrier about addresses, a few at a time. The answers are in the order of the addresses. One that takes longer
 * than `wait_ms` milliseconds counts as a timeout.
 */
export async function askVerifier(
  { account, connector }: Verifier,
  addresses: readonly PostalAddress[],
  { store, service, wait_ms }: { readonly store: Store; readonly service: Service; readonly wait_ms: number },
): Promise<VerifierReply[]> {
  const ctx = accessTo(account, connector, store, service);
  const { code, name } = connector;
  const late = Promise.withResolvers<never>();
  const words = `${name} did not answer within ${wait_ms / 1000} seconds.`;
  const timer = setTimeout(() => late.reject(new Fault("carrier_timeout", words)), wait_ms);
  late.promise.catch(() => {});
  const asked: VerifierReply[] = [];
  const ask = async (address: PostalAddress): Promise<VerifierReply> => {
    try {
      const whole = { ...address, name: "", company: null, phone: null };
      const found = await Promise.race([late.promise, connector.verifyAddress(whole, ctx)]);
      return { answer: { connector: code, found }, fault: null };
    } catch (error) {
      const fault = refusalOf(error, ctx, service.log);
      const message = { carrier: code, level: "warning", code: fault.code, message: fault.message } as const;
      return { answer: { connector: code, message }, fault };
    }
  };
  for (let at = 0; at < addresses.length; at += together_max) {
    asked.push(...(await Promise.all(addresses.slice(at, at + together_max).map(ask))));
  }
  clearTimeout(timer);
  return asked;
}

// A client waits no longer than this for an answer that could also be given without the carrier.
const client_waits_ms = 8000;

/** How `POST /addresses/verify` asks a carrier. */
export function carrierAsker(service: Service) {
  return async (mode: Store["mode"], addresses: readonly PostalAddress[]): Promise<CarrierAnswer[] | null> => {
    const store = service.stores[mode];
    const verifier = await findVerifier(store, service);
    if (verifier === null) return null;
    const asked = await askVerifier(verifier, addresses, { store, service, wait_ms: client_waits_ms });
    return asked.map(({ answer }) => answer);
  };
}
