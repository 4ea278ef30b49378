// Calls other parties' APIs. Clients choose their addresses, so they are called as carefully as receivers of webhooks.
import type { Service } from "../http/service.ts";
import type { Mode } from "../kit/mode.ts";
import type { Api, Party } from "./api.ts";
import { default_ports, ranges } from "./destination.ts";
import { createOutbound, type Outbound } from "./outbound.ts";

const mebibyte = 1024 * 1024;
const wait_ms = 20_000;
const deadlines = { connect_ms: 5000, headers_ms: wait_ms, body_ms: wait_ms };

const outbounds = new WeakMap<Service, Readonly<Record<Mode, Outbound>>>();

/** The one caller of APIs in a mode. Its `problem` says why a client may not use an address. */
export function outboundOf(service: Service, mode: Mode): Outbound {
  let made = outbounds.get(service);
  if (made === undefined) {
    const openings = ranges(service.webhook_allow_cidrs);
    const policy = { loopback_server: service.loopback_only, ports: default_ports, openings };
    made = {
      live: createOutbound({ policy: { ...policy, mode: "live" }, deadlines }),
      test: createOutbound({ policy: { ...policy, mode: "test" }, deadlines }),
    };
    outbounds.set(service, made);
  }
  return made[mode];
}

/** Calls a party's APIs. A request other than GET is sent only once. */
export function createApi(outbound: Pick<Outbound, "call">, party: Party): Api {
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
    const lost = { status: null, retry_after_seconds: null, said: null };
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
      throw party.refusal(`The answer of ${lowerFirst(name)} was cut off.`, {
        ...lost,
        permanent: false,
        written: true,
      });
    }
    return { status: answer.status_code, headers: answer.headers, body: answer.body };
  };
}

/** What the callers of a party's APIs need in a mode. */
export function apiOf(service: Service, mode: Mode, party: Party): Api {
  return createApi(outboundOf(service, mode), party);
}

// `The platform's API` within a sentence; a proper name stays as it is.
const lowerFirst = (name: string) => name.replace(/^The /, "the ");
