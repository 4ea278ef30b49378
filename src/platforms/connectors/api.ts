// Calls the APIs of platforms. Where an API is, a client says: it is called as carefully as the receiver of a webhook.
import { default_ports, ranges } from "../../http/destination.ts";
import { createOutbound, type Outbound } from "../../http/outbound.ts";
import type { Service } from "../../http/service.ts";
import type { Mode } from "../../kit/mode.ts";
import type { Api } from "../platform.ts";
import { platformError } from "./asking.ts";

const answer_bytes_max = 2 * 1024 * 1024;
const deadlines = { connect_ms: 5000, headers_ms: 20_000, body_ms: 20_000 };

const outbounds = new WeakMap<Service, Readonly<Record<Mode, Outbound>>>();

/** The one caller of platforms' APIs in a mode. Its `problem` says why a client may not name an address. */
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

/** Calls platforms' APIs by a caller. What may not be repeated is written once. Refuses: platform_error. */
export function createApi(outbound: Pick<Outbound, "call">): Api {
  return async ({ method, url, headers, body }) => {
    const { answer, error } = await outbound.call({
      ...{ method, url, body, body_bytes_max: answer_bytes_max, repeatable: method === "GET" },
      headers: { Accept: "application/json", "User-Agent": "Packhouse/1", ...headers },
    });
    if (error !== null) {
      const permanent = error.code === "blocked_address";
      throw platformError(`The platform's API was not reached (${error.code}): ${error.message}`, { permanent });
    }
    if (!answer.complete && answer.body.length > answer_bytes_max) {
      throw platformError("The platform's API answered with more than 2 MiB.", { permanent: true });
    }
    if (!answer.complete) throw platformError("The answer of the platform's API was cut off.", { permanent: false });
    return { status: answer.status_code, headers: answer.headers, body: new TextDecoder().decode(answer.body) };
  };
}

/** What a connector calls platforms' APIs with. */
export function apiOf(service: Service, mode: Mode): Api {
  return createApi(outboundOf(service, mode));
}
