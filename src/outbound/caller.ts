// Calls other parties' APIs. Clients choose the URLs, so they are checked like those of webhook receivers.

import { systemClock } from "../core/clock.ts";
import type { Environment } from "../core/environment.ts";
import type { Service } from "../http/service.ts";
import type { Store } from "../storage/database.ts";
import type { Api, ApiParty } from "./api.ts";
import { type AddressPolicy, addressPolicy } from "./destination.ts";
import { createOutbound, type Outbound } from "./outbound.ts";

const mebibyte = 1024 * 1024;
const wait_ms = 20_000;
const deadlines = { connect_ms: 5000, headers_ms: wait_ms, body_ms: wait_ms };

type AddressChooser = AddressPolicy["chosen_by"];

/** Creates something once per service, environment and chooser of the URL (operator or merchant). */
export function forEachPolicy<Made>(make: (policy: AddressPolicy) => Made) {
  const all = new WeakMap<Service, Readonly<Record<AddressChooser, Readonly<Record<Environment, Made>>>>>();
  return (service: Service, mode: Environment, chosen_by: AddressChooser): Made => {
    const both = (by: AddressChooser) => ({
      live: make(addressPolicy(service, "live", by)),
      test: make(addressPolicy(service, "test", by)),
    });
    const made = all.getOrInsertComputed(service, () => ({ operator: both("operator"), merchant: both("merchant") }));
    return made[chosen_by][mode];
  };
}

/**
 * The service's HTTP client for an environment and for URLs that the operator or a merchant chose. Its `problem`
 * returns why a client may not use a URL.
 */
export const outboundOf = forEachPolicy((policy): Outbound => createOutbound({ policy, deadlines }));

/** Calls a party's APIs. A request other than GET is sent only once. */
export function createApi(outbound: Pick<Outbound, "call">, party: ApiParty): Api {
  const { name, answer_mebibytes_max } = party;
  return async ({ method, url, headers, body, wait_ms: own_ms }) => {
    const { answer, error } = await outbound.call({
      method,
      url,
      body,
      body_bytes_max: answer_mebibytes_max * mebibyte,
      repeatable: method === "GET",
      headers: { Accept: "application/json", "User-Agent": "Packhouse/1", ...headers },
      ...(own_ms !== undefined && { answer_ms: own_ms }),
    });
    const lost = { status: null, retry_after_seconds: null, payload: null };
    if (error !== null) {
      const permanent = error.code === "blocked_address";
      const words = `${name} was not reached (${error.code}): ${error.message}`;
      throw party.refusal(words, { ...lost, permanent, written: error.written });
    }
    if (!answer.complete && answer.body.length > answer_mebibytes_max * mebibyte) {
      const words = `${name} answered with more than ${answer_mebibytes_max} MiB.`;
      throw party.refusal(words, { ...lost, permanent: true, written: true });
    }
    if (!answer.complete) {
      throw party.refusal(`The response of ${lowerFirst(name)} was cut off.`, {
        ...lost,
        permanent: false,
        written: true,
      });
    }
    return { status: answer.status_code, headers: answer.headers, body: answer.body };
  };
}

const realTime = systemClock();

/** The time (ms) at other parties, which use real time, also for test data. */
export function partyTime({ mode, clock }: Pick<Store, "mode" | "clock">): number {
  return mode === "live" ? clock.now() : realTime.now();
}

/** A party's API in an environment, at a URL that the operator or a merchant chose. */
export function apiOf(service: Service, mode: Environment, chosen_by: AddressChooser, party: ApiParty): Api {
  return createApi(outboundOf(service, mode, chosen_by), party);
}

// `The platform's API` within a sentence; a proper name stays as it is.
const lowerFirst = (name: string) => name.replace(/^The /, "the ");
