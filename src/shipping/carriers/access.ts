// How a connector calls a carrier: with the credentials of an account, opened for one call, and with a caller of its
// API.
import type { Store } from "../../database/store.ts";
import type { Service } from "../../http/service.ts";
import { systemClock } from "../../kit/clock.ts";
import { Fault } from "../../kit/fault.ts";
import { wireId } from "../../kit/ids.ts";
import type { Log } from "../../kit/log.ts";
import { without } from "../../outbound/asking.ts";
import { type CarrierAccount, credentialsOf } from "../accounts/account.ts";
import { waysTo } from "./asking.ts";
import type { Ctx, OutsideCarrier } from "./connector.ts";

const realTime = systemClock();

/** All that a connector needs to call a carrier for an account. Carriers use real time, in the sandbox too. */
export function accessTo(account: CarrierAccount, connector: OutsideCarrier, store: Store, service: Service): Ctx {
  const { id, name } = account;
  const { mode, clock } = store;
  return {
    account: { id, name },
    mode,
    credentials: credentialsOf(account, service.secret_key),
    ...waysTo(service, mode, connector.name),
    now: mode === "live" ? clock.now() : realTime.now(),
  };
}

// A shorter credential would also remove ordinary words from messages.
const shortest_secret = 6;

/** An error of a connector as a refusal whose words repeat no credential. An unexpected error is logged as well. */
export function refusalOf(error: unknown, { credentials, account }: Ctx, log: Log): Fault {
  const secrets = Object.values(credentials).filter(({ length }) => length >= shortest_secret);
  if (!(error instanceof Fault)) {
    const stack = error instanceof Error ? error.stack : String(error);
    const facts = { account: wireId("carrier_account", account.id), error: without(secrets, stack ?? "") };
    log.error("a carrier's connector failed", facts);
    return new Fault("carrier_error", "The carrier's answer was not understood; the log of the service says more.");
  }
  const told = without(secrets, error.message);
  return told === error.message ? error : new Fault(error.code, told, error.facts);
}

/** Waits for a carrier's answer for so many milliseconds. Refuses: carrier_timeout, and what the answer refuses. */
export async function inTime<Answer>(answer: Promise<Answer>, name: string, wait_ms: number): Promise<Answer> {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = new Fault("carrier_timeout", `${name} did not answer within ${wait_ms / 1000} seconds.`);
  const timer = setTimeout(() => reject(late), wait_ms);
  return await Promise.race([answer, promise]).finally(() => clearTimeout(timer));
}
